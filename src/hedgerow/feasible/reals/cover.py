"""Boxes that cover the feasible part of a mixed space: cut where it pays, dropped where a rule is surely broken.

What is left holds every feasible point; in some boxes every point keeps all rules. So the volume is known from both
sides, a set without boxes is proven empty, and draws fall into boxes in proportion to their volume. A real with a
condition is cut into where it has a value and where it has none; either counts as one code does. Real shares count by
their part of all mixtures, so that they weigh the same however many they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Column, Mask, Matrix, Places
from hedgerow.feasible.reals.mixed_rules import MixedRules
from hedgerow.feasible.reals.truths import Boxes, truth
from hedgerow.rules.resolve import slots_of
from hedgerow.space.space import SlotInfo

# Boxes at most, those cut at a time, and slots that are tried for a cut.
MAX_BOXES = 1024
_AT_A_TIME = 128
_MAX_SLOTS = 6
# A box thinner than this part of a slot is not cut there any more.
_THIN = 1e-9
# The part of the volume whose truth may stay open.
_OPEN_PART = 0.01
# Real shares with conditions of which each combination of being there or not has a box of its own.
_MAX_MIXTURES = 6


@dataclass(frozen=True, eq=False)
class Cover:
    """Boxes, which of them lie wholly inside, and the part of the space that each is."""

    boxes: Boxes
    is_inside: Mask
    volumes: Column


class Coverer:
    """Finds a cover for rules over reals; pivots of equalities and reals that are fixed are no coordinates.

    Without `cuts_codes` boxes hold all codes, and may hold reals with and without a value.
    """

    def __init__(self, rules: MixedRules, cuts_codes: bool = True) -> None:
        self._scales = rules.scales
        self._space = rules.space
        self._rules = rules.of_reals
        self._equalities = rules.equalities
        self._solved_rules = rules.solution.solved_rules
        self._real_places = {slot: place for place, slot in enumerate(self._space.reals)}
        self._conditional = [slot for slot in self._space.reals if slot in self._space.conditional]
        self._highest = np.array([float(slot.variable.values[-1]) for slot in self._slot_infos()])
        self._free_reals = list(rules.free_reals)
        self._pivots = rules.pivots
        self._cuts_codes = cuts_codes
        read = sorted(set[int]().union(*(slots_of(rule) for rule in self._rules)))
        self.slots = [slot for slot in read if slot not in rules.fixed and self._can_be_cut(slot)]
        self._codes = [slot for slot in self.slots if slot not in self._real_places]
        self._ends = np.stack([Boxes.whole(self._space).low[0], Boxes.whole(self._space).high[0]])
        self._mixtures = [
            (slots[0], math.factorial(sum(slot in self._free_reals for slot in slots))) for slots in rules.mixtures
        ]

    def _slot_infos(self) -> list[SlotInfo]:
        return [self._space.slots[slot] for slot in self._space.reals]

    def _can_be_cut(self, slot: int) -> bool:
        """Pivots are cut into being there and not, and no more."""
        if slot in self._pivots:
            return slot in self._conditional and self._cuts_codes
        return slot in self._real_places or self._cuts_codes

    def cover(self, start: Boxes, max_boxes: int = MAX_BOXES) -> Cover:
        """Return boxes that hold everything feasible of one box."""
        self._ends = np.stack([start.low[0], start.high[0]])
        boxes, is_inside = self._judged(self._by_mixtures(start))
        volumes = self._volumes(boxes)
        is_cut = np.zeros(boxes.n, dtype=np.bool_)
        while boxes.n < max_boxes:
            is_open = ~is_inside & ~is_cut
            if volumes[is_open].sum() <= _OPEN_PART * volumes.sum():
                break
            heaviest = np.argsort(-np.where(is_open, volumes, -1.0), kind="stable")
            chosen = heaviest[: min(_AT_A_TIME, int(is_open.sum()), max_boxes - boxes.n)]
            halves, has_halves = self._best_halves(boxes.at(chosen))
            # What cannot be cut any more stays as it is.
            is_cut[chosen[~has_halves]] = True
            gone = chosen[has_halves]
            rest = np.setdiff1d(np.arange(boxes.n), gone)
            new, new_inside = self._judged(halves)
            boxes = Boxes.joined([boxes.at(rest), new])
            is_inside = np.concatenate([is_inside[rest], new_inside])
            is_cut = np.concatenate([is_cut[rest], np.zeros(new.n, dtype=np.bool_)])
            volumes = self._volumes(boxes)
            if not boxes.n:
                break
        return Cover(boxes, is_inside, volumes)

    def _by_mixtures(self, start: Boxes) -> Boxes:
        """Return a box for each way in which real shares are there and not, since that says what they weigh."""
        boxes = start
        for slot, _ in self._mixtures[:_MAX_MIXTURES]:
            both = np.flatnonzero(self._may_be_both(boxes, slot))
            if both.size:
                rest = np.setdiff1d(np.arange(boxes.n), both)
                boxes = Boxes.joined([boxes.at(rest), self._cut_by_presence(boxes.at(both), slot)])
        return boxes

    def _may_be_both(self, boxes: Boxes, slot: int) -> Mask:
        """Where a real may have a value and may have none."""
        return np.isinf(boxes.high[:, slot]) & ~np.isinf(boxes.low[:, slot])

    def _cut_by_presence(self, boxes: Boxes, slot: int) -> Boxes:
        """Return the boxes with a value, then those without."""
        with_value, without = boxes.high.copy(), boxes.low.copy()
        with_value[:, slot] = self._highest[self._real_places[slot]]
        without[:, slot] = np.inf
        return Boxes.joined([Boxes(self._space, boxes.low, with_value), Boxes(self._space, without, boxes.high)])

    def _judged(self, boxes: Boxes) -> tuple[Boxes, Mask]:
        """Return the boxes in which no rule is surely broken, and in which of them all surely hold."""
        boxes, alive, inside = self._with_pivots(boxes)
        for rule in self._rules:
            left = np.flatnonzero(alive)
            found = truth(rule, boxes.at(left))
            alive[left] = found.may_hold
            # Draws put their pivots where the equality holds.
            inside[left] &= found.surely_holds | (id(rule) in self._solved_rules)
        return boxes.at(alive), inside[alive]

    def _with_pivots(self, boxes: Boxes) -> tuple[Boxes, Mask, Mask]:
        """Return the boxes with what their pivots may be, which of these leave them anything, and which all."""
        low, high = boxes.low.copy(), boxes.high.copy()
        for equality in self._equalities:
            # Anew for every half: what was left of its parent says nothing about the whole range.
            slot = equality.pivot
            has_none, has_one = np.isinf(low[:, slot]), np.isfinite(high[:, slot])
            last = min(self._ends[1, slot], self._highest[self._real_places[slot]])
            low[:, slot] = np.where(has_none, np.inf, self._ends[0, slot])
            high[:, slot] = np.where(has_one, last, self._ends[1, slot])
        alive, inside = np.ones(boxes.n, dtype=np.bool_), np.ones(boxes.n, dtype=np.bool_)
        for equality in self._equalities:
            at = Boxes(self._space, low, high)
            surely, perhaps = equality.applies(at)
            found = equality.solved(at)
            slot = equality.pivot
            fits = (found.low >= low[:, slot]) & (found.high <= high[:, slot]) & ~found.may_fail
            inside &= np.where(surely, fits, ~perhaps)
            margin = 1e-9 * (1.0 + np.maximum(np.abs(found.low), np.abs(found.high)))
            with np.errstate(all="ignore"):
                low[:, slot] = np.where(surely, np.fmax(low[:, slot], found.low - margin), low[:, slot])
                high[:, slot] = np.where(surely, np.fmin(high[:, slot], found.high + margin), high[:, slot])
            empty = low[:, slot] > high[:, slot]
            alive &= ~empty
            high[empty, slot] = low[empty, slot]
        return Boxes(self._space, low, high), alive, inside

    def _volumes(self, boxes: Boxes) -> Column:
        """Return the part of the space that each box is, in the coordinates that are free."""
        parts = self._code_parts(boxes).prod(axis=1)
        for slot in self._conditional:
            parts = parts * np.where(self._may_be_both(boxes, slot), 1.0, 0.5)
        for slot, n_orders in self._mixtures:
            parts = parts * np.where(np.isfinite(boxes.high[:, slot]), float(n_orders), 1.0)
        return np.asarray(self._real_parts(boxes).prod(axis=1) * parts)

    def _real_parts(self, boxes: Boxes) -> Matrix:
        """Return the part of each free real's range that each box is; all of it where it has no value."""
        places = [self._real_places[slot] for slot in self._free_reals]
        last = self._highest[places]
        ends = (boxes.low[:, self._free_reals], boxes.high[:, self._free_reals])
        low, high = (self._scales.to_unit(np.minimum(end, last), places) for end in ends)
        return np.where(np.isinf(ends[0]), 1.0, high - low)

    def _code_parts(self, boxes: Boxes) -> Matrix:
        sizes = np.array([self._space.sizes[slot] for slot in self._codes], dtype=np.float64)
        return np.asarray((boxes.high[:, self._codes] - boxes.low[:, self._codes] + 1.0) / sizes)

    def _widths(self, boxes: Boxes) -> Matrix:
        """Return how wide each box is in each slot that may be cut, as a part of the slot."""
        widths = np.zeros((boxes.n, len(self.slots)))
        by_slot = dict(zip(self._free_reals, self._real_parts(boxes).T, strict=True))
        codes = dict(zip(self._codes, self._code_parts(boxes).T, strict=True))
        for place, slot in enumerate(self.slots):
            if slot in codes:
                widths[:, place] = np.where(boxes.high[:, slot] > boxes.low[:, slot], codes[slot], 0.0)
                continue
            both = self._may_be_both(boxes, slot)
            if slot in by_slot:
                is_wide = (by_slot[slot] > _THIN) & np.isfinite(boxes.high[:, slot])
                widths[:, place] = np.where(is_wide, by_slot[slot], 0.0)
            if self._cuts_codes:
                widths[:, place] = np.where(both, 1.0, widths[:, place])
        return widths

    def _best_halves(self, boxes: Boxes) -> tuple[Boxes, Mask]:
        """Return both halves of each box, cut where most of it can be dropped, else where it is widest."""
        widths = self._widths(boxes)
        order = np.argsort(-widths.max(axis=0), kind="stable")[:_MAX_SLOTS]
        left = np.full((boxes.n, order.size), np.inf)
        for column, place in enumerate(order):
            can = np.flatnonzero(widths[:, place] > 0)
            if can.size:
                # Halves of a cut weigh the same, so what counts is how many are left.
                left[can, column] = self._alive(self._halves(boxes.at(can), np.full(can.size, place)))
        # Among cuts that drop as much, the widest.
        best = order[np.argmin(left - 0.5 * widths[:, order] / (1e-300 + widths.max(axis=1, keepdims=True)), axis=1)]
        has_halves = widths[np.arange(boxes.n), best] > 0
        return self._halves(boxes.at(has_halves), best[has_halves]), has_halves

    def _alive(self, halves: Boxes) -> Column:
        """Return for each box how many of its two halves are left; they stand one after the other."""
        with_pivots, alive, _ = self._with_pivots(halves)
        for rule in self._rules:
            left = np.flatnonzero(alive)
            alive[left] = truth(rule, with_pivots.at(left)).may_hold
        return np.asarray(alive.reshape(2, -1).sum(axis=0), dtype=np.float64)

    def _halves(self, boxes: Boxes, places: Places) -> Boxes:
        """Return the lower halves of all boxes, then the upper ones."""
        low, high = boxes.low.copy(), boxes.high.copy()
        for place in np.unique(places):
            slot, rows = self.slots[int(place)], np.flatnonzero(places == place)
            if slot in self._real_places:
                real = [self._real_places[slot]]
                both = rows[self._may_be_both(boxes.at(rows), slot)]
                high[both, slot], low[both, slot] = self._highest[real[0]], np.inf
                rows = np.setdiff1d(rows, both)
                ends = [self._scales.to_unit(end[rows][:, [slot]], real) for end in (boxes.low, boxes.high)]
                middle = self._scales.from_unit((ends[0] + ends[1]) / 2, real)[:, 0]
                middle = np.clip(middle, boxes.low[rows, slot], boxes.high[rows, slot])
                high[rows, slot], low[rows, slot] = middle, middle
            else:
                middle = np.floor((boxes.low[rows, slot] + boxes.high[rows, slot]) / 2)
                high[rows, slot], low[rows, slot] = middle, middle + 1
        return Boxes.joined([Boxes(self._space, boxes.low, high), Boxes(self._space, low, boxes.high)])

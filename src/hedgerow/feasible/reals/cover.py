"""Boxes that cover the feasible part of a mixed space: cut where it pays, dropped where a rule is surely broken.

What is left holds every feasible point; in some boxes every point keeps all rules. So the volume is known from both
sides, a set without boxes is proven empty, and draws fall into boxes in proportion to their volume.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Column, Mask, Matrix, Places
from hedgerow.feasible.reals.mixed_rules import MixedRules
from hedgerow.feasible.reals.truths import Boxes, truth
from hedgerow.rules.resolve import slots_of

# Boxes at most, those cut at a time, and slots that are tried for a cut.
MAX_BOXES = 1024
_AT_A_TIME = 128
_MAX_SLOTS = 6
# A box thinner than this part of a slot is not cut there any more.
_THIN = 1e-9
# The part of the volume whose truth may stay open.
_OPEN_PART = 0.01


@dataclass(frozen=True, eq=False)
class Cover:
    """Boxes, which of them lie wholly inside, and the part of the space that each is."""

    boxes: Boxes
    is_inside: Mask
    volumes: Column


class Coverer:
    """Finds a cover for rules over reals; pivots of equalities and reals that are fixed are no coordinates."""

    def __init__(self, rules: MixedRules) -> None:
        self._scales = rules.scales
        self._space = rules.space
        self._rules = rules.of_reals
        self._equalities = rules.equalities
        read = sorted(set[int]().union(*(slots_of(rule) for rule in self._rules)))
        self.slots = [slot for slot in read if slot not in rules.pivots | rules.fixed]
        self._real_places = {slot: place for place, slot in enumerate(self._space.reals)}
        self._free_reals = list(rules.free_reals)
        whole = Boxes.whole(self._space)
        self._ends = np.stack([whole.low[0], whole.high[0]])
        self._codes = [slot for slot in self.slots if slot not in self._real_places]

    def cover(self, start: Boxes, max_boxes: int = MAX_BOXES) -> Cover:
        """Return boxes that hold everything feasible of one box."""
        self._ends = np.stack([start.low[0], start.high[0]])
        boxes, is_inside = self._judged(start)
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

    def _judged(self, boxes: Boxes) -> tuple[Boxes, Mask]:
        """Return the boxes in which no rule is surely broken, and in which of them all surely hold."""
        boxes, alive, inside = self._with_pivots(boxes)
        solved = {id(equality.rule) for equality in self._equalities}
        for rule in self._rules:
            left = np.flatnonzero(alive)
            found = truth(rule, boxes.at(left))
            alive[left] = found.may_hold
            # Draws put their pivots where the equality holds.
            inside[left] &= found.surely_holds | (id(rule) in solved)
        return boxes.at(alive), inside[alive]

    def _with_pivots(self, boxes: Boxes) -> tuple[Boxes, Mask, Mask]:
        """Return the boxes with what their pivots may be, which of these leave them anything, and which all."""
        low, high = boxes.low.copy(), boxes.high.copy()
        for equality in self._equalities:
            # Anew for every half: what was left of its parent says nothing about the whole range.
            low[:, equality.pivot], high[:, equality.pivot] = self._ends[:, equality.pivot]
        alive, inside = np.ones(boxes.n, dtype=np.bool_), np.ones(boxes.n, dtype=np.bool_)
        for equality in self._equalities:
            found = equality.solved(Boxes(self._space, low, high))
            slot = equality.pivot
            inside &= (found.low >= low[:, slot]) & (found.high <= high[:, slot]) & ~found.may_fail
            margin = 1e-9 * (1.0 + np.maximum(np.abs(found.low), np.abs(found.high)))
            with np.errstate(all="ignore"):
                low[:, slot] = np.fmax(low[:, slot], found.low - margin)
                high[:, slot] = np.fmin(high[:, slot], found.high + margin)
            empty = low[:, slot] > high[:, slot]
            alive &= ~empty
            high[empty, slot] = low[empty, slot]
        return Boxes(self._space, low, high), alive, inside

    def _volumes(self, boxes: Boxes) -> Column:
        """Return the part of the space that each box is, in the coordinates that are free."""
        low, high = self._units(boxes)
        return np.asarray(np.prod(high - low, axis=1) * self._code_parts(boxes).prod(axis=1))

    def _units(self, boxes: Boxes) -> tuple[Matrix, Matrix]:
        places = [self._real_places[slot] for slot in self._free_reals]
        ends = (boxes.low, boxes.high)
        low, high = (self._scales.to_unit(end[:, self._free_reals], places) for end in ends)
        return low, high

    def _code_parts(self, boxes: Boxes) -> Matrix:
        sizes = np.array([self._space.sizes[slot] for slot in self._codes], dtype=np.float64)
        return np.asarray((boxes.high[:, self._codes] - boxes.low[:, self._codes] + 1.0) / sizes)

    def _widths(self, boxes: Boxes) -> Matrix:
        """Return how wide each box is in each slot that may be cut, as a part of the slot."""
        widths = np.zeros((boxes.n, len(self.slots)))
        low, high = self._units(boxes)
        by_slot = dict(zip(self._free_reals, (high - low).T, strict=True))
        codes = dict(zip(self._codes, self._code_parts(boxes).T, strict=True))
        for place, slot in enumerate(self.slots):
            if slot in by_slot:
                widths[:, place] = np.where(by_slot[slot] > _THIN, by_slot[slot], 0.0)
            else:
                widths[:, place] = np.where(boxes.high[:, slot] > boxes.low[:, slot], codes[slot], 0.0)
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
                ends = [self._scales.to_unit(end[rows][:, [slot]], real) for end in (boxes.low, boxes.high)]
                middle = self._scales.from_unit((ends[0] + ends[1]) / 2, real)[:, 0]
                middle = np.clip(middle, boxes.low[rows, slot], boxes.high[rows, slot])
                high[rows, slot], low[rows, slot] = middle, middle
            else:
                middle = np.floor((boxes.low[rows, slot] + boxes.high[rows, slot]) / 2)
                high[rows, slot], low[rows, slot] = middle, middle + 1
        return Boxes.joined([Boxes(self._space, boxes.low, high), Boxes(self._space, low, boxes.high)])

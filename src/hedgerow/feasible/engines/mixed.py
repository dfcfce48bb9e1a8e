"""The engine of spaces with reals: a diagram for the rules about codes, boxes for those about reals.

A draw takes a box in proportion to its volume and to the rows of codes in it, a row of codes, a point of the box, and
the evaluator's word: uniform, since what is turned away is turned away evenly. Real shares may be drawn as mixtures
instead of from boxes, where more of that is taken. Where hardly anything is taken, draws walk from points that are
known to be inside; then they are only diverse, and `sampling` says so.

`discrete` knows a real by whether it has a value: one code where it always has, two where it has a condition.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Changes, Codes, CodeScores, Column, Mask, Matrix
from hedgerow.errors import EffortExceeded
from hedgerow.feasible.changes import Literals
from hedgerow.feasible.code_set import CodeSet, Sampling, nothing_to_draw
from hedgerow.feasible.reals.cover import Cover, Coverer
from hedgerow.feasible.reals.inside import nearest_inside
from hedgerow.feasible.reals.mixed_rules import MixedRules
from hedgerow.feasible.reals.truths import Boxes
from hedgerow.space.floats import NO_PLACE

# Points cast into the boxes to learn what part of them is feasible, how many of these must be, and at most in one draw.
_PROBED = 2**13
_ENOUGH = 16
_MAX_CASTS = 2**19
_BATCH = 2**13
# Where draws walk: points to begin with, those tried to find them, steps for each draw, and shrinkings of a step.
_N_ANCHORS = 16
_N_SOLVED = 16
_STEPS = 24
_SHRINKINGS = 16
# Parts of the rows of codes that have a diagram of their own.
_MAX_PARTS = 512
# Rows up to this number are shown to the evaluator whatever the intervals say.
_FEW = 64


class MixedSet(CodeSet):
    """The rows that keep the rules of a space with reals; `discrete` holds the rows of codes, reals left out."""

    def __init__(
        self, rules: MixedRules, discrete: CodeSet, start: Boxes | None = None, codes_are_free: bool | None = None
    ) -> None:
        self.rules = rules
        self.discrete = discrete
        # Whether every row of codes within a box keeps the rules about codes.
        self._codes_are_free = not rules.of_codes if codes_are_free is None else codes_are_free
        self.sizes = rules.space.sizes
        self._start = Boxes.whole(rules.space) if start is None else start
        self._reals = rules.scales.reals
        self._is_code = np.ones(len(self.sizes), dtype=np.bool_)
        self._is_code[self._reals] = False
        self._highest = np.array([float(rules.space.slots[slot].variable.values[-1]) for slot in self._reals])
        self._parts: dict[bytes, CodeSet] = {}

    @property
    def mask_sizes(self) -> tuple[int, ...]:
        """Those of the diagram, to which a real is one code, or two with a condition."""
        return self.discrete.sizes

    # --- what is known of it ---

    @property
    def is_exact(self) -> bool:
        """Never: the points are as many as floats."""
        return False

    @cached_property
    def cover(self) -> Cover:
        """Boxes that hold every feasible point, without those in which no row of codes is feasible."""
        if self.discrete.is_empty or self.rules.solution.contradicts:
            found = Coverer(self.rules).cover(self._start, 1)
            return Cover(found.boxes.at([]), found.is_inside[:0], found.volumes[:0])
        found = Coverer(self.rules).cover(self._start)
        if not self._codes_are_free and np.unique(self._code_ends(found.boxes), axis=0).shape[0] > _MAX_PARTS:
            found = Coverer(self.rules, cuts_codes=False).cover(self._start)
        counts = self._row_shares(found.boxes)
        left = np.flatnonzero(counts > 0)
        return Cover(found.boxes.at(left), found.is_inside[left], (found.volumes * counts)[left])

    def _code_ends(self, boxes: Boxes) -> Matrix:
        """Return the first code of every slot in each box as the diagram knows it, then the last of every slot."""
        low, high = boxes.low.copy(), boxes.high.copy()
        for end in (low, high):
            end[:, self._reals] = np.isinf(end[:, self._reals])
        return np.concatenate([low, high], axis=1)

    def _row_shares(self, boxes: Boxes) -> Column:
        """Return by what the share of feasible rows of codes in each box differs from that of all rows in it."""
        if self._codes_are_free or not self.discrete.is_exact:
            return np.ones(boxes.n)
        keys, places = np.unique(self._code_ends(boxes), axis=0, return_inverse=True)
        n_slots = len(self.sizes)
        shares = [self._part(key).count / float(np.prod(key[n_slots:] - key[:n_slots] + 1.0)) for key in keys]
        return np.array(shares)[places.reshape(-1)]

    def _part(self, ends: Column) -> CodeSet:
        """Return the rows of codes inside a box, given its first and last codes."""
        key = ends.tobytes()
        if key not in self._parts:
            n_slots = len(self.sizes)
            codes = [np.arange(size) for size in self.discrete.sizes]
            allowed = [(own >= ends[slot]) & (own <= ends[n_slots + slot]) for slot, own in enumerate(codes)]
            is_whole = all(mask.all() for mask in allowed)
            self._parts[key] = self.discrete if is_whole else self.discrete.restricted(allowed)
        return self._parts[key]

    @property
    def volume(self) -> tuple[float, float]:
        """Bounds of the part of the space that is feasible: of its points, where rows may be no points."""
        if self.points is None and self.rules.bound and all(rule.is_of_space for rule in self.rules.bound):
            return (0.0, 0.0) if self.is_empty else (1.0, 1.0)
        low, high = self._share_of_rows
        if not isinstance(self.points, MixedSet):
            return low, min(1.0, high)
        least, most = self.points._share_of_rows
        return low / most if most > 0 else 0.0, min(1.0, high / least) if least > 0 else 1.0

    @cached_property
    def _share_of_rows(self) -> tuple[float, float]:
        """Bounds of the part of all rows that is feasible."""
        if not self.discrete.is_exact:
            return 0.0, float(self.cover.volumes.sum())
        if self._is_of_mixtures:
            # Shares weigh the same whatever they are, so that codes alone count.
            share = self.discrete.count / math.prod(self.discrete.sizes)
            return share, share
        # Sums of many boxes are off by a rounding error.
        margin = 1e-12
        return (
            float(self.cover.volumes[self.cover.is_inside].sum()) * (1 - margin),
            float(self.cover.volumes.sum()) * (1 + margin),
        )

    @cached_property
    def _is_of_mixtures(self) -> bool:
        """Whether nothing is said of reals but that shares add up."""
        return len(self.rules.of_reals) == len(self.rules.mixtures) and not self.rules.fixed

    @property
    def is_empty(self) -> bool:
        """Whether no box is left, which proves it; else it may still be empty."""
        return self.cover.boxes.n == 0

    @cached_property
    def sampling(self) -> Sampling:
        """Uniform where enough of what is cast into the boxes is feasible."""
        if self.is_empty:
            return "uniform"
        return "uniform" if self.discrete.sampling == "uniform" and self._probe.shape[0] >= _ENOUGH else "diverse"

    @cached_property
    def _probe(self) -> Matrix:
        """Feasible points among a number of casts, the same in every process."""
        return self._kept_casts(_PROBED, np.random.default_rng(17))

    @cached_property
    def _is_from_mixtures(self) -> bool:
        """Whether more is taken of draws from all mixtures than from boxes."""
        are_free = self.rules.mixtures and not self.rules.fixed and self.discrete.sampling == "uniform"
        if self.is_empty or not are_free:
            return False
        rng = np.random.default_rng(16)
        taken = [
            int(self.rules.completed(casts(_PROBED // 4, rng))[1].sum()) for casts in (self._boxed, self._mixed_casts)
        ]
        return taken[1] > taken[0]

    @property
    def description(self) -> str:
        """The size of the diagram and the number of boxes."""
        return f"{self.discrete.description}, and {self.cover.boxes.n:,} boxes for rules over reals"

    @property
    def n_nodes(self) -> int:
        """Those of the diagram."""
        return self.discrete.n_nodes

    @property
    def n_bytes(self) -> int:
        """The diagram and the boxes."""
        return self.discrete.n_bytes + 2 * self.cover.boxes.low.nbytes

    def _count(self) -> int:
        self.require_exact("The number of feasible points")
        raise AssertionError

    def require_exact(self, what: str) -> None:
        """Raise: reals have no number of points."""
        raise EffortExceeded(
            f"{what} is not defined where variables take any real number. `volume` bounds the part of the space that "
            "is feasible; sample, `in`, explain and repair work. Real(low, high, levels=...) makes points countable."
        )

    # --- rows ---

    def accepts(self, codes: Codes) -> Mask:
        """Ask the evaluator; of many rows, those about which intervals leave a doubt."""
        numbers = self.rules.scales.numbers(codes)
        kept = self._in_range(numbers)
        if codes.shape[0] <= _FEW:
            kept[kept] = [self.rules.evaluator_keeps(row) for row in numbers[kept]]
            return kept
        kept[kept] = self.discrete.accepts(self.of_codes(codes[kept]))
        kept[kept] = self.rules.keeps(numbers[kept])
        return kept

    def _in_range(self, numbers: Matrix) -> Mask:
        low, high = self._start.low[0], self._start.high[0]
        reals = numbers[:, self._reals]
        are_values = (reals <= self._highest) | np.isinf(reals)
        return np.asarray(((numbers >= low) & (numbers <= high)).all(axis=1) & are_values.all(axis=1))

    def of_codes(self, codes: Codes) -> Codes:
        """Return rows as the diagram knows them: a real has one code, and another for no value."""
        rows = codes.copy()
        rows[:, self._reals] = codes[:, self._reals] == NO_PLACE
        return rows

    def may_have_codes(self, row: Codes) -> bool:
        """Whether some box holds a row of codes of the diagram, reals left open: else none with these is feasible."""
        ends = self._code_ends(self.cover.boxes)
        return bool(((ends[:, : row.size] <= row) & (row <= ends[:, row.size :])).all(axis=1).any())

    def draw(self, n: int, rng: Generator) -> Codes:
        """Return n independent rows; EffortExceeded where neither casts nor walks find any."""
        if self.is_empty:
            raise nothing_to_draw()
        found = [np.zeros((0, len(self.sizes)))]
        missing = n
        if self.sampling == "uniform":
            share = max(self._probe.shape[0], 1) / _PROBED
            n_cast = 0
            while missing > 0 and n_cast < _MAX_CASTS + 64 * n:
                batch = int(np.clip(1.5 * missing / share, 32, _BATCH))
                found.append(self._kept_casts(batch, rng)[:missing])
                n_cast += batch
                missing -= found[-1].shape[0]
        if missing > 0:
            found.append(self._walked(missing, rng))
        return self.rules.scales.codes(np.concatenate(found))

    def draw_up_to(self, n: int, rng: Generator) -> Codes:
        """Return what `draw` does, or nothing where that fails."""
        try:
            return self.draw(n, rng)
        except EffortExceeded:
            return np.zeros((0, len(self.sizes)), dtype=np.int64)

    def _kept_casts(self, n: int, rng: Generator) -> Matrix:
        """Return the feasible ones of n points drawn from the boxes."""
        rows = self._casts(n, rng)
        rows, kept = self.rules.completed(rows)
        return rows[kept & self._in_range(rows)]

    def _casts(self, n: int, rng: Generator) -> Matrix:
        """Return n points of the boxes or of all mixtures, uniform in them; pivots are not computed yet."""
        return self._mixed_casts(n, rng) if self._is_from_mixtures else self._boxed(n, rng)

    def _boxed(self, n: int, rng: Generator) -> Matrix:
        volumes = self.cover.volumes
        places = rng.choice(volumes.size, size=n, p=volumes / volumes.sum())
        boxes = self.cover.boxes.at(places)
        rows = self._drawn_codes(boxes, rng)
        ends = [np.minimum(end[:, self._reals], self._highest) for end in (boxes.low, boxes.high)]
        units = [self.rules.scales.to_unit(end) for end in ends]
        drawn = units[0] + rng.random(units[0].shape) * (units[1] - units[0])
        return self.with_reals(rows, np.clip(self.rules.scales.from_unit(drawn), *ends))

    def _mixed_casts(self, n: int, rng: Generator) -> Matrix:
        """Return n points of the whole space, shares uniform among all mixtures."""
        rows = self.discrete.draw(n, rng).astype(np.float64)
        units = rng.random((n, self._reals.size))
        for slots in self.rules.mixtures:
            parts = rng.exponential(size=(n, len(slots)))
            units[:, np.isin(self._reals, slots)] = parts / parts.sum(axis=1, keepdims=True)
        return self.with_reals(rows, self.rules.scales.from_unit(units))

    def with_reals(self, rows: Matrix, values: Matrix) -> Matrix:
        """Put values into rows of codes of the diagram, where these say that there is one."""
        rows[:, self._reals] = np.where(rows[:, self._reals] > 0, np.inf, values)
        return rows

    def _drawn_codes(self, boxes: Boxes, rng: Generator) -> Matrix:
        """Return a row of codes of the diagram inside each box, feasible as far as the rules about codes go."""
        ends = self._code_ends(boxes)
        low, high = ends[:, : len(self.sizes)], ends[:, len(self.sizes) :]
        rows = np.minimum(np.floor(low + rng.random(low.shape) * (high - low + 1.0)), high)
        if self._codes_are_free:
            return rows
        keys, group = np.unique(ends, axis=0, return_inverse=True)
        for number, key in enumerate(keys):
            own = np.flatnonzero(group.reshape(-1) == number)
            rows[own] = self._part(key).draw(own.size, rng)
        return rows

    # --- where hardly any cast is feasible ---

    @cached_property
    def anchors(self) -> Matrix:
        """Some points inside the rules, found among casts or by descending into the rules; perhaps none."""
        if self._probe.shape[0]:
            return self._probe[:_N_ANCHORS]
        rng = np.random.default_rng(18)
        found = [self._kept_casts(_BATCH, rng) for _ in range(4)]
        starts = self._casts(_N_SOLVED, rng)
        known = np.concatenate(found)[:_N_ANCHORS]
        if known.shape[0]:
            return known
        solved = []
        for start in starts:
            row = nearest_inside(self.rules, start)
            if row is not None:
                solved.append(row)
            if len(solved) >= 4:
                break
        return np.array(solved).reshape(-1, len(self.sizes))

    def _walked(self, n: int, rng: Generator) -> Matrix:
        """Return n points reached by random steps inside the rules from points that are."""
        if not self.anchors.shape[0]:
            advice = (
                "Floats may have no numbers for which equalities hold to the last bit: isclose(left, right, tol=1e-9) "
                "allows a rounding. Else loosen a rule"
                if self.rules.equalities
                else "Loosen a rule"
            )
            raise EffortExceeded(
                "No feasible point was found, and none was proven not to exist: the rules over reals keep too thin a "
                f"set. {advice}, solve an equality for a variable, or narrow the ends of the variables."
            )
        rows = self.anchors[rng.integers(self.anchors.shape[0], size=n)]
        for _ in range(_STEPS):
            rows = self._stepped(rows, rng)
        return rows

    def _stepped(self, rows: Matrix, rng: Generator) -> Matrix:
        """Return rows after a random step each: along a line as far as it stays inside, or to other codes."""
        scales = self.rules.scales
        units = scales.to_unit(rows[:, self._reals])
        direction = rng.normal(size=units.shape)
        # Every other step is along one real alone.
        alone = np.asarray(rng.random(units.shape[0]) < 0.5)
        direction[alone] *= np.eye(units.shape[1])[rng.integers(units.shape[1], size=int(alone.sum()))]
        direction[:, np.isin(self._reals, list(self.rules.always_pivots | self.rules.fixed))] = 0.0
        direction /= np.linalg.norm(direction, axis=1, keepdims=True) + 1e-300
        low, high = -np.ones(rows.shape[0]), np.ones(rows.shape[0])
        result, is_open = rows.copy(), np.ones(rows.shape[0], dtype=np.bool_)
        codes = rows.copy()
        others = np.asarray(rng.random(rows.shape[0]) < 0.25)
        if others.any() and max(self.discrete.sizes) > 1:
            drawn = self.discrete.draw(int(others.sum()), rng).astype(np.float64)
            # What had no value before is drawn.
            before = np.where(np.isinf(codes), np.nan, codes)[others][:, self._reals]
            anew = scales.from_unit(rng.random(before.shape))
            codes[others] = self.with_reals(drawn, np.where(np.isnan(before), anew, before))
            units = scales.to_unit(codes[:, self._reals])
        for _ in range(_SHRINKINGS):
            if not is_open.any():
                break
            reach = low + rng.random(rows.shape[0]) * (high - low)
            stepped = units[is_open] + (reach[:, None] * direction)[is_open]
            moved, kept = self.rules.completed(scales.placed(codes[is_open], np.clip(stepped, 0.0, 1.0)))
            kept &= ((stepped >= 0) & (stepped <= 1)).all(axis=1) & self._in_range(moved)
            result[np.flatnonzero(is_open)[kept]] = moved[kept]
            low, high = np.where(reach < 0, reach, low), np.where(reach > 0, reach, high)
            is_open[np.flatnonzero(is_open)[kept]] = False
        return result

    def draw_rejected(self, n: int, rng: Generator) -> Codes:
        """Return n rows of the whole space that break a rule."""
        found = self.rejected_up_to(n, rng, _MAX_CASTS)
        if found.shape[0] < n:
            raise EffortExceeded(f"Fewer than {n} points that break a rule were found in {_MAX_CASTS:,} uniform draws.")
        return found

    def rejected_up_to(self, n: int, rng: Generator, n_casts: int) -> Codes:
        """Return up to n rows of the whole space that break a rule, as many as so many draws meet."""
        scales, found, missing, n_cast = self.rules.scales, [np.zeros((0, len(self.sizes)), np.int64)], n, 0
        while missing > 0 and n_cast < n_casts:
            if self.points is None:
                low, high = self._code_ends(self._start)[0].reshape(2, -1)
                rows = np.minimum(np.floor(low + rng.random((_BATCH, low.size)) * (high - low + 1.0)), high)
                codes = scales.codes(self.with_reals(rows, scales.from_unit(rng.random((_BATCH, self._reals.size)))))
            else:
                codes = self.points.draw(_BATCH, rng)
            codes = codes[~self.accepts(codes)]
            found.append(codes[:missing])
            missing -= found[-1].shape[0]
            n_cast += _BATCH
        return np.concatenate(found)

    def untried(self, tried: Codes, rng: Generator) -> Codes | None:
        """Draw until a row is new; None where the rules leave a handful of points, all of them tried."""
        seen = {row.tobytes() for row in np.ascontiguousarray(tried)}
        for _ in range(8):
            for row in np.ascontiguousarray(self.draw(_FEW, rng)):
                if row.tobytes() not in seen:
                    return np.asarray(row)
        return None

    def unrank(self, ranks: Sequence[int]) -> Codes:
        """Raise: reals have no order that could be counted through."""
        _ = ranks
        self.require_exact("The place of a point")
        raise AssertionError

    def rank(self, codes: Codes) -> list[int]:
        """Raise, as `unrank` does."""
        _ = codes
        self.require_exact("The place of a point")
        raise AssertionError

    def batches(self, size: int = 0) -> Iterator[Codes]:
        """Raise: reals cannot be listed."""
        _ = size
        self.require_exact("A list of the points")
        raise AssertionError

    def usage(self) -> list[list[int]]:
        """Raise: points are not counted."""
        self.require_exact("How many points use a value")
        raise AssertionError

    # --- changes of a row ---

    def changes(self, codes: Codes, n_slots: int, literals: Literals | None = None) -> Changes:
        """Return the changes of codes, reals as they are, after which the row is in the set."""
        found = self.discrete.changes(self.of_codes(codes[None, :])[0], n_slots, literals)
        if not found.shape[0]:
            return found
        rows = np.repeat(codes[None, :], found.shape[0], axis=0)
        places = np.arange(found.shape[0])
        rows[places, found[:, 0]] = found[:, 1]
        double = found[:, 2] >= 0
        rows[places[double], found[double, 2]] = found[double, 3]
        return found[self.accepts(rows)]

    # --- scores, and parts of the set ---

    def best(self, scores: CodeScores, most: int | None = None) -> Iterator[Codes]:
        """Raise: a score per value is not defined for reals."""
        _ = scores, most
        raise EffortExceeded(
            "Scores per value are not defined where variables take any real number. Use repair, or minimize a function."
        )

    def restricted(self, allowed: Sequence[Mask]) -> MixedSet:
        """Return the rows whose codes are marked; marks of reals are passed over."""
        whole = [np.ones(size, dtype=np.bool_) for size in self.discrete.sizes]
        only = [mask if self._is_code[slot] else whole[slot] for slot, mask in enumerate(allowed)]
        return self._within(only, {})

    def with_codes(self, fixed: Mapping[int, int]) -> MixedSet:
        """Return the rows that have these codes in these slots."""
        allowed = [np.ones(size, dtype=np.bool_) for size in self.discrete.sizes]
        for slot, code in fixed.items():
            if self._is_code[slot] or allowed[slot].size > 1:
                allowed[slot][:] = False
                allowed[slot][code if self._is_code[slot] else int(code == NO_PLACE)] = True
        return self._within(allowed, {slot: code for slot, code in fixed.items() if not self._is_code[slot]})

    def _within(self, allowed: Sequence[Mask], fixed_reals: dict[int, int]) -> MixedSet:
        low, high = self._start.low.copy(), self._start.high.copy()
        is_free = self._codes_are_free
        for slot, mask in enumerate(allowed):
            if self._is_code[slot] and mask.any():
                marked = np.flatnonzero(mask)
                is_free &= bool(marked.size == marked[-1] - marked[0] + 1)
                low[0, slot], high[0, slot] = max(low[0, slot], marked[0]), min(high[0, slot], marked[-1])
        row = np.zeros((1, len(self.sizes)), dtype=np.int64)
        for slot, code in fixed_reals.items():
            row[0, slot] = code
            low[0, slot] = high[0, slot] = self.rules.scales.numbers(row)[0, slot]
        rules = MixedRules(self.rules.space, self.rules.bound, self.rules.fixed | frozenset(fixed_reals))
        return MixedSet(rules, self.discrete.restricted(allowed), Boxes(rules.space, low, high), is_free)

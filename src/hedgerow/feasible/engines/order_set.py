"""The orders of items that keep rules about positions and about what comes before what, as rows of positions.

Where they can be counted with bounded effort the set is exact: counts, ranks and uniform draws. Where they cannot,
draws come from a chain of small changes, and a solver finds what is asked for.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Changes, Codes, CodeScores, Mask, Matrix, Places
from hedgerow.diagram.best import FORBIDDEN, whole_scores
from hedgerow.errors import EffortExceeded
from hedgerow.expressions import AllDifferent, Comparison, Slot
from hedgerow.feasible.changes import Literals
from hedgerow.feasible.code_set import CodeSet, Sampling, nothing_to_draw
from hedgerow.feasible.compile import Part
from hedgerow.feasible.engines.solved import RuleSet
from hedgerow.feasible.orders import moves
from hedgerow.feasible.orders.counted import CountedOrders
from hedgerow.feasible.orders.poset import IdealsExceeded

if TYPE_CHECKING:
    from hedgerow.feasible.engines.cp_sat import RuleSolver

# Draws before what is left is looked for.
_MAX_DRAWS = 200
# The solver's effort for the best orders, in its deterministic seconds.
_EFFORT = 3.0


class OrderSet(CodeSet):
    """Orders of n items; `allowed[item, position]`, and `before[a, b]` where a comes before b, which is transitive."""

    def __init__(self, allowed: Mask, before: Mask) -> None:
        self.n = allowed.shape[0]
        self.sizes = (self.n,) * self.n
        self.allowed, self.before = allowed, before
        self._solver: RuleSolver | None = None

    def __getstate__(self) -> dict[str, Any]:
        # A model of the solver cannot be copied to another process; it is made anew there.
        return {**vars(self), "_solver": None}

    @cached_property
    def steps(self) -> tuple[Places, Places]:
        """The pairs of items that say all that `before` says."""
        return moves.steps_of(self.before)

    @cached_property
    def _counted(self) -> CountedOrders | None:
        try:
            return CountedOrders(self.allowed, self.before)
        except IdealsExceeded:
            return None

    @property
    def is_exact(self) -> bool:
        """Whether the orders could be counted."""
        return self.is_empty or self._counted is not None

    @property
    def sampling(self) -> Sampling:
        """Uniform where the orders could be counted."""
        return "uniform" if self.is_exact else "diverse"

    @cached_property
    def is_empty(self) -> bool:
        """Whether no order keeps the rules."""
        if self._is_circular or not self.allowed.any(axis=1).all():
            return True
        if self._counted is not None:
            return self._counted.total == 0
        if self.allowed.all():
            return False
        answer = self.solver.find(np.random.default_rng(0), list(self.allowed))
        return answer.row is None and answer.is_proven

    @cached_property
    def _is_circular(self) -> bool:
        """Whether an item must come before itself; the steps, which leave out what others imply, do not say so."""
        return bool((self.before & self.before.T).any())

    @property
    def description(self) -> str:
        """How many items there are, and rules between them."""
        return f"orders of {self.n:,} items ({self.n_nodes:,} nodes)"

    @property
    def n_nodes(self) -> int:
        """The size of what counts them."""
        return self._counted.n_nodes if self._counted is not None else self.n

    @property
    def n_bytes(self) -> int:
        """The tables of pairs, and about what a state takes."""
        return self.allowed.nbytes + self.before.nbytes + 100 * self.n_nodes

    def _count(self) -> int:
        return 0 if self.is_empty else self._known.total

    @property
    def _known(self) -> CountedOrders:
        assert self._counted is not None
        return self._counted

    # --- rows ---

    def accepts(self, codes: Codes) -> Mask:
        """Look at pairs of items."""
        if self._is_circular:
            return np.zeros(codes.shape[0], dtype=np.bool_)
        accepted = moves.are_orders(codes)
        accepted[accepted] = moves.keep(codes[accepted], self.allowed, self.steps)
        return accepted

    def draw(self, n: int, rng: Generator) -> Codes:
        """Return n independent rows."""
        if self.is_empty:
            raise nothing_to_draw()
        if self._counted is not None:
            return self._counted.draw(n, rng)
        if self.allowed.all():
            from hedgerow.feasible.orders.chain import shuffled_orders  # noqa: PLC0415 - compiled, on demand

            return shuffled_orders(self.before, n, rng)
        return np.array([self._found(rng) for _ in range(n)], dtype=np.int64).reshape(-1, self.n)

    def draw_up_to(self, n: int, rng: Generator) -> Codes:
        """Return n rows, or a few where each costs a solver's search."""
        is_cheap = self._counted is not None or bool(self.allowed.all())
        return self.draw(n if is_cheap else min(n, 2), rng)

    def _found(self, rng: Generator) -> Codes:
        hint = rng.permutation(self.n)
        answer = self.solver.find(rng, list(self.allowed), hint=hint)
        if answer.row is None:
            raise EffortExceeded("No order that keeps the rules was found, nor a proof that there is none.")
        return answer.row

    def untried(self, tried: Codes, rng: Generator) -> Codes | None:
        """Draw, and then look where there must be one."""
        seen = {row.tobytes() for row in np.ascontiguousarray(tried)}
        if self.is_empty:
            return None
        if self._counted is None:
            answer = self.solver.find(rng, list(self.allowed), list(tried[self.accepts(tried)]))
            if answer.row is None and not answer.is_proven:
                raise EffortExceeded(
                    "No order that has not been tried was found, nor a proof that none is left: the solver's effort "
                    "ran out."
                )
            return answer.row
        for row in self.draw(_MAX_DRAWS, rng):
            if row.tobytes() not in seen:
                return np.asarray(row)
        for row in self.unrank(range(min(self._count(), len(seen) + 1))):
            if row.tobytes() not in seen:
                return np.asarray(row)
        return None

    def unrank(self, ranks: Sequence[int]) -> Codes:
        """Return the rows with these ranks."""
        self.require_exact("The order of feasible points")
        return self._known.unrank(ranks)

    def rank(self, codes: Codes) -> list[int]:
        """Return the ranks of rows that are in the set."""
        self.require_exact("The order of feasible points")
        return self._known.rank(codes)

    def usage(self) -> list[list[int]]:
        """Return for each item and position how many orders have it there."""
        self.require_exact("The number of feasible points per value")
        return [[0] * self.n] * self.n if self.is_empty else self._known.usage()

    # --- changes, scores, parts ---

    def changes(self, codes: Codes, n_slots: int, literals: Literals | None = None) -> Changes:
        """Return the swaps that keep the rules; no order differs from another in one place alone."""
        if n_slots == 1 or not moves.are_orders(codes[None, :])[0]:
            return np.zeros((0, 4), dtype=np.int64)
        if self.accepts(codes[None, :])[0]:
            found = moves.swaps(codes, self.allowed, self.before)
        else:
            found = moves.swaps(codes, np.ones_like(self.allowed), np.zeros_like(self.before))
            rows = np.repeat(codes[None, :], found.shape[0], axis=0)
            places = np.arange(found.shape[0])
            rows[places, found[:, 0]], rows[places, found[:, 2]] = found[:, 1], found[:, 3]
            found = found[self.accepts(rows)]
        if literals is None or literals.are_all:
            return found
        table = literals.table
        return found[table[found[:, 0], found[:, 1]] & table[found[:, 2], found[:, 3]]]

    def best(self, scores: CodeScores, most: int | None = None) -> Iterator[Codes]:
        """Yield rows from the highest sum of scores down: by assignments, or by the solver where items are tied."""
        _ = most
        if self.is_empty:
            return
        numbers = np.stack(list(scores))
        allowed = self.allowed & np.isfinite(numbers)
        found = _assignments(np.where(allowed, numbers, 0.0), allowed)
        if not self.before.any():
            yield from found
            return
        given: list[Codes] = []
        first = next(found, None)
        if first is None:
            return
        if self.accepts(first[None, :])[0]:
            given.append(first)
            yield first
        whole = [np.where(score > FORBIDDEN // 2, score, 0) for score in whole_scores(scores, allowed.size)]
        while True:
            answer = self.solver.best(whole, list(allowed), given, self._nearest(first), _EFFORT)
            if answer.row is None and answer.is_proven:
                return
            if answer.row is None:
                raise EffortExceeded("No further good orders were found: the solver's effort ran out.")
            given.append(answer.row)
            yield answer.row

    def _nearest(self, row: Codes) -> Codes:
        """Return a near order in which nothing comes before what it must follow."""
        left = set(range(self.n))
        n_before = self.before.sum(axis=0)
        order = []
        while left:
            item = min((item for item in left if n_before[item] == 0), key=lambda item: (row[item], item))
            left.remove(item)
            order.append(item)
            n_before = n_before - self.before[item]
        near = np.empty(self.n, dtype=np.int64)
        near[order] = np.arange(self.n)
        return near

    def restricted(self, allowed: Sequence[Mask]) -> OrderSet:
        """Return the rows whose code in every slot is marked in `allowed`."""
        return OrderSet(self.allowed & np.stack(list(allowed)), self.before)

    @property
    def solver(self) -> RuleSolver:
        """Finds orders."""
        if self._solver is None:
            slots = tuple(Slot(item, f"item {item}") for item in range(self.n))
            pairs = zip(*self.steps, strict=True)
            parts = [Part(0, AllDifferent(slots), None)]
            parts += [Part(1, Comparison("<", slots[a], slots[b]), None) for a, b in pairs]
            self._solver = RuleSet(parts, range(self.n), [range(self.n)] * self.n).solver
        return self._solver


def _assignments(scores: Matrix, allowed: Mask) -> Iterator[Codes]:
    """Yield assignments of items to positions from the highest sum down (Murty's partition)."""
    ticket = count()
    queue: list[tuple[float, int, Codes, Mask]] = []

    def push(left: Mask) -> None:
        found = _assigned(scores, left)
        if found is not None:
            heapq.heappush(queue, (-float(scores[np.arange(found.size), found].sum()), next(ticket), found, left))

    push(allowed)
    while queue:
        _, _, row, left = heapq.heappop(queue)
        yield row
        rest = left.copy()
        for item in range(row.size):
            if np.count_nonzero(rest[item]) > 1:
                without = rest.copy()
                without[item, row[item]] = False
                push(without)
            rest[item] = False
            rest[:, row[item]] = False
            rest[item, row[item]] = True


def _assigned(scores: Matrix, allowed: Mask) -> Codes | None:
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]  # noqa: PLC0415 - slow to load

    try:
        _, columns = linear_sum_assignment(np.where(allowed, scores, -np.inf), maximize=True)
    except ValueError:
        return None
    return np.asarray(columns, dtype=np.int64)

"""The engine of last resort: rules that no one diagram holds, checked one by one, with a solver that finds rows.

A diagram of some of the rules is at hand. Where enough of its rows satisfy the other rules, draws are its draws, as far
as they do: uniform. Elsewhere every row comes from the solver, and draws are only diverse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Changes, Codes, CodeScores, Mask
from hedgerow.diagram.best import FORBIDDEN, whole_scores
from hedgerow.diagram.count import Counts
from hedgerow.diagram.machine import Diagram
from hedgerow.errors import EffortExceeded
from hedgerow.expressions import Scalar
from hedgerow.feasible.changes import Literals, allowed_changes
from hedgerow.feasible.code_set import CodeSet, Sampling, nothing_to_draw
from hedgerow.feasible.compile import Part
from hedgerow.feasible.engines.checker import RuleChecker
from hedgerow.feasible.engines.cp_sat_loading import make_room
from hedgerow.feasible.engines.diagram import DiagramSet

if TYPE_CHECKING:
    from hedgerow.feasible.engines.cp_sat import RuleSolver
    from hedgerow.feasible.engines.cp_sat_model import Answer

# Draws that tell how many rows of the diagram satisfy all rules, and how many of them must for draws by rejection.
_PROBES = 1024
_ENOUGH = _PROBES // 64
_MAX_DRAWS = 2**16
_CHUNK = 4096
# Rows of the diagram in a row that break a rule, before rows are listed by the solver.
_MAX_SKIPPED = 2**14
# Branches of a search for the best rows that end in broken rules, before the solver takes over.
_MAX_BRANCHES = 200_000
# The solver's effort for the best rows, in its deterministic seconds.
_THOROUGH = 30.0
# Rows that a search for starting points has from the solver.
_FEW = 2


class RuleSet:
    """The parts of all rules, with what checks them and what solves them, both made at the first need."""

    def __init__(self, parts: Sequence[Part], order: Sequence[int], domains: Sequence[Sequence[Scalar | None]]) -> None:
        self.parts = parts
        self._order = order
        self._domains = domains

    def __getstate__(self) -> dict[str, Any]:
        # A model of the solver cannot be copied to another process; it is made anew there.
        return {name: value for name, value in vars(self).items() if name not in ("checker", "solver")}

    @cached_property
    def checker(self) -> RuleChecker:
        """Checks rows."""
        return RuleChecker(self.parts, self._order, self._domains)

    @cached_property
    def solver(self) -> RuleSolver:
        """Finds rows."""
        # OR-Tools takes a second to load, and most sets never need it.
        make_room()
        from hedgerow.feasible.engines.cp_sat import RuleSolver  # noqa: PLC0415

        return RuleSolver(self.parts, self._order, self._domains, self.checker.accepts)


class SolvedSet(CodeSet):
    """The rows of a relaxation, a diagram that holds some rules, that satisfy all rules."""

    def __init__(self, relaxation: DiagramSet, rules: RuleSet, allowed: Sequence[Mask] | None = None) -> None:
        self.relaxation = relaxation
        self.sizes = relaxation.sizes
        self._rules = rules
        self._allowed = allowed

    @property
    def is_exact(self) -> bool:
        """Never."""
        return False

    @property
    def sampling(self) -> Sampling:
        """Uniform where draws of the relaxation are rejected, else diverse."""
        return "uniform" if self._rejects else "diverse"

    @cached_property
    def is_empty(self) -> bool:
        """Whether the relaxation is empty, or the solver proves that no row satisfies all rules."""
        if self.relaxation.is_empty or self._rules.checker.is_empty:
            return True
        if self._n_probed:
            return False
        answer = self._rules.solver.find(np.random.default_rng(0), self._allowed)
        return answer.row is None and answer.is_proven

    @property
    def description(self) -> str:
        """What stands in for an exact form."""
        return f"1 solver (CP-SAT), beside a diagram of some rules with {self.n_nodes:,} nodes"

    @property
    def diagram(self) -> Diagram:
        """The diagram of some rules."""
        return self.relaxation.diagram

    @property
    def counts(self) -> Counts:
        """The number of completions of every node of that diagram."""
        return self.relaxation.counts

    @property
    def n_nodes(self) -> int:
        """The nodes of that diagram."""
        return self.relaxation.n_nodes

    @property
    def n_bytes(self) -> int:
        """The memory that it and the diagrams of single rules occupy."""
        return self.relaxation.n_bytes + sum(part.diagram.n_bytes for part in self._rules.parts if part.diagram)

    def _count(self) -> int:
        raise AssertionError("never exact")

    @cached_property
    def _n_probed(self) -> int:
        """How many of some draws of the relaxation satisfy all rules."""
        rows = self.relaxation.draw(_PROBES, np.random.default_rng(0))
        return int(np.count_nonzero(self._rules.checker.accepts(rows)))

    @cached_property
    def _rejects(self) -> bool:
        return not self.relaxation.is_empty and self._n_probed >= _ENOUGH

    def accepts(self, codes: Codes) -> Mask:
        """Ask all rules."""
        accepted = self._rules.checker.accepts(codes)
        for slot, mask in enumerate(self._allowed or ()):
            accepted &= mask[codes[:, slot]]
        return accepted

    # --- drawing ---

    def draw(self, n: int, rng: Generator) -> Codes:
        """Return n independent rows: by rejection, or each found by the solver near a random row."""
        if self.relaxation.is_empty:
            raise nothing_to_draw()
        rows = self._rejection(n, rng) if self._rejects else self._none()
        found = [self._found(rng) for _ in range(n - rows.shape[0])]
        return np.concatenate([rows, np.array(found, dtype=np.int64).reshape(-1, len(self.sizes))])

    def draw_up_to(self, n: int, rng: Generator) -> Codes:
        """Return n rows where draws are rejected, else a few."""
        if self._rejects:
            return self._rejection(n, rng)
        answers = [self._answered(rng) for _ in range(min(n, _FEW))]
        rows = [answer.row for answer in answers if answer.row is not None]
        return np.array(rows, dtype=np.int64).reshape(-1, len(self.sizes))

    def _rejection(self, n: int, rng: Generator) -> Codes:
        kept = [self._none()]
        n_kept, n_drawn = 0, 0
        # Ten times what is to be expected; whatever is missing then comes from the solver.
        while n_kept < n and n_drawn < _MAX_DRAWS + 10 * _PROBES // _ENOUGH * n:
            rows = self.relaxation.draw(_CHUNK, rng)
            n_drawn += _CHUNK
            kept.append(rows[self._rules.checker.accepts(rows)])
            n_kept += kept[-1].shape[0]
        return np.concatenate(kept)[:n]

    def _answered(self, rng: Generator) -> Answer:
        return self._rules.solver.find(rng, self._allowed)

    def _found(self, rng: Generator) -> Codes:
        answer = self._answered(rng)
        if answer.row is not None:
            return answer.row
        if answer.is_proven:
            raise nothing_to_draw()
        raise EffortExceeded(
            "No point that satisfies the rules was found, nor a proof that there is none: the solver's effort ran out. "
            "Add rules that narrow the space, or simplify those that stayed outside the diagram (doctor() names them)."
        )

    def untried(self, tried: Codes, rng: Generator) -> Codes | None:
        """Ask the solver for a row that is none of these, or for the proof that none is left."""
        excluded = np.unique(tried[self.accepts(tried)], axis=0) if tried.shape[0] else tried
        answer = self._rules.solver.find(rng, self._allowed, list(excluded))
        if answer.row is None and not answer.is_proven:
            raise EffortExceeded(
                "No feasible point that has not been tried was found, nor a proof that none is left: the solver's "
                "effort ran out."
            )
        return answer.row

    # --- order ---

    def unrank(self, ranks: Sequence[int]) -> Codes:
        """Raise: rows have no order."""
        _ = ranks
        self.require_exact("The order of feasible points")
        return self._none()

    def rank(self, codes: Codes) -> list[int]:
        """Raise: rows have no order."""
        _ = codes
        self.require_exact("The order of feasible points")
        return []

    def usage(self) -> list[list[int]]:
        """Raise: rows are not counted."""
        self.require_exact("The number of feasible points per value")
        return []

    def batches(self, size: int = _CHUNK) -> Iterator[Codes]:
        """Yield all rows of the relaxation that satisfy the rules; where these are rare, what the solver finds."""
        if not self.relaxation.is_exact:
            yield from self._listed(self._none())
            return
        given: list[Codes] = []
        n_missed = 0
        for rows in self.relaxation.batches(size):
            kept = rows[self._rules.checker.accepts(rows)]
            n_missed = 0 if kept.shape[0] else n_missed + rows.shape[0]
            if kept.shape[0]:
                given.append(kept)
                yield kept
            if n_missed > _MAX_SKIPPED:
                yield from self._listed(np.concatenate([self._none(), *given]))
                return

    # --- changes, scores, parts ---

    def changes(self, codes: Codes, n_slots: int, literals: Literals | None = None) -> Changes:
        """Ask the rules that read the changed slots."""
        changes = self._rules.checker.changes(codes, n_slots, literals)
        return changes if self._allowed is None else allowed_changes(codes, changes, self._allowed)

    def best(self, scores: CodeScores, most: int | None = None) -> Iterator[Codes]:
        """Yield rows from the highest sum of scores down.

        The order is that of the relaxation as long as few of its best rows break a rule, and the solver's from there
        on: rows that it cannot prove best in time are good ones.
        """
        # Rows that break a rule are passed over, so that nobody knows how many are needed.
        _ = most
        given: list[Codes] = []
        if self._n_probed:
            misses, max_misses = 0, max(10, _MAX_BRANCHES // sum(self.sizes))
            for row in self.relaxation.best(scores):
                if self._rules.checker.accepts(row[None, :])[0]:
                    misses = 0
                    given.append(row)
                    yield row
                else:
                    misses += 1
                if misses > max_misses:
                    break
            else:
                return
        yield from self._solved_best(scores, given)

    def _solved_best(self, scores: CodeScores, given: list[Codes], effort: float = _THOROUGH) -> Iterator[Codes]:
        # The solver adds up the scores of all codes before it knows that a slot has one.
        whole = whole_scores(scores, sum(self.sizes))
        allowed = [score > FORBIDDEN // 2 for score in whole]
        if self._allowed is not None:
            allowed = [mask & other for mask, other in zip(allowed, self._allowed, strict=True)]
        finite = [np.where(mask, score, 0) for mask, score in zip(allowed, whole, strict=True)]
        hint = np.array(
            [int(np.where(mask, score, FORBIDDEN).argmax()) for mask, score in zip(allowed, whole, strict=True)]
        )
        while True:
            answer = self._rules.solver.best(finite, allowed, given, hint, effort)
            if answer.row is None and answer.is_proven:
                return
            if answer.row is None:
                raise EffortExceeded(
                    "No further good points were found: the solver's effort ran out. Add rules that narrow the space, "
                    "or simplify those that stayed outside the diagram (doctor() names them)."
                )
            given.append(answer.row)
            yield answer.row

    def restricted(self, allowed: Sequence[Mask]) -> SolvedSet:
        """Return the rows whose code in every slot is marked in `allowed`."""
        both = allowed if self._allowed is None else [a & b for a, b in zip(allowed, self._allowed, strict=True)]
        return SolvedSet(self.relaxation.restricted(allowed), self._rules, both)

    def _none(self) -> Codes:
        return np.zeros((0, len(self.sizes)), dtype=np.int64)

"""Rules that a product of sets does not hold, checked one by one beside it, with a solver that finds rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Changes, Codes, CodeScores, Mask
from hedgerow.errors import EffortExceeded
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.feasible.code_set import CodeSet, Sampling
from hedgerow.feasible.engines.solved import RuleSet, SolvedSet

if TYPE_CHECKING:
    from hedgerow.feasible.engines.cp_sat_model import Answer

# The solver's effort for the best rows, in its deterministic seconds.
_EFFORT = 3.0


class RelaxedSet(SolvedSet):
    """The rows of a set that keep some rules besides."""

    def __init__(self, relaxation: CodeSet, rules: RuleSet, allowed: Sequence[Mask] | None = None) -> None:
        # What needs a diagram is not asked of it.
        super().__init__(relaxation, rules, allowed)  # type: ignore[arg-type]

    @property
    def sampling(self) -> Sampling:
        """Uniform where uniform draws are rejected, else diverse."""
        return "uniform" if self.relaxation.sampling == "uniform" and self._rejects else "diverse"

    @property
    def description(self) -> str:
        """What stands in for an exact form."""
        return f"1 solver (CP-SAT), beside {self.relaxation.description}"

    def _answered(self, rng: Generator) -> Answer:
        hint = self.relaxation.draw_up_to(1, rng)
        return self._rules.solver.find(rng, self._allowed, hint=hint[0] if hint.shape[0] else None)

    def changes(self, codes: Codes, n_slots: int, literals: Literals | None = None) -> Changes:
        """Return those of the set that keep the other rules."""
        changes = self.relaxation.changes(codes, n_slots, literals)
        return changes[self._rules.checker.accepts(changed_rows(codes, changes))] if changes.shape[0] else changes

    def best(self, scores: CodeScores, most: int | None = None) -> Iterator[Codes]:
        """Yield rows from the highest sum of scores down; what the solver cannot prove best in time is good."""
        first = next(self.relaxation.best(scores, 1), None)
        given: list[Codes] = []
        if first is not None and self._rules.checker.accepts(first[None, :])[0]:
            given.append(first)
            yield first
        _ = most
        yield from self._solved_best(scores, given, _EFFORT)

    def untried(self, tried: Codes, rng: Generator) -> Codes | None:
        """Draw a few rows, then ask the solver."""
        seen = {row.tobytes() for row in np.ascontiguousarray(tried)}
        try:
            for row in self.draw_up_to(8, rng):
                if row.tobytes() not in seen:
                    return np.asarray(row)
        except EffortExceeded:
            pass
        return super().untried(tried, rng)

    def restricted(self, allowed: Sequence[Mask]) -> RelaxedSet:
        """Return the rows whose code in every slot is marked in `allowed`."""
        both = allowed if self._allowed is None else [a & b for a, b in zip(allowed, self._allowed, strict=True)]
        return RelaxedSet(self.relaxation.restricted(allowed), self._rules, both)

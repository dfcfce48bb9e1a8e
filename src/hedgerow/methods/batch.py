"""A batch that keeps rules about its points together: chosen point by point, each in the part of the set that is left.

Every point is the one that the method suggests next, the others pending, among those with which the rest of the batch
is possible. Where a choice leaves too few points for the rest, its codes are ruled out and another is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from hedgerow.arrays import Codes, Mask
from hedgerow.errors import EffortExceeded, InfeasibleError, SpaceExhausted
from hedgerow.feasible.code_set import CodeSet
from hedgerow.methods.history import History
from hedgerow.methods.suggester import Suggester
from hedgerow.rules.batch import BatchRule, DistinctWithin, SameValue
from hedgerow.search.suggestion import RowSuggestion

# Choices that are taken back before a batch is given up.
_MAX_RETRIES = 200
_MAX_ATTEMPTS = 8


class BatchMaker:
    """Chooses the points of one batch."""

    def __init__(self, suggester: Suggester, rules: Sequence[BatchRule]) -> None:
        self._rules = rules
        self._feasible: CodeSet = suggester.problem.feasible
        self._retries = _MAX_RETRIES
        # The suggester of the part that was asked last: the next part has its fits from it.
        self._newest = suggester
        self._key: tuple[bytes, ...] = ()

    def made(self, n: int, history_with: Callable[[Sequence[Codes]], History]) -> list[RowSuggestion]:
        """Return n suggestions that keep the rules together, or raise where none were found.

        `history_with` gives the history with further pending rows. The first try takes the best point each time, the
        others keep what is to be shared for those that follow, and begin elsewhere.
        """
        ruled_out = self._nothing()
        n_found = 0
        for attempt in range(_MAX_ATTEMPTS):
            batch = self._attempted(n, history_with, ruled_out, is_fair=attempt > 0)
            if len(batch) == n:
                assert all(rule.holds([int(item.codes[rule.slot]) for item in batch]) for rule in self._rules)
                return batch
            n_found = max(n_found, len(batch))
            if attempt > 0 and not self._begin_elsewhere(batch, ruled_out):
                break
        raise self._nothing_found(n, n_found)

    def _begin_elsewhere(self, batch: Sequence[RowSuggestion], ruled_out: list[Mask]) -> bool:
        """Rule out what all points of a failed batch had to share, and return whether that is anything new."""
        same = [rule.slot for rule in self._rules if isinstance(rule, SameValue)]
        if not batch or not same:
            return False
        for slot in same:
            ruled_out[slot][batch[0].codes[slot]] = True
        return True

    def _attempted(
        self, n: int, history_with: Callable[[Sequence[Codes]], History], at_first: list[Mask], is_fair: bool
    ) -> list[RowSuggestion]:
        """Return a batch, or what there was of it when nothing fitted any more."""
        batch: list[RowSuggestion] = []
        ruled_out = [mask.copy() for mask in at_first]
        while len(batch) < n:
            rows = [suggestion.codes for suggestion in batch]
            allowed = [mask & ~out for mask, out in zip(self._allowed(rows, n, is_fair), ruled_out, strict=True)]
            suggestion = self._suggested(allowed, history_with(rows))
            if suggestion is None:
                return batch
            if self._leaves_enough([*rows, suggestion.codes], n, history_with):
                batch.append(suggestion)
                ruled_out = self._nothing()
                continue
            self._retries -= 1
            if self._retries < 0:
                return batch
            for rule in self._rules:
                ruled_out[rule.slot][suggestion.codes[rule.slot]] = True
        return batch

    def _nothing(self) -> list[Mask]:
        return [np.zeros(size, dtype=np.bool_) for size in self._feasible.mask_sizes]

    def _allowed(self, rows: Sequence[Codes], n: int, is_fair: bool = False) -> list[Mask]:
        """Return the codes that the next point may have."""
        allowed = [mask.copy() for mask in self._usable]
        for rule in self._rules:
            chosen = [int(row[rule.slot]) for row in rows]
            allowed[rule.slot] &= rule.allowed(chosen, n - len(rows), self._usable[rule.slot])
            fair = allowed[rule.slot] & rule.fair(chosen, n - len(rows))
            if is_fair and fair.any():
                allowed[rule.slot] = fair
        return allowed

    @cached_property
    def _usable(self) -> list[Mask]:
        """The codes that feasible points have, as far as that is known."""
        usage = (
            self._feasible.usage() if self._feasible.is_exact else [[1] * size for size in self._feasible.mask_sizes]
        )
        return [np.array([count > 0 for count in counts]) for counts in usage]

    def _suggested(self, allowed: Sequence[Mask], history: History) -> RowSuggestion | None:
        """Return what the method suggests in a part of the set; None where nothing untried is left there."""
        if not all(mask.any() for mask in allowed):
            return None
        key = tuple(mask.tobytes() for mask in allowed)
        if key != self._key:
            self._newest = self._newest.within(self._feasible.restricted(allowed))
            self._key = key
        if self._newest.problem.feasible.is_empty:
            return None
        try:
            return self._newest.suggest(history)
        except SpaceExhausted:
            return None

    def _leaves_enough(self, rows: Sequence[Codes], n: int, history_with: Callable[[Sequence[Codes]], History]) -> bool:
        """Whether the next point can be found, and, where that is known, so many as are still missing."""
        n_left = n - len(rows)
        if n_left == 0:
            return True
        allowed = self._allowed(rows, n)
        if not all(mask.any() for mask in allowed):
            return False
        part = self._feasible.restricted(allowed)
        if not part.is_exact:
            return not part.is_empty
        tried = np.array([np.frombuffer(row, dtype=np.int64) for row in history_with(rows).seen])
        n_tried = int(np.count_nonzero(part.accepts(tried))) if tried.size else 0
        # What comes later may allow other codes, so that only the next point is sure to need this part.
        needed = n_left if all(_stays(rule) for rule in self._rules) else 1
        return part.count - n_tried >= needed

    def _nothing_found(self, n: int, n_found: int) -> InfeasibleError | EffortExceeded:
        names = ", ".join(f"'{rule.text}'" for rule in self._rules)
        message = (
            f"No batch of {n} untried points was found that keeps {names}: after {n_found} points nothing fitted. "
            "Ask for fewer points, or relax a batch rule."
        )
        return EffortExceeded(message) if self._retries < 0 else InfeasibleError(message)


def _stays(rule: BatchRule) -> bool:
    """Whether what a rule forbids stays forbidden for the rest of the batch."""
    return not isinstance(rule, DistinctWithin) and getattr(rule, "low", 0) in (0, -np.inf)

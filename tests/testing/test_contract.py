"""The checks find what they are there for: methods with one fault each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.methods import CATD, CodeProblem, History, Random, Reason, RowSuggestion
from hedgerow.testing import check_method


@dataclass(frozen=True)
class Faulty:
    """Draws like the random method, but for one fault."""

    fault: str
    may_break_rules: bool = False

    def start(self, problem: CodeProblem) -> FaultyRun:
        return FaultyRun(self.fault, problem)


class FaultyRun:
    def __init__(self, fault: str, problem: CodeProblem) -> None:
        self.fault = fault
        self.problem = problem
        self.n_asked = 0

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        self.n_asked += 1
        if self.fault == "gives up on failures" and history.n_told and not history.is_measured.any():
            raise ValueError("nothing to learn from")
        if self.fault == "repeats" and history.n_told > 2:
            return RowSuggestion(history.codes[0], False)
        if self.fault == "breaks rules" and history.n_told > 2:
            return RowSuggestion(np.zeros(len(self.problem.space.sizes), np.int64), False)
        remembered = self.n_asked if self.fault == "remembers" else 0
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0], remembered])
        return RowSuggestion(self.problem.draw_unseen(history, rng), False, Reason.DRAWN)


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ("repeats", "rules are kept and nothing is repeated .*tried before"),
        ("breaks rules", "rules are kept and nothing is repeated .*breaks a rule"),
        ("remembers", "the same history gives the same points .*in a fresh run"),
        ("gives up on failures", "failures are no end|all trials failing is no end: nothing to learn from"),
    ],
)
def test_a_fault_is_named(fault: str, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_method(Faulty(fault))


def test_a_method_without_a_fault_passes() -> None:
    check_method(Random())
    check_method(Faulty("none"))


def test_what_is_no_method_or_promises_nothing_is_refused() -> None:
    not_a_method: Any = object()
    with pytest.raises(hr.HedgerowError, match="has no start"):
        check_method(not_a_method)
    with pytest.raises(hr.HedgerowError, match="may break rules"):
        check_method(CATD.as_published())

"""What methods propose is checked before it is given out, whoever asks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.suggester import Suggester
from hedgerow.search.suggestion import RowSuggestion

SPACE = hr.Space({"x": hr.Integer(0, 3)})
RULES = ["x != 2"]


@dataclass(frozen=True)
class Stubborn:
    """Proposes one and the same level."""

    level: int
    may_break_rules: bool = False

    def start(self, problem: CodeProblem) -> Stubborn:
        return self

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        return RowSuggestion(np.array([self.level]), is_exact=False)


def test_a_method_that_repeats_or_breaks_a_rule_is_named_and_its_point_not_given_out() -> None:
    with pytest.raises(hr.HedgerowError, match=r"Stubborn proposed \{'x': 2\}, which breaks a rule"):
        hr.Optimizer(SPACE, RULES, method=Stubborn(2)).ask()
    optimizer = hr.Optimizer(SPACE, RULES, method=Stubborn(1))
    optimizer.tell(optimizer.ask(), 1.0)
    with pytest.raises(hr.HedgerowError, match=r"Stubborn proposed \{'x': 1\}, which was tried before"):
        optimizer.ask()
    assert optimizer.pending == ()
    suggester = Suggester(CodeProblem(hr.FeasibleSet(SPACE, RULES)), Stubborn(2), seed=0)
    with pytest.raises(hr.HedgerowError, match="breaks a rule"):
        suggester.suggest(History.empty(1))


def test_a_rival_without_rules_may_repeat_what_was_told_but_not_what_is_out() -> None:
    optimizer = hr.Optimizer(SPACE, RULES, method=Stubborn(2, may_break_rules=True))
    for value in (1.0, 2.0):
        optimizer.tell(optimizer.ask(), value)
    assert [observation.value for observation in optimizer.observations] == [1.0, 2.0]
    optimizer.ask()
    with pytest.raises(hr.HedgerowError, match="again before its outcome was told"):
        optimizer.ask()

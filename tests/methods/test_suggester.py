"""What methods suggest is checked before it is given out, whoever asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.methods import CodeProblem, History, RowSuggestion
from hedgerow.methods.suggester import Suggester

SPACE = hr.Space({"x": hr.Integer(0, 3)})
RULES = ["x != 2"]


@dataclass(frozen=True)
class Stubborn:
    """Suggests one and the same level."""

    level: int
    may_break_rules: bool = False

    def start(self, problem: CodeProblem) -> Stubborn:
        return self

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        return RowSuggestion(np.array([self.level]), is_exact=False)


def test_a_method_that_repeats_or_breaks_a_rule_is_named_and_its_point_not_given_out() -> None:
    with pytest.raises(hr.HedgerowError, match=r"Stubborn suggested \{'x': 2\}, which breaks a rule"):
        hr.Optimizer(SPACE, RULES, method=Stubborn(2)).ask()
    optimizer = hr.Optimizer(SPACE, RULES, method=Stubborn(1))
    optimizer.tell(optimizer.ask(), 1.0)
    with pytest.raises(hr.HedgerowError, match=r"Stubborn suggested \{'x': 1\}, which was tried before"):
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


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        pytest.param(7, r"but 7 has no start\(problem\), .* and no may_break_rules", id="nothing fits"),
        pytest.param(Stubborn, r"the class Stubborn was given; write Stubborn\(\)", id="a class"),
        pytest.param(Stubborn(1, may_break_rules=None), "has no may_break_rules, which is False or True", id="a part"),  # type: ignore[arg-type]
    ],
)
def test_an_object_that_is_no_method_is_refused_with_what_is_missing(given: Any, complaint: str) -> None:
    with pytest.raises(hr.HedgerowError, match=complaint):
        hr.Optimizer(SPACE, method=given)


@dataclass(frozen=True)
class Confused:
    """Starts or suggests something of the wrong kind."""

    run: object
    may_break_rules: bool = False

    def start(self, problem: CodeProblem) -> Any:
        return self.run


@dataclass(frozen=True)
class Says:
    """A run that answers with what it was given."""

    answer: Any

    def suggest(self, history: History, seed: int) -> Any:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        pytest.param({"x": 1}, r"returns a RowSuggestion, but \{'x': 1\} was returned", id="a point"),
        pytest.param(RowSuggestion(np.array([1, 1]), False), "an array of 1 whole numbers", id="too long"),
        pytest.param(RowSuggestion(np.array([4]), False), "from 0 to below the number of levels", id="too large"),
        pytest.param(RowSuggestion(np.array([0.5]), False), "whole numbers", id="not whole"),
    ],
)
def test_an_answer_that_is_no_row_is_refused(answer: Any, complaint: str) -> None:
    with pytest.raises(hr.HedgerowError, match=complaint):
        hr.Optimizer(SPACE, method=Confused(Says(answer))).ask()


def test_a_run_that_cannot_suggest_is_refused_before_the_first_trial() -> None:
    with pytest.raises(hr.HedgerowError, match="Confused returns an object with suggest"):
        hr.Optimizer(SPACE, method=Confused("a run"))

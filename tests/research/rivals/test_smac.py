"""SMAC as a rival: rules as exact clauses, refusals before any work, and nothing left behind."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import hedgerow as hr
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from research.rivals import SMAC
from research.rivals.config_space import config_space, configuration
from research.rivals.forbidden import forbidden_boxes
from tests.oracles import BruteForce, quiet_set
from tests.strategies import Problem, examples, problems

SPACE = hr.Space({"x": hr.Vector(hr.Integer(0, 3), 3), "kind": ["a", "b", "c"], "flag": bool})
RULES = ["sum(x) == 4", "kind != 'a' or flag", "x[0] <= x[1] or kind == 'c'"]


@examples(60)
@given(problems())
def test_boxes_hold_exactly_what_breaks_a_rule(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts)
    boxes = forbidden_boxes(problem.space, feasible.rules, max_boxes=10**6)
    inside = [any(all(row[slot] in codes for slot, codes in box.items()) for box in boxes) for row in brute.rows]
    assert inside == [not is_feasible for is_feasible in brute.is_feasible]


def test_a_rule_with_too_many_combinations_is_refused_by_name() -> None:
    rules = [hr.Rule("sum(x) == 30", name="balance")]
    feasible = hr.FeasibleSet(hr.Space({"x": hr.Vector(hr.Integer(0, 9), 8)}), rules)
    with pytest.raises(hr.EffortExceeded, match=r"Rule 'balance' forbids [\d,]+ combinations of values"):
        forbidden_boxes(feasible.space, feasible.rules, max_boxes=1000)


def test_clauses_forbid_just_what_the_rules_do() -> None:
    package = pytest.importorskip("ConfigSpace")
    problem = CodeProblem(hr.FeasibleSet(SPACE, RULES))
    space = config_space(problem, forbidden_boxes(SPACE, problem.rules, 1000))
    rows = np.stack(np.unravel_index(np.arange(SPACE.size), SPACE.sizes), axis=1)
    for row, is_feasible in zip(rows, problem.feasible.accepts(rows), strict=True):
        if is_feasible:
            assert configuration(space, problem, row) is not None
        else:
            with pytest.raises(package.exceptions.ForbiddenValueError):
                configuration(space, problem, row)
    for drawn in space.sample_configuration(200):
        drawn.check_valid_configuration()


def test_suggestions_keep_the_rules_never_repeat_and_leave_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("smac")
    monkeypatch.chdir(tmp_path)
    before = set(Path(tempfile.gettempdir()).glob("hedgerow-smac-*"))
    optimizer = hr.Optimizer(SPACE, RULES, method=SMAC(n_trials=40))
    for index in range(14):
        optimizer.tell(optimizer.ask(), float(index % 5))
    assert len({repr(observation.point) for observation in optimizer.observations}) == 14
    del optimizer
    assert set(Path(tempfile.gettempdir()).glob("hedgerow-smac-*")) <= before
    assert list(tmp_path.iterdir()) == []


SUGGESTIONS = """
import numpy as np
import hedgerow as hr
from research.rivals import SMAC

space = hr.Space({"x": hr.Vector(hr.Integer(0, 3), 3), "kind": ["a", "b", "c"]})
optimizer = hr.Optimizer(space, ["sum(x) == 4"], method=SMAC(n_trials=20))
for index in range(12):
    optimizer.tell(optimizer.ask(), float(index * 7 % 5))
print([observation.point for observation in optimizer.observations])
"""


def test_suggestions_are_the_same_in_processes_that_hash_text_differently() -> None:
    pytest.importorskip("smac")
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SUGGESTIONS],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert outputs[0].count("kind") == 12
    assert outputs[0] == outputs[1]


def test_every_point_is_found_and_then_the_space_is_exhausted() -> None:
    pytest.importorskip("smac")
    optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]}), ["x + y == 4"], method=SMAC(n_trials=20))
    for _ in range(3):
        point = optimizer.ask()
        optimizer.tell(point, point["x"])
    with pytest.raises(hr.SpaceExhausted, match="All 3 feasible points"):
        optimizer.ask()


def test_without_the_rules_some_suggestions_break_them() -> None:
    pytest.importorskip("smac")
    problem = CodeProblem(hr.FeasibleSet(SPACE, RULES))
    run = SMAC(knows_rules=False).start(problem)
    history = History.empty(5)
    for index in range(6):
        row = run.suggest(history, 0).codes
        history = History(np.vstack([history.codes, row]), np.append(history.values, index), history.pending)
    assert not problem.feasible.accepts(history.codes).all()
    assert SMAC(knows_rules=False).may_break_rules

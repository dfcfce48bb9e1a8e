"""BoTorch over the feasible list; what needs BoTorch itself is skipped where the extra `research` is not installed."""

import math
import sys
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.space import Point
from research.rivals import BotorchList
from research.rivals.features import unit_cube

SPACE = hr.Space({"x": hr.Vector(hr.Integer(0, 3), 3), "kind": ["a", "b", "c"], "flag": bool})
RULES = ["sum(x) == 4", "kind != 'a' or flag", "x[0] <= x[1] or kind == 'c'"]


@pytest.fixture(name="torch")
def torch_fixture() -> Any:
    pytest.importorskip("botorch", reason="BoTorch is not installed: pip install 'hedgerow[research]'")
    return pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'hedgerow[research]'")


def bowl(point: Point) -> float:
    distance = sum((v - i) ** 2 for i, v in enumerate(point["x"]))
    return float(distance + (point["kind"] == "b") - 0.5 * point["flag"])


def optimizer(seed: int = 0) -> hr.Optimizer:
    return hr.Optimizer(SPACE, RULES, method=BotorchList(), seed=seed)


def run(n: int, values: Any = bowl, seed: int = 0) -> list[Point]:
    asked = optimizer(seed)
    for _ in range(n):
        point = asked.ask()
        asked.tell(point, values(point))
    return [observation.point for observation in asked.observations]


def test_inputs_are_one_hot_or_scaled_to_the_unit_interval() -> None:
    space = hr.Space({"size": [1, 10, 1000], "kind": hr.Categorical(["a", "b", "c"]), "fixed": [7], "flag": bool})
    inputs = unit_cube(space, np.array([[0, 2, 0, 1], [1, 0, 0, 0], [2, 1, 0, 1]]))
    assert inputs.tolist() == [[0, 0, 0, 1, 1], [0.5, 1, 0, 0, 0], [1, 0, 1, 0, 1]]


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(hr.HedgerowError, match=r"needs torch.*hedgerow\[research\]"):
        optimizer()


def test_a_set_too_large_to_list_is_refused_at_once(torch: Any) -> None:
    with pytest.raises(hr.EffortExceeded, match="max_listed=30,000"):
        hr.Optimizer(hr.Space({"x": hr.Vector(bool, 40)}), ["sum(x) == 20"], method=BotorchList())


def test_suggestions_keep_the_rules_never_repeat_and_find_the_optimum(torch: Any) -> None:
    feasible = hr.FeasibleSet(SPACE, RULES)
    points = run(15)
    assert all(point in feasible for point in points)
    assert len({repr(point) for point in points}) == 15
    assert min(map(bowl, points)) == min(map(bowl, feasible))


def test_the_same_history_gives_the_same_suggestions_whatever_torch_did_before(torch: Any) -> None:
    torch.manual_seed(1)
    first = run(10, seed=3)
    torch.manual_seed(2)
    assert run(10, seed=3) == first


def test_the_state_of_torch_is_left_alone(torch: Any) -> None:
    state, n_threads = torch.get_rng_state(), torch.get_num_threads()
    run(4)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == n_threads


def test_failed_trials_are_left_out_of_the_model(torch: Any) -> None:
    known, failed = optimizer(), optimizer()
    points = hr.FeasibleSet(SPACE, RULES).sample(8, seed=1)
    distinct = list({repr(point): point for point in points}.values())
    for point in distinct[1:]:
        for told in (known, failed):
            told.tell(point, bowl(point))
    failed.tell(distinct[0], math.nan)
    assert failed.ask() == known.ask()


def test_nothing_but_failures_is_no_end(torch: Any) -> None:
    assert len(run(4, lambda _: None)) == 4


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1e300])
def test_values_of_any_size_are_no_trouble(torch: Any, scale: float) -> None:
    assert len(run(6, lambda point: scale * (bowl(point) + 1))) == 6

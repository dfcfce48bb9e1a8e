"""What every method must do, whatever it believes: stay inside the rules, never repeat, and be a pure function."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.methods import CATD, Auto, Method, Random
from hedgerow.space import Point
from research.rivals import NNMILP, Evolution, LocalSearch

METHODS: dict[str, Callable[[], Method]] = {
    "auto": Auto,
    "random": Random,
    "evolution": Evolution,
    "local search": LocalSearch,
    "nn-milp": lambda: NNMILP(n_epochs=100),
    "catd-tt": lambda: CATD("tt", 2, n_models=4, max_epochs=100),
    "catd-cp": lambda: CATD("cp", 3, n_models=4, max_epochs=100, penalty=0.0),
    "catd-tr": lambda: CATD("tr", 2, n_models=4, max_epochs=100, tnorm="product"),
    "catd-auto": lambda: CATD("auto", None, n_models=4, max_epochs=30),
    "catd-alone": lambda: CATD("cp", 2, n_models=1, max_epochs=50),
    "catd-thompson": lambda: CATD("cp", 2, n_models=4, max_epochs=50, acquisition="thompson"),
}
SPACE = hr.Space({"x": hr.Vector(hr.Integer(0, 3), 3), "kind": ["a", "b", "c"], "flag": bool})
RULES = ["sum(x) == 4", "kind != 'a' or flag", "x[0] <= x[1] or kind == 'c'"]


def bowl(point: Point) -> float:
    distance = sum((v - i) ** 2 for i, v in enumerate(point["x"]))
    return float(distance + (point["kind"] == "b") - 0.5 * point["flag"])


@pytest.fixture(params=METHODS, name="method")
def method_fixture(request: pytest.FixtureRequest) -> Method:
    if request.param == "nn-milp":
        pytest.importorskip("ortools", reason="OR-Tools is not installed: pip install 'hedgerow[research]'")
    return METHODS[request.param]()


def run(method: Method, n: int, objective: Callable[[Point], float | None] = bowl, seed: int = 0) -> list[Point]:
    optimizer = hr.Optimizer(SPACE, RULES, method=method, seed=seed)
    for _ in range(n):
        point = optimizer.ask()
        optimizer.tell(point, objective(point))
    return [observation.point for observation in optimizer.observations]


def key(point: Point) -> str:
    return repr(sorted(point.items()))


def test_suggestions_keep_the_rules_and_never_repeat(method: Method) -> None:
    feasible = hr.FeasibleSet(SPACE, RULES)
    points = run(method, 25)
    assert all(point in feasible for point in points)
    assert len({key(point) for point in points}) == 25


def test_the_same_history_gives_the_same_suggestion_in_a_new_optimizer(method: Method) -> None:
    first = hr.Optimizer(SPACE, RULES, method=method, seed=3)
    for _ in range(12):
        point = first.ask()
        first.tell(point, bowl(point))
    second = hr.Optimizer(SPACE, RULES, method=method, seed=3)
    for observation in first.observations:
        second.tell(observation.point, observation.value)
    assert second.ask() == first.ask()
    assert second.ask(3) == first.ask(3)


def test_asking_for_several_gives_different_points(method: Method) -> None:
    optimizer = hr.Optimizer(SPACE, RULES, method=method)
    optimizer.tell(optimizer.ask(), 1.0)
    optimizer.tell(optimizer.ask(), 2.0)
    batch = optimizer.ask(6)
    assert len({key(point) for point in batch}) == 6
    assert len(optimizer.pending) == 6


def test_failed_trials_are_recorded_and_not_repeated(method: Method) -> None:
    outcomes: list[float | None] = [None, math.nan, math.inf, 1.0, None, 2.0, -math.inf, 0.5, None, 1.5]
    points = run(method, 20, lambda point: outcomes[hash(key(point)) % len(outcomes)])
    assert len({key(point) for point in points}) == 20


def test_all_trials_failing_is_no_end(method: Method) -> None:
    assert len(run(method, 8, lambda _: None)) == 8


def test_every_point_is_found_and_then_the_space_is_exhausted(method: Method) -> None:
    space = hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]})
    optimizer = hr.Optimizer(space, ["x + y == 4"], method=method)
    for _ in range(3):
        point = optimizer.ask()
        optimizer.tell(point, point["x"])
    with pytest.raises(hr.SpaceExhausted, match="All 3 feasible points"):
        optimizer.ask()
    assert optimizer.best is not None
    assert optimizer.best.point == {"x": 1, "y": 3}


def test_pending_points_exhaust_the_space_too(method: Method) -> None:
    optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}), method=method)
    optimizer.ask(3)
    with pytest.raises(hr.SpaceExhausted, match="3 of them still pending"):
        optimizer.ask()


@pytest.mark.parametrize(
    "objective",
    [
        pytest.param(lambda _: 5.0, id="constant"),
        pytest.param(lambda point: bowl(point) * 1e-300, id="tiny"),
        pytest.param(lambda point: (bowl(point) + 1) * 1e300, id="huge"),
        pytest.param(lambda point: 1e12 if point["kind"] == "b" else bowl(point), id="outlier"),
    ],
)
def test_values_of_any_size_are_no_trouble(method: Method, objective: Callable[[Point], float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert len(run(method, 15, objective)) == 15


@pytest.mark.parametrize(
    ("space", "rules", "n"),
    [
        pytest.param({"x": [1, 2, 3, 4, 5, 6, 7, 8]}, [], 8, id="one variable"),
        pytest.param({"x": [1, 2], "y": [1, 2]}, ["x + y == 2"], 1, id="one point"),
        pytest.param({"x": hr.Vector(bool, 200)}, ["sum(x) == 3"], 6, id="200 variables"),
        pytest.param({"x": hr.Vector(hr.Integer(0, 9), 12)}, ["sum(x) == 54", "all(x >= 1)"], 6, id="too many to list"),
    ],
)
def test_spaces_of_any_shape_are_no_trouble(method: Method, space: dict[str, Any], rules: list[str], n: int) -> None:
    optimizer = hr.Optimizer(hr.Space(space), rules, method=method)
    for index in range(n):
        point = optimizer.ask()
        assert point in optimizer.feasible
        optimizer.tell(point, float(index % 4))


def test_noisy_repetitions_are_used_and_points_outside_the_rules_are_never_best(method: Method) -> None:
    optimizer = hr.Optimizer(SPACE, RULES, method=method)
    point = optimizer.ask()
    for value in (1.0, 1.2, 0.9):
        optimizer.tell(point, value)
    optimizer.tell({"x": [3, 3, 3], "kind": "a", "flag": False}, -100.0)
    assert optimizer.best is not None
    assert optimizer.best.value == 0.9
    assert optimizer.ask() in optimizer.feasible

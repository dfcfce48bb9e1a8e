"""Optuna's own tests of samplers, where they apply.

They apply where a test stays inside one discrete space of its own. Optuna 4.9 and 5.0 have the same 111 cases, of which
102 apply and pass:

- of `BasicSamplerTestCase` all tests but `test_dynamic_range_objective`; of `test_int`, `test_categorical` and
  `test_single_parameter_objective` not the 11 cases that draw more points than their space has, since none is repeated;
- of `RelativeSamplerTestCase` all but `test_sample_relative_categorical`, which draws 12 points of a space of 9;
- of `MultiObjectiveSamplerTestCase` not the 9 cases that draw more points than their space has.

The others contradict what this sampler promises: `test_dynamic_range_objective` (3 cases) suggests from ranges that
change between trials, which is an error here, and `SingleOnlySamplerTestCase` demands that several objectives are
refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import optuna
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler
from optuna.testing.pytest_samplers import BasicSamplerTestCase, MultiObjectiveSamplerTestCase, RelativeSamplerTestCase

import hedgerow as hr

# The parameters of tests that are not parametrized.
BY_TEST: dict[str, dict[str, BaseDistribution]] = {
    "test_nan_objective_value": {"x": FloatDistribution(0.1, 0.2)},
    "test_partial_fixed_sampling": {
        "x": FloatDistribution(-1, 1),
        "y": IntDistribution(-1, 1),
        "z": FloatDistribution(-1, 1),
    },
    "test_sample_single_distribution": {
        "a": CategoricalDistribution([1]),
        "b": IntDistribution(1, 1),
        "c": IntDistribution(1, 1, log=True),
        "d": FloatDistribution(1.0, 1.0),
        "e": FloatDistribution(1.0, 1.0, log=True),
        "f": FloatDistribution(1.0, 1.0, step=1.0),
    },
    "test_conditional_parameter_objective": {
        "x": CategoricalDistribution([True, False]),
        "y": FloatDistribution(0, 1),
        "z": FloatDistribution(0, 1),
    },
    "test_conditional_sample_independent": {
        "category": CategoricalDistribution(["x", "y"]),
        "x": CategoricalDistribution(["a", "b"]),
        "y": CategoricalDistribution(["a", "b"]),
    },
    "test_sample_relative_categorical": {
        "x": CategoricalDistribution([1, 10, 100]),
        "y": CategoricalDistribution([-1, -10, -100]),
    },
    "test_sample_relative_mixed": {"y": CategoricalDistribution([-1, -10, -100])},
    "test_trial_relative_params": {"x": FloatDistribution(-10, 10), "y": FloatDistribution(-10, 10)},
}
# How many points each test draws.
N_DRAWN = {
    "test_float": 101,
    "test_int": 101,
    "test_categorical": 100,
    "test_single_parameter_objective": 10,
    "test_sample_relative_categorical": 12,
    "test_multi_objective_sample_independent": 100,
}


class _Noting:
    """Looks like a trial, and notes from which distributions values are suggested."""

    def __init__(self) -> None:
        self.noted: dict[str, BaseDistribution] = {}

    def suggest_float(
        self, name: str, low: float, high: float, *, step: float | None = None, log: bool = False
    ) -> float:
        self.noted[name] = FloatDistribution(low, high, log=log, step=step)
        return low

    def suggest_int(self, name: str, low: int, high: int, *, step: int = 1, log: bool = False) -> int:
        self.noted[name] = IntDistribution(low, high, log=log, step=step)
        return low

    def suggest_categorical(self, name: str, choices: list[Any]) -> Any:
        self.noted[name] = CategoricalDistribution(choices)
        return choices[0]


def suggested_by(suggest: Callable[[Any], object]) -> dict[str, BaseDistribution]:
    trial = _Noting()
    suggest(trial)
    return trial.noted


def distributions_in(request: pytest.FixtureRequest) -> dict[str, BaseDistribution]:
    test: Any = request.node
    given = dict(BY_TEST.get(test.originalname, {}))
    parameters = test.callspec.params if hasattr(test, "callspec") else {}
    for name, value in parameters.items():
        if name in ("distribution", "x_distribution", "y_distribution"):
            given[name.split("_")[0] if "_" in name else "x"] = value
        elif name == "choices":
            given["x"] = CategoricalDistribution(value)
        elif name.startswith("suggest_method_"):
            given |= suggested_by(value)
    return given


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        yield


class _OfThisLibrary:
    @pytest.fixture
    def sampler(self, request: pytest.FixtureRequest) -> Callable[[], BaseSampler]:
        """Return what makes a sampler over the parameters that the test suggests."""
        distributions = distributions_in(request)
        name = getattr(request.node, "originalname", "")
        if name == "test_dynamic_range_objective":
            pytest.skip("a range that differs from the space is an error")
        sampler = hr.HedgerowSampler(distributions, method="random")
        if sampler.feasible.is_exact and N_DRAWN.get(name, 0) > sampler.feasible.count:
            pytest.skip("it draws more points than there are, and none is repeated")
        return lambda: hr.HedgerowSampler(distributions, method="random")


# Every test of Optuna that a sampler of this kind is to pass, by name; one that is new in Optuna shows here.
KNOWN = {
    BasicSamplerTestCase: {
        "test_categorical",
        "test_combination_of_different_distributions_objective",
        "test_conditional_parameter_objective",
        "test_conditional_sample_independent",
        "test_dynamic_range_objective",
        "test_float",
        "test_int",
        "test_nan_objective_value",
        "test_partial_fixed_sampling",
        "test_sample_single_distribution",
        "test_single_parameter_objective",
    },
    RelativeSamplerTestCase: {
        "test_sample_relative_categorical",
        "test_sample_relative_mixed",
        "test_sample_relative_numerical",
        "test_trial_relative_params",
    },
    MultiObjectiveSamplerTestCase: {"test_multi_objective_sample_independent"},
}


@pytest.mark.parametrize("suite", KNOWN)
def test_every_test_of_the_suites_is_known(suite: Any) -> None:
    assert {name for name in dir(suite) if name.startswith("test_")} == KNOWN[suite]


class TestBasic(_OfThisLibrary, BasicSamplerTestCase):
    pass


class TestRelative(_OfThisLibrary, RelativeSamplerTestCase):
    pass


class TestMultiObjective(_OfThisLibrary, MultiObjectiveSamplerTestCase):
    pass

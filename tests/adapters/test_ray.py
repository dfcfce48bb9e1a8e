"""Hedgerow as a search algorithm of Ray Tune: spaces, rules, failures, checkpoints, and a run in Ray itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

tune = pytest.importorskip("ray.tune", reason="Ray Tune is not installed")

import hedgerow as hr  # noqa: E402
from hedgerow.adapters.ray import HedgerowSearch, space_of  # noqa: E402

SPACE = {"x": tune.randint(0, 10), "kind": tune.choice(["a", "b"])}
RULES = ["kind == 'a' or x >= 5"]


def test_distributions_become_variables() -> None:
    space = space_of(
        {
            "u": tune.uniform(0, 1),
            "log": tune.loguniform(1e-3, 10),
            "q": tune.quniform(0, 1, 0.25),
            "n": tune.randint(1, 5),
            "c": tune.choice(["a", "b"]),
            "levels": tune.choice([4, 1, 2]),
            "own": hr.Integer(1, 3),
        }
    )
    assert space.variables["u"] == hr.Real(0, 1, 101)
    assert space.variables["log"] == hr.Real(1e-3, 10, 101, log=True)
    assert space.slots[2].variable.values == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert space.variables["n"] == hr.Integer(1, 4)
    assert space.slots[5].variable.values == (1, 2, 4)
    with pytest.raises(hr.HedgerowError, match="has no end"):
        space_of({"x": tune.randn(0, 1)})


def finish(search: HedgerowSearch, n: int, start: int = 0) -> list[dict[str, Any]]:
    configs = []
    for number in range(start, start + n):
        config = search.suggest(f"t{number}")
        if config == HedgerowSearch.FINISHED:
            break
        configs.append(config)
        is_broken = config["x"] == 7
        search.on_trial_complete(f"t{number}", None if is_broken else {"loss": config["x"]}, error=is_broken)
    return configs


def test_all_feasible_configurations_come_once_and_then_it_ends() -> None:
    search = HedgerowSearch(SPACE, RULES, metric="loss", mode="min", seed=0)
    configs = finish(search, 100)
    assert len({tuple(config.items()) for config in configs}) == len(configs) == 15
    assert all(config["kind"] == "a" or config["x"] >= 5 for config in configs)
    assert search.optimizer is not None
    assert sum(seen.failed for seen in search.optimizer.observations) == 2
    assert search.optimizer.best is not None
    assert search.optimizer.best.value == 0


def test_the_tuner_says_what_was_left_open() -> None:
    search = HedgerowSearch(rules=RULES, seed=0)
    with pytest.raises(hr.HedgerowError, match="give space, metric and mode"):
        search.suggest("t0")
    assert search.set_search_properties("loss", "max", {**SPACE, "fixed": 3})
    assert search.suggest("t0")["fixed"] == 3
    assert not search.set_search_properties("loss", "min", SPACE)


def test_a_restored_search_goes_on_as_it_would_have(tmp_path: Path) -> None:
    search = HedgerowSearch(SPACE, RULES, metric="loss", mode="min", seed=0)
    finish(search, 4)
    waiting = search.suggest("waiting")
    search.save(str(tmp_path / "search.json"))
    other = HedgerowSearch(SPACE, RULES, metric="loss", mode="min", seed=0)
    other.restore(str(tmp_path / "search.json"))
    for one in (search, other):
        one.on_trial_complete("waiting", {"loss": waiting["x"]})
    assert finish(search, 5, 10) == finish(other, 5, 10)


def test_ray_tune_runs_with_it(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:

        def objective(config: dict[str, Any]) -> None:
            tune.report({"loss": (config["x"] - 3) ** 2 + (config["kind"] == "b")})

        tuner = tune.Tuner(
            objective,
            param_space=SPACE,
            tune_config=tune.TuneConfig(
                metric="loss",
                mode="min",
                num_samples=10,
                max_concurrent_trials=2,
                search_alg=HedgerowSearch(rules=RULES),
            ),
            run_config=tune.RunConfig(storage_path=str(tmp_path), verbose=0),
        )
        results = tuner.fit()
    finally:
        ray.shutdown()
    assert len(results) == 10
    assert all(r.config["kind"] == "a" or r.config["x"] >= 5 for r in results)
    assert results.get_best_result().metrics["loss"] <= 1

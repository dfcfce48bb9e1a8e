"""A regression tuned with conditional parameters, some of them real: `python -m research mixed --conditional N`.

Which model predicts the diabetes data of scikit-learn, and how it is set: a parameter of one model does not exist for
the others, and some of a support vector machine exist for some kernels alone. The cost is the mean squared error of
five folds, relative to that of the mean, so it is the same in every run. All methods are told the same first five
points; ConfigSpace and Optuna's define-by-run know the same conditions as Hedgerow does.
"""

from __future__ import annotations

import csv
import math
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np

import hedgerow as hr
from research.rivals.packages import package

Point = Mapping[str, Any]

BUDGET = 50
N_FIRST = 5
_SHOWN = (15, 25, 50)
_COLUMNS = ("method", "seed", *(f"best_{n}" for n in _SHOWN), "seconds")

SPACE = hr.Space(
    {
        "model": ["svr", "boosting", "neighbors"],
        "kernel": hr.Categorical(["linear", "rbf", "poly"], when="model == 'svr'"),
        "cost": hr.Real(1e-2, 1e4, log=True, when="model == 'svr'"),
        "tube": hr.Real(1e-2, 100.0, log=True, when="model == 'svr'"),
        "gamma": hr.Real(1e-4, 10.0, log=True, when="kernel != 'linear'"),
        "shift": hr.Real(0.0, 2.0, when="kernel == 'poly'"),
        "rate": hr.Real(1e-3, 1.0, log=True, when="model == 'boosting'"),
        "depth": hr.Integer(1, 5, when="model == 'boosting'"),
        "part": hr.Real(0.3, 1.0, when="model == 'boosting'"),
        "nearest": hr.Integer(1, 60, when="model == 'neighbors'"),
        "weight": hr.Categorical(["uniform", "distance"], when="model == 'neighbors'"),
    }
)
_CONDITIONS = {
    "kernel": ("model", ["svr"]),
    "cost": ("model", ["svr"]),
    "tube": ("model", ["svr"]),
    "gamma": ("kernel", ["rbf", "poly"]),
    "shift": ("kernel", ["poly"]),
    "rate": ("model", ["boosting"]),
    "depth": ("model", ["boosting"]),
    "part": ("model", ["boosting"]),
    "nearest": ("model", ["neighbors"]),
    "weight": ("model", ["neighbors"]),
}


@cache
def _data() -> tuple[Any, Any]:
    return package("sklearn.datasets", "The comparison").load_diabetes(return_X_y=True)  # type: ignore[no-any-return]


def error_of(point: Point) -> float:
    """Return the error of five folds, as a part of that of the mean."""
    inputs, targets = _data()
    selection = package("sklearn.model_selection", "The comparison")
    folds = selection.KFold(5, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predicted = selection.cross_val_predict(_model(point), inputs, targets, cv=folds)
    return float(np.mean((predicted - targets) ** 2) / np.var(targets))


def _model(p: Point) -> Any:
    if p["model"] == "boosting":
        return package("sklearn.ensemble", "The comparison").GradientBoostingRegressor(
            n_estimators=40, learning_rate=p["rate"], max_depth=p["depth"], subsample=p["part"], random_state=0
        )
    scaled = [package("sklearn.preprocessing", "The comparison").StandardScaler()]
    if p["model"] == "neighbors":
        neighbors = package("sklearn.neighbors", "The comparison")
        scaled.append(neighbors.KNeighborsRegressor(n_neighbors=p["nearest"], weights=p["weight"]))
    else:
        scaled.append(
            package("sklearn.svm", "The comparison").SVR(
                kernel=p["kernel"],
                C=p["cost"],
                epsilon=p["tube"],
                gamma=p.get("gamma", "scale"),
                coef0=p.get("shift", 0.0),
                degree=2,
                max_iter=5000,
            )
        )
    return package("sklearn.pipeline", "The comparison").make_pipeline(*scaled)


# --- who tunes ---


def _first(seed: int) -> list[dict[str, Any]]:
    return hr.FeasibleSet(SPACE).sample(N_FIRST, seed=seed)


def by_hedgerow(method: str) -> Callable[[int], Iterator[float]]:
    """Return a method of Hedgerow at work."""

    def values(seed: int) -> Iterator[float]:
        optimizer = hr.Optimizer(SPACE, method=method, seed=seed)
        first = _first(seed)
        for trial in range(BUDGET):
            point = first[trial] if trial < N_FIRST else optimizer.ask()
            value = error_of(point)
            optimizer.tell(point, value)
            yield value

    return values


def tpe(seed: int) -> Iterator[float]:
    """Optuna's TPE with what it offers for conditions: groups of parameters that occur together."""
    optuna = package("optuna", "TPE")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True)
    study = optuna.create_study(sampler=sampler)
    for point in _first(seed):
        study.enqueue_trial(point)
    for _ in range(BUDGET):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial = study.ask()
            value = error_of(_suggested(trial))
            study.tell(trial, value)
        yield value


def _suggested(trial: Any) -> Point:
    point: dict[str, Any] = {}
    for name, variable in SPACE.variables.items():
        if name in _CONDITIONS and point.get(_CONDITIONS[name][0]) not in _CONDITIONS[name][1]:
            continue
        if isinstance(variable, hr.Real):
            point[name] = trial.suggest_float(name, variable.low, variable.high, log=variable.log)
        elif isinstance(variable, hr.Integer):
            point[name] = trial.suggest_int(name, variable.low, variable.high)
        else:
            point[name] = trial.suggest_categorical(name, list(variable.values))  # type: ignore[union-attr]
    return point


def smac(seed: int) -> Iterator[float]:
    """SMAC's facade for hyperparameters, its first design replaced by the common one."""
    package_ = package("smac", "SMAC")
    space = config_space(seed)
    configuration = package("ConfigSpace", "SMAC").Configuration
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scenario = package_.Scenario(space, deterministic=True, n_trials=BUDGET, output_directory=folder, seed=seed)
        facade_of = package_.HyperparameterOptimizationFacade
        first = [configuration(space, values=dict(point)) for point in _first(seed)]
        design = facade_of.get_initial_design(scenario, n_configs=0, additional_configs=first)
        facade = facade_of(scenario, initial_design=design, logging_level=False, overwrite=True)
        for _ in range(BUDGET):
            trial = facade.ask()
            value = error_of(dict(trial.config))
            facade.tell(trial, package("smac.runhistory", "SMAC").TrialValue(cost=value), save=False)
            yield value


def config_space(seed: int) -> Any:
    """Return the same space in ConfigSpace."""
    spaces = package("ConfigSpace", "SMAC")
    space = spaces.ConfigurationSpace(seed=seed)
    for name, variable in SPACE.variables.items():
        if isinstance(variable, hr.Real):
            own = spaces.Float(name, (variable.low, variable.high), log=variable.log)
        elif isinstance(variable, hr.Integer):
            own = spaces.Integer(name, (variable.low, variable.high))
        else:
            own = spaces.Categorical(name, list(variable.values))  # type: ignore[union-attr]
        space.add(own)
        if name in _CONDITIONS:
            parent, values = _CONDITIONS[name]
            space.add(spaces.InCondition(space[name], space[parent], values))
    return space


TUNERS: dict[str, Callable[[int], Iterator[float]]] = {
    "hedgerow": by_hedgerow("auto"),
    "random": by_hedgerow("random"),
    "optuna-tpe": tpe,
    "smac": smac,
}


# --- rows and what they say ---


def run(table: Path, n_seeds: int, seconds: float) -> None:
    """Run what the table lacks, within some processor time."""
    done = {(row["method"], row["seed"]) for row in read(table)}
    end = time.process_time() + seconds
    for seed in range(n_seeds):
        for method, tune in TUNERS.items():
            if (method, str(seed)) not in done and time.process_time() <= end:
                began = time.process_time()
                values = list(tune(seed))
                best = [f"{min(values[:n]):.6f}" for n in _SHOWN]
                _append(table, [method, str(seed), *best, f"{time.process_time() - began:.1f}"])


def read(table: Path) -> list[dict[str, str]]:
    """Return the rows of a table."""
    if not table.exists():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _append(table: Path, row: Sequence[str]) -> None:
    is_new = not table.exists()
    with table.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(_COLUMNS)
        writer.writerow(row)


def section(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the table of the page: the mean best error after some trials, and pairs won by the first method."""
    first = {row["seed"]: row for row in rows if row["method"] == "hedgerow"}
    head = " | ".join(f"after {n}" for n in _SHOWN)
    lines = [f"| method | seeds | {head} | pairs that `hedgerow` wins, after {_SHOWN[-1]} |", "|---" * 6 + "|"]
    for method in TUNERS:
        own = [row for row in rows if row["method"] == method]
        if not own:
            continue
        cells = [_mean([float(row[f"best_{n}"]) for row in own]) for n in _SHOWN]
        last = f"best_{_SHOWN[-1]}"
        pairs = [(float(first[row["seed"]][last]), float(row[last])) for row in own if row["seed"] in first]
        won = "" if method == "hedgerow" else f"{sum(a < b for a, b in pairs)} of {len(pairs)}"
        lines.append(f"| {method} | {len(own)} | " + " | ".join(cells) + f" | {won} |")
    return lines


def _mean(values: Sequence[float]) -> str:
    error = stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{mean(values):.4f} ± {error:.4f}"

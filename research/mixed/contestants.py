"""Who solves the design problems: each takes a design, a seed and a budget, and yields the best value so far.

What stays inside the rules spends a trial on every point. Optuna's samplers and NOMAD are told how far each rule is
broken, relative to what it compares; a point that breaks one is a trial that gives nothing.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import hedgerow as hr
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.space.encoding import decode, encode
from research.mixed.excesses import Values, excesses
from research.mixed.model_rivals import botorch, smac
from research.problems.engineering import Design


def by_method(method: str) -> Callable[[Design, int, int], Values]:
    """Return a method of Hedgerow at work."""

    def values(design: Design, seed: int, budget: int) -> Values:
        optimizer = hr.Optimizer(design.space, design.rules, method=method, seed=seed)
        for _ in range(budget):
            point = optimizer.ask()
            value = design.cost(point)
            optimizer.tell(point, value)
            yield value

    return values


def evolution(design: Design, seed: int, budget: int) -> Values:
    """Differential evolution (rand/1/bin) whose children are mended into the rules before they cost a trial."""
    feasible = hr.FeasibleSet(design.space, design.rules)
    rng = np.random.default_rng(seed)
    n = 15
    people = [encode(design.space, point) for point in feasible.sample(n, seed=seed)]
    costs = []
    for row in people[:budget]:
        costs.append(design.cost(decode(design.space, row)))
        yield costs[-1]
    for trial in range(budget - n):
        place = trial % n
        others = rng.choice([k for k in range(n) if k != place], 3, replace=False)
        child = _crossed(feasible, [people[k] for k in (place, *others)], rng)
        value = design.cost(decode(design.space, child))
        yield value
        if value <= costs[place]:
            people[place], costs[place] = child, value


def _crossed(feasible: hr.FeasibleSet, rows: list[Any], rng: np.random.Generator) -> Any:
    """Return a child inside the rules: a difference of two added to a third, mixed with the parent, then mended."""
    space = feasible.space
    units = np.array([_units(space, feasible, row) for row in rows])
    moved = units[1] + 0.7 * (units[2] - units[3])
    taken = rng.random(moved.size) < 0.8
    taken[rng.integers(moved.size)] = True
    child = np.clip(np.where(taken, moved, units[0]), 0.0, 1.0)
    return encode(space, feasible.repair(decode(space, _codes(space, feasible, child))))


def _units(space: hr.Space, feasible: hr.FeasibleSet, row: Any) -> Any:
    last = np.array([max(1, size - 1) for size in space.sizes], dtype=np.float64)
    units = row / last
    if isinstance(feasible.codes, MixedSet):
        for slot in space.reals:
            units[slot] = feasible.codes.rules.scales.units_of(row[None, :], slot)[0]
    return units


def _codes(space: hr.Space, feasible: hr.FeasibleSet, units: Any) -> Any:
    last = np.array([max(1, size - 1) for size in space.sizes], dtype=np.float64)
    numbers = np.round(units * last)
    if not isinstance(feasible.codes, MixedSet):
        return numbers.astype(np.int64)
    scales = feasible.codes.rules.scales
    numbers[scales.reals] = scales.from_unit(units[None, scales.reals])[0]
    return scales.codes(numbers[None, :])[0]


def by_optuna(name: str) -> Callable[[Design, int, int], Values]:
    """Return a sampler of Optuna at work, with how far each rule is broken as its constraints."""

    def values(design: Design, seed: int, budget: int) -> Values:
        import optuna  # noqa: PLC0415 - loaded by those who compare with it

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        feasible = hr.FeasibleSet(design.space, design.rules)

        def constraints(trial: Any) -> list[float]:
            return [float(broken) for broken in trial.user_attrs["broken"]]

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            samplers: dict[str, Any] = {
                "tpe": lambda: optuna.samplers.TPESampler(seed=seed, constraints_func=constraints, multivariate=True),
                "cma-es": lambda: optuna.samplers.CmaEsSampler(seed=seed),
                "gp": lambda: optuna.samplers.GPSampler(seed=seed, constraints_func=constraints),
            }
            sampler = samplers[name]()
            study = optuna.create_study(sampler=sampler)
            for _ in range(budget):
                trial = study.ask()
                point = {key: _suggested(trial, key, variable) for key, variable in design.space.variables.items()}
                broken = bool(feasible.explain(point))
                trial.set_user_attr("broken", excesses(design, feasible, point))
                value = design.cost(point)
                # CMA-ES knows no constraints: what breaks a rule is told as worse than what was seen.
                study.tell(trial, 1e9 if broken and name == "cma-es" else value)
                yield math.inf if broken else value

    return values


def nomad(design: Design, seed: int, budget: int) -> Values:
    """NOMAD (mesh-adaptive direct search) with the rules as constraints of the progressive barrier."""
    import PyNomad  # type: ignore[import-not-found]  # noqa: PLC0415 - loaded by those who compare with it

    feasible = hr.FeasibleSet(design.space, design.rules)
    variables = list(design.space.variables.items())
    ends = [_ends_of(variable) for _, variable in variables]
    told: list[float] = []

    def black_box(at: Any) -> int:
        point = {}
        for place, (name, variable) in enumerate(variables):
            number = at.get_coord(place)
            is_real = isinstance(variable, hr.Real) and variable.is_continuous
            point[name] = number if is_real else variable.values[round(number)]  # type: ignore[union-attr]
        broken = excesses(design, feasible, point)
        value = design.cost(point)
        told.append(math.inf if feasible.explain(point) else value)
        at.setBBO(" ".join(map(str, (value, *broken))).encode())
        return 1

    rng = np.random.default_rng(seed)
    kinds = ["R" if is_real else "I" for _, _, is_real in ends]
    start = [
        float(rng.uniform(low, high)) if is_real else float(rng.integers(int(low), int(high) + 1))
        for low, high, is_real in ends
    ]
    settings = [
        f"BB_OUTPUT_TYPE OBJ {' '.join(['PB'] * len(feasible.rules))}",
        f"BB_INPUT_TYPE ( {' '.join(kinds)} )",
        f"MAX_BB_EVAL {budget}",
        f"SEED {seed + 1}",
        "DISPLAY_DEGREE 0",
    ]
    PyNomad.optimize(black_box, start, [low for low, _, _ in ends], [high for _, high, _ in ends], settings)
    yield from told[:budget]


def _ends_of(variable: Any) -> tuple[float, float, bool]:
    """Return the first and the last number of a variable as NOMAD sees it, and whether it is real."""
    if isinstance(variable, hr.Real) and variable.is_continuous:
        return variable.low, variable.high, True
    return 0.0, len(variable.values) - 1.0, False


def _suggested(trial: Any, name: str, variable: Any) -> Any:
    if isinstance(variable, hr.Real) and variable.is_continuous:
        return trial.suggest_float(name, variable.low, variable.high, log=variable.log)
    if isinstance(variable, hr.Integer):
        return trial.suggest_int(name, variable.low, variable.high, step=variable.step)
    levels = variable.values
    return levels[trial.suggest_int(name, 0, len(levels) - 1)]


CONTESTANTS: dict[str, Callable[[Design, int, int], Values]] = {
    "hedgerow": by_method("auto"),
    "random in the rules": by_method("random"),
    "evolution in the rules": evolution,
    "optuna-tpe": by_optuna("tpe"),
    "optuna-cma-es": by_optuna("cma-es"),
    "optuna-gp": by_optuna("gp"),
    "smac": smac,
    "botorch in the rules": botorch,
    "nomad": nomad,
}

"""SMAC and BoTorch on the design problems, each as near to the rules as its library comes.

SMAC knows forbidden combinations of levels, not formulas over reals: what breaks a rule is told as worse than all that
was seen, by how far it is broken. BoTorch (`SingleTaskGP` with the defaults of its version: a Matérn-5/2 or squared
exponential kernel over a coordinate per variable; `LogExpectedImprovement`) searches inside the rules: feasible draws
and changes of good designs are scored, codes are kept as they are, and reals climb from the best of these by
`optimize_acqf` under the rules as nonlinear constraints. What ends a hair outside is mended.
"""

from __future__ import annotations

import math
import tempfile
import warnings
from typing import Any

import numpy as np

import hedgerow as hr
from hedgerow.arrays import Codes, Matrix
from hedgerow.feasible.changes import changed_rows
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.feasible.reals.scales import Scales
from hedgerow.feasible.reals.slacks import Slacks
from hedgerow.space.encoding import decode, encode
from research.mixed.excesses import Values, excesses
from research.problems.engineering import Design
from research.rivals.packages import package

_N_FIRST = 5
_N_DRAWN, _N_COPIES, _N_CHANGED = 256, 64, 200
_N_CLIMBS = 4
# How far inside a rule its climbs aim, in parts of the ranges: what they find is taken only where all rules hold.
_MARGIN = 1e-7


def smac(design: Design, seed: int, budget: int) -> Values:
    """SMAC's facade for hyperparameters, with its own first design."""
    smac_package = package("smac", "SMAC")
    spaces = package("ConfigSpace", "SMAC")
    feasible = hr.FeasibleSet(design.space, design.rules)
    space = spaces.ConfigurationSpace(seed=seed)
    space.add([_hyperparameter(spaces, name, variable) for name, variable in design.space.variables.items()])
    told: list[float] = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scenario = smac_package.Scenario(space, deterministic=True, n_trials=budget, output_directory=folder, seed=seed)
        facade = smac_package.HyperparameterOptimizationFacade(scenario, logging_level=False, overwrite=True)
        for _ in range(budget):
            trial = facade.ask()
            point = {name: _value_of(trial.config[name], own) for name, own in design.space.variables.items()}
            broken = sum(max(0.0, excess) for excess in excesses(design, feasible, point))
            value = design.cost(point)
            is_broken = bool(feasible.explain(point))
            spread = (max(told) - min(told)) if len(told) > 1 else 1.0
            shown = (max(told, default=value) + spread * (0.1 + min(10.0, broken))) if is_broken else value
            facade.tell(trial, package("smac.runhistory", "SMAC").TrialValue(cost=shown), save=False)
            if not is_broken:
                told.append(value)
            yield math.inf if is_broken else value


def _hyperparameter(spaces: Any, name: str, variable: Any) -> Any:
    if isinstance(variable, hr.Real) and variable.is_continuous:
        return spaces.Float(name, (variable.low, variable.high), log=variable.log)
    return spaces.Integer(name, (0, len(variable.values) - 1))


def _value_of(told: Any, variable: Any) -> Any:
    if isinstance(variable, hr.Real) and variable.is_continuous:
        return float(told)
    return variable.values[int(told)]


def botorch(design: Design, seed: int, budget: int) -> Values:
    """BoTorch inside the rules."""
    run = _Botorch(design, seed)
    for _ in range(budget):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            row = run.next_row()
        value = design.cost(decode(design.space, row))
        run.tell(row, value)
        yield value


class _Botorch:
    def __init__(self, design: Design, seed: int) -> None:
        self._space = design.space
        self._feasible = hr.FeasibleSet(design.space, design.rules)
        self._codes = self._feasible.codes
        self._scales = Scales(design.space)
        self._is_real = np.isin(np.arange(len(design.space.slots)), self._scales.reals)
        self._last = np.array(
            [1.0 if real else max(1, size - 1) for real, size in zip(self._is_real, design.space.sizes, strict=True)]
        )
        self._rng = np.random.default_rng([seed, 79])
        self._first = [encode(design.space, point) for point in self._feasible.sample(_N_FIRST, seed=seed)]
        self._rows: list[Codes] = []
        self._values: list[float] = []
        package("torch", "BoTorch").set_num_threads(1)

    def tell(self, row: Codes, value: float) -> None:
        self._rows.append(row)
        self._values.append(value)

    def next_row(self) -> Codes:
        """Return the untried row of highest score that was found."""
        if len(self._rows) < _N_FIRST:
            return self._first[len(self._rows)]
        torch = package("torch", "BoTorch")
        torch.manual_seed(int(self._rng.integers(2**31)))
        score = self._score()
        pool = self._pool()
        with torch.no_grad():
            chunks = torch.from_numpy(self._units(pool)).unsqueeze(1).split(256)
            scores = np.concatenate([score(chunk).numpy() for chunk in chunks])
        order = np.argsort(-scores, kind="stable")
        found = [(float(scores[place]), pool[place]) for place in order[:1]]
        if self._is_real.any():
            found += [self._climbed(score, row) for row in self._starts(pool[order])]
        return np.asarray(max(found, key=lambda one: one[0])[1])

    def _score(self) -> Any:
        """Return the logarithm of expected improvement under a process fitted to all that was told."""
        torch = package("torch", "BoTorch")
        inputs = torch.from_numpy(self._units(np.array(self._rows)))
        outcomes = -torch.tensor(self._values, dtype=torch.float64).unsqueeze(-1)
        model = package("botorch.models", "BoTorch").SingleTaskGP(inputs, outcomes)
        likelihood = package("gpytorch.mlls", "BoTorch").ExactMarginalLogLikelihood(model.likelihood, model)
        package("botorch.fit", "BoTorch").fit_gpytorch_mll(likelihood)
        return package("botorch.acquisition", "BoTorch").LogExpectedImprovement(model, best_f=outcomes.max())

    def _units(self, rows: Codes) -> Matrix:
        numbers = self._scales.numbers(rows) / self._last
        if self._is_real.any():
            numbers[:, self._is_real] = self._scales.to_unit(self._scales.numbers(rows)[:, self._is_real])
        return np.asarray(numbers)

    def _pool(self) -> Codes:
        """Return feasible rows that were not tried: draws, and the best designs with other reals and other codes."""
        pool = [self._codes.draw_up_to(_N_DRAWN, self._rng)]
        for place in np.argsort(self._values, kind="stable")[:3]:
            row = self._rows[place]
            if self._is_real.any():
                units = np.repeat(self._units(row[None, :])[:, self._is_real], _N_COPIES, axis=0)
                reach = 10.0 ** self._rng.uniform(-4, -0.5, size=(_N_COPIES, 1))
                units = np.clip(units + reach * self._rng.normal(size=units.shape), 0.0, 1.0)
                numbers = self._scales.placed(np.repeat(self._scales.numbers(row[None, :]), _N_COPIES, axis=0), units)
                copies = self._scales.codes(self._on_equalities(numbers))
                pool.append(copies[self._codes.accepts(copies)])
            changes = [self._codes.changes(row, n) for n in (1, 2)]
            changed = changed_rows(row, np.concatenate(changes))
            pool.append(changed[self._rng.permutation(changed.shape[0])[:_N_CHANGED]])
        rows = np.unique(np.concatenate(pool), axis=0)
        tried = {row.tobytes() for row in self._rows}
        return rows[[row.tobytes() not in tried for row in rows]]

    def _on_equalities(self, numbers: Matrix) -> Matrix:
        assert isinstance(self._codes, MixedSet)
        return self._codes.rules.completed(numbers)[0]

    def _starts(self, ordered: Codes) -> list[Codes]:
        """Return the best rows with codes of their own, then the best of all."""
        starts: dict[bytes, Codes] = {}
        for row in ordered:
            starts.setdefault(row[~self._is_real].tobytes(), row)
            if len(starts) >= _N_CLIMBS:
                break
        return [*starts.values(), *ordered[1 : 1 + _N_CLIMBS - len(starts)]]

    def _climbed(self, score: Any, row: Codes) -> tuple[float, Codes]:
        """Return where `optimize_acqf` leads the reals of a row under the rules, mended where that is needed."""
        torch = package("torch", "BoTorch")
        start = torch.from_numpy(self._units(row[None, :]))
        fixed = {int(slot): float(start[0, slot]) for slot in np.flatnonzero(~self._is_real)}
        bounds = torch.tensor([[0.0] * start.shape[1], [1.0] * start.shape[1]], dtype=torch.float64)
        try:
            found, _ = package("botorch.optim", "BoTorch").optimize_acqf(
                score,
                bounds,
                q=1,
                num_restarts=1,
                batch_initial_conditions=start.unsqueeze(0),
                nonlinear_inequality_constraints=self._constraints(row) or None,
                fixed_features=fixed or None,
                options={"batch_limit": 1, "maxiter": 20, "ftol": 1e-6},
            )
        except (ValueError, RuntimeError, package("botorch.exceptions", "BoTorch").CandidateGenerationError):
            return -math.inf, row
        units = found.detach().numpy()[:, self._is_real]
        codes = self._scales.codes(self._on_equalities(self._scales.placed(self._scales.numbers(row[None, :]), units)))[
            0
        ]
        if not self._codes.accepts(codes[None, :])[0]:
            codes = encode(self._space, self._feasible.repair(decode(self._space, codes)))
        if any(np.array_equal(codes, other) for other in self._rows):
            return -math.inf, codes
        with torch.no_grad():
            return float(score(torch.from_numpy(self._units(codes[None, :])).unsqueeze(0))), codes

    def _constraints(self, row: Codes) -> list[tuple[Any, bool]]:
        """Return each rule as a function of the coordinates that is at least 0 where it holds."""
        assert isinstance(self._codes, MixedSet)
        rules = self._codes.rules
        numbers = self._scales.numbers(row[None, :])
        torch = package("torch", "BoTorch")

        def slack(rule: Any, units: Matrix) -> tuple[float, Matrix]:
            placed = self._scales.placed(numbers, units[None, :])[0]
            dual = Slacks(rules.values(placed), self._space.reals).of(rule)
            slopes = np.zeros(self._is_real.size)
            slopes[self._is_real] = np.nan_to_num(dual.gradient * self._scales.by_unit(placed[self._is_real]))
            return dual.value, slopes

        def constraint(rule: Any) -> Any:
            begun = slack(rule, self._units(row[None, :])[0, self._is_real])[1]
            size = max(1e-9, float(np.abs(begun).max()))

            class Slack(torch.autograd.Function):  # type: ignore[misc, name-defined]
                @staticmethod
                def forward(ctx: Any, at: Any) -> Any:
                    value, slopes = slack(rule, at.detach().numpy()[self._is_real])
                    ctx.slopes = torch.from_numpy(slopes / size)
                    return torch.tensor(value / size - _MARGIN, dtype=torch.float64)

                @staticmethod
                def backward(ctx: Any, by: Any) -> Any:
                    return by * ctx.slopes

            return Slack.apply

        return [(constraint(rule), True) for rule in rules.inequalities]

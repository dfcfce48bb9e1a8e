"""BayBE, BoFire and Ax: parameters, constraints and measurements of planned experiments, and what is listed."""

from __future__ import annotations

import csv
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hedgerow import Categorical, ProblemFileError, Real
from hedgerow.cli.main import main
from hedgerow.importers import read_ax, read_baybe, read_bofire
from hedgerow.space import Levels
from tests.importers.models import feasible

# --- BoFire ---

BOFIRE: dict[str, Any] = {
    "type": "Domain",
    "inputs": {
        "type": "Inputs",
        "features": [
            {"type": "ContinuousInput", "key": "resin", "bounds": [0, 1], "stepsize": None},
            {"type": "ContinuousInput", "key": "filler", "bounds": [0, 1], "stepsize": 0.25},
            {"type": "DiscreteInput", "key": "temp", "values": [60, 80, 100]},
            {
                "type": "CategoricalInput",
                "key": "sol vent",
                "categories": ["a", "b", "c"],
                "allowed": [True, True, False],
            },
        ],
    },
    "outputs": {
        "type": "Outputs",
        "features": [
            {"type": "ContinuousOutput", "key": "gloss", "objective": {"type": "MaximizeObjective", "w": 1.0}}
        ],
    },
    "constraints": {
        "type": "Constraints",
        "constraints": [
            {"type": "LinearEqualityConstraint", "features": ["resin", "filler"], "coefficients": [1, 1], "rhs": 1},
            {
                "type": "CategoricalExcludeConstraint",
                "features": ["sol vent", "temp"],
                "conditions": [
                    {"type": "SelectionCondition", "selection": ["a"]},
                    {"type": "ThresholdCondition", "operator": ">", "threshold": 80},
                ],
                "logical_op": "AND",
            },
            {
                "type": "NChooseKConstraint",
                "features": ["resin", "filler"],
                "min_count": 2,
                "max_count": 2,
                "none_also_valid": False,
            },
            {"type": "InterpointEqualityConstraint", "features": ["temp"], "multiplicity": 3},
        ],
    },
}
ROWS = [
    {"resin": 0.5, "filler": 0.5, "temp": 60, "sol vent": "b", "gloss": 7.5},
    {"resin": 0.75, "filler": 0.25, "temp": 80, "sol vent": "a", "gloss": None},
    {"resin": 0.61, "filler": 0.25, "temp": 80, "sol vent": "a", "gloss": 3},
]


def test_a_bofire_domain_becomes_a_space_with_rules() -> None:
    imported = read_bofire(json.dumps({**BOFIRE, "experiments": ROWS}), levels=5)
    variables = imported.space.variables
    assert variables["resin"] == Real(0, 1, 5)
    assert variables["filler"] == Levels([0.0, 0.25, 0.5, 0.75, 1.0])
    assert variables["sol_vent"] == Categorical(["a", "b"])
    expected = {
        (r, f, t, s)
        for r, f, t, s in product((0, 0.25, 0.5, 0.75, 1), (0, 0.25, 0.5, 0.75, 1), (60, 80, 100), "ab")
        if r + f == 1 and not (s == "a" and t > 80) and r > 0 and f > 0
    }
    assert {tuple(point.values()) for point in feasible(imported)} == expected
    assert feasible(imported, through_toml=True).count == len(expected)
    assert imported.direction == "maximize"
    assert 'direction = "maximize"' in imported.to_toml()
    missing = "\n".join(imported.missing)
    assert "(InterpointEqualityConstraint): it is about several candidates at once" in missing
    assert "1 of 3 measurements" in missing
    assert [value for _, value in imported.measurements] == [7.5, None]


def test_a_bofire_strategy_is_read_as_its_domain() -> None:
    more = {
        "type": "NonlinearInequalityConstraint",
        "expression": "x1**2 + x2**2 - 1",
        "features": ["x1", "x2"],
        "jacobian_expression": None,
    }
    product_rule = {
        "type": "ProductInequalityConstraint",
        "features": ["x1", "x2"],
        "exponents": [1, 1],
        "rhs": -0.2,
        "sign": -1,
    }
    inputs = [{"type": "ContinuousInput", "key": key, "bounds": [0, 1]} for key in ("x1", "x2")]
    domain = {"inputs": {"features": inputs}, "outputs": {"features": []}, "constraints": [more, product_rule]}
    imported = read_bofire(json.dumps({"type": "SoboStrategy", "domain": domain}), levels=5)
    grid = [0, 0.25, 0.5, 0.75, 1]
    assert {tuple(point.values()) for point in feasible(imported)} == {
        (a, b) for a, b in product(grid, grid) if a * a + b * b <= 1 and -a * b <= -0.2
    }


# --- BayBE ---

LABELS = ["a", "b", "c"]


def baybe(constraints: list[dict[str, Any]], **more: Any) -> str:
    parameters = [
        {"type": "NumericalDiscreteParameter", "name": "n", "values": [0, 1, 2], "tolerance": 0.0},
        {"type": "NumericalDiscreteParameter", "name": "m", "values": [0, 1, 2], "tolerance": 0.0},
        {"type": "CategoricalParameter", "name": "p", "values": LABELS, "encoding": "OHE"},
        {"type": "SubstanceParameter", "name": "q", "data": dict.fromkeys(LABELS, "CCO"), "encoding": "MORDRED"},
    ]
    discrete = {"parameters": parameters, "exp_rep": "gASV", "constraints": constraints}
    continuous = {
        "parameters": [{"type": "NumericalContinuousParameter", "name": "t", "bounds": {"lower": 0.0, "upper": 1.0}}],
        "constraints_lin_eq": [],
        "constraints_lin_ineq": [
            {"type": "ContinuousLinearConstraint", "parameters": ["t"], "operator": ">=", "coefficients": [2], "rhs": 1}
        ],
    }
    target = {"type": "NumericalTarget", "name": "yield", "mode": "MAX"}
    objective = {"type": "SingleTargetObjective", "target": target}
    study = {"searchspace": {"discrete": discrete, "continuous": continuous}, "objective": objective}
    return json.dumps({**study, **more})


THRESHOLD = {"type": "ThresholdCondition", "threshold": 2, "operator": "<=", "tolerance": None}


@pytest.mark.parametrize(
    ("constraint", "holds"),
    [
        (
            {"type": "DiscreteSumConstraint", "parameters": ["n", "m"], "condition": THRESHOLD},
            lambda n, m, p, q: n + m <= 2,
        ),
        (
            {
                "type": "DiscreteProductConstraint",
                "parameters": ["n", "m"],
                "condition": {**THRESHOLD, "operator": "="},
            },
            lambda n, m, p, q: n * m == 2,
        ),
        (
            {
                "type": "DiscreteExcludeConstraint",
                "parameters": ["p", "n"],
                "conditions": [
                    {"type": "SubSelectionCondition", "selection": ["a", "b"]},
                    {**THRESHOLD, "threshold": 1, "operator": ">="},
                ],
                "combiner": "OR",
            },
            lambda n, m, p, q: not (p in "ab" or n >= 1),
        ),
        ({"type": "DiscreteNoLabelDuplicatesConstraint", "parameters": ["p", "q"]}, lambda n, m, p, q: p != q),
        ({"type": "DiscreteLinkedParametersConstraint", "parameters": ["p", "q"]}, lambda n, m, p, q: p == q),
        ({"type": "DiscretePermutationInvarianceConstraint", "parameters": ["p", "q"]}, lambda n, m, p, q: p < q),
        (
            {
                "type": "DiscreteDependenciesConstraint",
                "parameters": ["n"],
                "conditions": [{**THRESHOLD, "threshold": 1, "operator": ">="}],
                "affected_parameters": [["p", "q"]],
            },
            lambda n, m, p, q: n >= 1 or (p == "a" and q == "a"),
        ),
        (
            {
                "type": "DiscreteCardinalityConstraint",
                "parameters": ["n", "m"],
                "min_cardinality": 1,
                "max_cardinality": 1,
            },
            lambda n, m, p, q: (n > 0) + (m > 0) == 1,
        ),
    ],
)
def test_each_constraint_of_baybe_means_what_it_means_there(constraint: dict[str, Any], holds: Any) -> None:
    imported = read_baybe(baybe([constraint]), levels=3)
    expected = {
        (n, m, p, q, t)
        for n, m, p, q, t in product((0, 1, 2), (0, 1, 2), LABELS, LABELS, (0.0, 0.5, 1.0))
        if holds(n, m, p, q) and 2 * t >= 1
    }
    assert {tuple(point.values()) for point in feasible(imported)} == expected
    assert feasible(imported, through_toml=True).count == len(expected)


def test_pickled_measurements_of_baybe_are_listed_and_plain_ones_read() -> None:
    pickled = read_baybe(baybe([], measurements="gASVAAAA"))
    assert "a pickle that is not opened" in "\n".join(pickled.missing)
    assert "the encoding of 'q'" in "\n".join(pickled.missing)
    rows = [{"n": 1, "m": 2, "p": "a", "q": "b", "t": 0.5, "yield": 12.5}]
    plain = read_baybe(baybe([], measurements={"constructor": "from_records", "data": rows}))
    assert plain.measurements == (({"n": 1, "m": 2, "p": "a", "q": "b", "t": 0.5}, 12.5),)
    assert plain.direction == "maximize"


def test_what_baybe_has_and_rules_have_not_is_listed() -> None:
    custom = {"type": "DiscreteCustomConstraint", "parameters": ["n"]}
    assert "(DiscreteCustomConstraint): it has no counterpart here" in read_baybe(baybe([custom])).missing[-1]


# --- Ax ---

AX: dict[str, Any] = {
    "__type": "Experiment",
    "name": "tuning",
    "search_space": {
        "__type": "SearchSpace",
        "parameters": [
            {
                "__type": "RangeParameter",
                "name": "lr",
                "parameter_type": {"__type": "ParameterType", "name": "FLOAT"},
                "lower": 0.01,
                "upper": 1.0,
                "log_scale": True,
            },
            {
                "__type": "RangeParameter",
                "name": "depth",
                "parameter_type": {"__type": "ParameterType", "name": "INT"},
                "lower": 1,
                "upper": 4,
                "log_scale": False,
            },
            {"__type": "ChoiceParameter", "name": "width", "values": [4, 1, 2], "is_ordered": True},
            {"__type": "ChoiceParameter", "name": "kind", "values": ["x", "y"], "is_ordered": False},
            {"__type": "FixedParameter", "name": "fixed", "value": 3},
        ],
        "parameter_constraints": [
            {"__type": "ParameterConstraint", "constraint_dict": {"depth": 1.0, "width": 2.0}, "bound": 8.0},
            {"__type": "OrderConstraint", "lower_name": "width", "upper_name": "depth"},
            {"__type": "SumConstraint", "parameter_names": ["depth", "width"], "is_upper_bound": False, "bound": 3},
        ],
    },
    "optimization_config": {
        "__type": "OptimizationConfig",
        "objective": {"__type": "Objective", "metric": {"__type": "Metric", "name": "loss"}, "minimize": True},
        "outcome_constraints": [{"__type": "OutcomeConstraint", "metric": {"name": "memory"}, "bound": 16}],
    },
    "trials": {
        str(k): {
            "__type": "Trial",
            "status": {"__type": "TrialStatus", "name": status},
            "generator_run": {"arms": [{"__type": "Arm", "name": f"{k}_0", "parameters": parameters}]},
        }
        for k, (status, parameters) in enumerate(
            [
                ("COMPLETED", {"lr": 0.1, "depth": 2, "width": 1, "kind": "x", "fixed": 3}),
                ("FAILED", {"lr": 1.0, "depth": 3, "width": 2, "kind": "y", "fixed": 3}),
            ]
        )
    },
    "data_by_trial": {
        "0": {
            "__type": "OrderedDict",
            "value": [
                [
                    1,
                    {
                        "__type": "Data",
                        "df": {
                            "__type": "DataFrame",
                            "value": json.dumps(
                                {
                                    "arm_name": {"0": "0_0", "1": "0_0"},
                                    "metric_name": {"0": "loss", "1": "memory"},
                                    "mean": {"0": 0.25, "1": 12},
                                }
                            ),
                        },
                    },
                ]
            ],
        }
    },
}


@pytest.mark.parametrize("wrap", [lambda data: data, lambda data: {"_type": "AxClient", "experiment": data}])
def test_an_ax_experiment_is_read_with_its_trials(wrap: Any) -> None:
    imported = read_ax(json.dumps(wrap(AX)), levels=3)
    assert imported.name == "tuning"
    assert imported.space.variables["lr"] == Real(0.01, 1.0, 3, log=True)
    expected = {
        (lr, depth, width, kind, 3)
        for lr, depth, width, kind in product((0.01, 0.1, 1.0), range(1, 5), (1, 2, 4), "xy")
        if depth + 2 * width <= 8 and width <= depth and depth + width >= 3
    }
    assert {tuple(point.values()) for point in feasible(imported)} == expected
    assert imported.missing == ("a limit on the outcome 'memory'",)
    by_value = {value: point["lr"] for point, value in imported.measurements}
    assert by_value == {0.25: 0.1, None: 1.0}


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_ax, "{}", "The file lacks the key 'search_space'"),
        (
            read_ax,
            json.dumps({"search_space": {"parameters": [{"name": "x", "__type": "DerivedParameter"}]}}),
            "DerivedP",
        ),
        (read_bofire, "{}", "The file has no 'inputs'"),
        (
            read_bofire,
            json.dumps({"inputs": [{"type": "ContinuousInput", "key": "x", "bounds": [1]}]}),
            "Input 'x': two",
        ),
        (read_baybe, "[]", "The file should be an object"),
        (read_baybe, "{}", "The file has no parameters"),
        (read_baybe, baybe([{"type": "DiscreteSumConstraint", "parameters": ["zz"]}]), "There is no parameter 'zz'"),
        (
            read_baybe,
            baybe([{"type": "DiscreteSumConstraint", "parameters": ["n"], "condition": {}}]),
            "a number is needed, not null",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(read: Any, text: str, message: str) -> None:
    with pytest.raises(ProblemFileError, match=message):
        read(text)


def test_measurements_come_along_as_a_table_that_tell_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, problem = tmp_path / "domain.json", tmp_path / "problem.toml"
    file.write_text(json.dumps({**BOFIRE, "experiments": ROWS}))
    assert main(["import", "bofire", str(file), "-o", str(problem), "--levels", "5"]) == 0
    assert "2 measurements. Next: hedgerow tell" in capsys.readouterr().out
    table = tmp_path / "problem.results.csv"
    assert [row["value"] for row in csv.DictReader(table.open())] == ["7.5", "failed"]
    assert main(["tell", str(problem), "--from", str(table)]) == 0
    assert main(["status", str(problem), "--json"]) == 0
    status = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (status["complete"], status["failed"], status["best"]["value"]) == (1, 1, 7.5)


# --- as the packages write it: BayBE 0.15, BoFire 0.5, Ax 1.3 ---


def test_continuous_parts_of_baybe_have_no_types_of_their_own() -> None:
    continuous = {
        "parameters": [
            {"name": "x", "metadata": {"unit": None}, "bounds": {"lower": 0.0, "upper": 1.0}},
            {"name": "y", "metadata": {"unit": None}, "bounds": {"lower": 0.0, "upper": 2.0}},
        ],
        "constraints_lin_eq": [],
        "constraints_lin_ineq": [
            {"parameters": ["x", "y"], "operator": "<=", "coefficients": [1.0, 2.0], "rhs": 1.5, "interpoint": False},
            {"parameters": ["x"], "operator": ">=", "coefficients": [1.0], "rhs": 3.0, "interpoint": True},
        ],
    }
    target = {"type": "NumericalTarget", "name": "g", "minimize": True}
    written = {
        "type": "Campaign",
        "searchspace": {"discrete": {"parameters": []}, "continuous": continuous},
        "objective": {"type": "SingleTargetObjective", "target": target},
        "measurements_exp": "gASVLwYAAAAA",
    }
    imported = read_baybe(json.dumps(written))
    assert dict(imported.space.variables) == {"x": Real(0, 1), "y": Real(0, 2)}
    assert [rule.name for rule in imported.rules] == ["ContinuousLinearConstraint 1"]
    assert '"1.0 * x + 2.0 * y <= 1.5"' in imported.to_toml()
    assert imported.direction == "minimize"
    assert any("several points at once" in item for item in imported.missing)
    assert any("pickle that is not opened" in item for item in imported.missing)
    levels = read_baybe(json.dumps(written), levels=5).space.variables["x"]
    assert levels == Real(0, 1, 5)


def test_experiments_of_bofire_are_rows_of_inputs_and_outputs() -> None:
    domain = {
        "type": "Domain",
        "inputs": {"features": [{"type": "ContinuousInput", "key": "x", "bounds": [0.0, 1.0]}]},
        "outputs": {"features": [{"key": "y", "objective": {"type": "MaximizeObjective"}}]},
    }
    rows = [
        {"inputs": {"x": 0.5}, "outputs": {"y": {"value": 1.0, "valid": True}}, "type": "ExperimentRow"},
        {"inputs": {"x": 0.25}, "outputs": {"y": {"value": 9.0, "valid": False}}, "type": "ExperimentRow"},
    ]
    told = read_bofire(json.dumps({"domain": domain, "experiments": {"rows": rows, "type": "Experiments"}}))
    assert [(dict(point), value) for point, value in told.measurements] == [({"x": 0.5}, 1.0), ({"x": 0.25}, None)]
    alone = read_bofire(json.dumps(domain))
    assert any("hedgerow tell FILE --from" in note for note in alone.notes)


@pytest.mark.parametrize(
    ("expression", "direction", "value"),
    [("-1 * loss", "minimize", 1.5), ("-loss", "minimize", 1.5), ("loss", "maximize", 1.5), ("2 * a + b", None, None)],
)
def test_objectives_of_ax_are_expressions(expression: str, direction: str | None, value: float | None) -> None:
    table = {"arm_name": {"0": "0_0"}, "metric_name": {"0": "loss"}, "mean": {"0": 1.5}}
    parameter = {"__type": "RangeParameter", "name": "lr", "lower": 1e-4, "upper": 0.1, "log_scale": True}
    experiment = {
        "name": "ex",
        "search_space": {"parameters": [{**parameter, "parameter_type": {"name": "FLOAT"}}]},
        "optimization_config": {"objective": {"__type": "Objective", "expression": expression}},
        "trials": {
            "0": {"generator_run": {"arms": [{"__type": "Arm", "name": "0_0", "parameters": {"lr": 0.012345}}]}}
        },
        "data_by_trial": {"0": {"value": [[0, {"df": {"__type": "DataFrame", "value": json.dumps(table)}}]]}},
    }
    imported = read_ax(json.dumps({"_type": "Client", "experiment": experiment}))
    assert imported.space.variables["lr"] == Real(1e-4, 0.1, log=True)
    if direction is None:
        assert "the objective: one metric is imported" in imported.missing
    else:
        assert imported.direction == direction
        assert [(dict(point), told) for point, told in imported.measurements] == [({"lr": 0.012345}, value)]

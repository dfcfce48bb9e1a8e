"""ConfigSpace files: each configuration is exactly one point, as ConfigSpace's own check has it."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hedgerow import Categorical, Integer, Ordinal, ProblemFileError, Real
from hedgerow.importers import Imported, load_configspace, read_configspace
from hedgerow.space import Boolean, Levels, Vector
from tests.importers.models import feasible


def text_of(hyperparameters: list[dict[str, Any]], **more: Any) -> str:
    return json.dumps({"name": "cs", "hyperparameters": hyperparameters, **more})


def integer(name: str, lower: int = 1, upper: int = 3, **more: Any) -> dict[str, Any]:
    return {"type": "uniform_int", "name": name, "lower": lower, "upper": upper, "default_value": lower, **more}


def choice(name: str, *choices: Any, **more: Any) -> dict[str, Any]:
    return {"type": "categorical", "name": name, "choices": list(choices), "default_value": choices[0], **more}


def configurations(imported: Imported) -> list[dict[str, Any]]:
    return [imported.original(point) for point in feasible(imported)]


# --- by hand ------------------------------------------------------------------------------------------------------

KERNEL = [
    choice("svm:kernel", "linear", "poly", "rbf"),
    integer("degree", 2, 4),
    integer("gamma", 1, 2),
    choice("shrink", True, False),
]
CONDITIONS = [
    {"type": "EQ", "child": "degree", "parent": "svm:kernel", "value": "poly"},
    {
        "type": "AND",
        "child": "gamma",
        "conditions": [
            {"type": "IN", "child": "gamma", "parent": "svm:kernel", "values": ["poly", "rbf"]},
            {"type": "EQ", "child": "gamma", "parent": "shrink", "value": True},
        ],
    },
]
FORBIDDENS = [
    {
        "type": "AND",
        "clauses": [
            {"type": "EQUALS", "name": "gamma", "value": 1},
            {"type": "IN", "name": "degree", "values": [3, 4]},
        ],
    }
]


def test_inactive_hyperparameters_have_one_value_and_are_left_out_again() -> None:
    imported = read_configspace(text_of(KERNEL, conditions=CONDITIONS, forbiddens=FORBIDDENS))
    found = configurations(imported)
    expected = []
    for kernel, shrink in product(("linear", "poly", "rbf"), (True, False)):
        for degree in (2, 3, 4) if kernel == "poly" else (None,):
            for gamma in (1, 2) if kernel != "linear" and shrink else (None,):
                if not (gamma == 1 and degree in (3, 4)):
                    full = {"svm:kernel": kernel, "degree": degree, "gamma": gamma, "shrink": shrink}
                    expected.append({name: value for name, value in full.items() if value is not None})
    assert sorted(map(repr, found)) == sorted(map(repr, expected))
    assert feasible(imported, through_toml=True).count == len(expected)
    assert "svm_kernel" in imported.space
    assert not any("inactive" in note or "pinned" in note for note in imported.notes)
    assert imported.space.variables["degree"].when == "svm_kernel == 'poly'"
    assert {"svm_kernel": "linear", "shrink": True} in feasible(imported)


def test_children_come_after_their_parents_and_what_is_never_active_is_left_out() -> None:
    conditions = [
        {"type": "GT", "child": "a", "parent": "b", "value": 1},
        {"type": "EQ", "child": "c", "parent": "b", "value": 1},
        {
            "type": "AND",
            "child": "d",
            "conditions": [
                {"type": "EQ", "child": "d", "parent": "a", "value": 1},
                {"type": "EQ", "child": "d", "parent": "c", "value": 1},
            ],
        },
        {"type": "NEQ", "child": "e", "parent": "d", "value": 1},
    ]
    clause = {"type": "EQUALS", "name": "d", "value": 1}
    imported = read_configspace(text_of([integer(n) for n in "abcde"], conditions=conditions, forbiddens=[clause]))
    assert list(imported.space) == ["b", "a", "c", "e"]
    assert imported.rules == () and imported.space.variables["e"].when is None
    assert "'d' can never be active and is left out." in imported.notes
    assert feasible(imported, through_toml=True).count == 2 * 3 * 3 + 3 * 3


def test_a_condition_on_an_inactive_parent() -> None:
    conditions = [
        {"type": "EQ", "child": "b", "parent": "a", "value": 1},
        {"type": "NEQ", "child": "c", "parent": "b", "value": 1},
        {"type": "IN", "child": "d", "parent": "b", "values": [1, 2, 3]},
    ]
    imported = read_configspace(text_of([integer(n) for n in "abcd"], conditions=conditions))
    assert imported.space.variables["c"].when == "not active(b) or b != 1"
    assert imported.space.variables["d"].when == "active(b)"
    assert feasible(imported).count == (3 + 2 * 9) + 2 * 3


def test_each_kind_of_hyperparameter_becomes_its_variable() -> None:
    imported = read_configspace(
        text_of(
            [
                {
                    "type": "uniform_float",
                    "name": "rate",
                    "lower": 1e-4,
                    "upper": 1.0,
                    "log": True,
                    "default_value": 0.011,
                },
                {"type": "uniform_float", "name": "old", "lower": 0.0, "upper": 1.0, "q": 0.25, "default": 0.5},
                integer("wide", 1, 10**6, log=True),
                {"type": "normal_float", "name": "bell", "mu": 0, "sigma": 1},
                {"type": "beta_int", "name": "beta", "alpha": 1, "beta": 2, "lower": 0, "upper": 3, "default_value": 1},
                {"type": "ordinal", "name": "size", "sequence": ["s", "m", "l"], "default_value": "m"},
                {"type": "ordinal", "name": "power", "sequence": [8, 4, 2], "default_value": 8},
                {"type": "constant", "name": "fixed", "value": 3},
                choice("flag", True, False),
                choice("maybe", None, "x", weights=[0.2, 0.8]),
            ]
        ),
        levels=5,
    )
    variables = imported.space.variables
    assert variables["rate"] == Real(1e-4, 1.0, 5, log=True)
    assert variables["old"] == Levels([0.0, 0.25, 0.5, 0.75, 1.0])
    assert variables["wide"] == Levels([1, 32, 1000, 31623, 10**6])
    assert variables["bell"] == Real(-3, 3, 5)
    assert variables["beta"] == Integer(0, 3)
    assert variables["size"] == Ordinal(["s", "m", "l"])
    assert variables["power"] == Levels([2, 4, 8])
    assert variables["fixed"] == Categorical([3])
    assert variables["flag"] == Boolean()
    assert variables["maybe"] == Categorical(["None", "x"])
    notes = "\n".join(imported.notes)
    for part in ("'rate' takes 5", "'wide' takes 5", "'bell' has no bounds", "(beta_int) only the range", "weights of"):
        assert part in notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "The file lacks the key 'hyperparameters'"),
        (text_of([]), "at least one variable"),
        (text_of([integer("a"), integer("a")]), "Two hyperparameters are named 'a'"),
        (text_of([{"type": "uniform", "name": "a"}]), "'type' of hyperparameter 'a' is 'uniform'; did you mean"),
        (text_of([integer("a", 1, 10**400)]), "bounds are not finite numbers"),
        (text_of([integer("a", q=10**400)]), "its step is not a finite number above zero"),
        (text_of([integer("a", default_value=10**400)]), "its default is not a number that a float can hold"),
        (text_of([{"type": "normal_int", "name": "a", "mu": 1e308, "sigma": 1e308}]), "are not finite"),
        (text_of([{"type": "normal_int", "name": "a", "mu": 10**400, "sigma": 0.5}]), "mean and deviation are not"),
        (text_of([integer("a", 3, 1)]), "Hyperparameter 'a': its upper bound 1 is below its lower bound 3"),
        (text_of([integer("a", 0, 2, log=True)]), "a logarithmic scale needs"),
        (text_of([integer("a", default_value="x")]), "its default should be a number, but is text"),
        (text_of([choice("a", "x", default_value="y")]), "its default 'y' is not one of its values"),
        (text_of([choice("a", [1], "b")]), "a value should be a number, text, true or false, but is a list"),
        (text_of([choice("a", None, "None")]), "both null and the text 'None'"),
        (text_of([integer("a")], conditions=[{"type": "EQ", "child": "b"}]), "condition 1 mentions 'b'"),
        (text_of([integer("a")], conditions=[{"type": "EQ", "child": "a", "parent": "a", "value": 1}]), "on itself"),
        (
            text_of([integer("a"), integer("b")], conditions=[{"type": "EX", "child": "a", "parent": "b", "value": 1}]),
            "'type' of a condition of 'a' is 'EX'",
        ),
        (
            text_of([integer("a")], forbiddens=[{"type": "EQUALS", "name": "a"}]),
            "forbidden clause 1 lacks the key 'value'",
        ),
        (
            text_of([integer("a")], forbiddens=[{"type": "NOT", "name": "a", "value": 1}]),
            "is 'NOT', which is not known",
        ),
        (
            text_of(
                [integer("a"), choice("b", "x", "y")], forbiddens=[{"type": "RELATION_LT", "left": "a", "right": "b"}]
            ),
            "compares text with numbers",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ProblemFileError, match=message):
        read_configspace(text)


# --- YAML ---------------------------------------------------------------------------------------------------------


def test_yaml_says_the_same_as_json(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    text = text_of(KERNEL, conditions=CONDITIONS, forbiddens=FORBIDDENS)
    path = tmp_path / "space.yaml"
    path.write_text(yaml.safe_dump(json.loads(text)), encoding="utf-8")
    imported = load_configspace(path)
    assert imported.space == read_configspace(text).space
    assert configurations(imported) == configurations(read_configspace(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: &x [1]\nb: *x\n", r"Line 2: the alias \*x is not read"),
        ("a: !!python/object/apply:os.system ['true']\n", "Not valid YAML: could not determine a constructor"),
        ("a: [1\n", "Not valid YAML"),
        ("a: " + "{" * 100_000, "nested more than 100 deep"),
        ("a: 2001-99-99\n", "Not valid YAML"),
        ("- 1\n", "The file should be an object, but is a list"),
    ],
)
def test_yaml_is_data_and_nothing_else(text: str, message: str) -> None:
    pytest.importorskip("yaml")
    with pytest.raises(ProblemFileError, match=message):
        read_configspace(text)


# --- against the library ------------------------------------------------------------------------------------------


def random_text(seed: int) -> str:
    """A small space with conditions of every kind, chains of them, and forbidden clauses; not always a legal one."""
    rng = random.Random(seed)
    names = ["a", "b", "c", "d", "e"][: rng.randint(3, 5)]
    parameters, values = [], {}
    for name in names:
        parameter, values[name] = _random_parameter(rng, name)
        parameters.append(parameter)
    conditions = []
    for place, child in enumerate(names[1:], start=1):
        if rng.random() < 0.6:
            parts = [
                _random_condition(rng, child, parent, values) for parent in rng.sample(names[:place], min(place, 2))
            ]
            kind = rng.choice(("AND", "OR"))
            conditions.append(parts[0] if len(parts) == 1 else {"type": kind, "child": child, "conditions": parts})
    clauses = [_random_clause(rng, names, values) for _ in range(rng.choice((0, 1, 2)))]
    return text_of(parameters, conditions=conditions, forbiddens=clauses, format_version=0.4)


def _random_parameter(rng: random.Random, name: str) -> tuple[dict[str, Any], list[Any]]:
    kind = rng.choice(("int", "categorical", "ordinal", "numbers", "down", "constant"))
    if kind == "int":
        return integer(name, 1, 3, default_value=rng.randint(1, 3)), [1, 2, 3]
    if kind == "categorical":
        return choice(name, "x", "y", "z", default_value=rng.choice("xyz")), ["x", "y", "z"]
    if kind == "constant":
        return {"type": "constant", "name": name, "value": 2}, [2]
    sequences: dict[str, list[Any]] = {"ordinal": ["s", "m", "l"], "numbers": [1, 2, 4], "down": [3, 1, 2]}
    sequence = sequences[kind]
    return {"type": "ordinal", "name": name, "sequence": sequence, "default_value": rng.choice(sequence)}, sequence


def _random_condition(rng: random.Random, child: str, parent: str, values: dict[str, list[Any]]) -> dict[str, Any]:
    kind = rng.choice(("EQ", "NEQ", "IN", "LT", "GT"))
    base = {"type": kind, "child": child, "parent": parent}
    if kind == "IN":
        return {**base, "values": rng.sample(values[parent], min(2, len(values[parent])))}
    return {**base, "value": rng.choice(values[parent])}


def _random_clause(rng: random.Random, names: list[str], values: dict[str, list[Any]]) -> dict[str, Any]:
    kind = rng.choice(
        ("AND", "AND", "OR", "EQUALS", "RELATION_LT", "RELATION_EQ", "RELATION_GE", "CLAUSE_GT", "CLAUSE_LE")
    )
    if kind.startswith("RELATION"):
        left, right = rng.sample(names, 2)
        # Text and numbers have no order; the library only finds out when it meets such a configuration.
        if isinstance(values[left][0], str) is isinstance(values[right][0], str):
            return {"type": kind, "left": left, "right": right}
        kind = "AND"
    if kind in ("AND", "OR"):
        pair = rng.sample(names, 2)
        return {"type": kind, "clauses": [{"type": "EQUALS", "name": n, "value": rng.choice(values[n])} for n in pair]}
    name = rng.choice(names)
    return {"type": kind, "name": name, "value": rng.choice(values[name])}


def legal_configurations(space: Any, imported: Imported) -> set[str]:
    """All configurations that ConfigSpace accepts, found by trying every one, inactive included."""
    library = pytest.importorskip("ConfigSpace")
    domains = []
    for meaning in imported.meanings.values():
        variable = imported.space.variables[str(meaning)]
        assert not isinstance(variable, Vector)
        domains.append((None, *variable.values))
    found = set()
    for row in product(*domains):
        values = {name: value for name, value in zip(imported.meanings, row, strict=True) if value is not None}
        try:
            library.Configuration(space, values=values)
        except Exception:
            continue
        found.add(repr(values))
    return found


def test_points_are_what_the_library_accepts(tmp_path: Path) -> None:
    library = pytest.importorskip("ConfigSpace")
    n_compared = 0
    for seed in range(60):
        path = tmp_path / f"{seed}.json"
        path.write_text(random_text(seed), encoding="utf-8")
        try:
            space = library.ConfigurationSpace.from_json(path)
        except Exception:
            # The library refuses some spaces, such as those whose default is forbidden.
            continue
        space.to_json(path)
        imported = load_configspace(path)
        found = [repr(configuration) for configuration in configurations(imported)]
        assert len(found) == len(set(found)), seed
        assert set(found) == legal_configurations(space, imported), seed
        n_compared += 1
    assert n_compared >= 10


def test_discretized_points_are_legal_configurations(tmp_path: Path) -> None:
    library = pytest.importorskip("ConfigSpace")
    space = library.ConfigurationSpace(
        {
            "rate": library.Float("rate", (1e-5, 1e-1), default=1e-3, log=True),
            "momentum": library.Float("momentum", (0.0, 0.99), default=0.9),
            "units": library.Integer("units", (16, 4096), default=64, log=True),
            "optimizer": library.Categorical("optimizer", ["sgd", "adam"], default="sgd"),
        }
    )
    space.add(library.EqualsCondition(space["momentum"], space["optimizer"], "sgd"))
    space.add(
        library.ForbiddenAndConjunction(
            library.ForbiddenEqualsClause(space["optimizer"], "adam"),
            library.ForbiddenGreaterThanClause(space["rate"], 0.01),
        )
    )
    space.to_json(tmp_path / "space.json")
    imported = load_configspace(tmp_path / "space.json", levels=9)
    feasible_set = feasible(imported)
    # Of nine rates, evenly spaced from 1e-5 to 1e-1, the last two are above 0.01 and not for adam.
    assert feasible_set.count == 9 * 9 * 9 + 7 * 9
    for point in feasible_set.sample(200, seed=0):
        configuration = library.Configuration(space, values=imported.original(point))
        assert ("momentum" in configuration) is (point["optimizer"] == "sgd")


def test_continuous_hyperparameters_stay_real_with_their_conditions() -> None:
    text = json.dumps(
        {
            "hyperparameters": [
                {"name": "booster", "type": "categorical", "choices": ["gbtree", "dart"]},
                {"name": "rate", "type": "uniform_float", "lower": 1e-4, "upper": 1.0, "log": True, "default": 0.01},
                {"name": "drop", "type": "uniform_float", "lower": 0.0, "upper": 0.5},
            ],
            "conditions": [{"child": "drop", "parent": "booster", "type": "EQ", "value": "dart"}],
            "forbiddens": [{"name": "rate", "type": "EQUALS", "value": 0.5}],
        }
    )
    imported = read_configspace(text)
    assert imported.space.variables["rate"] == Real(1e-4, 1.0, log=True)
    assert imported.space.variables["drop"] == Real(0.0, 0.5, when="booster == 'dart'")
    drawn = feasible(imported, through_toml=True).sample(40, seed=0)
    assert all(("drop" in point) == (point["booster"] == "dart") and point["rate"] != 0.5 for point in drawn)

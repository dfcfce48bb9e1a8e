"""T1 files: spaces and rules as written, and errors that name the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.importers import load_t1, read_t1
from tests.importers.models import feasible

PARAMETERS = [
    {"Name": "block_x", "Type": "int", "Values": "[2**i for i in range(4, 9)]", "Default": 16},
    {"Name": "block_y", "Type": "int", "Values": [1, 2, 4, 8, 16], "Default": 1},
    {"Name": "layout", "Type": "string", "Values": "['row', 'column']", "Default": "row"},
]
CONDITIONS = [
    {"Expression": "32 <= block_x * block_y <= 1024", "Parameters": ["block_x", "block_y"]},
    {"Expression": "layout == 'row' or block_y == 1", "Parameters": ["layout", "block_y"]},
]


def text_of(parameters: object = PARAMETERS, conditions: object = CONDITIONS, **more: Any) -> str:
    return json.dumps({"ConfigurationSpace": {"TuningParameters": parameters, "Conditions": conditions}, **more})


def test_space_and_rules_are_those_of_the_file() -> None:
    imported = read_t1(text_of(General={"BenchmarkName": "toy"}))
    assert imported.name == "toy"
    assert imported.space == hr.Space(
        {
            "block_x": [16, 32, 64, 128, 256],
            "block_y": [1, 2, 4, 8, 16],
            "layout": hr.Categorical(["row", "column"]),
        }
    )
    assert [rule.content for rule in imported.rules] == [entry["Expression"] for entry in CONDITIONS]
    feasible = hr.FeasibleSet(imported.space, imported.rules)
    points = [(x, y, z) for x in (16, 32, 64, 128, 256) for y in (1, 2, 4, 8, 16) for z in ("row", "column")]
    assert feasible.count == sum(32 <= x * y <= 1024 and (z == "row" or y == 1) for x, y, z in points)


def test_conditions_are_optional() -> None:
    imported = read_t1(json.dumps({"ConfigurationSpace": {"TuningParameters": PARAMETERS}}))
    assert imported.rules == ()
    assert imported.name == "problem"


def test_file_lends_its_name(tmp_path: Path) -> None:
    path = tmp_path / "gemm.json"
    path.write_text(text_of(), encoding="utf-8-sig")
    assert load_t1(path).name == "gemm"
    assert load_t1(str(path)).space == read_t1(text_of()).space


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "Not valid JSON: .*line 1"),
        ("[" * 200_000, "Not valid JSON"),
        ("[]", "The file should be an object, but is a list"),
        ("{}", "The file lacks the key 'ConfigurationSpace'"),
        ('{"ConfigurationSpace": 3}', "'ConfigurationSpace' of the file should be an object, but is the number 3"),
        ('{"ConfigurationSpace": {}}', "ConfigurationSpace lacks the key 'TuningParameters'"),
        ('{"ConfigurationSpace": {"TuningParameters": null}}', "should be a list, but is null"),
        (text_of(parameters=[]), "at least one variable"),
        (text_of(parameters=["a"]), "Tuning parameter 1 should be an object, but is text"),
        (text_of(parameters=[{"Values": "[1]"}]), "Tuning parameter 1 lacks the key 'Name'"),
        (text_of(parameters=[{"Name": "a"}]), "Tuning parameter 'a' lacks the key 'Values'"),
        (text_of(parameters=[{"Name": "a", "Values": 3}]), "should be a list, or the text of one, but is the number 3"),
        (text_of(parameters=[{"Name": "a", "Values": "os"}]), "'Values' of tuning parameter 'a': 'os' is not allowed"),
        (text_of(parameters=[{"Name": "a", "Values": "[]"}]), "Variable 'a': The list of values is empty"),
        (text_of(parameters=[{"Name": "a", "Values": "[1, 1]"}]), "Variable 'a': Levels contains 1 twice"),
        (text_of(parameters=[{"Name": "a", "Values": [[1]]}]), "Variable 'a'"),
        (text_of(parameters=[{"Name": "a", "Values": "[1, 'b']"}]), "mixes numbers with text"),
        (text_of(parameters=[{"Name": "a-b", "Values": "[1]"}]), "'a-b' is not a name"),
        (text_of(parameters=[{"Name": "a", "Values": "[1]"}] * 2), "Two tuning parameters are named 'a'"),
        (text_of(conditions={}), "'Conditions' of ConfigurationSpace should be a list, but is an object"),
        (text_of(conditions=["block_x > 3"]), "Condition 1 should be an object, but is text"),
        (text_of(conditions=[{}]), "Condition 1 lacks the key 'Expression'"),
        (text_of(conditions=[{"Expression": True}]), "'Expression' of condition 1 should be text, but is true"),
        (text_of(conditions=[{"Expression": "block_z > 3"}]), "Rule 1: There is no variable 'block_z'"),
        (text_of(conditions=[{"Expression": "__import__('os')"}]), "Rule 1: There is no function"),
    ],
)
def test_malformed_file_names_what_is_wrong(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(hr.ProblemFileError, match=message) as caught:
        load_t1(path)
    assert "broken.json" in str(caught.value)


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(hr.ProblemFileError, match=r"none\.json' cannot be opened"):
        load_t1(tmp_path / "none.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(hr.ProblemFileError, match="not text in UTF-8"):
        load_t1(tmp_path / "binary.json")


@pytest.mark.parametrize(
    ("name", "n_parameters", "n_conditions", "n_valid"),
    [
        ("convolution_milo", 10, 4, 4_362),
        ("dedispersion_milo", 8, 3, 11_130),
        ("gemm_milo", 17, 8, 116_928),
        ("hotspot_milo", 10, 4, 82_984),
    ],
)
def test_published_files_are_read_and_written_with_the_same_count(
    name: str, n_parameters: int, n_conditions: int, n_valid: int, data_dir: Path
) -> None:
    imported = load_t1(data_dir / "kernel_tuner" / f"{name}.json")
    assert (len(imported.space), len(imported.rules)) == (n_parameters, n_conditions)
    assert feasible(imported).count == n_valid
    assert feasible(imported, through_toml=True).count == n_valid

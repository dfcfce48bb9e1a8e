"""Trials out and results in: export, tell by trial number, tell from a table."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from hedgerow.cli.main import main

FILE = """
[space]
x = { type = "integer", low = 0, high = 9 }
rate = [0.1, 0.5, 1.0]
on = { type = "boolean" }
kind = ["a b", "c,d"]
part = { type = "vector", of = [1, 2], length = 2 }

[rules]
low = "x <= 5 or on"

[run]
method = "random"
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "problem.toml"
    path.write_text(FILE)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    printed = capsys.readouterr()
    return printed.out if code == 0 else printed.err


def asked(capsys: pytest.CaptureFixture[str], file: str, n: int) -> list[dict[str, Any]]:
    trials: list[dict[str, Any]] = json.loads(run(capsys, "ask", file, "-n", str(n), "--json"))
    return trials


def test_a_trial_is_told_by_the_number_that_ask_printed(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = asked(capsys, file, 2)
    assert run(capsys, "tell", file, str(first["trial"]), "1.5") == f"Trial {first['trial']}: 1.5.\n"
    run(capsys, "tell", file, str(second["trial"]), "forget")
    assert "No trial 7 waits for a value" in run(capsys, "tell", file, "7", "1.5", code=2)
    assert "takes a POINT" in run(capsys, "tell", file, "1", code=2)
    status = json.loads(run(capsys, "status", file, "--json"))
    assert (status["best"]["point"], status["lost"]) == (first["point"], 1)


def test_a_plate_goes_out_and_comes_back(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trials = asked(capsys, file, 4)
    plate = tmp_path / "plate.csv"
    run(capsys, "export", file, "-o", str(plate))
    rows = list(csv.DictReader(io.StringIO(plate.read_text())))
    assert [int(row["trial"]) for row in rows] == [trial["trial"] for trial in trials]
    assert rows[0]["state"] == "waiting for its value"
    for place, row in enumerate(rows):
        row["value"] = ["1.5", "failed", "", "2.5"][place]
    with plate.open("w", encoding="utf-8-sig", newline="") as out:
        writer = csv.DictWriter(out, fieldnames=list(rows[0]), delimiter=";", lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
    assert run(capsys, "tell", file, "--from", str(plate)) == "3 results told.\n"
    assert run(capsys, "tell", file, "--from", str(plate)) == "0 results told; 3 had been told before.\n"
    table = json.loads(run(capsys, "export", file, "--json"))
    assert [(row["state"], row["value"]) for row in table] == [
        ("complete", 1.5),
        ("failed", None),
        ("waiting for its value", None),
        ("complete", 2.5),
    ]
    assert table[0]["part[1]"] == trials[0]["point"]["part"][1]
    assert table[1]["reason"] == "told as failed"
    assert table[0]["ended"] > table[0]["began"]


def test_points_that_nobody_asked_are_told_from_a_table(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results.csv"
    results.write_text(
        'kind,x,on,rate,"part[0]","part[1]",value,by\n"c,d",9,TRUE,.5,1,2.0,3.25,me\na b,9,0,1,1,1,9,me\n'
    )
    report = json.loads(run(capsys, "tell", file, "--from", str(results), "--json"))
    assert len(report["told"]) == 2
    rows = json.loads(run(capsys, "export", file, "--json"))
    assert [(row["kind"], row["on"], row["rate"], row["keeps_rules"]) for row in rows] == [
        ("c,d", True, 0.5, True),
        ("a b", False, 1.0, False),
    ]


def test_lines_outside_the_space_are_left_out_where_that_is_asked_for(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results.csv"
    head = "x,rate,on,kind,part[0],part[1],value\n"
    results.write_text(f"{head}1,0.5,1,a b,1,1,5\n77,0.5,1,a b,1,1,5\n1,0.5,1,ab,1,1,5\n2,0.5,1,a b,1,1,5\n")
    refused = run(capsys, "tell", file, "--from", str(results), code=2)
    assert "Line 3 of the results: " in refused
    assert "2 lines are outside the space. --skip-unfit leaves such lines out" in refused
    assert json.loads(run(capsys, "status", file, "--json"))["complete"] == 0
    told = run(capsys, "tell", file, "--from", str(results), "--skip-unfit")
    assert told == "2 results told; 2 outside the space left out.\n"
    again = json.loads(run(capsys, "tell", file, "--from", str(results), "--skip-unfit", "--json"))
    assert (len(again["told"]), len(again["known"]), again["left_out"]) == (0, 2, ["Line 3", "Line 4"])
    # What is no value stays a mistake.
    results.write_text(f"{head}1,0.5,1,a b,1,1,fast\n")
    assert "'fast' is no value" in run(capsys, "tell", file, "--from", str(results), "--skip-unfit", code=2)


def test_lines_that_break_a_rule_are_told_with_its_name(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results.csv"
    results.write_text("x,rate,on,kind,part[0],part[1],value\n9,0.5,0,a b,1,1,5\n9,0.5,1,a b,1,1,4\n")
    assert run(capsys, "tell", file, "--from", str(results)) == "2 results told (1 breaks rule low).\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "results are empty"),
        ("trial,val\n0,1\n", "no column 'value'; did you mean 'val'"),
        ("x,value\n1,2\n", "no column 'rate'"),
        ("trial,value\n0,fast\n", "Line 2 of the results: 'fast' is no value"),
        ("trial,value\n99,1\n", "Line 2 of the results: no trial 99 waits"),
        ("trial,value\nzero,1\n", "'zero' is no trial number"),
        ("trial,value\n0\n", "Line 2 of the results has 1 cells"),
        ("x,rate,on,kind,part[0],part[1],value\n1,0.2,1,a b,1,1,5\n", "Line 2 of the results: "),
        ("x,rate,on,kind,part[0],part[1],value\n1,0.5,1,ab,1,1,5\n", "'ab' is no value of kind"),
    ],
)
def test_a_table_with_a_mistake_changes_nothing(
    file: str, tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked(capsys, file, 1)
    results = tmp_path / "results.csv"
    results.write_text(text.replace("0,1\n", "0,1\n") if text else "")
    assert message in run(capsys, "tell", file, "--from", str(results), code=2)
    assert json.loads(run(capsys, "status", file, "--json"))["complete"] == 0


def test_an_export_says_what_it_cannot_write(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked(capsys, file, 1)
    assert "A table ends in .csv" in run(capsys, "export", file, "-o", "table.cvs", code=2)
    assert "cannot be written" in run(capsys, "export", file, "-o", str(tmp_path / "no" / "t.csv"), code=2)
    assert "cannot be opened" in run(capsys, "tell", file, "--from", str(tmp_path / "none.csv"), code=2)


def test_a_value_too_large_is_refused_and_not_stored_as_a_failure(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = asked(capsys, file, 1)
    number = str(first["trial"])
    assert "that a float can hold" in run(capsys, "tell", file, number, "1e400", code=2)
    results = tmp_path / "results.csv"
    results.write_text(f"trial,value\n{number},1e400\n")
    assert "larger than a number can be" in run(capsys, "tell", file, "--from", str(results), code=2)
    monkeypatch.setattr("sys.stdin", io.StringIO(f'{{"op": "tell", "trial": {number}, "value": 1e400}}\n'))
    assert "that a float can hold" in run(capsys, "serve", file)
    status = json.loads(run(capsys, "status", file, "--json"))
    assert (status["failed"], status["by_hand"]) == (0, 1)
    assert run(capsys, "tell", file, number, "inf") == f"Trial {number}: failed.\n"

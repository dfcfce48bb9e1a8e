"""The command line as a user calls it."""

import json
from pathlib import Path

import pytest

from hedgerow.cli.main import main

PROBLEM = """
[space]
threads   = [32, 64, 128, 256, 512]
tile      = { type = "integer", low = 1, high = 16 }
precision = { type = "ordinal", values = ["fp16", "tf32", "fp32"] }
unroll    = { type = "boolean" }

[rules]
registers = "threads * tile <= 2048"
accuracy  = "precision >= 'tf32' or not unroll"
"""
BROKEN = '{"threads": 512, "tile": 16, "precision": "fp16", "unroll": true}'


@pytest.fixture
def problem(tmp_path: Path) -> str:
    file = tmp_path / "problem.toml"
    file.write_text(PROBLEM)
    return str(file)


def test_check_reports_the_exact_count(problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", problem, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    fitting = sum(threads * tile <= 2048 for threads in (32, 64, 128, 256, 512) for tile in range(1, 17))
    assert report["count"] == fitting * 5
    assert report["space_size"] == 5 * 16 * 3 * 2
    assert main(["check", problem]) == 0
    assert f"{fitting * 5}" in capsys.readouterr().out


def test_check_of_contradicting_rules_answers_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "empty.toml"
    file.write_text('[space]\nx = [1, 2]\n[rules]\nlow = "x < 2"\nhigh = "x > 1"\nother = "x > 0 or x < 2"\n')
    assert main(["check", str(file), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["contradiction"] == ["low", "high"]
    assert main(["check", str(file)]) == 1
    assert "'low' and 'high'" in capsys.readouterr().out


def test_sample_is_feasible_and_repeatable(problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", problem, "-n", "20", "--seed", "3", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert len(first) == 20
    assert all(point["threads"] * point["tile"] <= 2048 for point in first)
    main(["sample", problem, "-n", "20", "--seed", "3", "--json"])
    assert json.loads(capsys.readouterr().out) == first


def test_sample_infeasible_breaks_a_rule(problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", problem, "-n", "20", "--infeasible", "--json"]) == 0
    for point in json.loads(capsys.readouterr().out):
        assert point["threads"] * point["tile"] > 2048 or (point["precision"] == "fp16" and point["unroll"])


def test_explain_names_the_rules_and_repairs(problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", problem, BROKEN, "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert [rule["name"] for rule in answer["broken"]] == ["registers", "accuracy"]
    assert answer["broken"][0]["parts"] == {"threads * tile": 8192}
    assert main(["explain", problem, json.dumps(answer["repair"])]) == 0
    assert "satisfies every rule" in capsys.readouterr().out
    assert main(["explain", problem, BROKEN]) == 1
    assert "threads * tile = 8192" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "missing.toml"], "There is no file missing.toml"),
        (["explain", "PROBLEM", "not json"], "POINT is not valid JSON"),
        (["explain", "PROBLEM", "[1]"], "POINT must be a JSON object"),
        (["explain", "PROBLEM", '{"threads": 33}'], "The point lacks 'tile'"),
    ],
)
def test_bad_input_is_told_and_exits_with_two(
    arguments: list[str], message: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([problem if argument == "PROBLEM" else argument for argument in arguments]) == 2
    assert message in capsys.readouterr().err


def test_markup_in_names_and_values_is_shown_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "markup.toml"
    file.write_text('[space]\nx = ["[red]a", "[/bold]"]\n[rules]\n"[b]n" = "x == \'[red]a\'"\n')
    assert main(["check", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "[red]a" in shown
    assert "[b]n" in shown
    assert main(["sample", str(file)]) == 0
    assert "[red]a" in capsys.readouterr().out

"""Several outcomes, limits, readings and failures on the command line."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import optuna
import pytest

from hedgerow.cli.main import main

SPACE = """
[space]
x = { type = "integer", low = 1, high = 8 }
y = { type = "integer", low = 1, high = 8 }
[rules]
total = "x + y <= 14"
"""
GOALS = """
[objectives]
time = "minimize"
work = "maximize"
[limits]
fits = "memory <= 10"
"""
MEASURE = """
import sys
x, y = map(int, sys.argv[1:])
if x * y > 30:
    sys.exit("out of memory")
print("reading 3 files")
print(f"time: {(x - 5) ** 2 + y} ms")
print(f"work={x * y}, memory = {x + y}")
"""
FILE = f"""
[objective]
command = "{sys.executable} measure.py {{x}} {{y}}"
[run]
budget = 14
method = "random"
"""


@pytest.fixture(autouse=True)
def _quiet() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    (tmp_path / "measure.py").write_text(MEASURE)
    file = tmp_path / "problem.toml"
    file.write_text(SPACE + GOALS + FILE)
    return file


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    printed = capsys.readouterr()
    return printed.out if code in (0, 1) else printed.err + printed.out


def facts(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(said(capsys, *arguments, "--json"))


def test_a_command_with_several_outcomes(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(file)
    dry = facts(capsys, "run", name, "--dry-run")
    assert dry["objectives"] == {"time": "minimize", "work": "maximize"}
    assert dry["limits"] == {"fits": "memory <= 10"}
    ran = facts(capsys, "run", name, "--quiet")
    assert ran["stopped"] == "budget"
    assert ran["failed"] > 0
    for item in ran["front"]:
        x, y = item["point"]["x"], item["point"]["y"]
        assert item["outcomes"] == {"time": (x - 5) ** 2 + y, "work": x * y, "memory": x + y}
        assert item["slacks"] == {"fits": 10 - x - y}
        assert x + y <= 10
    shown = said(capsys, "status", name)
    assert "The front" in shown
    assert "limit fits: memory <= 10" in shown
    assert "points are within all limits" in shown
    rows = facts(capsys, "export", name)
    assert {"time", "work", "memory"} <= set(rows[0])
    failed = [row for row in rows if row["state"] == "failed"]
    assert all(row["reason"].endswith("out of memory") for row in failed)


def test_later_limits_judge_trials_that_nobody_asked_for_these_numbers(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = str(file)
    file.write_text(SPACE + '[objectives]\ntime = "minimize"\n' + FILE)
    said(capsys, "run", name, "--quiet")
    measured = [row for row in facts(capsys, "export", name) if row["state"] == "complete"]
    assert all(row["memory"] == row["x"] + row["y"] for row in measured)
    file.write_text(SPACE + '[objectives]\ntime = "minimize"\n[limits]\nfits = "memory <= 10"\n' + FILE)
    limits = facts(capsys, "status", name)["limits"]
    assert 0 < limits["points_within"] == sum(row["x"] + row["y"] <= 10 for row in measured) < limits["points"]
    assert "No trial has given" not in said(capsys, "status", name)


def test_a_table_without_further_numbers_is_known_when_told_again(
    file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    name, table = str(file), str(tmp_path / "trials.csv")
    file.write_text(SPACE + '[objectives]\ntime = "minimize"\n' + FILE)
    said(capsys, "run", name, "--quiet", "--budget", "4")
    said(capsys, "export", name, "-o", table)
    assert said(capsys, "tell", name, "--from", table).startswith("0 results told; ")


def test_outcomes_are_told_by_name(file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = str(file)
    trials = facts(capsys, "ask", name, "-n", "5")
    numbers = [str(trial["trial"]) for trial in trials]
    assert "time=3 work=4 memory=5." in said(capsys, "tell", name, numbers[0], "time=3", "work=4", "memory=5")
    said(capsys, "tell", name, numbers[1], '{"time": 2.5, "work": 4, "memory": 50}')
    assert "failed" in said(capsys, "tell", name, numbers[2], "failed", "--reason", "it burned")
    results = tmp_path / "results.csv"
    results.write_text(f"trial,time,work,memory\n{numbers[3]},1,2,3\n{numbers[4]},,7,\n")
    assert said(capsys, "tell", name, "--from", str(results)) == "2 results told.\n"
    assert "2 had been told before" in said(capsys, "tell", name, "--from", str(results))
    status = facts(capsys, "status", name)
    assert (status["complete"], status["failed"]) == (4, 1)
    assert {item["trial"] for item in status["front"]} == {int(numbers[0]), int(numbers[3])}
    rows = {row["trial"]: row for row in facts(capsys, "export", name)}
    assert rows[int(numbers[4])]["state"] == "partial"
    assert "it burned" in said(capsys, "status", name)
    for words, message in (
        (["3.5"], "gives numbers by name"),
        (["time=fast"], "VALUE is a number"),
        (["{time: 3}"], "not valid JSON"),
        (["time=1e400"], "that a float can hold"),
        (["3", "--reason", "x"], "goes with 'failed' alone"),
    ):
        assert message in said(capsys, "tell", name, '{"x": 1, "y": 1}', *words, code=2)


def test_a_broken_set_up_is_not_data(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(file)
    needs_a_module = f"{sys.executable} -S -c 'import no_such_module' {{x}}"
    commands = ("./no-such-program {x}", "sh -c 'no-such-program; exit 127'", "sh ./measure.sh {x}", needs_a_module)
    for broken in commands:
        (file.parent / "measure.sh").write_text("no-such-thing\n")
        file.write_text(SPACE + GOALS + FILE.replace(FILE.split('"')[1], broken))
        shown = " ".join(said(capsys, "run", name, "--quiet", code=2).split())
        assert "Stopped: the command" in shown
        assert "nothing was counted against any point" in shown
    python = f'\n[objective]\npython = "no_such_module:measure"\n{FILE[FILE.index("[run]") :]}'
    file.write_text(SPACE + GOALS + python)
    shown = " ".join(said(capsys, "run", name, "--quiet", code=2).split())
    assert "Stopped: The objective's module 'no_such_module' cannot be imported" in shown
    status = facts(capsys, "status", name)
    assert (status["complete"], status["failed"], status["lost"]) == (0, 0, 5)
    file.write_text(SPACE + GOALS + FILE)
    assert facts(capsys, "run", name, "--quiet")["stopped"] == "budget"
    # From here on there are values, and another command would mix them.
    file.write_text(SPACE + GOALS + FILE.replace("measure.py", "./measure.py") + "\n")
    message = said(capsys, "run", name, "--quiet", "--budget", "15", code=2)
    assert "was measured by command" in message
    assert facts(capsys, "run", name, "--quiet", "--budget", "15", "--accept-change")["stopped"] == "budget"


def test_failed_trials_come_again_and_finished_ones_are_forgotten(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = str(file)
    before = facts(capsys, "run", name, "--quiet")
    failed = [row for row in facts(capsys, "export", name) if row["state"] == "failed"]
    assert "No trial has failed with 'sunshine'" in said(capsys, "retry", name, "--reason", "sunshine")
    retried = facts(capsys, "retry", name, "--reason", "Out of Memory")
    assert retried["waiting"] == [row["trial"] for row in failed]
    assert facts(capsys, "status", name)["failed"] == 0
    (file.parent / "measure.py").write_text(MEASURE.replace("> 30", "> 99"))
    after = facts(capsys, "run", name, "--quiet")
    assert (after["failed"], after["complete"]) == (0, before["complete"] + before["failed"])
    rows = facts(capsys, "export", name)
    again = {(row["x"], row["y"]) for row in rows if row["state"] == "complete"}
    assert {(row["x"], row["y"]) for row in failed} <= again
    # A finished trial is forgotten by its number or its point, and its budget is free.
    first = next(row for row in rows if row["state"] == "complete")
    assert "forgotten" in said(capsys, "tell", name, str(first["trial"]), "forget")
    assert facts(capsys, "status", name)["complete"] == after["complete"] - 1
    assert "There is no trial" in said(capsys, "tell", name, str(first["trial"]), "forget", code=2)
    assert facts(capsys, "run", name, "--quiet")["complete"] == after["complete"]
    point = json.dumps({"x": first["x"], "y": first["y"]})
    if (first["x"], first["y"]) not in [(row["x"], row["y"]) for row in facts(capsys, "export", name)[-1:]]:
        assert "No trial has the point" in said(capsys, "tell", name, point, "forget", code=2)


def test_rules_are_learned_and_adopted(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(file)
    said(capsys, "run", name, "--quiet", "--budget", "45", code=0)
    rule = facts(capsys, "learn", name)["rules"][0]["rule"]
    shown = said(capsys, "learn", name)
    assert f"1. {rule}: all" in shown
    assert "--adopt takes a number from 1" in said(capsys, "learn", name, "--adopt", "99", code=2)
    assert f"learned_1 ({rule})" in said(capsys, "learn", name, "--adopt", "1")
    assert f'learned_1 = "{rule}"' in file.read_text()
    assert all(p["x"] * p["y"] <= 30 for p in facts(capsys, "sample", name, "-n", "20"))
    assert [trial["point"] for trial in facts(capsys, "ask", name, "-n", "3")]


def test_readings_are_pooled_and_noise_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "noise.toml"
    file.write_text(SPACE + '[run]\nrepeats = "auto"\n')
    for x in range(1, 6):
        said(capsys, "tell", str(file), f'{{"x": {x}, "y": 1}}', f"[{x}.0, {x}.2]")
    status = facts(capsys, "status", str(file))
    assert status["best"]["readings"] == 2
    assert set(status["best"]["believed"]) == {"mean", "sd"}
    assert status["noise"] == {"value": pytest.approx(0.2 / 2**0.5)}
    shown = said(capsys, "status", str(file))
    assert "from 2 readings of this point" in shown
    assert "single readings of value" in shown


NOISY = """
n=$(cat count 2>/dev/null || echo 0)
echo $((n + 1)) > count
echo "time: $(( 10 * ($1 - 3) * ($1 - 3) + (7 * n) % 11 ))"
echo "memory: 4"
"""


@pytest.fixture(name="noisy")
def noisy_fixture(tmp_path: Path) -> str:
    (tmp_path / "measure.sh").write_text(NOISY)
    file = tmp_path / "noisy.toml"
    file.write_text(
        '[space]\nx = { type = "integer", low = 1, high = 6 }\n[objectives]\ntime = "minimize"\n'
        '[limits]\nfits = "memory <= 8"\n[objective]\ncommand = "sh measure.sh {x}"\nunit = "ms"\n'
        '[run]\nbudget = 12\nrepeats = "auto"\n'
    )
    return str(file)


def test_a_run_ends_with_the_best_that_status_names(noisy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", noisy]) == 0
    printed = capsys.readouterr()
    ending = printed.out.splitlines()[1:]
    assert ending == said(capsys, "status", noisy).splitlines()
    assert any(line.startswith("believed ") and "(one standard deviation), from" in line for line in ending)
    status = facts(capsys, "status", noisy)
    assert facts(capsys, "run", noisy, "--quiet")["best"] == status["best"]
    last = [line for line in printed.err.splitlines() if ": best " in line][-1]
    best = rf"trial {status['best']['trial']}: best [\d.]+ ± [\d.]+ ms believed from \d+ readings  x = "
    assert re.match(best, last)


def test_outcomes_that_never_vary_are_not_told_as_noise(noisy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", noisy, "--quiet"]) == 0
    shown = said(capsys, "status", noisy)
    assert "single readings of time" in shown
    assert "single readings of memory" not in shown


def test_outcomes_stand_in_the_order_of_the_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the order in which a trial told them, as in the table that `export` writes."""
    said(capsys, "tell", str(file), '{"x": 1, "y": 1}', "memory=5", "spare=7", "work=4", "time=3")
    [seen] = facts(capsys, "status", str(file))["front"]
    assert list(seen["outcomes"]) == ["time", "work", "memory", "spare"]
    head = said(capsys, "status", str(file)).split("trial")[1]
    assert head.index("time") < head.index("work") < head.index("memory") < head.index("spare")


def test_a_log_of_a_run_says_when_the_front_changes(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(file)]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "on the front" in line]
    status = facts(capsys, "status", str(file))
    n, newest = len(status["front"]), max(status["front"], key=lambda seen: seen["trial"])
    gave = ", ".join(f"{name} = {number:g}" for name, number in newest["outcomes"].items())
    point = ", ".join(f"{name} = {value}" for name, value in newest["point"].items())
    assert f"trial {newest['trial']}: {n} point{'s' * (n > 1)} on the front  {gave}  {point}" in lines


def test_a_mistyped_outcome_is_refused_and_not_stored(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(file)
    answer = said(capsys, "tell", name, '{"x": 1, "y": 1}', "time=12", "wrok=3", "memory=2", code=2)
    assert "about 'wrok', and 'work' is missing; did you mean 'work'? Nothing was stored." in answer
    assert "did you mean 'memory'" in said(
        capsys, "tell", name, '{"x": 1, "y": 1}', "time=1", "work=3", "memry=2", code=2
    )
    assert facts(capsys, "status", name)["complete"] == 0
    # What is not known yet may be told without it, and what nobody asks for is kept.
    said(capsys, "tell", name, '{"x": 1, "y": 1}', "time=12", "heat=3")
    assert facts(capsys, "status", name)["complete"] == 1


def test_a_status_says_how_many_trials_were_asked_for(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "tell", str(file), '{"x": 1, "y": 1}', "time=12", "work=3", "memory=2")
    said(capsys, "run", str(file), "--budget", "3", "--quiet")
    status = facts(capsys, "status", str(file))
    assert (status["budget"], status["asked"], status["complete"] + status["failed"]) == (14, 3, 4)

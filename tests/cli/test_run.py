"""The verbs that work on a study, as users and programs call them."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import hedgerow as hr
from hedgerow.cli.main import main
from hedgerow.runs.live import LineView, LiveView
from hedgerow.runs.loop import Pace, run_study
from hedgerow.runs.problem import load_problem

SPACE = """
[space]
solvent = ["water", "$(touch made)", "; rm keep"]
grams = { type = "integer", low = 0, high = 9 }
heat = { type = "boolean" }
"""
RULES = """
[rules]
safe = "not heat or grams <= 6"
"""
COMMAND = """
[objective]
command = "sh measure.sh {solvent} {grams} {heat}"
timeout = 20
[run]
budget = 6
workers = 2
method = "random"
"""
SCRIPT = """
printf "%s\\n" "$1" >> solvents
[ "$3" = true ] && heat=1 || heat=0
echo "result: $(( $2 * 2 + heat )) units"
"""


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    (tmp_path / "measure.sh").write_text(SCRIPT)
    (tmp_path / "keep").write_text("still here")
    file = tmp_path / "lab.toml"
    file.write_text(SPACE + RULES + COMMAND)
    return file


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    capsys.readouterr()
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_a_command_is_run_to_its_budget_and_then_resumed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = answer(capsys, "run", str(file))
    assert (report["stopped"], report["complete"], report["here"]) == ("budget", 6, 6)
    more = answer(capsys, "run", str(file), "--budget", "8")
    assert (more["complete"], more["here"]) == (8, 2)
    status = answer(capsys, "status", str(file))
    assert status["complete"] == 8
    best = status["best"]
    assert best["value"] == 2 * best["point"]["grams"] + best["point"]["heat"]
    # Values that look like shell code arrived as they are.
    tried = set((file.parent / "solvents").read_text().splitlines())
    assert tried <= {"water", "$(touch made)", "; rm keep"}
    assert (file.parent / "keep").read_text() == "still here"
    assert not (file.parent / "made").exists()
    assert main(["status", str(file)]) == 0
    assert "Best point" in capsys.readouterr().out


def test_a_dry_run_shows_everything_and_runs_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = answer(capsys, "run", str(file), "--dry-run", "--workers", "3")
    assert (facts["workers"], facts["budget"], facts["direction"]) == (3, 6, "minimize")
    assert facts["feasible_points"] == 3 * (10 + 7)
    assert facts["example_command"].startswith("sh measure.sh ")
    assert main(["run", str(file), "--dry-run"]) == 0
    assert {path.name for path in file.parent.iterdir()} == {"lab.toml", "measure.sh", "keep"}


def test_a_run_without_a_single_value_answers_no(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(SPACE + RULES + COMMAND.replace("sh measure.sh", "sh nothing.sh"))
    # One worker: of two, the sixth trial may or may not have begun when the fifth has failed.
    report = answer(capsys, "run", str(file), "--workers", "1", code=1)
    assert (report["failed"], report["best"]) == (5, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("{grams}", "{gram}"), "did you mean 'grams'"),
        (("sh measure.sh", "sh -c 'x {grams}'"), "could run as code"),
        (("budget = 6", "budget = 'many'"), "'budget' in [run] is a whole number"),
        (("method", "storage = 'nothing'\nmethod"), "cannot be read"),
    ],
)
def test_bad_files_are_told_and_exit_with_two(
    file: Path, change: tuple[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(SPACE + RULES + COMMAND.replace(*change))
    assert main(["run", str(file)]) == 2
    assert message in capsys.readouterr().err


def test_a_laboratory_study_by_hand(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(SPACE + RULES + '[run]\nmethod = "random"\n')
    name = str(file)

    def measured(point: dict[str, Any]) -> float:
        return float((point["grams"] - 4) ** 2 + (point["solvent"] != "water"))

    first = answer(capsys, "ask", name, "-n", "5")
    assert len({json.dumps(trial["point"]) for trial in first}) == 5
    for trial in first[:3]:
        answer(capsys, "tell", name, json.dumps(trial["point"]), str(measured(trial["point"])))
    answer(capsys, "tell", name, json.dumps(first[3]["point"]), "failed")
    # Every verb is a process of its own, so what is kept is what the storage has.
    status = answer(capsys, "status", name)
    assert (status["complete"], status["failed"], status["by_hand"]) == (3, 1, 1)
    assert status["pending"] == [first[4]]
    answer(capsys, "tell", name, json.dumps(first[4]["point"]), "forget")
    assert answer(capsys, "status", name)["pending"] == []

    # A point that nobody asked for, from last year's notebook, which a new rule forbids.
    old = {"solvent": "water", "grams": 9, "heat": False}
    answer(capsys, "tell", name, json.dumps(old), "-100")
    assert answer(capsys, "status", name)["best"]["value"] == -100
    file.write_text(SPACE + RULES + 'small = "grams <= 7"\n[run]\nmethod = "random"\n')
    status = answer(capsys, "status", name)
    assert status["best"]["value"] > -100
    assert status["breaking_rules"] >= 1
    assert [list(change["rules"]) for change in status["rule_changes"]] == [["safe"], ["safe", "small"]]

    tried = [trial["point"] for trial in first[:4]] + [old]
    for _ in range(2):
        for trial in answer(capsys, "ask", name, "-n", "4"):
            point = trial["point"]
            assert point["grams"] <= (6 if point["heat"] else 7)
            assert point not in tried
            tried.append(point)
            answer(capsys, "tell", name, json.dumps(point), str(measured(point)))
    assert answer(capsys, "status", name)["complete"] == 3 + 1 + 8

    assert main(["tell", name, json.dumps({**old, "grams": 99}), "1"]) == 2
    assert "not in its domain" in capsys.readouterr().err
    assert main(["tell", name, json.dumps(old), "fast"]) == 2
    # What was told may be forgotten, once.
    assert main(["tell", name, json.dumps(old), "forget"]) == 0
    assert main(["tell", name, json.dumps(old), "forget"]) == 2


def test_programs_ask_and_tell_over_lines(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def serve(*requests: object) -> list[Any]:
        lines = "".join(f"{request if isinstance(request, str) else json.dumps(request)}\n" for request in requests)
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        capsys.readouterr()
        assert main(["serve", str(file)]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    (asked,) = serve({"op": "ask", "n": 3})
    trials = asked["trials"]
    answers = serve(
        {"op": "tell", "trial": trials[0]["trial"], "value": 2.5},
        {"op": "tell", "point": trials[1]["point"], "value": None},
        {"op": "pending"},
        {"op": "forget", "trial": trials[2]["trial"]},
        {"op": "best"},
        {"op": "status"},
        "not json",
        {"op": "tell", "trial": 99, "value": 1},
        {"op": "aks"},
        {"op": "tell", "trial": 0, "value": "x"},
        {"op": "stop"},
        {"op": "ask"},
    )
    assert answers[2]["trials"] == [trials[2]]
    assert answers[4]["best"] == {"trial": 0, "value": 2.5, "point": trials[0]["point"]}
    assert (answers[5]["complete"], answers[5]["failed"], answers[5]["by_hand"]) == (1, 1, 0)
    errors = [found["error"] for found in answers[6:10]]
    assert "not valid JSON" in errors[0]
    assert "No trial 99" in errors[1]
    assert "did you mean 'ask'" in errors[2]
    assert "stopped" in answers[10]
    assert len(answers) == 11


def test_an_interrupt_ends_a_run_cleanly(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file.parent / "measure.sh").write_text("echo started >> started; sleep 0.3; echo 1\n")
    run = subprocess.Popen(
        [sys.executable, "-m", "hedgerow.cli.main", "run", str(file), "--budget", "50"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    deadline = time.monotonic() + 120
    while not (file.parent / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=120)
    assert run.returncode == 130
    assert "run it again to go on" in out
    status = answer(capsys, "status", str(file))
    assert status["running"] == 0
    assert status["complete"] == len((file.parent / "started").read_text().splitlines()) >= 1


def test_the_live_page_and_the_lines_tell_what_happens(file: Path) -> None:
    problem = load_problem(file)
    page, lines = Console(file=io.StringIO(), width=100, force_terminal=True), Console(file=io.StringIO(), width=100)
    with LiveView(problem, page) as live, LineView(problem, lines, every=0.0) as said:

        def both(state: Any) -> None:
            live(state)
            said(state)

        run_study(problem, view=both, pace=Pace(show=0.01))
    shown: Any = page.file
    assert "hedgerow run · lab" in shown.getvalue()
    assert "6/6" in shown.getvalue()
    assert "best" in shown.getvalue()
    printed: Any = lines.file
    assert "best" in printed.getvalue()
    assert "6/6 trials" in printed.getvalue()


def test_the_sampler_is_a_public_name() -> None:
    assert hr.HedgerowSampler.__name__ in hr.__all__

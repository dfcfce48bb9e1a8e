"""The first day, line by line: what a new user types, mistypes and sees."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

import hedgerow as hr
from hedgerow.cli import show
from hedgerow.cli.init import _ask, problem_text
from hedgerow.cli.main import VERBS, main
from hedgerow.problem_file import parse_problem
from hedgerow.runs.live import LiveView
from hedgerow.runs.loop import RunState
from hedgerow.runs.problem import load_problem
from hedgerow.runs.status import Status
from hedgerow.runs.stored import Asked
from hedgerow.runs.workers.job import Job, Outcome, evaluate

FILE = """[space]
x = [1, 2, 3]
[rules]
low = "x < 3"
[objective]
command = "sh fail.sh {x}"
[run]
budget = 10
method = "random"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "problem.toml"
    path.write_text(FILE)
    return path


def test_the_bare_command_says_what_to_do_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "What to do first" in capsys.readouterr().out


def test_a_mistyped_verb_suggests_the_right_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chekc", "x.toml"]) == 2
    assert "there is no verb 'chekc'; did you mean 'check'?" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--workers", "--budget"])
def test_an_option_is_blamed_for_itself(file: Path, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(file), option, "0"]) == 2
    assert f"{option} is a whole number of at least 1, but 0 was given" in capsys.readouterr().err


def test_files_of_other_editors_are_read(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode())
    assert main(["check", str(file)]) == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[run]", 'direction = "smallest"\n[run]', "'direction' in [objective]"),
        ("{x}", "{y}", "placeholder '{y}'"),
        ("budget = 10", "budget = 0", "'budget' in [run]"),
    ],
)
def test_check_refuses_what_run_would_refuse(
    file: Path, old: str, new: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(FILE.replace(old, new))
    assert main(["check", str(file)]) == 2
    assert message in capsys.readouterr().err


def test_check_sees_that_a_program_is_missing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(FILE.replace("sh fail.sh", "./measure"))
    assert main(["check", str(file)]) == 0
    assert "program './measure' is not there" in capsys.readouterr().out


def test_explain_explains_where_nothing_is_feasible(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(FILE.replace("x < 3", "x < 1"))
    assert main(["explain", str(file), '{"x": 2}', "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["repair"] is None
    assert main(["explain", str(file), '{"x": 2}']) == 1
    assert "No point satisfies the rules" in capsys.readouterr().out


def test_the_reason_of_a_failure_is_what_the_command_said_last(tmp_path: Path) -> None:
    outcome = evaluate(
        Job({}, 0, ("sh", "-c", "echo loading; echo 'cannot open device' >&2; exit 3"), folder=str(tmp_path))
    )
    assert outcome.reason == "the command ended with exit code 3: cannot open device"
    silent = evaluate(Job({}, 0, ("sh", "-c", "exit 4"), folder=str(tmp_path)))
    assert silent.reason == "the command ended with exit code 4"


def test_a_dry_run_says_what_is_done_already(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file.parent / "fail.sh").write_text("echo $1")
    main(["run", str(file), "--budget", "1", "--quiet"])
    capsys.readouterr()
    assert main(["run", str(file), "--dry-run", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["trials_done"], facts["trials_left"]) == (1, 9)


def test_a_waiting_point_that_a_new_rule_forbids_is_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["ask", str(file), "-n", "2"])
    file.write_text(FILE.replace("x < 3", "x == 2"))
    capsys.readouterr()
    assert main(["status", str(file)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "2 waiting for values by hand" in printed
    assert "waits for its value, but its point breaks a rule now" in printed
    main(["status", str(file), "--json"])
    found = json.loads(capsys.readouterr().out)
    points = {item["trial"]: item["point"] for item in found["pending"]}
    assert [points[number] for number in found["forbidden"]] == [{"x": 1}]


def printed_at(width: int) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=width, force_terminal=False), out


def test_tables_cut_nothing_however_many_variables_there_are() -> None:
    console, out = printed_at(80)
    point = {f"a_rather_long_name_{i}": f"value-{i}" for i in range(25)}
    show.points(console, "Best point", [{"trial": 7, **point}])
    text = " ".join(out.getvalue().split())
    assert "…" not in text
    assert all(f"{name} = {value}" in text for name, value in point.items())


def test_the_live_page_shows_trial_value_and_seconds_at_80_columns(file: Path) -> None:
    console, out = printed_at(80)
    point = {f"a_rather_long_name_{i}": i for i in range(25)}
    status = Status(1, 1, 0, 1, 0, 0, 2, 2, 0, (), 3, 1.25, point)
    ended = (
        (Asked(1, 12345, point), Outcome(1234567.5, seconds=12.5)),
        (Asked(2, 12346, point), Outcome(None, "no device")),
    )
    view = LiveView(load_problem(file), console)
    view._last.extend(ended)
    console.print(view.page(RunState(status, ((Asked(3, 12347, point), 33.5),), ended, False)))
    text = out.getvalue()
    for part in (
        "12345",
        "1,234,567.5" if "1,234,567.5" in text else "1.23457e+06",
        "12.5",
        "12347",
        "33.5",
        "no device",
    ):
        assert part in text, text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_name_every_verb_and_can_be_read(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(verb in script for verb in VERBS)
    assert "workers" in script
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        assert subprocess.run([shell, "-n", str(tmp_path / "script")], check=False).returncode == 0


def test_help_shows_the_options_that_change_something(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    for verb, suggests in (("run", True), ("ask", True), ("status", False), ("tell", False), ("export", False)):
        with pytest.raises(SystemExit):
            main([verb, "--help"])
        assert ("--method" in capsys.readouterr().out) is suggests
    # They are taken all the same, so that a command is edited by changing its verb.
    assert main(["tell", str(file), '{"x": 1}', "2.5", "--method", "random", "--seed", "3"]) == 0


def test_init_writes_a_file_that_can_be_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new.toml"
    variables = ["bx=16,32,64", "by=1..16", "s=0..100:5", "r=0.0..1.0/11", "k=a,b", "on=true,false", "l=1e-3..1/4log"]
    options = [part for variable in variables for part in ("-v", variable)]
    rules = ["-r", "threads=bx * by <= 256", "-r", "k == 'a' or on"]
    assert main(["init", "-o", str(file), *options, *rules, "--command", "echo {bx}", "--maximize"]) == 0
    problem = parse_problem(file.read_text())
    assert problem.space.variables["s"] == hr.Integer(0, 100, 5)
    assert problem.space.variables["r"] == hr.Real(0, 1, 11)
    assert problem.space.variables["l"] == hr.Real(1e-3, 1, 4, log=True)
    assert list(problem.rules) == ["threads", "rule_2"]
    assert main(["check", str(file)]) == 0
    assert main(["init", "-o", str(file), "-v", "x=1,2"]) == 2
    assert "There is a file" in capsys.readouterr().err
    assert main(["init", "-o", str(tmp_path / "b.toml"), "-v", "x"]) == 2
    assert main(["init", "-o", str(tmp_path / "b.toml"), "-v", "x=1,2", "-r", "y > 1"]) == 2


def test_one_of_a_kind_is_told_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new.toml"
    assert main(["init", "-o", str(file), "-v", "x=1..4", "-r", "x > 1"]) == 0
    assert "1 variable, 1 rule." in capsys.readouterr().out
    assert main(["ask", str(file)]) == 0
    assert "1 point " in capsys.readouterr().out
    (tmp_path / "told.csv").write_text("x,value\n2,5.0\n")
    assert main(["tell", str(file), "--from", str(tmp_path / "told.csv")]) == 0
    assert capsys.readouterr().out == "1 result told.\n"


def test_init_asks_where_nothing_was_said() -> None:
    answers = iter(["x=1..4", "nonsense", "", "x > 1", "", "./measure {x}", "y"])
    options = __import__("argparse").Namespace(variable=[], rule=[], command=None, maximize=False)
    _ask(options, lambda _: next(answers))
    text = problem_text(options.variable, options.rule, options.command, options.maximize, 50)
    problem = parse_problem(text)
    assert problem.objective == {"command": "./measure {x}", "direction": "maximize"}
    assert hr.FeasibleSet(problem.space, problem.rules).count == 3


def test_the_reason_of_a_failure_is_in_the_run_the_status_and_the_report(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (file.parent / "fail.sh").write_text(
        "echo loading\n[ $1 = 2 ] && echo 7 && exit 0\necho 'no such device' >&2\nexit 3\n"
    )
    assert main(["run", str(file), "--budget", "2"]) == 0
    said = capsys.readouterr()
    assert "no such device" in said.err + said.out
    assert main(["status", str(file)]) == 0
    assert "no such device" in capsys.readouterr().out
    assert main(["report", str(file), "-o", str(file.parent / "page.html")]) == 0
    assert "no such device" in (file.parent / "page.html").read_text()


def test_told_trials_count_as_the_bar_says(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One that was asked and told uses up budget, one that nobody asked does not; the run does what is left."""
    (file.parent / "fail.sh").write_text("echo $1")
    file.write_text(FILE.replace("x = [1, 2, 3]", "x = [1, 2, 3, 4, 5, 6]").replace("x < 3", "x < 6"))
    main(["ask", str(file), "--json"])
    [asked] = json.loads(capsys.readouterr().out)
    main(["tell", str(file), str(asked["trial"]), "1.0"])
    free = next(x for x in range(1, 6) if x != asked["point"]["x"])
    main(["tell", str(file), json.dumps({"x": free}), "2.0"])
    capsys.readouterr()
    assert main(["run", str(file), "--budget", "3", "--dry-run", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["trials_done"], facts["trials_left"]) == (1, 2)
    assert main(["run", str(file), "--budget", "3", "--quiet"]) == 0
    capsys.readouterr()
    main(["status", str(file), "--json"])
    assert json.loads(capsys.readouterr().out)["complete"] == 4

"""What changes in the middle of a study is announced by the run that begins with it, and recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.cli.main import main
from hedgerow.report.facts import gather
from hedgerow.report.page import render
from hedgerow.runs.snapshot import read_snapshot

FILE = """
[space]
x = { type = "integer", low = 0, high = 30 }
[objective]
{how}
[run]
budget = {budget}
method = "{method}"
"""
OBJECTIVE = """
def measure(point):
    return point["x"] {sign} 1.0
"""


def write(folder: Path, how: str, budget: int, method: str = "random") -> str:
    file = folder / "problem.toml"
    file.write_text(FILE.replace("{how}", how).replace("{budget}", str(budget)).replace("{method}", method))
    return str(file)


def facts(file: str, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    capsys.readouterr()
    assert main(["status", file, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_another_method_is_announced_and_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    echo = 'command = "echo {x}"'
    assert main(["run", write(tmp_path, echo, 2)]) == 0
    assert "method" not in capsys.readouterr().err
    file = write(tmp_path, echo, 4, "auto")
    assert main(["run", file]) == 0
    assert "hedgerow: The method is auto from now on; it was random before." in capsys.readouterr().err
    assert main(["run", write(tmp_path, echo, 5, "auto")]) == 0
    assert "The method is" not in capsys.readouterr().err
    assert facts(file, capsys)["method_changes"] == [{"trial": 2, "from": "random", "to": "auto"}]
    assert main(["status", file]) == 0
    assert "The method is auto since trial 2; it was random before." in capsys.readouterr().out
    page = render(gather(read_snapshot(hr.load_problem(file)), "problem.toml", "", hr.load_study(file).trials[0].began))  # type: ignore[arg-type]
    assert "The method is auto since trial 2" in page
    with pytest.warns(hr.TrialWarning, match="The method is random from now on; it was auto before"):
        hr.run(file, budget=6, method="random")


@pytest.mark.parametrize("kind", ["python", "command"])
def test_an_edited_objective_is_announced_and_recorded(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, how = ("measure.sh", 'command = "sh measure.sh {x}"')
    texts = ["echo $1", "echo $1", "echo $(( $1 + 1 ))"]
    if kind == "python":
        name, how = "objective.py", 'python = "objective:measure"'
        plain = OBJECTIVE.replace("{sign}", "*")
        texts = [plain, f"# a remark\n{plain}\n", OBJECTIVE.replace("{sign}", "+")]
    said = []
    for number, text in enumerate(texts, start=1):
        (tmp_path / name).write_text(text)
        assert main(["run", write(tmp_path, how, 2 * number)]) == 0
        said.append(f"'{name}' changed after" in capsys.readouterr().err)
    assert said == [False, False, True]
    file = str(tmp_path / "problem.toml")
    changes = facts(file, capsys)["file_changes"]
    assert isinstance(changes, list)
    assert [change["after_trials"] for change in changes] == [0, 4]
    assert hr.load_study(file).changes == (
        f"'{name}' changed after 4 trials. Where it measures something else now, let trial N of before count for "
        f"nothing with hedgerow tell {file} N forget, or name another study with --study.",
    )

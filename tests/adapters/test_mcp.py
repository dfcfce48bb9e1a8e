"""A study for agents: what the tools answer, and a scripted client that speaks the protocol with `hedgerow mcp`."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.adapters.new_rule import with_rule
from hedgerow.adapters.study_tools import StudyTools

FILE = """# written by a person
[space]
x = { type = "integer", low = 0, high = 9 }
y = { type = "integer", low = 0, high = 9 }

[rules] # what must hold
sum = "x + y <= 9"

[run]
budget = 20
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "problem.toml"
    path.write_text(FILE)
    return path


def test_points_are_asked_and_told_by_trial_or_point(file: Path) -> None:
    tools = StudyTools(file)
    assert tools.check()["count"] == 55
    first, second = tools.ask(2)["trials"]
    assert tools.tell(3.5, trial=first["trial"]) == {
        "trial": first["trial"],
        "keeps_rules": True,
        "best": {"trial": first["trial"], "value": 3.5, "point": first["point"]},
    }
    assert tools.tell(None, point=second["point"])["trial"] == second["trial"]
    status = tools.status()
    assert (status["complete"], status["failed"], status["pending"]) == (1, 1, [])
    assert "No trial 0 waits" in tools.tell(1.0, trial=0)["error"]
    assert "one of the two" in tools.tell(1.0)["error"]


def test_an_idea_that_breaks_a_rule_is_explained_and_repaired_and_never_a_trial(file: Path) -> None:
    tools = StudyTools(file)
    answer = tools.try_point({"x": 9, "y": 9})
    assert (answer["trial"], answer["feasible"]) == (None, False)
    assert "x + y <= 9" in answer["why"]
    repaired = answer["repair"]
    assert repaired in hr.FeasibleSet(hr.load_problem(file).space, ["x + y <= 9"])
    assert tools.status()["pending"] == []
    taken = tools.try_point(repaired)
    assert (taken["feasible"], taken["point"]) == (True, repaired)
    assert f"being tried in trial {taken['trial']}" in tools.try_point(repaired)["error"]
    assert tools.tell(1.0, trial=taken["trial"])["best"]["value"] == 1.0
    assert tools.explain(repaired) == {"feasible": True}
    assert tools.repair({"x": 9, "y": 9})["repair"] == repaired
    assert tools.try_point({"x": 10, "y": 0})["kind"] == "PointError"


def test_what_is_believed_can_be_asked_before_measuring(file: Path) -> None:
    tools = StudyTools(file)
    assert "before a trial has given a value" in tools.predict([{"x": 1, "y": 1}])["error"]
    for x in (0, 3, 6, 9):
        tools.tell(float(x), point={"x": x, "y": 0})
    inside, outside = tools.predict([{"x": 4, "y": 0}, {"x": 9, "y": 9}])["predictions"]
    assert (inside["feasible"], outside["feasible"], inside["chance"]) == (True, False, 1.0)
    assert abs(inside["outcomes"]["value"]["mean"] - 4.0) < 1.5
    assert json.loads(json.dumps(inside)) == inside
    assert "at most 200" in tools.predict([{"x": 1, "y": 1}] * 201)["error"]


def test_a_rule_is_added_to_the_file_and_kept_from_then_on(file: Path) -> None:
    tools = StudyTools(file)
    tools.tell(0.0, point={"x": 1, "y": 1})
    assert tools.add_rule("odd", "x % 2 == 1 and y > 0") == {"rule": "odd", "feasible_before": 55, "feasible_now": 20}
    assert file.read_text().replace('odd = "x % 2 == 1 and y > 0"\n', "") == FILE
    assert all(trial["point"]["x"] % 2 == 1 for trial in tools.ask(5)["trials"])
    assert tools.status()["best"]["point"] == {"x": 1, "y": 1}
    for name, rule, message in (
        ("odd", "x > 1", "There is a rule 'odd' already"),
        ("new", "z > 1", "There is no variable 'z'"),
        ("new", "__import__('os').system('x')", "Rule 'new'"),
        ("new", "x > 100", "No point satisfies the rules"),
    ):
        before = file.read_text()
        assert message in tools.add_rule(name, rule)["error"]
        assert file.read_text() == before


def test_a_rule_finds_its_place_or_the_file_is_left_alone() -> None:
    bare = "[space]\nx = [1, 2, 3]"
    text, file_says = with_rule(bare, "a rule", "x > 1")
    assert text == f'{bare}\n\n[rules]\n"a rule" = "x > 1"\n'
    assert dict(file_says.rules) == {"a rule": "x > 1"}
    with pytest.raises(hr.ProblemFileError, match='Add it by hand: r = "x > 1"'):
        with_rule('rules = { s = "x < 3" }\n[space]\nx = [1, 2, 3]\n', "r", "x > 1")


def test_changes_of_the_file_by_others_are_seen(file: Path) -> None:
    tools = StudyTools(file)
    tools.check()
    file.write_text(FILE.replace("x + y <= 9", "x + y <= 1"))
    assert tools.check()["count"] == 3
    file.write_text("[space")
    assert tools.check()["kind"] == "ProblemFileError"


def test_too_many_points_at_once_are_refused(file: Path) -> None:
    assert "from 1 to 200" in StudyTools(file).ask(100_000)["error"]


async def _scripted(client: Any) -> None:
    """What an agent does: look around, have a bad idea, take advice, measure, ask for more."""

    async def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, result
        answer: dict[str, Any] = result.structured_content or json.loads(result.content[0].text)
        return answer

    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"check", "ask", "try_point", "tell", "explain", "repair", "predict", "status", "add_rule"}
    assert "Every point satisfies every rule" in tools["ask"].description
    assert "must not be evaluated" in tools["try_point"].description
    assert (await call("check"))["count"] == 55
    idea = await call("try_point", point={"x": 9, "y": 9})
    assert idea["trial"] is None
    taken = await call("try_point", point=idea["repair"])
    await call("tell", value=2.0, trial=taken["trial"])
    asked = await call("ask", n=2)
    for trial in asked["trials"]:
        point = trial["point"]
        assert point["x"] + point["y"] <= 9
        await call("tell", value=point["x"] + point["y"], trial=trial["trial"])
    assert (await call("status"))["complete"] == 3
    assert (await call("add_rule", name="low", rule="x <= 3"))["feasible_now"] == 34


def test_a_scripted_client_works_with_the_command(file: Path) -> None:
    mcp = pytest.importorskip("mcp", reason="the SDK of the Model Context Protocol is not installed")

    async def talk() -> None:
        arguments = ["-m", "hedgerow", "mcp", str(file)]
        async with mcp.Client(mcp.StdioServerParameters(command=sys.executable, args=arguments)) as client:
            await _scripted(client)

    asyncio.run(talk())

"""Commands: values are plain arguments whatever they hold."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.runs.workers.command import CommandTemplate
from hedgerow.runs.workers.job import Job, evaluate

SPACE = hr.Space({"x": hr.Integer(0, 9), "flag": bool, "kind": ["a", "b"], "part": hr.Vector([1, 2], 2)})
POINT = {"x": 3, "flag": True, "kind": "b", "part": [1, 2]}
ECHO = (sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:])); print(1.5)")


def test_placeholders_become_the_text_of_values() -> None:
    template = CommandTemplate.parse("./measure --x={x} {flag} '{kind} b' {part} {part[1]} {{x}} {point}", SPACE)
    filled = template.fill(POINT)
    assert filled[:-1] == ["./measure", "--x=3", "true", "b b", "1,2", "2", "{x}"]
    assert json.loads(filled[-1]) == POINT


@given(st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_any_text_stays_inside_its_argument(value: str) -> None:
    space = hr.Space({"k": hr.Categorical([value, value + "x"])})
    filled = CommandTemplate.parse("program before-{k} {k} after", space).fill({"k": value})
    assert filled == ["program", f"before-{value}", value, "after"]


@pytest.mark.parametrize(
    "value", ["$(touch made)", "; touch made", "`touch made`", "a' b\" {x} | c", "&& rm -rf .", "-n"]
)
def test_a_program_receives_values_as_plain_arguments(value: str, tmp_path: Path) -> None:
    space = hr.Space({"k": hr.Categorical([value, "other"])})
    command = (*ECHO, *CommandTemplate.parse("{k}", space).fill({"k": value}))
    outcome = evaluate(Job({"k": value}, 0, command, folder=str(tmp_path)))
    assert outcome.value == 1.5
    assert json.loads(outcome.output.splitlines()[0]) == [value]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("measure 'x", "cannot be split"),
        ("measure {y}", "'{y}', which is not in the space"),
        ("measure {knd}", "did you mean 'kind'"),
        ("measure {x} | tail -1", "runs without a shell"),
        ("sh -c 'measure {x}'", "could run as code"),
        ("/bin/bash -ec 'measure {x}'", "could run as code"),
        ("env sh -c 'measure {x}'", "could run as code"),
        ("sh -ce 'measure {x}'", "could run as code"),
        ("bash -c -x 'measure {x}'", "could run as code"),
        ("bash -c -o pipefail {kind}", "could run as code"),
        ("timeout 5 bash -c 'measure {x}'", "could run as code"),
        ("timeout 5 bash --norc -c {kind}", "could run as code"),
        ("env -S 'sh -c measure{x}'", "could run as code"),
        ("nice -n 5 python3.12 -c 'print({x})'", "could run as code"),
        ("perl -ne 'print {x}'", "could run as code"),
    ],
)
def test_commands_that_cannot_be_run_safely_are_refused(text: str, message: str) -> None:
    with pytest.raises(hr.ProblemFileError, match=message):
        CommandTemplate.parse(text, SPACE)


@pytest.mark.parametrize(
    "text",
    [
        "sh -c 'measure \"$1\"' sh {x}",
        "timeout 5 bash -o pipefail -c 'measure \"$1\" | tail -1' sh {x} --kind={kind}",
        "sh measure.sh -c {x} '{kind} b'",
        "python3 measure.py -c {x}",
        "./bash-like -c {x}",
    ],
)
def test_values_reach_scripts_as_arguments(text: str) -> None:
    assert any("{" in argument for argument in CommandTemplate.parse(text, SPACE).arguments)

"""Outcomes by name: what commands print and functions return, read by the goals of a problem."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.runs.workers.job import Job, Outcome, evaluate

TWO = {
    "direction": "minimize",
    "objectives": {"time": "minimize", "cost": "minimize"},
    "limits": None,
    "repeats": False,
}
LIMIT = {"direction": "minimize", "objectives": None, "limits": {"fits": "memory <= 16"}, "repeats": False}
NOISY = {"direction": "minimize", "objectives": None, "limits": None, "repeats": "auto"}


def printed(text: str, goals: dict[str, Any]) -> Outcome:
    return evaluate(Job({}, 0, ("printf", "%s", text), goals=goals))


@pytest.mark.parametrize(
    ("text", "goals", "readings"),
    [
        (
            'noise 3\n{"time": 1.5, "cost": 2, "epoch": 7, "tag": "a", "ok": true}',
            TWO,
            [{"time": 1.5, "cost": 2, "epoch": 7}],
        ),
        ("time: 9\nruntime: 4\ntime = 1.5 ms, cost=2e1\nbye", TWO, [{"time": 1.5, "cost": 20, "runtime": 4}]),
        ("time: 1\ncost: n/a", TWO, [{"time": 1}]),
        ('{"time": 1, "cost": NaN}', TWO, [{"time": 1}]),
        ("memory: 12 GB\n3.25 s", LIMIT, [{"value": 3.25, "memory": 12}]),
        ("3.25 s\nmemory: 12 GB", LIMIT, [{"value": 3.25, "memory": 12}]),
        ("value=3 memory=1_000", LIMIT, [{"value": 3, "memory": 1000}]),
        ("took 3.5", NOISY, [{"value": 3.5}]),
        ("[3.5, 3.25]", NOISY, [{"value": 3.5}, {"value": 3.25}]),
    ],
)
def test_outcomes_are_read_from_what_a_command_prints(
    text: str, goals: dict[str, Any], readings: list[dict[str, float]]
) -> None:
    outcome = printed(text, goals)
    assert outcome.readings == readings
    wanted = {"time", "cost"} if goals is TWO else set()
    assert bool(outcome.reason) == bool(wanted - set(readings[0]))


def test_numbers_that_nobody_named_are_kept() -> None:
    text = "warming up: 3 rounds\nenergy: 7 J\n[gpu] memory=11.8 GB heat=4e1, energy: 2.5\ntime: 1.5ms cost: 2"
    assert printed(text, TWO).readings == [{"time": 1.5, "cost": 2, "memory": 11.8, "heat": 40, "energy": 2.5}]
    # A value without a name is one number, whatever else is printed.
    assert printed("energy: 7\n3.5", NOISY).readings == [{"value": 3.5}]
    assert printed("energy: 7 J\nmemory: 12\n3.5", LIMIT).readings == [{"value": 3.5, "memory": 12, "energy": 7}]


def test_what_may_be_no_number_or_repeats_the_point_is_not_kept() -> None:
    chatter = "x=3 y: 4\nday: 2026-11-18\nelapsed: 0:03:12\nstep: 3/10\nversion: 3.5.2\nn/a: none\nrate: nan\n"
    for said in (f"{chatter}time: 1, cost: 2", '{"time": 1, "cost": 2, "x": 3, "y": 4}'):
        outcome = evaluate(Job({"x": 3, "y": 4}, 0, ("printf", "%s", said), goals=TWO))
        assert outcome.readings == [{"time": 1, "cost": 2}]


def test_a_long_log_gives_a_bounded_number_of_numbers() -> None:
    log = "\n".join(f"step_{k}: {k}" for k in range(3000)) + "\ntime: 1\ncost: 2"
    kept = printed(log, TWO).readings[0]
    assert (len(kept), kept["step_2999"], "step_0" in kept) == (102, 2999, False)
    far = printed("energy: 7\n" + "working\n" * 1500 + "time: 1\ncost: 2", TWO)
    assert far.readings == [{"time": 1, "cost": 2}]
    # One long word takes no longer than its length.
    assert len(printed("a:b:" * 30_000 + f"c={'1' * 300}\ntime: 1\ncost: 2", TWO).readings[0]) == 2


def test_a_slip_in_the_name_of_a_limit_is_told_with_the_name_that_was_meant() -> None:
    slip = {**TWO, "limits": {"fits": "memroy <= 24"}}
    assert "did you mean 'memory'?" in printed("time: 1\ncost: 2\nenergy: 3\nmemory: 4", slip).reason
    asked = "nothing about 'time' and 'cost', but 'tme'; is 'tme' meant to be 'time'? Print"
    assert asked in printed("tme: 1", TWO).reason


@pytest.mark.parametrize(
    ("text", "goals", "reason"),
    [
        (
            "3.5",
            TWO,
            "printed nothing about 'time' and 'cost'. Print a last line in JSON, or lines such as 'time: 1.5'",
        ),
        ("time: 1,234.5 ms\ncost: 2", TWO, "'1,234.5', which may be one number or several"),
        ("time: 1e400\ncost: 2", TWO, "larger than a number can be"),
        ('{"tme": 1}', TWO, "printed no 'time' and no 'cost', but 'tme'; is 'tme' meant to be 'time'?"),
        ('{"time": "fast", "cost": 1}', TWO, "The outcome 'time' cannot be read"),
        ('{"time": [1, 2], "cost": 1}', TWO, "Several readings of 'time' need repeats"),
        ("[1, null]", NOISY, "Readings of one point are numbers, all of them"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, goals: dict[str, Any], reason: str) -> None:
    outcome = printed(text, goals)
    assert outcome.failed
    assert reason in outcome.reason


def test_functions_return_what_tell_takes() -> None:
    def told(returned: Any, goals: dict[str, Any]) -> Outcome:
        return evaluate(Job({}, 0, function=lambda _: returned, goals=goals))

    assert told({"time": 1, "cost": 2}, TWO).readings == [{"time": 1.0, "cost": 2.0}]
    assert told(hr.Failure("too hot"), TWO).reason == "too hot"
    assert told([1, 2.5], NOISY).value == 1.75
    assert "gives numbers by name" in told(3.0, TWO).reason
    missing = told({"time": 1}, TWO)
    assert not missing.failed
    assert missing.reason.startswith("gave no 'cost', which is an objective")
    assert told({"time": 1, "cst": 2}, TWO).reason.endswith("; is 'cst' meant to be 'cost'?")


def test_a_set_up_that_is_broken_is_no_outcome() -> None:
    def needs_a_module(_: Any) -> float:
        importlib.import_module("no_such_module_anywhere")
        return 1.0

    assert evaluate(Job({}, 0, function=needs_a_module)).is_broken
    assert evaluate(Job({}, 0, python="no_such_module_anywhere:f")).is_broken
    assert evaluate(Job({}, 0, ("/no/such/program",))).is_broken
    assert evaluate(Job({}, 0, ("sh", "-c", "exit 126"))).is_broken
    # Where the point says which program runs, one that is missing is the point's doing.
    assert not evaluate(Job({}, 0, ("/no/such/program",), varies=True)).is_broken
    assert not evaluate(Job({}, 0, ("sh", "-c", "exit 1"))).is_broken

"""Fuzzing in small: texts near well-formed ones, and any text at all, are read or refused, and nothing else happens."""

from __future__ import annotations

import random
from dataclasses import make_dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.fuzz import targets
from research.fuzz.__main__ import attempt
from research.fuzz.mutations import mutated
from research.fuzz.seeds import SEEDS
from research.fuzz.targets import TARGETS, survives
from research.fuzz.watch import Guard
from tests.strategies import examples

N_MUTATED = 60


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard()


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_read_and_their_mutations_read_or_refused(name: str, guard: Guard) -> None:
    assert all(survives(name, text) for text in SEEDS[name])
    rng = random.Random(name)
    outcomes = [attempt(name, mutated(name, rng), guard) for _ in range(N_MUTATED)]
    assert [failure for failure, _ in outcomes if failure] == []
    assert {is_read for _, is_read in outcomes} == {True, False}


@pytest.mark.parametrize("name", TARGETS)
@examples(40)
@given(text=st.one_of(st.text(max_size=60), st.text(alphabet="[]{}()<>\"'=:,.-0a \n", max_size=60)))
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    assert survives(name, text) in (True, False)


def test_code_that_runs_and_crashes_are_noticed(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_badly(text: str) -> None:
        if text == "run":
            # Writes the source of a constructor and has Python run it.
            make_dataclass("Point", ["x"])
        elif text == "open":
            open("/dev/null").close()  # noqa: PTH123
        elif text == "slow":
            while True:
                pass
        else:
            raise KeyError(text)

    monkeypatch.setitem(targets.TARGETS, "rule", read_badly)
    assert "CodeRan: exec" in attempt("rule", "run", guard)[0]
    assert "CodeRan: open" in attempt("rule", "open", guard)[0]
    assert "KeyError" in attempt("rule", "other", guard)[0]
    assert "TooSlow" in attempt("rule", "slow", guard, seconds=0.05)[0]

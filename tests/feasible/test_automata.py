"""Automata for sequence rules agree with a look at the whole sequence."""

from __future__ import annotations

from itertools import product

import pytest

from hedgerow.feasible.automata import motif_automaton, run_automaton
from tests.oracles import has_motif, run_length


@pytest.mark.parametrize(
    "motif", [[0], [0, 0], [0, 1], [0, 0, 1], [0, 1, 0], [0, 1, 0, 0, 1], [1, 1, 1, 1], [2, 0, 2, 1]]
)
def test_a_motif_is_seen_once_it_has_been_read(motif: list[int]) -> None:
    automaton = motif_automaton(motif, 3)
    for sequence in product(range(3), repeat=6):
        state = automaton.start
        for symbol in sequence:
            state = int(automaton.transitions[state, symbol])
        assert automaton.outputs[state] == has_motif(sequence, motif)


@pytest.mark.parametrize("counted", [[True, True], [True, False], [False, True], [False, False]])
@pytest.mark.parametrize("cap", [1, 2, 3, 7])
def test_the_longest_run_is_exact_up_to_its_cap(counted: list[bool], cap: int) -> None:
    automaton = run_automaton(2, counted, cap)
    for sequence in product(range(2), repeat=7):
        state = automaton.start
        for symbol in sequence:
            state = int(automaton.transitions[state, symbol])
        longest = max((run_length(sequence, symbol) for symbol in range(2) if counted[symbol]), default=0)
        assert automaton.outputs[state] == min(longest, cap)

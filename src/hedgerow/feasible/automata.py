"""Small automata for sequence rules: a motif occurs, the longest run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.feasible.scan import Automaton


def motif_automaton(motif: Sequence[int], n_symbols: int) -> Automaton:
    """Return the automaton that is true once the motif has been read.

    State i means that the last i symbols are the first i of the motif; the Knuth-Morris-Pratt construction.
    """
    length = len(motif)
    transitions = np.zeros((length + 1, n_symbols), dtype=np.int64)
    transitions[0, motif[0]] = 1
    fallback = 0
    for state in range(1, length):
        transitions[state] = transitions[fallback]
        transitions[state, motif[state]] = state + 1
        fallback = int(transitions[fallback, motif[state]])
    transitions[length] = length
    outputs = np.zeros(length + 1, dtype=np.int64)
    outputs[length] = 1
    return Automaton(transitions, outputs)


def motifs_automaton(motifs: Sequence[Sequence[int]], n_symbols: int) -> Automaton:
    """Return the automaton that is true once any of the motifs has been read.

    A state is a beginning of motifs, the longest that the last symbols are; the construction of Aho and Corasick. All
    states behind a whole motif are the first one of these, since nothing matters any more.
    """
    children: list[dict[int, int]] = [{}]
    is_whole = [False]
    for motif in motifs:
        state = 0
        for symbol in motif:
            if symbol not in children[state]:
                children[state][symbol] = len(children)
                children.append({})
                is_whole.append(False)
            state = children[state][symbol]
        is_whole[state] = True
    transitions = np.zeros((len(children), n_symbols), dtype=np.int64)
    fallbacks = [0] * len(children)
    queue = [0]
    for state in queue:
        transitions[state] = transitions[fallbacks[state]]
        is_whole[state] = is_whole[state] or is_whole[fallbacks[state]]
        for symbol, child in children[state].items():
            fallbacks[child] = int(transitions[fallbacks[state], symbol]) if state else 0
            transitions[state, symbol] = child
            queue.append(child)
    whole = np.array(is_whole)
    final = int(whole.argmax())
    transitions = np.where(whole[transitions], final, transitions)
    transitions[final] = final
    return Automaton(transitions, whole.astype(np.int64))


def run_automaton(n_symbols: int, counted: Sequence[bool], cap: int) -> Automaton:
    """Return the automaton worth the length of the longest run of equal counted symbols; `cap` stands for more.

    A state holds the last symbol, the length of the current run and the longest so far; runs of `cap` are final.
    """
    side = cap + 1
    last, current, longest = (
        axis.ravel() for axis in np.meshgrid(np.arange(n_symbols + 1), np.arange(side), np.arange(side), indexing="ij")
    )
    transitions = np.empty((last.size, n_symbols), dtype=np.int64)
    for symbol in range(n_symbols):
        if counted[symbol]:
            run = np.minimum(np.where(last == symbol + 1, current + 1, 1), cap)
        else:
            run = np.zeros_like(current)
        best = np.maximum(longest, run)
        following = ((symbol + 1) * side + run) * side + best
        transitions[:, symbol] = np.where(best == cap, _final_run(side), following)
    return Automaton(transitions, longest)


def _final_run(side: int) -> int:
    """The one state that stands for every sequence with a run of the full length."""
    return side - 1

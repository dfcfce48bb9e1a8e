"""What the compiler and the solver behind the engines take by themselves, on the same rules."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import numpy as np

from hedgerow import Space
from hedgerow.feasible.compile import compile_pieces
from hedgerow.feasible.engines import clause_compiler
from hedgerow.feasible.engines.circuit_counts import CircuitCounts
from hedgerow.feasible.engines.cnf import encode_rules
from hedgerow.feasible.engines.solved import RuleSet
from hedgerow.rules import RuleLike, bind_rules


def d4_alone(space: Space, rules: Sequence[RuleLike]) -> str:
    """Return processor seconds and the count of d4 on the rules as clauses, or why there are none."""
    if not clause_compiler.is_installed():
        return "not installed"
    pieces = compile_pieces(space, bind_rules(space, rules))
    cnf = encode_rules(pieces.parts, pieces.order, space.sizes)
    if cnf is None:
        return "no clauses"
    before = _seconds_of_children()
    try:
        circuit = clause_compiler.compiled_clauses(cnf)
    except clause_compiler.NotCompiled:
        return f"gave up after {_seconds_of_children() - before:.0f} s"
    counts = CircuitCounts(circuit, np.ones((2, circuit.n_variables + 1), dtype=np.bool_))
    return f"{counts.total:.3g} in {_seconds_of_children() - before:.1f} s"


def solver_alone(space: Space, rules: Sequence[RuleLike]) -> str:
    """Return processor seconds of CP-SAT to its first point, the model included."""
    pieces = compile_pieces(space, bind_rules(space, rules))
    parts = RuleSet(pieces.parts, pieces.order, [slot.levels for slot in space.slots])
    began = time.process_time()
    answer = parts.solver.find(np.random.default_rng(0))
    return f"{time.process_time() - began:.2f} s" if answer.row is not None else "no point"


def _seconds_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system

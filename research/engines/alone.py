"""What the compiler and the solver behind the engines take by themselves, on the same rules."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import numpy as np

from hedgerow import HedgerowError, Space
from hedgerow.feasible.compile import compile_pieces
from hedgerow.feasible.engines import clause_compiler
from hedgerow.feasible.engines.circuit_counts import CircuitCounts
from hedgerow.feasible.engines.cnf import encode_rules
from hedgerow.feasible.engines.solved import RuleSet
from hedgerow.rules import RuleLike, bind_rules
from research.problems.product_line import Response, response_values

# Terms of a response are rounded to six decimals for the solver.
_SCALE = 10**6


def d4_alone(space: Space, rules: Sequence[RuleLike], seconds: int, expected: int | None) -> str:
    """Return processor seconds and the count of d4 on the rules as clauses, or why there are none."""
    if not clause_compiler.is_installed():
        return "not installed"
    if space.permutations:
        return "no clauses"
    pieces = compile_pieces(space, bind_rules(space, rules))
    cnf = encode_rules(pieces.parts, pieces.order, space.sizes)
    if cnf is None:
        return "no clauses"
    before = _seconds_of_children()
    try:
        circuit = clause_compiler.compiled_clauses(cnf, seconds=seconds)
    except clause_compiler.NotCompiled:
        return f"gave up after {_seconds_of_children() - before:.0f} s"
    counts = CircuitCounts(circuit, np.ones((2, circuit.n_variables + 1), dtype=np.bool_))
    if expected is not None and counts.total != expected:
        raise HedgerowError(f"d4 counts {counts.total}, we count {expected}.")
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


def best_of_response(space: Space, rules: Sequence[RuleLike], response: Response) -> float:
    """Return the lowest response of a point that keeps the rules, proven by CP-SAT on the rules as clauses."""
    from ortools.sat.python import cp_model  # noqa: PLC0415 - slow to load

    pieces = compile_pieces(space, bind_rules(space, rules))
    cnf = encode_rules(pieces.parts, pieces.order, space.sizes)
    assert cnf is not None, "rules of a product line can be written as clauses"
    model = cp_model.CpModel()
    known = [model.new_bool_var("")] + [model.new_bool_var("") for _ in range(cnf.n_variables)]
    for clause in cnf.clauses:
        model.add_bool_or([known[literal] if literal > 0 else ~known[-literal] for literal in clause])
    slots = [known[int(first)] for first in cnf.variables.first]
    terms = [(slot, weight) for slot, weight in zip(slots, response.alone, strict=True) if weight]
    for (a, b), weight in zip(response.pairs, response.together, strict=True):
        both = model.new_bool_var("")
        model.add_multiplication_equality(both, [slots[a], slots[b]])
        terms.append((both, weight))
    model.minimize(sum(round(weight * _SCALE) * variable for variable, weight in terms))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    if solver.solve(model) != cp_model.OPTIMAL:
        raise HedgerowError("The optimum of the response was not proven.")
    chosen = np.array([solver.value(slot) for slot in slots], dtype=np.float64)
    return float(response_values(response, chosen[None, :])[0])

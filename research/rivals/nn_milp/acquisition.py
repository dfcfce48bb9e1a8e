"""The row of lowest prediction among those that a program allows: the network as rows, past points cut off.

A hidden unit h = max(0, z), z linear in the one-hot variables, is bounded by its value at the best and worst levels of
every slot. A unit that can only be on is its z; one that can only be off is nothing. Minimizing pushes units of
positive output weight down by itself, so h >= z is enough for them; the others need a 0/1 variable that says whether
they are on. Each past point is cut off by a row that asks for one other level.

The solver works in floating point, with a tolerance of 1e-6 in rows and costs: predictions closer than that to the
lowest count as equal to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from hedgerow.arrays import Codes
from research.rivals.nn_milp.network import Network, first_columns
from research.rivals.nn_milp.program import Indices, Limits, Numbers, Program
from research.rivals.nn_milp.rule_constraints import RuleRows


def lowest_prediction(
    network: Network,
    rules: RuleRows,
    seen: Codes,
    is_allowed: Callable[[Codes], bool],
    limits: Limits,
    max_rounds: int,
) -> Codes | None:
    """Return the unseen row of lowest prediction, or None where a limit was reached first.

    `is_allowed` has the last word where rows of the program are loose: what it refuses is cut off, and the program is
    solved again, so many rounds at most, all of them together within the seconds of `limits`.
    """
    program = rules.program.copy()
    costs = add_network(program, network)
    _cut_off(program, network.columns(seen))
    started = time.monotonic()
    for _ in range(max_rounds):
        left = limits.seconds - (time.monotonic() - started)
        if left <= 0.0:
            return None
        solution = program.minimized(costs, Limits(limits.max_nodes, left))
        if solution.values is None or not solution.is_complete:
            return None
        row = np.array([int(np.argmax(solution.values[own])) for own in rules.columns], dtype=np.int64)
        if is_allowed(row):
            return row
        _cut_off(program, network.columns(row[None, :]))
    return None


def add_network(program: Program, network: Network) -> dict[int, float]:
    """Add the hidden units to a program whose first variables are the one-hot inputs; return what each one costs."""
    inputs = np.arange(sum(network.sizes))
    splits = first_columns(network.sizes)[1:]
    linear = np.zeros(inputs.size)
    costs: dict[int, float] = {}
    for weights, bias, cost in zip(network.level_weights.T, network.hidden_bias, network.output_weights, strict=True):
        by_slot = np.split(weights, splits)
        lowest = bias + sum(own.min() for own in by_slot)
        highest = bias + sum(own.max() for own in by_slot)
        if highest <= 0.0 or cost == 0.0:
            continue
        if lowest >= 0.0:
            linear += cost * weights
            continue
        unit = int(program.variables(1, 0.0, float(highest), is_whole=False)[0])
        costs[unit] = float(cost)
        columns = np.append(inputs, unit)[None, :]
        if cost > 0.0:
            program.rows(columns, np.append(-weights, 1.0), lower=float(bias))
        else:
            _add_switched(program, columns, weights, float(bias), float(lowest), float(highest))
    return costs | dict(enumerate(linear.tolist()))


def _add_switched(
    program: Program, columns: Indices, weights: Numbers, bias: float, lowest: float, highest: float
) -> None:
    """Bound a unit from above: by z where its switch is on, by 0 where it is off."""
    switch = program.binary()
    # h <= z - lowest * (1 - switch)
    program.rows(
        np.append(columns[0], switch)[None, :], np.concatenate([-weights, [1.0, -lowest]]), upper=bias - lowest
    )
    # h <= highest * switch
    program.row({int(columns[0, -1]): 1.0, switch: -highest}, upper=0.0)


def _cut_off(program: Program, columns: Indices) -> None:
    """Ask for another level in at least one slot of each row."""
    if columns.size:
        program.rows(columns, 1.0, upper=columns.shape[1] - 1.0)

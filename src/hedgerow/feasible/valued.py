"""A machine whose final states stand for values: what an expression compiles to, and the ways to combine two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Nodes
from hedgerow.diagram.combine import product
from hedgerow.diagram.effort import Effort
from hedgerow.diagram.machine import Diagram, Machine, constant_machine, single_layer
from hedgerow.diagram.reduce import reduce_diagram, reduce_machine, unique_rows
from hedgerow.feasible.values import TRUE, Values, distinct, pack


@dataclass(frozen=True)
class Valued:
    """`values[i]` is what the expression is worth when the machine ends in state i."""

    machine: Machine
    values: Values

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers it reads."""
        return self.machine.layers


@dataclass(frozen=True)
class Setting:
    """What compilation needs to know besides the rule: codes per layer, and how much it may cost."""

    sizes: Sequence[int]
    effort: Effort


def constant(value: object) -> Valued:
    """Return the machine of a value that does not depend on anything."""
    return Valued(constant_machine(), pack([value]))


def of_layer(layer: int, values: Values) -> Valued:
    """Return the machine of an expression that reads one layer; `values` has one entry per code."""
    found, places = distinct(values)
    return Valued(single_layer(layer, places), found)


def relabeled(machine: Machine, values: Values) -> Valued:
    """Merge final states of equal value, and everything before them that this makes equal."""
    found, places = distinct(values)
    if found.size == machine.n_outputs and not machine.tables:
        return Valued(machine, values)
    return Valued(reduce_machine(machine, places), found)


def combined(function: Callable[[Values, Values], Values], left: Valued, right: Valued, setting: Setting) -> Valued:
    """Return the machine of `function(left, right)`; the function works on whole arrays."""
    if not right.layers:
        return relabeled(left.machine, function(left.values, np.repeat(right.values, left.values.size)))
    if not left.layers:
        return relabeled(right.machine, function(np.repeat(left.values, right.values.size), right.values))
    machine, lefts, rights = product(left.machine, right.machine, setting.sizes, setting.effort)
    return relabeled(machine, function(left.values[lefts], right.values[rights]))


def tournament(function: Callable[[Values, Values], Values], items: Sequence[Valued], setting: Setting) -> Valued:
    """Combine many under an associative function, neighbors first: no operand is copied more than log n times."""
    current = list(items)
    while len(current) > 1:
        paired = [
            combined(function, current[i], current[i + 1], setting) if i + 1 < len(current) else current[i]
            for i in range(0, len(current), 2)
        ]
        current = paired
    return current[0]


def from_dense(layers: tuple[int, ...], values: Values, sizes: Sequence[int]) -> Valued:
    """Return the machine of a full table, one value for each combination of codes, last layer fastest."""
    found, places = distinct(values)
    current: Nodes = places.astype(np.int32)
    tables = []
    for layer in reversed(layers):
        rows = current.reshape(-1, sizes[layer])
        first, kinds = unique_rows(rows)
        tables.append(rows[first])
        current = kinds.astype(np.int32)
    return Valued(Machine(layers, tuple(reversed(tables)), found.size), found)


def to_diagram(valued: Valued) -> Diagram:
    """Return the set of code sequences at which a machine of truth values is true."""
    return reduce_diagram(valued.layers, list(valued.machine.tables), valued.values == TRUE, start=0)

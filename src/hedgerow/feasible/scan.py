"""Rules that read variables one by one and need to remember little: sums, counts, all different, sequences.

An accumulator holds one number as its state. `accumulate` runs it layer by layer over items that each read one
layer, keeping only the states that occur; items that read several layers, or a sequence out of order, go through
the general product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Mask, Places, Transitions
from hedgerow.diagram.machine import Machine
from hedgerow.feasible.valued import Setting, Valued, combined, constant, relabeled
from hedgerow.feasible.values import FALSE, TRUE, Values, distinct

States = NDArray[Any]


class Accumulator(Protocol):
    """Reads items from the left; states and items are arrays that broadcast against each other."""

    @property
    def start(self) -> int:
        """The state before anything is read."""

    @property
    def is_commutative(self) -> bool:
        """Whether the order of the items makes no difference."""

    def step(self, states: States, items: Values) -> States:
        """Return the states after reading one more item."""

    def outlook(self, items: Sequence[Valued], later: Any) -> Any:
        """Sum up what is still to be read: these items, then `later` (None at the end)."""

    def settle(self, states: States, outlook: Any) -> States:
        """Give states that can no longer be told apart the same number."""

    def finish(self, states: States) -> Values:
        """Return what each final state is worth."""


def accumulate(accumulator: Accumulator, items: Sequence[Valued], setting: Setting) -> Valued:
    """Return the machine of an accumulator over its items."""
    if all(len(item.layers) <= 1 for item in items):
        layers = [item.layers[0] for item in items if item.layers]
        if accumulator.is_commutative or layers == sorted(layers):
            return _scan(accumulator, items, setting)
    state = constant(accumulator.start)
    for item in items:
        state = combined(accumulator.step, state, item, setting)
    return relabeled(state.machine, accumulator.finish(state.values))


def _scan(accumulator: Accumulator, items: Sequence[Valued], setting: Setting) -> Valued:
    states: States = np.array([accumulator.start])
    leading, by_layer = _grouped(items)
    for item in leading:
        states = accumulator.step(states, item.values)
    layers = tuple(sorted(by_layer))
    outlooks = [accumulator.outlook((), None)]
    for layer in reversed(layers):
        outlooks.append(accumulator.outlook(by_layer[layer], outlooks[-1]))
    tables: list[Transitions] = []
    meter = setting.effort.meter()
    for layer, outlook in zip(layers, reversed(outlooks[:-1]), strict=True):
        size = setting.sizes[layer]
        meter.layer(states.size, size)
        spread = np.repeat(states[:, None], size, axis=1)
        for item in by_layer[layer]:
            spread = accumulator.step(spread, _per_code(item, size)[None, :])
        states, places = distinct(accumulator.settle(spread.ravel(), outlook))
        tables.append(places.reshape(spread.shape).astype(np.int32))
    machine = Machine(layers, tuple(tables), states.size)
    return relabeled(machine, accumulator.finish(states))


def _grouped(items: Sequence[Valued]) -> tuple[list[Valued], dict[int, list[Valued]]]:
    """Return the constants in front, and the items of each layer; other constants go with the layer before them."""
    leading: list[Valued] = []
    by_layer: dict[int, list[Valued]] = {}
    current = leading
    for item in items:
        if item.layers:
            current = by_layer.setdefault(item.layers[0], [])
        current.append(item)
    return leading, by_layer


def _per_code(item: Valued, size: int) -> Values:
    return item.values[item.machine.tables[0][0]] if item.layers else np.repeat(item.values, size)


@dataclass(frozen=True)
class Total:
    """The sum of the items; floats are added in the order given, integers in any."""

    is_commutative: bool
    start: int = 0

    def step(self, states: States, items: Values) -> States:
        """Add; a sum beyond floats is infinite, as in Python."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(states + items)

    def outlook(self, items: Sequence[Valued], later: Any) -> None:
        """Every sum is a different value, whatever comes."""

    def settle(self, states: States, outlook: Any) -> States:  # noqa: ARG002
        """Nothing to merge."""
        return states

    def finish(self, states: States) -> Values:
        """Return the sum itself."""
        return states


# Sums that have been decided already; far outside every sum, yet far from overflow.
_DECIDED_TRUE, _DECIDED_FALSE = -(2**61), 2**61
_UNDECIDED = 2**60


@dataclass(frozen=True)
class ThresholdCount:
    """The truth of `sum symbol 0` for whole numbers; sums whose fate is sealed are merged at once."""

    symbol: str
    start: int = 0
    is_commutative: bool = True

    def step(self, states: States, items: Values) -> States:
        """Add; what is decided stays decided."""
        return np.where(np.abs(states) < _UNDECIDED, states + items, states)

    def outlook(self, items: Sequence[Valued], later: tuple[int, int] | None) -> tuple[int, int]:
        """Return the least and the most that is still to be added."""
        low, high = later or (0, 0)
        for item in items:
            low, high = low + int(item.values.min()), high + int(item.values.max())
        return low, high

    def settle(self, states: States, outlook: tuple[int, int]) -> States:
        """Merge the sums for which every continuation decides the same."""
        holds, fails = self._sealed(states + outlook[0], states + outlook[1])
        undecided = np.abs(states) < _UNDECIDED
        settled = np.where(undecided & holds, _DECIDED_TRUE, states)
        return np.where(undecided & fails, _DECIDED_FALSE, settled)

    def _sealed(self, low: States, high: States) -> tuple[Mask, Mask]:
        """Return where the comparison holds for every sum between low and high, and where for none."""
        if self.symbol in ("==", "!="):
            always, never = (low == 0) & (high == 0), (low > 0) | (high < 0)
            return (always, never) if self.symbol == "==" else (never, always)
        if self.symbol == "<=":
            return high <= 0, low > 0
        if self.symbol == "<":
            return high < 0, low >= 0
        if self.symbol == ">=":
            return low >= 0, high < 0
        return low > 0, high <= 0

    def finish(self, states: States) -> Values:
        """Compare what has not been decided on the way."""
        holds, _ = self._sealed(states, states)
        return np.where(np.abs(states) < _UNDECIDED, holds, states == _DECIDED_TRUE).astype(np.int64)


# One bit per symbol in a signed 64-bit state.
MAX_SYMBOLS = 62


@dataclass(frozen=True)
class UsedSymbols:
    """All different: the symbols used so far as bits, -1 after a repetition. The symbol -1 may repeat."""

    start: int = 0
    is_commutative: bool = True

    def step(self, states: States, items: Values) -> States:
        """Mark the symbol as used, or fail when it is."""
        bits = np.where(items < 0, 0, np.int64(1) << np.maximum(items, 0))
        repeated = (states < 0) | ((states & bits) != 0)
        return np.where(repeated, -1, states | bits)

    def outlook(self, items: Sequence[Valued], later: int | None) -> int:
        """Return the symbols that later items can take, as bits."""
        bits = later or 0
        for item in items:
            for symbol in item.values.tolist():
                bits |= 1 << symbol if symbol >= 0 else 0
        return bits

    def settle(self, states: States, outlook: int) -> States:
        """Forget symbols that no later item can take."""
        return np.where(states < 0, -1, states & outlook)

    def finish(self, states: States) -> Values:
        """Nothing was repeated."""
        return np.where(states < 0, FALSE, TRUE)


@dataclass(frozen=True, eq=False)
class Automaton:
    """A deterministic finite automaton over symbols; `outputs` gives the worth of each of its states."""

    transitions: Places  # (n_states, n_symbols)
    outputs: Values
    start: int = 0
    is_commutative: bool = False

    def step(self, states: States, items: Values) -> States:
        """Follow the transitions."""
        return self.transitions[states, items]

    def outlook(self, items: Sequence[Valued], later: Any) -> None:
        """The reduction that follows merges what is left to merge."""

    def settle(self, states: States, outlook: Any) -> States:  # noqa: ARG002
        """Nothing to merge here."""
        return states

    def finish(self, states: States) -> Values:
        """Return what the states are worth."""
        return self.outputs[states]

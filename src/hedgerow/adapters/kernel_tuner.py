"""Hedgerow inside Kernel Tuner: an optimization algorithm for the loop of `tune_kernel`.

Kernel Tuner builds the search space, compiles and measures; this chooses what is measured next. Configurations that
do not compile or run teach where others fail too, and none is measured twice.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from hedgerow.errors import HedgerowError, SpaceExhausted
from hedgerow.expressions import Name
from hedgerow.feasible import FeasibleSet
from hedgerow.importers.naming import legal_names
from hedgerow.methods.method import Method
from hedgerow.optimizer import Optimizer
from hedgerow.rules import RuleLike, table
from hedgerow.space import Categorical, Levels, Space, Variable

try:
    from kernel_tuner.strategies.wrapper import OptAlg, OptAlgWrapper
except ImportError as error:  # pragma: no cover - where Kernel Tuner is not installed
    raise HedgerowError(
        "This adapter needs Kernel Tuner 1.1 or newer: pip install 'hedgerow[kernel-tuner]'."
    ) from error

# Kernel Tuner's cost of a configuration that failed.
_FAILED = sys.float_info.max


def strategy(*, seed: int = 0, method: str | Method = "auto", batch_size: int = 1) -> Any:
    """Return what `tune_kernel` takes as its `strategy`.

    Parameters
    ----------
    seed : int, optional
        Where random numbers begin.
    method : str or Method, optional
        `"auto"`, another short name, or settings from `hedgerow.methods`.
    batch_size : int, optional
        How many configurations are chosen at once, for Kernel Tuner's parallel runner.

    Returns
    -------
    OptAlgWrapper
        A strategy; `strategy_options={"max_fevals": 200}` says when it ends.
    """
    return OptAlgWrapper(HedgerowOptAlg(seed=seed, method=method, batch_size=batch_size))


class HedgerowOptAlg(OptAlg):  # type: ignore[misc] # Kernel Tuner has no types
    """The algorithm behind `strategy`, in the form that Kernel Tuner asks of its users' own."""

    def __init__(self, seed: int = 0, method: str | Method = "auto", batch_size: int = 1) -> None:
        super().__init__()
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            raise HedgerowError(f"batch_size is a whole number of at least 1, but {batch_size!r} was given.")
        self.seed, self.method, self.batch_size = seed, method, batch_size
        # Every configuration comes from Kernel Tuner's own list, so there is nothing to repair.
        self.constraint_aware = False

    def __call__(self, func: Any, searchspace: Any) -> tuple[tuple[Any, ...] | None, float]:
        """Measure configurations until Kernel Tuner's budget ends it or none is left; return the best with its cost."""
        if len(func.objective) > 1:
            raise HedgerowError(
                f"Hedgerow optimizes one objective here, but {', '.join(func.objective)} were given. Name one of them."
            )
        configurations = _Configurations(searchspace.tune_params)
        rules = configurations.rules(searchspace)
        optimizer = Optimizer(configurations.space, rules, method=self.method, seed=self.seed)
        with suppress(SpaceExhausted):
            while True:
                points = optimizer.ask(self.batch_size)
                costs = func.eval_all([configurations.row(point) for point in points], check_restrictions=False)
                for point, cost in zip(points, costs, strict=True):
                    optimizer.tell(point, None if cost >= _FAILED else cost)
        best = optimizer.best
        if best is None or best.value is None:
            return None, _FAILED
        return configurations.row(best.point), best.value


class _Configurations:
    """Kernel Tuner's parameters as a space, and points as its rows."""

    def __init__(self, tune_params: Mapping[str, Sequence[Any]]) -> None:
        self._names = legal_names(tune_params)
        self.space = Space({self._names[name]: _variable(values) for name, values in tune_params.items()})
        # A level may be 2.0 where Kernel Tuner wrote 2, which is another key of its cache.
        self._given = {self._names[name]: {value: value for value in values} for name, values in tune_params.items()}

    def row(self, point: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return a point as Kernel Tuner writes it."""
        return tuple(self._given[name][point[name]] for name in self._names.values())

    def rules(self, searchspace: Any) -> list[RuleLike]:
        """Return the restrictions as written, where they say the same here, or else the list of what they allow."""
        listed = table([Name(name) for name in self._names.values()], [tuple(row) for row in searchspace.list])
        if len(searchspace.list) == self.space.size:
            return []
        written = getattr(searchspace, "original_restrictions", None) or []
        if written and all(isinstance(rule, str) for rule in written) and self._same(written, searchspace.list):
            return list(written)
        return [listed]

    def _same(self, written: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
        try:
            feasible = FeasibleSet(self.space, written)
        except HedgerowError:
            return False
        names = list(self._names.values())
        return (
            feasible.is_exact
            and feasible.count == len(rows)
            and all(dict(zip(names, row, strict=True)) in feasible for row in rows)
        )


def _variable(values: Sequence[Any]) -> Variable:
    different = list(dict.fromkeys(values))
    is_numbers = all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in different)
    return Levels(different) if is_numbers else Categorical(different)

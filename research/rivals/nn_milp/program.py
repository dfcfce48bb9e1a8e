"""A mixed-integer linear program as it grows (variables, rows), and OR-Tools' HiGHS, which minimizes it.

HiGHS was chosen by measurement: on the networks of this package it needs half of SCIP's time, and CP-SAT knows only
whole numbers. OR-Tools is loaded here, at the first need, and nowhere else.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse  # type: ignore[import-untyped]
from numpy.typing import ArrayLike, NDArray

from hedgerow.errors import HedgerowError

Indices = NDArray[np.int64]
Numbers = NDArray[np.float64]


class Program:
    """Variables with bounds, and rows that bound weighted sums of them."""

    def __init__(self) -> None:
        self._lower: list[Numbers] = []
        self._upper: list[Numbers] = []
        self._is_whole: list[NDArray[np.bool_]] = []
        self._row_lower: list[Numbers] = []
        self._row_upper: list[Numbers] = []
        self._entries: list[tuple[Indices, Indices, Numbers]] = []
        self.n_variables = 0
        self.n_rows = 0

    def copy(self) -> Program:
        """Return a program that grows on its own from here."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list):
                setattr(other, name, value.copy())
        return other

    def variables(self, n: int, lower: float, upper: float, *, is_whole: bool) -> Indices:
        """Add so many variables and return their indices."""
        self._lower.append(np.full(n, lower))
        self._upper.append(np.full(n, upper))
        self._is_whole.append(np.full(n, is_whole))
        self.n_variables += n
        return np.arange(self.n_variables - n, self.n_variables)

    def binary(self) -> int:
        """Add one variable that is 0 or 1."""
        return int(self.variables(1, 0.0, 1.0, is_whole=True)[0])

    def row(self, terms: Mapping[int, float], lower: float = -np.inf, upper: float = np.inf) -> None:
        """Bound one weighted sum."""
        self.rows(np.fromiter(terms, np.int64)[None, :], [list(map(float, terms.values()))], lower, upper)

    def rows(self, columns: Indices, weights: ArrayLike, lower: float = -np.inf, upper: float = np.inf) -> None:
        """Bound several sums alike; `columns` (n_rows, n_terms) are their variables, `weights` fit that shape."""
        n = columns.shape[0]
        places = np.repeat(np.arange(self.n_rows, self.n_rows + n), columns.shape[1])
        filled = np.broadcast_to(np.asarray(weights, dtype=np.float64), columns.shape)
        self._entries.append((places, columns.ravel(), filled.ravel()))
        self._row_lower.append(np.full(n, lower))
        self._row_upper.append(np.full(n, upper))
        self.n_rows += n

    def minimized(self, costs: Mapping[int, float], limits: Limits) -> ProgramSolution:
        """Return the variables of lowest cost."""
        helper = load_solver()
        objective = np.zeros(self.n_variables)
        objective[list(costs)] = list(costs.values())
        places, columns, weights = (np.concatenate(part) for part in zip(*self._entries, strict=True))
        matrix = scipy.sparse.csr_matrix((weights, (places, columns)), shape=(self.n_rows, self.n_variables))
        model = helper.ModelBuilderHelper()
        model.fill_model_from_sparse_data(
            np.concatenate(self._lower),
            np.concatenate(self._upper),
            objective,
            np.concatenate(self._row_lower),
            np.concatenate(self._row_upper),
            matrix,
        )
        for index in np.flatnonzero(np.concatenate(self._is_whole)):
            model.set_var_integrality(int(index), True)
        return _solved(helper, model, limits)


@dataclass(frozen=True)
class Limits:
    """When to stop: a number of branches, which is the same on every machine, and seconds, as a safety net."""

    max_nodes: int
    seconds: float


@dataclass(frozen=True, eq=False)
class ProgramSolution:
    """The values of all variables, None where none were found; whether the search came to its end."""

    values: Numbers | None
    is_complete: bool


def _solved(helper: Any, model: Any, limits: Limits) -> ProgramSolution:
    solver = helper.ModelSolverHelper("highs")
    solver.set_time_limit_in_seconds(limits.seconds)
    solver.set_solver_specific_parameters(
        "\n".join(["output_flag=false", "threads=1", "mip_rel_gap=0", f"mip_max_nodes={limits.max_nodes}"])
    )
    solver.solve(model)
    status = solver.status()
    if status == helper.SolveStatus.INFEASIBLE:
        return ProgramSolution(None, True)
    if not solver.has_solution():
        return ProgramSolution(None, False)
    return ProgramSolution(np.asarray(solver.variable_values()), status == helper.SolveStatus.OPTIMAL)


def load_solver() -> Any:
    """Return the module of OR-Tools that takes programs as arrays, or say how to install it."""
    return _module("ortools.linear_solver.python.model_builder_helper")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise HedgerowError(
            f"The method NNMILP needs {name.partition('.')[0]}, which is missing. "
            "Install the extra: pip install 'hedgerow[research]', or choose solver='list'."
        ) from None
    except ImportError as error:
        raise HedgerowError(
            f"The method NNMILP needs {name.partition('.')[0]}, which cannot be loaded ({error}). If highspy was "
            "loaded before, as CVXPY does, use a new process: each has a HiGHS of its own. Or choose solver='list'."
        ) from None

"""Solving a conic program with CVXPY, which is loaded here, at the first need, and nowhere else.

Clarabel is the default by measurement (`research/hsdp_solvers.py`, 3 x 3 and 5 x 5 tables): SDPA takes as long and
proves the same bounds, but calls its solutions inaccurate and cannot be stopped; what the multipliers of SCS prove is
mostly much farther from the loss, or it does not end.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hedgerow.errors import EffortExceeded, HedgerowError
from hedgerow.methods.catd.hsdp.affine import Vector
from hedgerow.methods.catd.hsdp.conic import ConicProgram, Multipliers

SolverName = Literal["clarabel", "scs", "sdpa"]

_TIME_OPTION = {"clarabel": "time_limit", "scs": "time_limit_secs"}
# An inaccurate optimum is good enough: bounds are proven from multipliers, whatever their accuracy, and models
# polished.
_ENOUGH = ("optimal", "optimal_inaccurate")


class SolverFailed(HedgerowError):  # noqa: N818 - says what happened
    """A semidefinite solver ended without a solution; the message names its status."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The unknowns, the multipliers, and how the solver ended."""

    unknowns: Vector
    multipliers: Multipliers
    status: str
    seconds: float


def solve(program: ConicProgram, solver: SolverName, time_limit: float) -> Solution:
    """Return the solution, or raise: SolverFailed for any status but (nearly) optimal, EffortExceeded out of time."""
    cvxpy = load_cvxpy()
    began = time.perf_counter()
    unknowns = cvxpy.Variable(program.n_unknowns)
    blocks = [
        cvxpy.reshape(block.entries.matrix @ unknowns + block.entries.offset, (block.size, block.size), order="C") >> 0
        for block in program.blocks
    ]
    rows = [program.rows.matrix @ unknowns + program.rows.offset >= 0] if program.rows.offset.size else []
    problem = cvxpy.Problem(cvxpy.Minimize(program.costs @ unknowns + program.constant), blocks + rows)
    status = _run(cvxpy, problem, solver, time_limit)
    seconds = time.perf_counter() - began
    if status == "user_limit" or seconds > time_limit:
        raise EffortExceeded(
            f"{solver} did not solve the semidefinite program of this round in the {max(time_limit, 0.0):.3g} s left "
            f"({program.n_unknowns:,} moments, {len(program.blocks)} blocks). Raise time_limit, or train with 'pgrad'."
        )
    if status not in _ENOUGH or unknowns.value is None:
        raise SolverFailed(
            f"{solver} ended with the status {status!r} on a semidefinite program of {program.n_unknowns:,} moments. "
            "There is no model to suggest from; try another solver, a larger ridge, or train with 'pgrad'."
        )
    multipliers = Multipliers(
        tuple(np.asarray(block.dual_value) for block in blocks),
        np.asarray(rows[0].dual_value) if rows else np.zeros(0),
    )
    return Solution(np.asarray(unknowns.value), multipliers, status, seconds)


def _run(cvxpy: Any, problem: Any, solver: SolverName, time_limit: float) -> str:
    options = {_TIME_OPTION[solver]: max(time_limit, 1e-3)} if solver in _TIME_OPTION else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            problem.solve(solver=solver.upper(), **options)
        except cvxpy.error.SolverError as error:
            if problem.status == "user_limit":
                return "user_limit"
            raise SolverFailed(f"{solver} failed: {error}") from error
    return str(problem.status)


def load_cvxpy() -> Any:
    """Return CVXPY, or say how to install it."""
    try:
        with _without_highs():
            return importlib.import_module("cvxpy")
    except ImportError:
        raise HedgerowError(
            "Training with 'hsdp' needs CVXPY and Clarabel, which are missing. "
            "Install the extra: pip install 'hedgerow[hsdp]'"
        ) from None


@contextmanager
def _without_highs() -> Iterator[None]:
    """Keep CVXPY from loading HiGHS, which is not needed here, where OR-Tools is installed too.

    OR-Tools brings a HiGHS of its own under the same name, and after the other one it could not be loaded any more.
    """
    if "highspy" in sys.modules or importlib.util.find_spec("ortools") is None:
        yield
        return
    sys.modules["highspy"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["highspy"]

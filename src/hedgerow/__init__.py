"""Hedgerow: black-box optimization over discrete and mixed spaces that never leaves the rules."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hedgerow.errors import (
    ArgumentError,
    EffortExceeded,
    HedgerowError,
    InfeasibleError,
    PointError,
    ProblemFileError,
    RuleError,
    RuleWarning,
    SpaceError,
    SpaceExhausted,
    StudyError,
    TrialWarning,
)

if TYPE_CHECKING:
    from hedgerow import importers, methods, rules
    from hedgerow.feasible import FeasibleSet
    from hedgerow.observations import Estimate, Failure, Observation, Prediction, Suggestion
    from hedgerow.optimize import maximize, minimize
    from hedgerow.optimizer import Optimizer
    from hedgerow.optuna.sampler import HedgerowSampler
    from hedgerow.report.from_python import write_report
    from hedgerow.result import Result, Stopped
    from hedgerow.rules import Rule
    from hedgerow.runs.load_study import load_study
    from hedgerow.runs.problem import load_problem
    from hedgerow.runs.run import run
    from hedgerow.space import Boolean, Categorical, Integer, Levels, Ordinal, Permutation, Real, Shares, Space, Vector

__version__ = "0.1.0"

# Loaded on first use: those who only look at rules never need SciPy, Numba and Optuna, and the processes in which
# objectives are evaluated, of which a run starts many, not even NumPy.
_LAZY = {
    "Boolean": "hedgerow.space",
    "Categorical": "hedgerow.space",
    "Estimate": "hedgerow.observations",
    "Failure": "hedgerow.observations",
    "FeasibleSet": "hedgerow.feasible",
    "HedgerowSampler": "hedgerow.optuna.sampler",
    "Integer": "hedgerow.space",
    "Levels": "hedgerow.space",
    "Observation": "hedgerow.observations",
    "Optimizer": "hedgerow.optimizer",
    "Ordinal": "hedgerow.space",
    "Permutation": "hedgerow.space",
    "Prediction": "hedgerow.observations",
    "Real": "hedgerow.space",
    "Result": "hedgerow.result",
    "Rule": "hedgerow.rules",
    "Shares": "hedgerow.space",
    "Space": "hedgerow.space",
    "Stopped": "hedgerow.result",
    "Suggestion": "hedgerow.observations",
    "Vector": "hedgerow.space",
    "load_problem": "hedgerow.runs.problem",
    "load_study": "hedgerow.runs.load_study",
    "maximize": "hedgerow.optimize",
    "minimize": "hedgerow.optimize",
    "run": "hedgerow.runs.run",
    "write_report": "hedgerow.report.from_python",
}


def __getattr__(name: str) -> Any:
    if name in ("adapters", "importers", "methods", "rules"):
        return import_module(f"hedgerow.{name}")
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'hedgerow' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "ArgumentError",
    "Boolean",
    "Categorical",
    "EffortExceeded",
    "Estimate",
    "Failure",
    "FeasibleSet",
    "HedgerowError",
    "HedgerowSampler",
    "InfeasibleError",
    "Integer",
    "Levels",
    "Observation",
    "Optimizer",
    "Ordinal",
    "Permutation",
    "PointError",
    "Prediction",
    "ProblemFileError",
    "Real",
    "Result",
    "Rule",
    "RuleError",
    "RuleWarning",
    "Shares",
    "Space",
    "SpaceError",
    "SpaceExhausted",
    "Stopped",
    "StudyError",
    "Suggestion",
    "TrialWarning",
    "Vector",
    "importers",
    "load_problem",
    "load_study",
    "maximize",
    "methods",
    "minimize",
    "rules",
    "run",
    "write_report",
]

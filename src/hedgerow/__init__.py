"""Hedgerow: black-box optimization over discrete spaces that never leaves the rules."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hedgerow import rules
from hedgerow.errors import (
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
)
from hedgerow.feasible import FeasibleSet
from hedgerow.rules import Rule
from hedgerow.space import Categorical, Integer, Ordinal, Real, Space, Vector

if TYPE_CHECKING:
    from hedgerow import methods
    from hedgerow.optimizer import Observation, Optimizer
    from hedgerow.study import Result, maximize, minimize
    from hedgerow.study.optuna_sampler import HedgerowSampler

__version__ = "0.1.0"

# Loaded on first use: they bring SciPy, Numba and Optuna, which those who only look at rules never need.
_LAZY = {
    "HedgerowSampler": "hedgerow.study.optuna_sampler",
    "Observation": "hedgerow.optimizer",
    "Optimizer": "hedgerow.optimizer",
    "Result": "hedgerow.study",
    "maximize": "hedgerow.study",
    "minimize": "hedgerow.study",
}


def __getattr__(name: str) -> Any:
    if name == "methods":
        return import_module("hedgerow.methods")
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'hedgerow' has no attribute '{name}'")


__all__ = [
    "Categorical",
    "EffortExceeded",
    "FeasibleSet",
    "HedgerowError",
    "HedgerowSampler",
    "InfeasibleError",
    "Integer",
    "Observation",
    "Optimizer",
    "Ordinal",
    "PointError",
    "ProblemFileError",
    "Real",
    "Result",
    "Rule",
    "RuleError",
    "RuleWarning",
    "Space",
    "SpaceError",
    "SpaceExhausted",
    "StudyError",
    "Vector",
    "maximize",
    "methods",
    "minimize",
    "rules",
]

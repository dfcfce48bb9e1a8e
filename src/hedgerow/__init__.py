"""Hedgerow: black-box optimization over discrete spaces that never leaves the rules."""

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
)
from hedgerow.feasible import FeasibleSet
from hedgerow.rules import Rule
from hedgerow.space import Categorical, Integer, Ordinal, Real, Space, Vector

__version__ = "0.1.0"

__all__ = [
    "Categorical",
    "EffortExceeded",
    "FeasibleSet",
    "HedgerowError",
    "InfeasibleError",
    "Integer",
    "Ordinal",
    "PointError",
    "ProblemFileError",
    "Real",
    "Rule",
    "RuleError",
    "RuleWarning",
    "Space",
    "SpaceError",
    "SpaceExhausted",
    "Vector",
    "rules",
]

"""Methods, and what a method is made of.

`method=` takes `"auto"`, another short name, or one of the objects `Auto`, `CATD`, `Random`, or a method of your own:
an object that fits `Method`. Its `start` takes a `CodeProblem` and returns a `MethodRun`, whose `suggest` takes a
`History` and a seed and returns a `RowSuggestion` with a `Reason`. A method whose answer is the untried row of highest
score needs no search of its own: `best_candidate` takes a `Criterion`.

Everything is loaded at its first use: a problem file names its method without loading Numba or SciPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hedgerow.methods.auto.method import Auto
    from hedgerow.methods.candidates import CandidateSettings, Criterion, PlainCriterion, best_candidate
    from hedgerow.methods.catd.method import CATD
    from hedgerow.methods.earlier import EarlierTrials
    from hedgerow.methods.history import History
    from hedgerow.methods.method import Method, MethodRun
    from hedgerow.methods.problem import CodeProblem
    from hedgerow.methods.random import Random
    from hedgerow.methods.registry import method_named
    from hedgerow.search.suggestion import Reason, RowSuggestion

_LAZY = {
    "Auto": "hedgerow.methods.auto.method",
    "CATD": "hedgerow.methods.catd.method",
    "CandidateSettings": "hedgerow.methods.candidates",
    "CodeProblem": "hedgerow.methods.problem",
    "Criterion": "hedgerow.methods.candidates",
    "EarlierTrials": "hedgerow.methods.earlier",
    "History": "hedgerow.methods.history",
    "Method": "hedgerow.methods.method",
    "MethodRun": "hedgerow.methods.method",
    "PlainCriterion": "hedgerow.methods.candidates",
    "Random": "hedgerow.methods.random",
    "Reason": "hedgerow.search.suggestion",
    "RowSuggestion": "hedgerow.search.suggestion",
    "best_candidate": "hedgerow.methods.candidates",
    "method_named": "hedgerow.methods.registry",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'hedgerow.methods' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "CATD",
    "Auto",
    "CandidateSettings",
    "CodeProblem",
    "Criterion",
    "EarlierTrials",
    "History",
    "Method",
    "MethodRun",
    "PlainCriterion",
    "Random",
    "Reason",
    "RowSuggestion",
    "best_candidate",
    "method_named",
]

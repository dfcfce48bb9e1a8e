"""What the verbs that work on a study have in common: arguments, the problem they mean, storages that stay away."""

from __future__ import annotations

import argparse
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from hedgerow.errors import HedgerowError
from hedgerow.runs.problem import Problem, load_problem

if TYPE_CHECKING:
    from hedgerow.runs.study import Study

STORAGE_LOST = 3
# The errors of Optuna and SQLAlchemy by name, so that nobody loads them to compare.
_STORAGE_ERRORS = ("StorageInternalError", "SQLAlchemyError")


def add_study_options(
    verb: argparse.ArgumentParser, *, suggests: bool = False, compiles: bool = True, prints: bool = True
) -> None:
    """Add the arguments that say which study is meant.

    All verbs take the same ones, so that a command is edited by changing its verb; the help shows those that change
    something: what suggests points, what compiles the rules, what prints facts.
    """
    verb.add_argument("file", metavar="FILE", help="a problem file in TOML")
    verb.add_argument("--json", action="store_true", help=_where(prints, "print JSON for programs"))
    verb.add_argument(
        "--storage", metavar="URL", help="sqlite:///..., postgresql://... or journal:... (default: FILE.db)"
    )
    verb.add_argument("--study", metavar="NAME", help="the study's name in the storage (default: the file's name)")
    verb.add_argument("--seed", type=int, metavar="N", help=_where(suggests, "for other suggestions"))
    verb.add_argument("--method", metavar="NAME", help=_where(suggests, "auto, catd, random, ..."))
    verb.add_argument("--node-budget", type=int, metavar="N", help=_where(compiles, "largest diagram, in nodes"))


def _where(is_shown: bool, text: str) -> str:
    return text if is_shown else argparse.SUPPRESS


def problem_of(options: Namespace) -> Problem:
    """Return the problem of the file, with what the arguments say instead."""
    for name, least in (("budget", 1), ("workers", 1), ("seed", 0), ("node_budget", 1)):
        given = getattr(options, name, None)
        if given is not None and given < least:
            option = f"--{name.replace('_', '-')}"
            raise HedgerowError(f"{option} is a whole number of at least {least}, but {given} was given.")
    names = ("budget", "workers", "storage", "study", "seed", "method", "executor", "node_budget")
    return load_problem(options.file, {name: getattr(options, name, None) for name in names})


def study_of(options: Namespace) -> Study:
    """Return the study that is meant, opened or made."""
    from hedgerow.runs.study import Study  # noqa: PLC0415 - takes a second, which bad input need not wait for

    problem = problem_of(options)
    silence_optuna()
    return Study(problem)


def silence_optuna() -> None:
    """Leave what there is to say to the verbs."""
    import optuna  # noqa: PLC0415 - takes a second

    optuna.logging.set_verbosity(optuna.logging.ERROR)


def with_storage(verb: Callable[[Namespace], int]) -> Callable[[Namespace], int]:
    """Turn a storage that stays away longer than calls wait into an exit code of its own."""

    def guarded(options: Namespace) -> int:
        try:
            return verb(options)
        except HedgerowError:
            raise
        except Exception as error:
            if not any(kind.__name__ in _STORAGE_ERRORS for kind in type(error).__mro__):
                raise
            print(f"hedgerow: the storage does not answer: {error.__cause__ or error}", file=sys.stderr)
            return STORAGE_LOST

    return guarded

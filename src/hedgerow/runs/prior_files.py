"""Trials of related problems, as a problem file names them: tables, saved optimizers, and studies of other files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hedgerow.errors import HedgerowError, StudyError
from hedgerow.methods.earlier import EarlierTrials
from hedgerow.optimizer import Optimizer
from hedgerow.outcomes.goals import Goals
from hedgerow.priors import earlier_trials
from hedgerow.runs.load_study import load_study
from hedgerow.runs.problem import Problem
from hedgerow.runs.table import pairs_in

_KINDS = {
    ".csv": "a table, as `hedgerow export` writes it",
    ".json": "what `Optimizer.save` wrote",
    ".toml": "a problem file with a study of its own",
}


def earlier_of(problem: Problem, goals: Goals) -> tuple[EarlierTrials, ...]:
    """Return the trials of related problems as rows of this problem's space; files are read here."""
    prior = problem.prior
    if isinstance(prior, Sequence) and prior and all(isinstance(source, str) for source in prior):
        prior = [_read(source, problem, goals) for source in prior]
    return earlier_trials(prior, problem.space, goals)


def _read(source: str, problem: Problem, goals: Goals) -> Any:
    file = Path(problem.folder) / source
    kind = file.suffix.lower()
    if kind not in _KINDS:
        known = ", ".join(f"{ending} ({what})" for ending, what in _KINDS.items())
        raise StudyError(f"'{source}' in prior is none of {known}.")
    try:
        if kind == ".toml":
            return load_study(file)
        if kind == ".json":
            return Optimizer.load(file)
        return pairs_in(file.read_text(encoding="utf-8-sig"), problem.space, goals)
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"'{source}' in prior cannot be read: {error}.") from None
    except HedgerowError as error:
        raise StudyError(f"'{source}' in prior: {error}") from None

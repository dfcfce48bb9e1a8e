"""`hr.load_study`: a study as it stands, for looking at. Reading changes nothing, and a run may be at work on it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow import checks
from hedgerow.errors import ArgumentError
from hedgerow.frames import as_frame
from hedgerow.outcomes.observation import Observation
from hedgerow.runs.problem import Problem, load_problem
from hedgerow.runs.snapshot import Snapshot, read_snapshot
from hedgerow.runs.table import rows_of
from hedgerow.runs.trial_list import Trial, trials_of
from hedgerow.runs.urls import JOURNAL, as_url, without_password
from hedgerow.space.encoding import decode
from hedgerow.wording import counted

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class LoadedStudy:
    """A study as it stood when it was read.

    Attributes
    ----------
    name : str
        Its name in the storage.
    trials : tuple of Trial
        Every trial that has a point of the space as it is now, in the order of their numbers.
    changes : tuple of str
        What changed on the way: the space, the method, the files that measure.

    Examples
    --------
    See `load_study`.
    """

    name: str
    trials: tuple[Trial, ...]
    changes: tuple[str, ...]
    _snapshot: Snapshot = field(repr=False)

    def __repr__(self) -> str:
        best = self.best
        found = "no best yet" if best is None else f"best {best.value!r} in trial {best.number}"
        return f"<LoadedStudy {self.name!r}: {counted(len(self.trials), 'trial')}, {found}>"

    @property
    def best(self) -> Trial | None:
        """The best trial that keeps the rules; None where there is none, and with several objectives.

        Where points are measured again it is the first trial of the best point by what is believed, with the readings
        of all trials of this point, their means, and the belief.
        """
        status, goals = self._snapshot.status, self._snapshot.problem.goals
        first = next((trial for trial in self.trials if trial.number == status.best_number), None)
        if first is None or status.judged is None or status.judged.best is None or not goals.may_repeat:
            return first
        seen = status.judged.best.seen
        outcome = seen.outcome(goals)
        return replace(
            first,
            value=seen.value,
            outcomes=goals.ordered(outcome.numbers),
            readings=outcome.readings if len(outcome.readings) > 1 else (),
            believed=seen.believed,
        )

    @property
    def observations(self) -> tuple[Observation, ...]:
        """What was told, in the order in which it came; `prior` and `initial` of other runs take it."""
        goals, space = self._snapshot.problem.goals, self._snapshot.problem.space
        is_feasible = {trial.number: trial.is_feasible for trial in self.trials}
        return tuple(
            Observation.of(decode(space, item.row), is_feasible[item.number], item.outcome, goals)
            for item in self._snapshot.read.told
        )

    def to_pandas(self) -> DataFrame:
        """Return the table that `hedgerow export` writes.

        Returns
        -------
        pandas.DataFrame
            One row per trial.

        Raises
        ------
        HedgerowError
            Where pandas is not installed.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.load_study("problem.toml").to_pandas()   # doctest: +SKIP
        """
        return as_frame(rows_of(self._snapshot))


def load_study(
    problem: Problem | str | PathLike[str], *, storage: str | None = None, study: str | None = None
) -> LoadedStudy:
    """Read the study of a problem as it stands; nothing is changed, and a run may be at work on it.

    Parameters
    ----------
    problem : Problem or path
        What `load_problem` gives, or the problem file itself.
    storage : str, optional
        Where the trials are; by default where the problem says.
    study : str, optional
        The study's name in the storage; by default the problem's.

    Returns
    -------
    LoadedStudy
        Its trials, each with point, outcomes, readings, state, times and reason.

    Raises
    ------
    ArgumentError
        Where the problem is neither of these.
    StudyError
        Where there is no such study, or it is about another problem.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "problem.toml"
    >>> n_characters = file.write_text('[space]\\nx = [3, 1, 2]\\n[objective]\\ncommand = "echo {x} ms"\\n')
    >>> result = hr.run(file, budget=3)
    >>> study = hr.load_study(file)
    >>> study
    <LoadedStudy 'problem': 3 trials, best 1.0 in trial ...>
    >>> [(trial.number, trial.state) for trial in study.trials]
    [(0, 'complete'), (1, 'complete'), (2, 'complete')]
    """
    if not isinstance(problem, Problem | str | PathLike):
        raise ArgumentError(
            "load_study takes a problem from load_problem, or the path of a problem file, but "
            f"{checks.shown(problem)} was given."
        )
    if isinstance(problem, str) and ("://" in problem or problem.startswith(JOURNAL)):
        raise ArgumentError(
            "load_study takes the problem file, which says what the trials are about, but the storage "
            f"{without_password(problem)!r} was given. Say hr.load_study('problem.toml', storage=..., study=...)."
        )
    whole = problem if isinstance(problem, Problem) else load_problem(Path(problem))
    whole = replace(whole, storage=as_url(storage or whole.storage), study=study or whole.study)
    snapshot = read_snapshot(whole, is_through_optuna=True)
    trials = tuple(trial for trial, _ in trials_of(snapshot))
    return LoadedStudy(whole.study, trials, tuple(snapshot.changes), snapshot)

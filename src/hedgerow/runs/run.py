"""`hr.run`: a problem run to its budget from Python, as `hedgerow run` does it, with a result to go on with."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from hedgerow import checks
from hedgerow.errors import ArgumentError, StudyError, TrialWarning
from hedgerow.observations import Observation
from hedgerow.result import Result
from hedgerow.runs.interrupts import Interrupts
from hedgerow.runs.judged import told_optimizer
from hedgerow.runs.live import LineView, LiveView
from hedgerow.runs.loop import RunReport, View, run_study
from hedgerow.runs.problem import Problem, load_problem
from hedgerow.runs.snapshot import Snapshot, read_or_empty, read_snapshot
from hedgerow.runs.status import reason_of
from hedgerow.runs.urls import as_url
from hedgerow.space import Point
from hedgerow.space.encoding import decode


def run(  # noqa: PLR0913 - each is a choice of the user's, by keyword
    problem: Problem | str | PathLike[str],
    *,
    objective: Callable[[Point], Any] | None = None,
    budget: int | None = None,
    workers: int | None = None,
    storage: str | None = None,
    study: str | None = None,
    method: str | None = None,
    seed: int | None = None,
    stop: str | None = None,
    least_gain: float | None = None,
    executor: object = None,
    progress: bool | None = None,
    accept_change: bool = False,
) -> Result:
    """Run a problem until its budget is used, or go on where an earlier run stopped.

    This is what `hedgerow run` does: several evaluations at the same time in processes of their own, every trial in a
    storage, nothing lost where something is killed. Call it again with the same problem and storage to go on; any
    number of runs, on any machines that reach the storage, work on the same study. The first Ctrl-C lets evaluations
    that are under way finish, a second gives them up; both return what was measured. What is None is as the problem
    says.

    Parameters
    ----------
    problem : Problem or path
        What `load_problem` gives, or the problem file itself.
    objective : callable, optional
        A function of a point, instead of the problem's own objective; it returns a number, or what `tell` takes where
        the problem has objectives, limits or repeats. It must be one that other processes can import, unless `executor`
        evaluates in this process.
    budget : int, optional
        How many trials to ask for in all, those of earlier runs included; those told by hand or imported come on top.
    workers : int, optional
        Evaluations at the same time.
    storage : str, optional
        Where the trials are kept: `study.db`, `postgresql://...` or `journal:file.log`. By default a SQLite file
        beside the problem file.
    study : str, optional
        The study's name in the storage.
    method : str, optional
        The short name of a method, such as `"auto"`.
    seed : int, optional
        Where random numbers begin.
    stop : {"when nothing is left"}, optional
        End the run before the budget is used where the untried points are not expected to be better by `least_gain`.
    least_gain : float, optional
        What an improvement must be worth for the run to go on, in the unit of the objective.
    executor : optional
        Where evaluations run instead of processes of this machine: a `concurrent.futures.Executor`, a Dask client,
        the `ray` module, `"dask:ADDRESS"` or `"ray:ADDRESS"`.
    progress : bool, optional
        Whether to show how the run goes; by default when the output is a terminal.
    accept_change : bool, optional
        Whether to go on where earlier trials were measured by another command or function, which is refused otherwise.

    Returns
    -------
    Result
        The best point or the front, the observations of the whole study in the order in which they came, and how this
        run stopped.

    Raises
    ------
    ArgumentError
        Where an argument is not what it must be.
    ProblemFileError
        Where the problem file cannot be read.
    StudyError
        Where there is no objective, the storage cannot be opened, its study is about another problem, or another
        command measured it.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "problem.toml"
    >>> text = '[space]\\nx = [3, 1, 2]\\n[rules]\\nnot_one = "x != 1"\\n[objective]\\ncommand = "echo {x} ms"\\n'
    >>> n_characters = file.write_text(text)
    >>> result = hr.run(hr.load_problem(file), budget=2, workers=2)
    >>> result.best_point, result.best_value, str(result.stopped)
    ({'x': 2}, 2.0, 'budget')
    """
    given: dict[str, Any] = {"budget": budget, "workers": workers, "storage": storage, "study": study}
    given |= {"method": method, "seed": seed, "stop": stop, "least_gain": least_gain}
    whole = _with(_as_problem(problem), {name: value for name, value in given.items() if value is not None})
    if objective is not None:
        function = checks.function("objective", objective, "a point")
        whole = replace(whole, function=function, python="", command=None)
    warn_of_news(whole)
    with Interrupts() as interrupts, view_of(whole, progress) as view:
        report = run_study(
            whole,
            executor=executor,
            view=view,
            stop=interrupts.stop,
            abandon=interrupts.abandon,
            accept_change=accept_change,
        )
    return result_of(read_snapshot(whole), report)


def warn_of_news(problem: Problem) -> None:
    """Warn of what this run does otherwise than those before it on the same study."""
    for news in read_or_empty(problem).news():
        warnings.warn(news, TrialWarning, stacklevel=3)


def _as_problem(problem: Problem | str | PathLike[str]) -> Problem:
    if isinstance(problem, Problem):
        return problem
    if isinstance(problem, str | PathLike):
        return load_problem(Path(problem))
    raise ArgumentError(
        f"run takes a problem from load_problem, or the path of a problem file, but {checks.shown(problem)} was given."
    )


def _with(problem: Problem, given: dict[str, Any]) -> Problem:
    for name in ("budget", "workers"):
        if name in given:
            given[name] = checks.whole_number(name, given[name], least=1)
    if "seed" in given:
        given["seed"] = checks.seed(given["seed"])
    for name in ("storage", "study", "method"):
        if name in given and (not isinstance(given[name], str) or not given[name]):
            raise ArgumentError(f"{name} is text, but {checks.shown(given[name])} was given.")
    if "storage" in given:
        given["storage"] = as_url(given["storage"])
    changed = replace(problem, **given)
    _ = changed.stopping
    return changed


def view_of(problem: Problem, progress: bool | None) -> AbstractContextManager[View | None]:
    """Return what a person sees of a run; None where nobody looks."""
    is_terminal = sys.stderr.isatty()
    if not (is_terminal if progress is None else progress):
        return nullcontext(None)
    view: AbstractContextManager[View | None] = LiveView(problem) if is_terminal else LineView(problem)
    return view


def result_of(snapshot: Snapshot, report: RunReport) -> Result:
    """Return what a study holds and how a run on it ended; a set-up that is broken is also warned of."""
    result = _result_of(snapshot, report)
    if not report.trouble:
        return result
    warnings.warn(
        f"The run stopped: {report.trouble}. Nothing was counted against any point.", TrialWarning, stacklevel=3
    )
    return replace(result, error=StudyError(report.trouble))


def _result_of(snapshot: Snapshot, report: RunReport) -> Result:
    if not snapshot.problem.goals.is_plain:
        known = told_optimizer(snapshot.problem, snapshot.read.told).result()
        return replace(known, stopped=report.stopped, seconds=report.seconds)
    return Result(
        snapshot.status.best_point,
        snapshot.status.best_value,
        observations_of(snapshot),
        report.stopped,
        report.seconds,
        snapshot.problem.is_maximized,
        snapshot.feasible,
    )


def observations_of(snapshot: Snapshot) -> tuple[Observation, ...]:
    """Return what was told of a study, in the order in which it came."""
    told = snapshot.read.told
    is_kept = snapshot.problem.keeps_rules([item.row for item in told])
    reasons = {trial.number: reason_of(trial) for trial in snapshot.trials}
    return tuple(
        Observation(
            decode(snapshot.problem.space, item.row),
            None if item.value != item.value else item.value,
            bool(is_feasible),
            reason=reasons[item.number] if item.value != item.value else None,
        )
        for item, is_feasible in zip(told, is_kept, strict=True)
    )

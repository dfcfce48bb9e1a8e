"""The verb `run`: a study, run to its budget or on from where it stopped."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from argparse import Namespace
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console
from rich.text import Text

from hedgerow.cli import show
from hedgerow.cli.study_options import add_study_options, problem_of, silence_optuna, with_storage
from hedgerow.feasible import FeasibleSet
from hedgerow.result import Stopped
from hedgerow.runs.interrupts import Interrupts
from hedgerow.runs.live import LineView, LiveView
from hedgerow.runs.loop import RunReport, View, run_study
from hedgerow.runs.problem import Problem
from hedgerow.runs.snapshot import read_or_empty
from hedgerow.runs.urls import without_password
from hedgerow.wording import quoted

YES, NO, BAD_INPUT = 0, 1, 2
INTERRUPTED = 130


def add_run(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of the verb."""
    verb.description = run.__doc__
    add_study_options(verb, suggests=True)
    verb.add_argument("--budget", type=int, metavar="N", help="trials to ask for, those of earlier runs included")
    verb.add_argument("--workers", type=int, metavar="N", help="evaluations at the same time")
    verb.add_argument("--executor", metavar="WHERE", help="dask:ADDRESS or ray:ADDRESS (default: processes here)")
    verb.add_argument("--accept-change", action="store_true", help="go on though another command measured before")
    verb.add_argument("--dry-run", action="store_true", help="show what would run, and run nothing")
    verb.add_argument("--quiet", action="store_true", help="show nothing while it runs")
    verb.set_defaults(run=with_storage(run))


def run(options: Namespace) -> int:
    """Run the problem's objective until its budget is used, or go on where an earlier run stopped.

    Any number of runs, on any machines that reach the storage, work on the same study.
    """
    silence_optuna()
    problem = problem_of(options)
    if options.dry_run:
        return _dry_run(problem, options)
    for news in [] if options.quiet else read_or_empty(problem).news():
        print(f"hedgerow: {news}", file=sys.stderr)
    with Interrupts() as interrupts, _view(problem, options) as view:
        report = run_study(
            problem,
            view=view,
            stop=interrupts.stop,
            abandon=interrupts.abandon,
            accept_change=options.accept_change,
        )
    _show_report(problem, report, options.json)
    if report.stopped is Stopped.INTERRUPTED:
        return INTERRUPTED
    if report.stopped is Stopped.BROKEN:
        return BAD_INPUT
    judged = report.status.judged
    return YES if report.status.best_number is not None or (judged is not None and judged.front) else NO


def _view(problem: Problem, options: Namespace) -> AbstractContextManager[View | None]:
    if options.quiet:
        return nullcontext(None)
    view: AbstractContextManager[View | None] = LiveView(problem) if sys.stderr.isatty() else LineView(problem)
    return view


def _dry_run(problem: Problem, options: Namespace) -> int:
    feasible = FeasibleSet(problem.space, problem.rules, node_budget=problem.node_budget, engine=problem.engine)
    point = feasible.sample(1, seed=problem.seed)[0]
    status = read_or_empty(problem).status
    command = shlex.join(problem.job(point, 0).command) if problem.command is not None else None
    facts = {
        "study": problem.study,
        "storage": without_password(problem.storage),
        **_goals(problem),
        "budget": problem.budget,
        "workers": problem.workers,
        "method": problem.method,
        "seed": problem.seed,
        "timeout": problem.timeout,
        "python": problem.python or None,
        "example_point": point,
        "example_command": command,
        "feasible_points": feasible.count if feasible.is_exact else None,
        "trials_done": status.n_counted_finished,
        "trials_left": max(0, problem.budget - status.n_counted_finished),
    }
    if options.json:
        print(json.dumps(facts))
        return YES
    console = Console()
    for name, value in facts.items():
        if value is not None:
            console.print(Text(f"{name.replace('_', ' ')}: {value}"))
    return YES


def _goals(problem: Problem) -> dict[str, object]:
    """Return what trials are judged by; None where nothing is said of it."""
    if problem.goals.is_plain:
        return {"direction": problem.direction}
    objectives = problem.goals.objectives
    return {
        "objectives": dict(zip(objectives.names, objectives.directions, strict=True)),
        "limits": dict(problem.limits) if problem.limits else None,
        "repeats": problem.repeats or None,
        "reference": dict(problem.reference) if problem.reference else None,
    }


def _show_report(problem: Problem, report: RunReport, is_json: bool) -> None:
    if is_json:
        facts = {"study": problem.study, "stopped": report.stopped, "here": report.n_here, **report.status.to_dict()}
        print(json.dumps({**facts, **({"trouble": report.trouble} if report.trouble else {})}))
        return
    console = Console()
    file = shlex.quote(problem.file or "FILE")
    lacking = () if report.status.judged is None else report.status.judged.never_given
    words = {
        Stopped.BUDGET: "The budget is used.",
        Stopped.EXHAUSTED: "Every feasible point has been tried.",
        Stopped.NOTHING_LEFT: "Stopped: the untried points are not expected to gain enough. Without `stop` it goes on.",
        Stopped.INTERRUPTED: "Interrupted; run it again to go on.",
        Stopped.FAILING: (
            f"Stopped: all {report.n_here} trials of this run failed, and no trial has ever given a value. Mend the "
            f"objective, let them come again with hedgerow retry {file}, and run it again."
            if not lacking
            else f"Stopped: no trial has ever given {quoted(lacking)}. Print it, or take it out of the file."
        ),
        Stopped.BROKEN: (
            f"Stopped: {report.trouble}. That is the set-up, and nothing was counted against any point: mend it and "
            f"run again. Where it is the point's doing after all, tell it: hedgerow tell {file} POINT failed."
        ),
    }
    console.print(Text(words[report.stopped], style="bold"))
    show.status(console, problem.study, report.status)

"""The verbs that work on a study: run, status, ask, tell and serve."""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import FrameType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from hedgerow.cli import show
from hedgerow.cli.verbs import read_point
from hedgerow.errors import HedgerowError, PointError

if TYPE_CHECKING:
    from hedgerow.runs.loop import RunReport, View
    from hedgerow.runs.problem import Problem
    from hedgerow.runs.status import Status
    from hedgerow.runs.study import Study

YES, NO = 0, 1
STORAGE_LOST = 3
INTERRUPTED = 130


def add_parsers(verbs: Any) -> None:
    """Add the verbs to the command's parser."""
    verb = verbs.add_parser("run", help="run or resume a study", description=run.__doc__)
    _common(verb)
    verb.add_argument("--budget", type=int, metavar="N", help="trials in all, those of earlier runs included")
    verb.add_argument("--workers", type=int, metavar="N", help="evaluations at the same time")
    verb.add_argument("--executor", metavar="WHERE", help="dask:ADDRESS or ray:ADDRESS (default: processes here)")
    verb.add_argument("--dry-run", action="store_true", help="show what would run, and run nothing")
    verb.add_argument("--quiet", action="store_true", help="show nothing while it runs")
    verb.set_defaults(run=with_storage(run))

    verb = verbs.add_parser("status", help="trials by state, and the best point", description=status.__doc__)
    _common(verb)
    verb.set_defaults(run=with_storage(status))

    verb = verbs.add_parser("ask", help="points to evaluate by hand", description=ask.__doc__)
    _common(verb)
    verb.add_argument("-n", type=int, default=1, metavar="N", help="how many points (default 1)")
    verb.set_defaults(run=with_storage(ask))

    verb = verbs.add_parser("tell", help="what a point gave", description=tell.__doc__)
    _common(verb)
    verb.add_argument("point", metavar="POINT", help='JSON such as \'{"block_x": 64, "padding": true}\'')
    verb.add_argument("value", metavar="VALUE", help="a number, 'failed', or 'forget' for one that was not measured")
    verb.set_defaults(run=with_storage(tell))

    verb = verbs.add_parser("serve", help="ask and tell as JSON lines", description=serve.__doc__)
    _common(verb)
    verb.set_defaults(run=with_storage(serve))


# Reasons of failed trials that `status` shows.
_REASONS_SHOWN = 3


def run(options: Namespace) -> int:
    """Run the problem's objective until its budget is used, or go on where an earlier run stopped.

    Any number of runs, on any machines that reach the storage, work on the same study.
    """
    from hedgerow.runs.loop import run_study  # noqa: PLC0415 - the other verbs stay quick without it

    problem = _problem(options)
    if options.dry_run:
        return _dry_run(problem, options)
    stop, abandon = threading.Event(), threading.Event()
    with _interrupts(stop, abandon), _view(problem, options) as view:
        report = run_study(problem, view=view, stop=stop, abandon=abandon)
    _show_report(problem, report, options.json)
    if report.stopped == "interrupted":
        return INTERRUPTED
    return YES if report.status.best_number is not None else NO


def status(options: Namespace) -> int:
    """Say how many trials there are in which state, and which point is the best."""
    from hedgerow.runs.snapshot import read_or_empty  # noqa: PLC0415

    snapshot = read_or_empty(_problem(options))
    problem, pending, changes = snapshot.problem, snapshot.pending_by_hand, snapshot.rule_changes_with_file
    if options.json:
        facts = {**snapshot.status.to_dict(), "pending": pending, "rule_changes": changes}
        print(json.dumps({"study": problem.study, "budget": problem.budget, **facts}))
        return YES
    console = Console()
    _show_status(console, problem, snapshot.status)
    for reason in snapshot.latest_reasons(_REASONS_SHOWN):
        console.print(Text(f"failed: {reason}"))
    if pending:
        rows = [{"trial": waiting["trial"], **waiting["point"]} for waiting in pending]
        show.points(console, "Waiting for values by hand", rows)
    if len(changes) > 1:
        last = changes[-1]
        console.print(f"The rules last changed on {last['since']}, after {last['after_trials']} trials.")
    return YES


def ask(options: Namespace) -> int:
    """Give points to evaluate by hand; each waits until its value is told, however long that takes."""
    if options.n < 1:
        raise HedgerowError(f"-n is a whole number of at least 1, but {options.n} was given.")
    trials = _study(options).ask_by_hand(options.n)
    if options.json:
        print(json.dumps([{"trial": asked.number, "point": asked.point} for asked in trials]))
    else:
        show.points(Console(), f"{len(trials)} points", [{"trial": a.number, **a.point} for a in trials])
    return YES


def tell(options: Namespace) -> int:
    """Store what a point gave, whether it was asked before or not."""
    study = _study(options)
    point = read_point(options.point)
    is_forgotten = options.value == "forget"
    number = study.forget(point) if is_forgotten else study.tell(point, _value(options.value))
    keeps_rules = point in study.sampler.feasible
    if options.json:
        print(json.dumps({"trial": number, "keeps_rules": keeps_rules}))
        return YES
    print(
        f"Trial {number}: {options.value}."
        + ("" if keeps_rules else " The point breaks a rule: it informs, but is never best.")
    )
    return YES


def serve(options: Namespace) -> int:
    """Answer {"op": "ask"}, {"op": "tell"} and others, one JSON object per line, until the input ends."""
    from hedgerow.runs.serve import serve as answer  # noqa: PLC0415

    def write(line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    answer(_study(options), sys.stdin, write)
    return YES


def _common(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("file", metavar="FILE", help="a problem file in TOML")
    verb.add_argument("--json", action="store_true", help="print JSON for programs")
    verb.add_argument(
        "--storage", metavar="URL", help="sqlite:///..., postgresql://... or journal:... (default: FILE.db)"
    )
    verb.add_argument("--study", metavar="NAME", help="the study's name in the storage (default: the file's name)")
    verb.add_argument("--seed", type=int, metavar="N", help="for other proposals")
    verb.add_argument("--method", metavar="NAME", help="auto, catd, random, ...")
    verb.add_argument("--node-budget", type=int, default=None, metavar="N", help="largest diagram, in nodes")


def with_storage(verb: Callable[[Namespace], int]) -> Callable[[Namespace], int]:
    """Turn a storage that stays away longer than calls wait into an exit code of its own."""

    def guarded(options: Namespace) -> int:
        import optuna  # noqa: PLC0415 - takes half a second, which `check` and `sample` need not wait for
        from optuna.exceptions import StorageInternalError  # noqa: PLC0415
        from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        try:
            return verb(options)
        except (StorageInternalError, SQLAlchemyError) as error:
            print(f"hedgerow: the storage does not answer: {error.__cause__ or error}", file=sys.stderr)
            return STORAGE_LOST

    return guarded


def _problem(options: Namespace) -> Problem:
    from hedgerow.runs.problem import load_problem  # noqa: PLC0415

    names = ("budget", "workers", "storage", "study", "seed", "method", "executor", "node_budget")
    return load_problem(options.file, {name: getattr(options, name, None) for name in names})


def _study(options: Namespace) -> Study:
    from hedgerow.runs.study import Study  # noqa: PLC0415

    return Study(_problem(options))


def _view(problem: Problem, options: Namespace) -> AbstractContextManager[View | None]:
    from hedgerow.runs.live import LineView, LiveView  # noqa: PLC0415

    if options.quiet:
        return nullcontext(None)
    view: AbstractContextManager[View | None] = LiveView(problem) if sys.stderr.isatty() else LineView(problem)
    return view


class _interrupts:  # noqa: N801 - reads as a statement
    """Turn Ctrl-C and SIGTERM into a wish to stop, and a second one into giving up what runs."""

    def __init__(self, stop: threading.Event, abandon: threading.Event) -> None:
        self._stop, self._abandon = stop, abandon
        self._before: dict[int, Any] = {}

    def __enter__(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._wish)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _wish(self, _number: int, _frame: FrameType | None) -> None:
        if self._stop.is_set():
            self._abandon.set()
        self._stop.set()


def _dry_run(problem: Problem, options: Namespace) -> int:
    from hedgerow.feasible import FeasibleSet  # noqa: PLC0415
    from hedgerow.runs.urls import without_password  # noqa: PLC0415

    feasible = FeasibleSet(problem.space, problem.rules, node_budget=problem.node_budget)
    point = feasible.sample(1, seed=problem.seed)[0]
    command = shlex.join(problem.job(point, 0).command) if problem.command is not None else None
    facts = {
        "study": problem.study,
        "storage": without_password(problem.storage),
        "direction": problem.direction,
        "budget": problem.budget,
        "workers": problem.workers,
        "method": problem.method,
        "seed": problem.seed,
        "timeout": problem.timeout,
        "python": problem.python or None,
        "example_point": point,
        "example_command": command,
        "feasible_points": feasible.count if feasible.is_exact else None,
    }
    if options.json:
        print(json.dumps(facts))
        return YES
    console = Console()
    for name, value in facts.items():
        if value is not None:
            console.print(Text(f"{name.replace('_', ' ')}: {value}"))
    return YES


def _show_report(problem: Problem, report: RunReport, is_json: bool) -> None:
    if is_json:
        facts = {"study": problem.study, "stopped": report.stopped, "here": report.n_here, **report.status.to_dict()}
        print(json.dumps(facts))
        return
    console = Console()
    words = {
        "budget": "The budget is used.",
        "exhausted": "Every feasible point has been tried.",
        "interrupted": "Interrupted; run it again to go on.",
        "failing": (
            f"Stopped: all {report.n_here} trials of this run failed, and no trial has ever given a value. Mend the "
            "objective and run it again; failed trials count, so raise --budget if too little is left."
        ),
    }
    console.print(Text(words[report.stopped], style="bold"))
    _show_status(console, problem, report.status)


def _show_status(console: Console, problem: Problem, status: Status) -> None:
    counts = status.to_dict()
    best = counts.pop("best")
    shown = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.items() if n)
    console.print(Text(f"{problem.study}: {shown or 'no trials yet'}"))
    if best is not None:
        console.print(Text(f"best {best['value']:,.6g} in trial {best['trial']}", style="bold green"))
        show.points(console, "Best point", [best["point"]])


def _value(text: str) -> float | None:
    if text == "failed":
        return None
    try:
        number = float(text)
    except ValueError:
        raise PointError(f"VALUE is a number, 'failed' or 'forget', but {text!r} was given.") from None
    return number if abs(number) < float("inf") else None

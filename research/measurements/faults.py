"""The fault drill: workers killed without warning, objectives that fail and hang, a database that restarts.

`python -m research faults` runs 8 workers through 400 trials on SQLite and on a private PostgreSQL, kills one worker
every second with SIGKILL, restarts the database on the way, and then compares what the objective measured with what the
study says. It ends with exit code 1 if anything was lost, stored twice, tried twice without being declared, or invalid,
and says which trials those were.

A measurement is complete when the objective has its value. The objective notes the value in a file of its own, as its
last act, before any part of Hedgerow can know of it: what is noted there and not in the study has been lost. A kill
hits the process of a run; the process that evaluates is another one, which has two seconds from then to end what it is
doing. The time limit of an evaluation is far above what a measurement takes even on a busy machine, because it is
right to fail an evaluation that runs into its limit, even between its note and its return.

With `--repeats 3` each point is measured three times, and every measurement gives another value. Then no reading of a
point may be taken twice, and no point may have more readings than meant. With `--repeats auto` the method decides what
is measured again. `--kind several` drills with two objectives and a limit, `--kind orders` with an order of items.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import optuna
from optuna.trial import FrozenTrial, TrialState

from hedgerow.outcomes.goals import Repeats
from hedgerow.outcomes.objectives import UNNAMED
from hedgerow.runs.loop import Pace, run_study
from hedgerow.runs.problem import load_problem
from hedgerow.runs.study import Study
from hedgerow.schema import AGAIN, LATE, LOST, READING, READINGS, WITHDRAWN
from hedgerow.space import Point
from hedgerow.space.encoding import decode
from research.measurements.postgres import Postgres

PROBLEM = """
[space]
x = { type = "integer", low = 0, high = 60 }
y = { type = "integer", low = 0, high = 60 }
kind = ["a", "b", "c"]
# more variables
[rules]
total = "x + y <= 80"
apart = "x != y"
only_b = "kind != 'b' or x % 2 == 0"
# more rules
[objective]
python = "drill_objective:measure"
timeout = 3.0
[run]
lease = 3.0
# more goals
"""
SEVERAL = """
[objectives]
time = "minimize"
work = "maximize"
[limits]
fits = "memory <= 70"
"""
ORDER = 'order = { type = "permutation", items = ["p", "q", "r", "s", "t", "u"] }'
OBJECTIVE = """
import json, os, time, zlib
from pathlib import Path
def measure(point):
    text = json.dumps(point, sort_keys=True)
    luck = zlib.crc32(text.encode()) % 1000
    if luck < 20:
        time.sleep(1000)
    if luck < 120:
        raise RuntimeError("unlucky")
    time.sleep(0.05)
    value = (point["x"] - 41) ** 2 + (point["y"] - 17) ** 2 + 10.0 * (point["kind"] != "b")
    value += 3.0 * ("order" in point and point["order"].index("r"))
    # noise
    # several
    line = json.dumps([point, value]) + "\\n"
    file = os.open(Path(__file__).with_name("measured.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, line.encode())
    os.close(file)
    return value
"""


@dataclass(frozen=True)
class Drill:
    """How hard the drill is."""

    n_workers: int = 8
    n_trials: int = 400
    kill_every: float = 1.0  # seconds
    method: str = "random"
    seed: int = 0
    max_seconds: float = 900.0
    # A kill also waits for so many measurements since the last one, so that slow machines get through too.
    min_progress: int = 0
    repeats: Repeats = False
    kind: str = "plain"
    timeout: float = 3.0  # seconds; what hangs takes so long, and what is slow on a busy machine may

    @property
    def overrides(self) -> dict[str, Any]:
        """What stands in for entries of the problem file."""
        return {"method": self.method, "repeats": self.repeats}

    @property
    def problem(self) -> str:
        """The text of the problem file."""
        text = PROBLEM.replace("timeout = 3.0", f"timeout = {self.timeout}").replace(
            "# more goals", SEVERAL if self.kind == "several" else ""
        )
        if self.kind == "orders":
            text = text.replace("# more variables", ORDER).replace(
                "# more rules", "first = \"before(order, 'p', 'q')\""
            )
        return text

    @property
    def objective(self) -> str:
        """The text of the module that measures."""
        noise = "value += int.from_bytes(os.urandom(4)) / 2**33" if self.repeats else ""
        both = (
            'value = {"time": value, "work": float(point["x"] * point["y"]), "memory": float(point["x"] + point["y"])}'
        )
        return OBJECTIVE.replace("# noise", noise).replace("# several", both if self.kind == "several" else "")


@dataclass(frozen=True)
class Report:
    """What the drill found; everything from `n_measured_not_stored` to `n_workers_crashed` must be 0."""

    n_complete: int
    n_failed: int
    n_lost: int
    n_late: int
    n_measured: int
    n_measured_not_stored: int
    n_stored_not_measured: int
    n_measured_twice: int
    n_stored_twice: int
    n_undeclared_repeats: int
    n_invalid: int
    n_still_running: int
    n_missing: int
    n_workers_crashed: int = 0
    seconds: float = 0.0
    n_kills: int = 0
    n_restarts: int = 0
    n_again: int = 0  # readings of points that had one before, as they were meant

    @property
    def is_clean(self) -> bool:
        """Whether nothing went wrong."""
        wrong = ("not_stored", "not_measured", "twice", "repeats", "invalid", "still_running", "missing", "crashed")
        return not any(value for name, value in asdict(self).items() if name.endswith(wrong))


def run_drill(folder: Path, storage: str, drill: Drill, server: Postgres | None = None) -> Report:
    """Run the drill in a folder and return what it found."""
    (folder / "drill.toml").write_text(drill.problem, encoding="utf-8")
    (folder / "drill_objective.py").write_text(drill.objective, encoding="utf-8")
    rng = random.Random(drill.seed)
    start = time.monotonic()
    with _workers(folder, storage, drill) as (workers, new_worker):
        n_kills, n_crashes, n_restarts = _trouble(folder, workers, new_worker, drill, rng, server)
    report, suspects = _report(folder, storage, drill)
    for line in suspects:
        print(line, file=sys.stderr)
    return replace(
        report,
        seconds=round(time.monotonic() - start, 1),
        n_kills=n_kills,
        n_workers_crashed=n_crashes,
        n_restarts=n_restarts,
    )


def _trouble(
    folder: Path,
    workers: list[BaseProcess],
    new_worker: Callable[[], BaseProcess],
    drill: Drill,
    rng: random.Random,
    server: Postgres | None,
) -> tuple[int, int, int]:
    """Kill and replace workers until they have ended by themselves; return the kills, crashes and restarts."""
    n_kills = n_crashes = n_restarts = 0
    deadline = time.monotonic() + drill.max_seconds
    n_at_kill = 0
    while any(worker.is_alive() for worker in workers):
        if time.monotonic() > deadline:
            raise TimeoutError(f"The drill did not end within {drill.max_seconds:g} s.")
        time.sleep(drill.kill_every)
        n_measured = len(_measured(folder))
        if server is not None and not n_restarts and n_measured >= drill.n_trials // 3:
            server.stop()
            time.sleep(2.0)
            server.start()
            n_restarts += 1
        for place, worker in enumerate(workers):
            if worker.exitcode not in (None, 0):
                n_crashes += 1
                workers[place] = new_worker()
        place = rng.randrange(len(workers))
        # A worker that has ended saw the budget used up; the others are about to.
        has_moved = n_measured >= n_at_kill + drill.min_progress
        if has_moved and all(worker.is_alive() for worker in workers):
            n_at_kill = n_measured
            os.kill(workers[place].pid or 0, signal.SIGKILL)
            workers[place].join()
            workers[place] = new_worker()
            n_kills += 1
    return n_kills, n_crashes, n_restarts


@contextmanager
def _workers(folder: Path, storage: str, drill: Drill) -> Iterator[tuple[list[BaseProcess], Callable[[], BaseProcess]]]:
    # Forked from this process, which has loaded everything: starting anew would take longer than they live.
    context = multiprocessing.get_context("fork")
    _warm_up(folder, drill)

    def new_worker() -> BaseProcess:
        worker = context.Process(target=_work, args=(folder, storage, drill))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            worker.start()
        return worker

    workers = [new_worker() for _ in range(drill.n_workers)]
    try:
        yield workers, new_worker
    finally:
        for worker in workers:
            worker.kill()
            worker.join()


def _warm_up(folder: Path, drill: Drill) -> None:
    """Load and compile all that a study needs, for the workers to inherit."""
    with tempfile.TemporaryDirectory() as name:
        overrides = {"storage": f"sqlite:///{name}/warm.db", **drill.overrides}
        study = Study(load_problem(folder / "drill.toml", overrides))
        for asked in study.ask_by_hand(4):
            study.tell(asked.point, 1.0 if drill.kind != "several" else {"time": 1.0, "work": 1.0, "memory": 1.0})
        study.status()


def _work(folder: Path, storage: str, drill: Drill) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    overrides = {"storage": storage, "budget": drill.n_trials, "seed": drill.seed, **drill.overrides}
    report = run_study(load_problem(folder / "drill.toml", overrides), pace=Pace(watch=0.5, show=0.1, wait=0.2))
    sys.exit(0 if report.stopped == "budget" else 1)


def _report(folder: Path, storage: str, drill: Drill) -> tuple[Report, list[str]]:
    """Return what the drill found, and a line for each trial of a point with which something went wrong."""
    overrides = {"storage": storage, "budget": drill.n_trials, **drill.overrides}
    study = Study(load_problem(folder / "drill.toml", overrides))
    # Whatever measured in the last moment of a killed worker is told when somebody comes back.
    study.recover()
    trials = study.trials()
    points = {trial.number: point for trial in trials if (point := _point(study, trial)) is not None}
    complete = [trial for trial in trials if trial.state is TrialState.COMPLETE]
    stored = Counter(_key(points[trial.number], _given(trial)) for trial in complete)
    measured = Counter(_measured(folder))
    tried = [trial for trial in trials if trial.number in points and _is_undeclared(trial)]
    suggested = Counter(
        f"{_point_key(points[trial.number])} reading {trial.system_attrs.get(READING, 0)}" for trial in tried
    )
    # How often a point is measured is the method's own choice with "auto".
    most = math.inf if drill.repeats == "auto" else max(1, int(drill.repeats))
    beyond = [
        trial for trial in trials if trial.system_attrs.get(READING, 0) >= most and LATE not in trial.system_attrs
    ]
    status = study.status()
    report = Report(
        n_complete=status.n_complete,
        n_failed=status.n_failed,
        n_lost=status.n_lost,
        n_late=sum(LATE in trial.system_attrs for trial in trials),
        n_measured=sum(measured.values()),
        n_measured_not_stored=sum((measured - stored).values()),
        n_stored_not_measured=sum((stored - measured).values()),
        n_measured_twice=sum(n - 1 for n in measured.values()),
        n_stored_twice=sum(n - 1 for n in stored.values()),
        n_undeclared_repeats=sum(n - 1 for n in suggested.values()) + len(beyond),
        n_invalid=sum(point not in study.sampler.feasible for point in points.values()),
        n_still_running=sum(trial.state is TrialState.RUNNING for trial in trials),
        n_missing=max(0, drill.n_trials - status.n_counted_finished),
        n_again=sum(trial.system_attrs.get(READING, 0) > 0 for trial in complete),
    )
    wrong = {key.partition(" -> ")[0] for key in ((measured - stored) + (stored - measured))}
    wrong |= {key.partition(" -> ")[0] for key, n in [*measured.items(), *stored.items()] if n > 1}
    wrong |= {key.partition(" reading ")[0] for key, n in suggested.items() if n > 1}
    wrong |= {_point_key(points[trial.number]) for trial in beyond if trial.number in points}
    return report, [_described(trial) for trial in trials if _point_key(points.get(trial.number, {})) in wrong]


def _point(study: Study, trial: FrozenTrial) -> Point | None:
    """Return the point of a trial that has all its parameters; a claim alone was never tried."""
    row = study.sampler.row_of(trial) if len(trial.params) == len(study.sampler.distributions) else None
    return None if row is None else decode(study.problem.space, row)


def _given(trial: FrozenTrial) -> Any:
    """Return what a trial gave: a number, or numbers by name."""
    readings = trial.user_attrs.get(READINGS)
    named = readings[0] if readings else {UNNAMED: trial.values[0]}
    return named[UNNAMED] if set(named) == {UNNAMED} else named


def _described(trial: FrozenTrial) -> str:
    marks = {key: trial.system_attrs[key] for key in (AGAIN, LATE, LOST, READING) if key in trial.system_attrs}
    reason = trial.user_attrs.get("hedgerow", {}).get("reason", "")
    return f"trial {trial.number} {trial.params} {trial.state.name} {trial.values} {marks} {reason}"


def _is_undeclared(trial: FrozenTrial) -> bool:
    """Whether a trial tried its point without saying that somebody had tried it before."""
    is_declared = AGAIN in trial.system_attrs or LATE in trial.system_attrs
    return not is_declared and trial.system_attrs.get(LOST) != WITHDRAWN


def _measured(folder: Path) -> list[str]:
    file = folder / "measured.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [_key(*json.loads(line)) for line in lines]


def _key(point: Point, value: Any) -> str:
    return f"{_point_key(point)} -> {json.dumps(value, sort_keys=True)}"


def _point_key(point: Point) -> str:
    return json.dumps(point, sort_keys=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the drill on SQLite and PostgreSQL and print what it found."""
    parser = argparse.ArgumentParser(prog="python -m research faults", description=__doc__)
    parser.add_argument("--storage", choices=("sqlite", "postgresql", "both"), default="both")
    parser.add_argument("--workers", type=int, default=Drill.n_workers)
    parser.add_argument("--trials", type=int, default=Drill.n_trials)
    parser.add_argument("--kill-every", type=float, default=Drill.kill_every)
    parser.add_argument(
        "--min-progress", type=int, default=Drill.min_progress, help="measurements between kills, for busy machines"
    )
    parser.add_argument("--method", default=Drill.method)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--repeats",
        type=_repeats,
        default=Drill.repeats,
        help="measure each point so often, or as often as 'auto' says",
    )
    parser.add_argument("--kind", choices=("plain", "several", "orders"), default=Drill.kind, help="what trials are of")
    parser.add_argument(
        "--timeout", type=float, default=Drill.timeout, help="seconds for an evaluation, for busy machines"
    )
    parser.add_argument("--max-seconds", type=float, default=Drill.max_seconds)
    options = parser.parse_args(arguments)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    drill = Drill(
        options.workers,
        options.trials,
        options.kill_every,
        options.method,
        options.seed,
        max_seconds=options.max_seconds,
        min_progress=options.min_progress,
        repeats=options.repeats,
        kind=options.kind,
        timeout=options.timeout,
    )
    is_clean = True
    for kind in ("sqlite", "postgresql") if options.storage == "both" else (options.storage,):
        with tempfile.TemporaryDirectory(prefix="hedgerow-drill-") as name:
            if kind == "sqlite":
                report = run_drill(Path(name), f"sqlite:///{name}/drill.db", drill)
            else:
                with Postgres() as server:
                    report = run_drill(Path(name), server.url, drill, server)
        is_clean = is_clean and report.is_clean
        drilled = {"storage": kind, "kind": drill.kind, "repeats": drill.repeats, "method": drill.method}
        print(json.dumps({**drilled, "clean": report.is_clean, **asdict(report)}), flush=True)
    return 0 if is_clean else 1


def _repeats(text: str) -> Repeats:
    return "auto" if text == "auto" else int(text)


if __name__ == "__main__":
    sys.exit(main())

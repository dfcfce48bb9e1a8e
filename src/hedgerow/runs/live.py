"""What a person sees of a run: a live page in a terminal, lines elsewhere."""

from __future__ import annotations

import math
import time
from collections import deque
from types import TracebackType
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from hedgerow.compiled import announce, say_to_log
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.reading import TrialOutcome
from hedgerow.runs.judged import StudyOutcomes
from hedgerow.runs.loop import RunState
from hedgerow.runs.problem import Problem
from hedgerow.runs.status import Status
from hedgerow.runs.stored import Asked
from hedgerow.runs.workers.job import Outcome
from hedgerow.wording import counted

_N_LAST = 8
_MAX_RUNNING = 8


class LiveView:
    """A page that is drawn anew: progress, the best point, the last trials, what runs, failures, the time left."""

    def __init__(self, problem: Problem, console: Console | None = None) -> None:
        self._problem = problem
        self._console = console or Console(stderr=True)
        self._live = Live(console=self._console, auto_refresh=False, transient=False)
        self._last: deque[tuple[Asked, Outcome]] = deque(maxlen=_N_LAST)
        self._pace = _Speed()

    def __enter__(self) -> LiveView:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def __call__(self, state: RunState) -> None:
        """Draw the page."""
        self._last.extend(state.ended)
        self._pace.note(state.status.n_counted_finished)
        self._live.update(self.page(state), refresh=True)

    def page(self, state: RunState) -> RenderableType:
        """Return the page."""
        parts: list[RenderableType] = [self._progress(state), self._best(state)]
        if state.running:
            parts.append(_running(state))
        if self._last:
            parts.append(_last_trials(list(self._last), self._problem.goals))
        title = Text(f"hedgerow run · {self._problem.study}", style="bold")
        note = "finishing what runs; Ctrl-C again to give it up" if state.is_stopping else "Ctrl-C to stop"
        return Panel(Group(*parts), title=title, title_align="left", subtitle=note, border_style="green")

    def _progress(self, state: RunState) -> RenderableType:
        status, budget = state.status, self._problem.budget
        done = min(status.n_counted_finished, budget)
        grid = Table.grid(padding=(0, 2))
        grid.add_row(
            ProgressBar(total=budget, completed=done, width=30),
            f"{status.n_counted_finished}/{budget}",
            self._pace.left(budget - done),
        )
        counts = Text(f"{status.n_complete} measured")
        counts.append(f", {status.n_failed} failed", style="red" if status.n_failed else "dim")
        n_runs = len(status.workers)
        counts.append(f", {status.n_running} running{f' in {n_runs} runs' if n_runs > 1 else ''}", style="dim")
        if status.n_by_hand:
            counts.append(f", {status.n_by_hand} waiting for values by hand", style="dim")
        if status.n_lost:
            counts.append(f", {status.n_lost} lost and tried again", style="yellow")
        if status.n_infeasible:
            counts.append(f", {status.n_infeasible} outside the rules as they are now", style="yellow")
        return Group(grid, counts)

    def _best(self, state: RunState) -> RenderableType:
        status = state.status
        if status.judged is not None and status.judged.front and status.best_value is None:
            return Text(_front_size(status.judged), style="bold green")
        if status.best_point is None or status.best_value is None:
            return Text("no value yet", style="dim")
        text = Text("best ", style="bold")
        text.append(_best_value(status, self._problem), style="bold green")
        return text.append(f"  {described(status.best_point)}", style="not bold")


class LineView:
    """A line for each improvement, new front and failure, and now and then how far the run is: for logs and pipes."""

    def __init__(self, problem: Problem, console: Console | None = None, every: float = 30.0) -> None:
        self._problem = problem
        self._console = console or Console(stderr=True)
        self._every = every
        self._said_at = time.monotonic()
        self._best: int | None = None
        self._front: frozenset[int] = frozenset()

    def __enter__(self) -> LineView:
        announce(say_to_log)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def __call__(self, state: RunState) -> None:
        """Say what is new."""
        status = state.status
        for asked, outcome in state.ended:
            if outcome.failed:
                self._say(f"trial {asked.number} failed: {outcome.reason}")
            elif outcome.reason:
                self._say(f"trial {asked.number} {outcome.reason}")
        if status.best_number is not None and status.best_number != self._best:
            self._best = status.best_number
            value = _best_value(status, self._problem)
            self._say(f"trial {status.best_number}: best {value}  {described(status.best_point or {})}")
        if status.judged is not None and status.judged.goals.objectives.are_several:
            self._say_front(status.judged)
        if time.monotonic() - self._said_at > self._every:
            self._say(f"{status.n_counted_finished}/{self._problem.budget} trials, {status.n_running} running")

    def _say_front(self, judged: StudyOutcomes) -> None:
        """Say that the front has changed, with what the newest of it gave."""
        now = frozenset(point.numbers[0] for point in judged.front)
        before, self._front = self._front, now
        if now == before:
            return
        if not now - before:
            self._say(_front_size(judged))
            return
        newest = max((point for point in judged.front if point.numbers[0] not in before), key=lambda p: p.numbers[0])
        gave = ", ".join(
            f"{name} = {self._problem.in_unit(f'{number:,.6g}', name)}" for name, number in newest.seen.outcomes.items()
        )
        self._say(f"trial {newest.numbers[0]}: {_front_size(judged)}  {gave}  {described(newest.seen.point)}")

    def _say(self, line: str) -> None:
        self._said_at = time.monotonic()
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class _Speed:
    """How fast trials end, over the last minutes."""

    def __init__(self, window: float = 300.0) -> None:
        self._window = window
        self._notes: deque[tuple[float, int]] = deque()

    def note(self, n_finished: int) -> None:
        now = time.monotonic()
        self._notes.append((now, n_finished))
        while len(self._notes) > 2 and now - self._notes[0][0] > self._window:
            self._notes.popleft()

    def left(self, n_left: int) -> str:
        if len(self._notes) < 2 or n_left <= 0:
            return ""
        (start, first), (end, last) = self._notes[0], self._notes[-1]
        if last <= first:
            return ""
        seconds = int(n_left * (end - start) / (last - first))
        hours, rest = divmod(seconds, 3600)
        return f"about {hours}:{rest // 60:02d}:{rest % 60:02d} left"


def described(point: dict[str, Any]) -> str:
    """Return a point as a person writes it."""
    return ", ".join(f"{name} = {value}" for name, value in point.items())


def _running(state: RunState) -> Table:
    table = Table(header_style="bold", box=None, padding=(0, 2, 0, 0))
    for column in ("running", "seconds"):
        table.add_column(column, no_wrap=True, min_width=len(column))
    table.add_column("point", overflow="fold")
    for asked, seconds in state.running[:_MAX_RUNNING]:
        table.add_row(str(asked.number), f"{seconds:.1f}", Text(described(asked.point)))
    if len(state.running) > _MAX_RUNNING:
        table.add_row("…", "", f"and {len(state.running) - _MAX_RUNNING} more")
    return table


def _best_value(status: Status, problem: Problem) -> str:
    """Return the value of the best point; where points are measured again, what is believed of it."""
    best = None if status.judged is None else status.judged.best
    if best is None or best.seen.believed is None:
        return problem.in_unit(f"{status.best_value:,.6g}")
    believed = best.seen.believed
    deviation = "" if math.isnan(believed.sd) else f" ± {believed.sd:,.3g}"
    return f"{problem.in_unit(f'{believed.mean:,.6g}{deviation}')} believed from {counted(best.n_readings, 'reading')}"


def _front_size(judged: StudyOutcomes) -> str:
    return f"{counted(len(judged.front), 'point')} on the front"


def _measured(outcome: Outcome, goals: Goals) -> str:
    if outcome.value is not None and not outcome.readings:
        return f"{outcome.value:,.6g}"
    numbers = goals.ordered(TrialOutcome(tuple(outcome.readings)).numbers)
    return ", ".join(f"{name} {number:,.6g}" for name, number in numbers.items())


def _last_trials(last: list[tuple[Asked, Outcome]], goals: Goals) -> Table:
    table = Table(header_style="bold", box=None, padding=(0, 2, 0, 0))
    for column in ("ended", "value", "seconds"):
        # Wide enough for what stands there, whatever the point needs.
        table.add_column(column, no_wrap=column != "value", min_width=12 if column == "value" else len(column))
    table.add_column("point", overflow="fold")
    for asked, outcome in reversed(last):
        value = Text(outcome.reason, style="red") if outcome.failed else Text(_measured(outcome, goals))
        table.add_row(str(asked.number), value, f"{outcome.seconds:.1f}", Text(described(asked.point)))
    return table

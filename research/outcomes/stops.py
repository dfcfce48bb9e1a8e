"""When to stop, calibrated: `python -m research stopping [--held-out] [--runs 60] [--seconds 3600] [--page]`.

Records runs on random tasks (`random_tasks.py`), each on a task of its own: after each trial how far the best is from
the optimum, in what a gain must be worth (a hundredth of the way from the optimum to the median), and the chance that
any untried point gains that much. What any rule would have done is read from these rows afterwards.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import hedgerow as hr
from hedgerow.methods.threads import one_thread
from research.outcomes.random_tasks import FAMILIES, FIRST_HELD_OUT, random_task

TABLE = Path(__file__).parents[2] / "docs" / "results" / "stopping.csv"
# A run is recorded to so many times the trials needed and some more: a rule that would go on longer is late anyway.
_TIMES, _MORE, _MOST = 3, 30, 150
_FIRST_CHANCE = 8
# It also ends where the chance was below this for so many trials in a row: rules that are looked at have stopped then.
SURE, SURE_FOR = 0.02, 6


@dataclass(frozen=True)
class Record:
    """A run: by trial the gap in what a gain must be worth, and the chance of a gain, NaN where nobody asked."""

    task: str
    n_points: int
    gaps: tuple[float, ...]
    chances: tuple[float, ...]

    @property
    def is_held_out(self) -> bool:
        """Whether rules and constants were chosen without it."""
        return int(self.task.partition(" ")[2]) >= FIRST_HELD_OUT

    @property
    def ends_surely(self) -> bool:
        """Whether recording ended because a gain had become as good as impossible."""
        return len(self.chances) > SURE_FOR and max(self.chances[-SURE_FOR:]) < SURE

    @property
    def needed(self) -> int | None:
        """After how many trials the best was near enough."""
        return next((n for n, gap in enumerate(self.gaps, start=1) if gap <= 1.0), None)


def record(name: str) -> Record:
    """Make a run and record it."""
    task = random_task(name)
    values = task.columns[:, 0]
    optimum = float(values.min())
    least = 0.01 * (float(np.median(values)) - optimum)
    optimizer = hr.Optimizer(task.space, task.rules, objectives=task.objectives)
    gaps: list[float] = []
    chances: list[float] = []
    needed = None
    while len(gaps) < (_MOST if needed is None else min(_MOST, _TIMES * needed + _MORE)):
        if needed is not None and len(gaps) > needed + SURE_FOR and max(chances[-SURE_FOR:]) < SURE:
            break
        point = optimizer.ask()
        optimizer.tell(point, task.truth(point))
        gaps.append((float(optimizer.good_values().min()) - optimum) / least)
        needed = len(gaps) if needed is None and gaps[-1] <= 1.0 else needed
        chances.append(optimizer.chance_of_gain(least) if len(gaps) >= _FIRST_CHANCE else float("nan"))
    return Record(name, task.rows.shape[0], tuple(gaps), tuple(chances))


def names(is_held_out: bool, n: int) -> Iterator[str]:
    """Yield tasks, family by family in turn."""
    first = FIRST_HELD_OUT if is_held_out else 0
    for place in range(n):
        yield f"{list(FAMILIES)[place % len(FAMILIES)]} {first + place // len(FAMILIES)}"


def read(table: Path) -> list[Record]:
    """Return the runs that are there."""
    if not table.exists():
        return []
    gaps, chances = defaultdict(list), defaultdict(list)
    points: dict[str, int] = {}
    with table.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            points[row["task"]] = int(row["points"])
            gaps[row["task"]].append(float(row["gap"]))
            chances[row["task"]].append(float(row["chance"]))
    return [Record(task, points[task], tuple(gaps[task]), tuple(chances[task])) for task in gaps]


def append(table: Path, run: Record) -> None:
    """Add a run to the table at once."""
    is_new = not table.exists()
    lines = [
        f"{run.task},{run.n_points},{n},{gap:.4g},{chance:.4g}\n"
        for n, (gap, chance) in enumerate(zip(run.gaps, run.chances, strict=True), start=1)
    ]
    with table.open("a", encoding="utf-8") as file:
        file.write(("task,points,trial,gap,chance\n" if is_new else "") + "".join(lines))


def main(arguments: Sequence[str] | None = None) -> int:
    """Record what is missing within the processor time given."""
    parser = argparse.ArgumentParser(prog="python -m research stopping", description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="the tasks that nothing was chosen on")
    parser.add_argument("--runs", type=int, default=60, help="how many runs in all (default 60)")
    parser.add_argument("--seconds", type=float, default=3600.0, help="processor time to spend (default 3600)")
    parser.add_argument("--table", type=Path, default=TABLE, help="the CSV file of finished runs")
    options = parser.parse_args(arguments)
    stored = {run.task for run in read(options.table)}
    end = time.process_time() + options.seconds
    with one_thread():
        for name in names(options.held_out, options.runs):
            if name in stored:
                continue
            if time.process_time() > end:
                print("The time is up; the same command goes on from here.", file=sys.stderr)
                break
            run = record(name)
            append(options.table, run)
            print(f"{name}: near enough after {run.needed} of {len(run.gaps)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

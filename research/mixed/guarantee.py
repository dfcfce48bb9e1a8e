"""Whatever leaves random mixed problems judged by plain Python: `python -m research mixed --guarantee N [--family F]`.

Asks of the default and of uniform draws, one by one and in batches, draws and repairs of points anywhere must keep the
rules; membership must be Python's; volumes must lie within their bounds, as independent draws from the space tell; what
is said to be infeasible must be. A row for each problem is kept, so that a run goes on where it stopped.
"""

from __future__ import annotations

import csv
import math
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

import hedgerow as hr
from research.mixed.nasty_problems import nasty_problem
from research.mixed.random_problems import RandomProblem, random_problem

FAMILIES: dict[str, Callable[[Generator], RandomProblem]] = {"plain": random_problem, "nasty": nasty_problem}


@dataclass(frozen=True)
class Amounts:
    """How many points each way out of a problem gives; asks of any kind are suggestions, fifty of each problem."""

    asked: int = 6
    asked_together: int = 4
    asked_of_random: int = 40
    drawn: int = 10
    mended: int = 8
    casts: int = 2000


# What may be refused: equalities that cannot be solved, and conditions without a truth value.
_REASONS = ("equalit", "cannot be evaluated at some points")
# A share of so many casts is off by more than so many deviations once in millions.
_DEVIATIONS = 5.5


@dataclass
class Checked:
    """What one problem showed; `fault` is empty where nothing was wrong."""

    family: str
    number: int
    outcome: str = "feasible"
    suggested: int = 0
    points: int = 0
    sampling: str = ""
    share: str = ""
    volume_low: str = ""
    volume_high: str = ""
    seconds: str = ""
    fault: str = ""


def check(family: str, number: int, amounts: Amounts, seed: int = 0) -> Checked:
    """Return what one problem showed."""
    found = Checked(family, number)
    began = time.process_time()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        problem = FAMILIES[family](np.random.default_rng([seed, number]))
        faults = _faults(problem, number, found, amounts)
    found.fault = "; ".join(f"{fault} under {problem.rules}" for fault in faults[:3])
    found.seconds = f"{time.process_time() - began:.2f}"
    return found


def _faults(problem: RandomProblem, number: int, found: Checked, amounts: Amounts) -> list[str]:
    rng = np.random.default_rng([number, 7])
    casts = [problem.draw(rng) for _ in range(amounts.casts)]
    kept = float(np.mean([problem.holds(point) for point in casts]))
    found.share = f"{kept:.4f}"
    try:
        feasible = hr.FeasibleSet(problem.space, problem.rules)
        ways = {"drawn": feasible.sample(amounts.drawn, seed=number)}
    except (hr.RuleError, hr.SpaceError) as error:
        found.outcome = "refused"
        is_known = any(reason in str(error) for reason in _REASONS)
        return [] if is_known else [f"refused without a reason: {error}"]
    except hr.InfeasibleError:
        found.outcome = "proven infeasible"
        known = [problem.planted] if problem.planted is not None else [point for point in casts if problem.holds(point)]
        return [f"said to be infeasible, but {point} is not" for point in known[:1]]
    except hr.EffortExceeded:
        found.outcome = "unknown"
        return [f"said to be unknown, but {kept:.3f} is feasible"] if kept > 0.01 else []
    found.sampling = feasible.sampling
    ways |= _asked(problem, number, amounts)
    found.suggested = sum(len(points) for way, points in ways.items() if way.startswith("asked"))
    ways["mended"] = [feasible.repair(point) for point in casts[: amounts.mended]]
    found.points = sum(map(len, ways.values()))
    faults = [
        f"{way} {point} breaks a rule" for way, points in ways.items() for point in points if not problem.holds(point)
    ]
    known = casts[:100] + ([] if problem.planted is None else [problem.planted])
    faults += [f"Python differs about {point}" for point in known if (point in feasible) != problem.holds(point)]
    return faults + ([] if problem.has_equality else _volume_faults(feasible, kept, amounts.casts, found))


def _volume_faults(feasible: hr.FeasibleSet, kept: float, n_casts: int, found: Checked) -> list[str]:
    low, high = feasible.volume
    found.volume_low, found.volume_high = f"{low:.4f}", f"{high:.4f}"
    margin = _DEVIATIONS * math.sqrt(max(kept * (1 - kept), 1 / n_casts) / n_casts)
    is_inside = low - margin <= kept <= high + margin
    return [] if is_inside else [f"the volume {low:.4f} to {high:.4f} does not hold {kept:.4f}"]


def _asked(problem: RandomProblem, seed: int, amounts: Amounts) -> dict[str, list[dict[str, Any]]]:
    """Return what optimizers ask: the default one by one, then a batch of it, and a batch of uniform draws."""
    optimizer = hr.Optimizer(problem.space, problem.rules, seed=seed)
    points = []
    for _ in range(amounts.asked):
        point = optimizer.ask()
        points.append(point)
        numbers = [value for value in point.values() if isinstance(value, float | int)]
        optimizer.tell(point, float(sum(math.sin(1.7 * value + place) for place, value in enumerate(numbers))))
    together = optimizer.ask(amounts.asked_together) if amounts.asked_together else []
    drawing = hr.Optimizer(problem.space, problem.rules, method="random", seed=seed)
    return {
        "asked": points,
        "asked in a batch": together,
        "asked of random": drawing.ask(amounts.asked_of_random) if amounts.asked_of_random else [],
    }


# --- rows and what they say ---


def run(table: Path, family: str, n_problems: int, seconds: float, amounts: Amounts | None = None) -> list[Checked]:
    """Check the problems that the table lacks, within some processor time; return all rows of the table."""
    rows = read(table)
    done = {row.number for row in rows if row.family == family}
    end = time.process_time() + seconds
    for number in range(n_problems):
        if time.process_time() > end:
            break
        if number not in done:
            rows.append(check(family, number, amounts or Amounts()))
            _append(table, rows[-1])
            if rows[-1].fault:
                print(family, number, rows[-1].fault, flush=True)
    return rows


def read(table: Path) -> list[Checked]:
    """Return the rows of a table."""
    if not table.exists():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    for row in rows:
        row.update({name: int(row[name]) for name in ("number", "suggested", "points")})
    return [Checked(**row) for row in rows]


def _append(table: Path, row: Checked) -> None:
    is_new = not table.exists()
    with table.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Checked)])
        if is_new:
            writer.writeheader()
        writer.writerow(asdict(row))


def section(rows: Sequence[Checked]) -> list[str]:
    """Return the tables of the page: what the problems of each family were, and what left them."""
    lines = [
        "| problems | plain | nasty |",
        "|---|---|---|",
    ]
    by_family = [[row for row in rows if row.family == family] for family in FAMILIES]
    for label, of in _LINES.items():
        lines.append(f"| {label} | " + " | ".join(of(own) if own else "" for own in by_family) + " |")
    return lines


def _n(rows: Sequence[Checked], outcome: str) -> str:
    return str(sum(row.outcome == outcome for row in rows))


def _volumes(rows: Sequence[Checked]) -> str:
    apart = [float(row.volume_high) - float(row.volume_low) for row in rows if row.volume_low]
    return f"{len(apart)}, bounds {np.mean(apart):.3f} apart in the mean" if apart else "0"


_LINES: dict[str, Callable[[Sequence[Checked]], str]] = {
    "made": lambda rows: str(len(rows)),
    "with feasible points found": lambda rows: _n(rows, "feasible"),
    "proven infeasible": lambda rows: _n(rows, "proven infeasible"),
    "said to be unknown": lambda rows: _n(rows, "unknown"),
    "refused, with the reason": lambda rows: _n(rows, "refused"),
    "**points suggested**": lambda rows: f"{sum(row.suggested for row in rows):,}",
    "points in all, with draws and repairs": lambda rows: f"{sum(row.points for row in rows):,}",
    "**problems with a fault**": lambda rows: str(sum(bool(row.fault) for row in rows)),
    "draws": lambda rows: ", ".join(
        f"{n} {kind}" for kind, n in sorted(Counter(r.sampling for r in rows if r.sampling).items())
    ),
    "volumes compared": _volumes,
    "median and longest processor time": lambda rows: (
        f"{np.median([float(row.seconds) for row in rows]):.1f} and {max(float(row.seconds) for row in rows):.1f} s"
    ),
}

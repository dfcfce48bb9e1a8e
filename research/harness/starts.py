"""When training with the rules helps: tables and figures over where factors begin, the weight of the penalty, and where
suggestions may lie, and what a fresh model predicts of it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from research.harness.cell import Cell
from research.harness.page import PageTable
from research.harness.row import Row
from research.harness.statistics import compare, sign_test
from research.harness.summary import CellSummary
from research.harness.variants import broken

STARTS = ("N(0, 1)", "N(0, 0.5²)", "N(0, 0.2²)", "scaled")
PLACES = ("anywhere", "anywhere, no spread outside", "inside the rules")
_COLORS = {"anywhere": "#d55e00", "anywhere, no spread outside": "#0072b2", "inside the rules": "#009e73"}
_STYLES = {0.0: "--", 0.01: ":", 1.0: "-"}
_SHARES = (("below 1 %", 0.0, 0.01), ("1 to 10 %", 0.01, 0.1), ("more", 0.1, 1.1))
_OF_SPREAD = {1.0: STARTS[0], 0.5: STARTS[1], 0.2: STARTS[2]}


class Corner(NamedTuple):
    """One choice: the format, where factors begin, the weight of the penalty, and where suggestions may lie."""

    format: str
    start: str
    weight: float
    place: str


def corner(cell: Cell) -> Corner:
    """Return what a cell of the study chooses."""
    spread = float(cell.get("beginning_spread") or 1.0)
    start = STARTS[3] if cell.get("beginning") == "scaled" else _OF_SPREAD[spread]
    outside = PLACES[0] if cell.get("doubts_rules") else PLACES[1]
    place = PLACES[2] if cell.get("restrict_to_rules") else outside
    return Corner(str(cell.get("format") or "tt"), start, float(cell.get("penalty") or 0.0), place)


def starts_table(summaries: Sequence[CellSummary], formats: Sequence[str] | None = None) -> PageTable:
    """Return for each format, place and start the runs without and with the penalty (λ = 1), and a test in pairs.

    Of each task those cells are counted that have both; `formats` are those to show, all by default.
    """
    lines = [line for line in _lines(summaries) if formats is None or line.format in formats]
    body = [
        [
            line.format.upper(),
            line.place,
            line.start,
            *_all(line.without),
            *_all(line.with_it),
            f"{line.won} / {line.tied} / {line.lost}",
            f"{sign_test(line.won, line.lost):.2g}",
            f"{len(line.without)} / {sum(each.n_runs for each in line.without)}",
        ]
        for line in lines
    ]
    sides = ("found", "evaluations", "% broke a rule")
    head = ("format", "suggestions", "factors begin", *(f"λ = 0: {x}" for x in sides), *(f"λ = 1: {x}" for x in sides))
    return PageTable((*head, "pairs won / tied / lost by λ = 1", "p", "tasks / runs"), body)


def starts_text(summaries: Sequence[CellSummary]) -> str:
    """Return how to read the table, and how many tests it holds."""
    n_tests = len(_lines(summaries))
    return (
        "Found: runs that found the optimum; evaluations: the geometric mean over the tasks of the mean evaluations to "
        "it, a miss counting as the budget; the share of suggestions that broke a rule is a mean over the tasks. Runs "
        "with one seed and task begin at the same point and are compared in pairs (a lower value, or the same value "
        f"earlier); {n_tests} sign tests are made, so that by Bonferroni's rule a p below {0.05 / max(1, n_tests):.2g} "
        "counts."
    )


@dataclass(frozen=True)
class _Line:
    """A format, place and start: the cells without and with the penalty, task by task, and pairs of their runs."""

    format: str
    place: str
    start: str
    without: list[CellSummary]
    with_it: list[CellSummary]
    won: int
    tied: int
    lost: int


def _lines(summaries: Sequence[CellSummary]) -> list[_Line]:
    found = {(each.task, corner(each.cell)): each for each in summaries}
    formats = dict.fromkeys(one.format for _, one in found)
    lines = []
    for form, place, start in product(formats, PLACES, STARTS):
        pairs = [
            (found[task, one], found[task, one._replace(weight=1.0)])
            for task, one in found
            if (one.format, one.place, one.start, one.weight) == (form, place, start, 0.0)
            and (task, one._replace(weight=1.0)) in found
        ]
        compared = [result for a, b in pairs if (result := compare(b.rows, a.rows)) is not None]
        if compared:
            won, tied, lost = (sum(getattr(each, side) for each in compared) for side in ("won", "tied", "lost"))
            lines.append(_Line(form, place, start, [a for a, _ in pairs], [b for _, b in pairs], won, tied, lost))
    return lines


def fresh_table(rows: Iterable[Row]) -> PageTable:
    """Return what fresh models put below the best value at infeasible points, by start and weight, with the tasks."""
    shares = fresh_shares(rows)
    tasks = list(dict.fromkeys(task for task, *_ in shares))
    keys = sorted(
        dict.fromkeys(key[1:] for key in shares), key=lambda key: (key[0] != "tt", key[0], STARTS.index(key[1]), key[2])
    )
    body = [
        [form.upper(), start, f"{weight:g}", *(_percent(shares.get((task, form, start, weight))) for task in tasks)]
        for form, start, weight in keys
    ]
    return PageTable(("format", "factors begin", "λ", *tasks), body)


def fresh_shares(rows: Iterable[Row]) -> dict[tuple[str, str, str, float], float]:
    """Return the share of predictions below the best at infeasible points after eight observations, by task."""
    groups: dict[tuple[str, str, str, float], list[float]] = defaultdict(list)
    for row in rows:
        if row.measure == "fresh":
            one = corner(Cell.parse(row.cell))
            groups[row.task, one.format, one.start, one.weight].append(row.series["infeasible"][-1])
    return {key: float(np.mean(group)) for key, group in groups.items()}


def predicted_pairs(rows: Iterable[Row], summaries: Sequence[CellSummary], place: str) -> list[tuple[float, float]]:
    """Return for each cell of a place what its fresh model puts below, and the share of its suggestions outside."""
    shares = fresh_shares(rows)
    pairs = []
    for each in summaries:
        one = corner(each.cell)
        share = shares.get((each.task, one.format, one.start, one.weight))
        if one.place == place and share is not None:
            pairs.append((share, broken(each) / 100.0))
    return pairs


def prediction_text(rows: Sequence[Row], summaries: Sequence[CellSummary]) -> str:
    """Return how well the share below the best predicts the share of suggestions that break a rule."""
    from scipy.stats import spearmanr  # type: ignore[import-untyped]  # noqa: PLC0415 - slow to load, only pages need it

    parts = []
    for place in PLACES[:2]:
        pairs = predicted_pairs(rows, summaries, place)
        if len(pairs) > 3:
            rank = float(spearmanr(*zip(*pairs, strict=True)).statistic)
            groups = [
                f"{_range([outside for share, outside in pairs if low <= share < high])} where it is {name}"
                for name, low, high in _SHARES
            ]
            parts.append(f"{place}: rank correlation {rank:.2f} over {len(pairs)} cells; {', '.join(groups)}")
    return (
        "Share of the ten models' predictions below the best of eight feasible observations, at infeasible points, "
        f"after these eight rounds of training. As a predictor of the share of suggestions that break a rule: "
        f"{'; '.join(parts)}."
    )


def draw_starts(path: Path, summaries: Sequence[CellSummary], tasks: Sequence[str]) -> None:
    """Draw evaluations to the optimum over where factors begin: a panel per task, a line per place and weight."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - only for those who draw

    figure = Figure(figsize=(4.6 * len(tasks), 4.2), layout="constrained")
    grid = figure.subplots(1, len(tasks), squeeze=False).ravel()
    found = {(each.task, corner(each.cell)): each for each in summaries}
    for axes, task in zip(grid, tasks, strict=True):
        for place in PLACES:
            for weight, style in _STYLES.items():
                line = [found.get((task, Corner("tt", start, weight, place))) for start in STARTS]
                known = [(x, each) for x, each in enumerate(line) if each is not None]
                if known:
                    means = [each.evaluations for _, each in known]
                    errors = [_error(each.rows) for _, each in known]
                    name = f"{place}, λ = {weight:g}"
                    axes.errorbar(
                        [x + 0.04 * PLACES.index(place) for x, _ in known],
                        means,
                        errors,
                        marker="o",
                        markersize=4,
                        capsize=2,
                        linewidth=1.6,
                        linestyle=style,
                        color=_COLORS[place],
                        label=name,
                    )
        axes.set_xticks(range(len(STARTS)), STARTS)
        axes.set_title(task, loc="left", fontweight="bold")
        axes.set_xlabel("where factors begin")
        axes.grid(visible=True, alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    grid[0].set_ylabel("evaluations to the optimum")
    handles, names = grid[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def draw_predictor(path: Path, rows: Sequence[Row], summaries: Sequence[CellSummary]) -> None:
    """Draw the share of suggestions that broke a rule over what a fresh model puts below the best value."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - only for those who draw

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    for place in PLACES[:2]:
        pairs = predicted_pairs(rows, summaries, place)
        shares, outside = ([pair[side] for pair in pairs] for side in (0, 1))
        axes.scatter(shares, outside, s=26, alpha=0.7, color=_COLORS[place], label=place)
    # Most shares are tiny, and zero has a place, too.
    axes.set_xscale("symlog", linthresh=1e-3)
    axes.set_xticks((0, 0.001, 0.01, 0.1, 0.5), ("0", "0.1 %", "1 %", "10 %", "50 %"))
    axes.minorticks_off()
    axes.set_xlabel("share that a fresh model puts below the best value at infeasible points")
    axes.set_ylabel("share of suggestions that broke a rule")
    axes.grid(visible=True, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _all(summaries: Iterable[CellSummary]) -> list[str]:
    listed = list(summaries)
    n_runs = sum(each.n_runs for each in listed)
    mean = math.exp(float(np.mean([math.log(each.evaluations) for each in listed])))
    outside = float(np.mean([broken(each) for each in listed]))
    return [f"{n_runs - sum(each.misses for each in listed)}/{n_runs}", f"{mean:.0f}", f"{outside:.0f}"]


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else f"{100 * share:.1f} %"


def _range(shares: Sequence[float]) -> str:
    return f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %" if shares else "none"


def _error(rows: Sequence[Row]) -> float:
    numbers = [row.first_round if row.reached else row.budget for row in rows]
    return float(np.std(numbers) / math.sqrt(len(numbers)))

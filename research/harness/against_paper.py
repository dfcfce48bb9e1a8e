"""Rounds beside the published ones: do they agree within what ten runs can tell?

The paper prints means of ten runs without their spread. Its runs are taken to spread as ours do: the difference of the
two means then has a standard error of sd * sqrt(1/n + 1/10), and 95 % of such differences lie within a quantile of
Student's distribution of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from research.harness.labels import PublishedCell, family, label, published
from research.harness.milestones import PRINTED_DIGITS
from research.harness.page import PageTable
from research.harness.statistics import sign_test
from research.harness.summary import CellSummary
from research.harness.tables import paper_text, short

# Runs behind each printed mean.
_N_PAPER = 10
_LEVEL = 0.975
_N_RANKS, _MOST_FORMATS = 5, 2
_OF_THE_PAPER = {"follows", "format", "rank", "variant"}
_FORMATS = {"cp": "CP", "tr": "tensor ring", "tt": "tensor train"}
_COLORS = {"cp": "#0072b2", "tr": "#d55e00", "tt": "#009e73"}
_WORDS = {"batch_size": "all infeasible points", "ring": "closed"}
# Its ten patients are not named and ours are others, so that values differ whatever the method.
_OTHER_INSTANCES = ("diabetes",)


@dataclass(frozen=True)
class Agreement:
    """Ours and the paper's for one cell: what 95 % of differences in mean value and in mean round would be at most."""

    ours: CellSummary
    paper: PublishedCell
    value_margin: float
    round_margin: float

    @property
    def value_verdict(self) -> str:
        """Whether the mean value is the printed one within the margin, else lower or higher."""
        return _verdict(self.ours.value - self.paper.value, self.value_margin + 0.5 * 10.0**-PRINTED_DIGITS)

    @property
    def round_verdict(self) -> str:
        """Whether the mean round is the printed one within the margin, else earlier or later."""
        found = _verdict(self.ours.round - self.paper.round, self.round_margin)
        return {"lower": "earlier", "higher": "later"}.get(found, found)

    @property
    def agrees(self) -> bool:
        """Whether both do."""
        return self.value_verdict == self.round_verdict == "as printed"

    @property
    def is_comparable(self) -> bool:
        """Whether both have run on the same instances."""
        return self.ours.task not in _OTHER_INSTANCES

    @property
    def verdict(self) -> str:
        """Both verdicts in a few words."""
        if not self.is_comparable:
            return "other instances"
        if self.agrees:
            return "as printed"
        value = "" if self.value_verdict == "as printed" else f"value {self.value_verdict}"
        return ", ".join(part for part in (value, self.round_verdict.replace("as printed", "")) if part)


@dataclass(frozen=True)
class BestOfFormat:
    """A format on a task: the paper's best rank, and ours where all ranks have run."""

    at_their_rank: Agreement
    at_our_rank: Agreement | None


def agreements(experiment: str, summaries: Sequence[CellSummary]) -> list[Agreement]:
    """Return the cells that the paper prints and that have run at least three times, variations of them included."""
    found = []
    for each in summaries:
        paper = published(experiment, each.task, each.cell)
        if paper is not None and each.n_runs >= 3:
            margin = _quantile(each.n_runs - 1) * math.sqrt(1.0 / each.n_runs + 1.0 / _N_PAPER)
            found.append(Agreement(each, paper, margin * each.value_sd, margin * each.round_sd))
    return found


def best_agreements(experiment: str, summaries: Sequence[CellSummary]) -> list[BestOfFormat]:
    """Return for each task and format the cell that the paper finds best, and ours where several ranks have run."""
    groups: dict[tuple[str, str], list[Agreement]] = defaultdict(list)
    for one in agreements(experiment, summaries):
        groups[one.ours.task, family(one.ours.cell)].append(one)
    found = []
    for group in groups.values():
        theirs = min(group, key=lambda one: (one.paper.value, one.paper.round))
        ours = min(group, key=lambda one: (round(one.ours.value, PRINTED_DIGITS), one.ours.round))
        # Ours at its own best rank stands beside the paper's best, whatever rank that has.
        picked = replace(ours, paper=theirs.paper) if len(group) == _N_RANKS else None
        found.append(BestOfFormat(theirs, picked))
    return found


def agreement_table(experiment: str, summaries: Sequence[CellSummary]) -> PageTable:
    """Return the best of each format beside the paper's, at its rank and at the rank that is best here."""
    body = [
        [
            best.at_their_rank.ours.task,
            label(best.at_their_rank.ours.cell),
            paper_text(best.at_their_rank.paper),
            _ours(best.at_their_rank),
            best.at_their_rank.verdict,
            "" if best.at_our_rank is None else f"{label(best.at_our_rank.ours.cell)}: {_ours(best.at_our_rank)}",
            "" if best.at_our_rank is None else best.at_our_rank.verdict,
            f"{best.at_their_rank.ours.misses} of {best.at_their_rank.ours.n_runs}",
        ]
        for best in best_agreements(experiment, summaries)
    ]
    head = (
        "task",
        "paper's best",
        "value @ round",
        "ours at that rank",
        "verdict",
        "our best rank",
        "verdict",
        "missed",
    )
    return PageTable(head, body)


def agreement_text(experiment: str, summaries: Sequence[CellSummary]) -> str:
    """Return how many cells and tasks agree with the paper, and which do not."""
    # A cell with a setting of its own stands in the table and is not counted.
    counted = [each for each in summaries if {key for key, _ in each.cell.settings} <= _OF_THE_PAPER]
    cells = [one for one in agreements(experiment, counted) if one.is_comparable]
    if not cells:
        return "No cell that the paper prints has run three times."
    bests = best_agreements(experiment, counted)
    chosen = [best.at_our_rank or best.at_their_rank for best in bests if best.at_their_rank.is_comparable]
    tasks = list(dict.fromkeys(one.ours.task for one in chosen))
    whole = [task for task in tasks if all(one.agrees for one in chosen if one.ours.task == task)]
    two = [task for task in tasks if sum(one.agrees for one in chosen if one.ours.task == task) >= _MOST_FORMATS]
    others = [f"{one.ours.task} {label(one.ours.cell)} ({one.verdict})" for one in chosen if not one.agrees]
    runs = sorted({one.ours.n_runs for one in cells})
    return (
        f"Value and round are as printed within sampling error in {sum(one.agrees for one in cells)} of the "
        f"{len(cells)} cells that have at least three runs ({runs[0]} to {runs[-1]}), at whatever rank. For the best "
        "rank of each format, ours where five ranks have run and the paper's elsewhere: in "
        f"{sum(one.agrees for one in chosen)} of {len(chosen)} cells, in all formats on {len(whole)} of {len(tasks)} "
        f"tasks ({', '.join(whole) or 'none'}) and in at least two of the three on {len(two)}. Not so: "
        f"{'; '.join(others) or 'none'}. {_lateness(chosen)} "
        "Left out of all counts: diabetes, whose ten patients in the paper are not named and are others than ours. "
        "The paper's best rank is the lowest of five noisy means, so runs at that rank are to be expected later than "
        "it: the same choice made on our runs is the like for like. Sampling error: 95 % of the differences between "
        "two means of so many runs, if the paper's runs, whose spread is not printed, spread as ours do."
    )


def draw_agreement(path: Path, experiment: str, summaries: Sequence[CellSummary]) -> None:
    """Draw our mean round over the printed one for the best cell of each format and task; hollow: a setting differs."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - only for those who draw

    figure = Figure(figsize=(5.6, 4.8), layout="constrained")
    axes = figure.subplots()
    ends = (20, 500)
    axes.plot(ends, ends, color="#7f7f7f", linewidth=1.0)
    named = set()
    for best in best_agreements(experiment, summaries):
        one = best.at_their_rank
        form = str(one.ours.cell.get("format"))
        is_plain = {key for key, _ in one.ours.cell.settings} <= _OF_THE_PAPER
        name = _FORMATS[form] + ("" if is_plain else f" ({_differing(one.ours)})")
        axes.errorbar(
            one.paper.round,
            one.ours.round,
            one.round_margin if is_plain else None,
            color=_COLORS[form],
            marker="o" if is_plain else "^" if one.ours.cell.get("ring") else "s",
            markerfacecolor=_COLORS[form] if is_plain else "none",
            markersize=5,
            linewidth=0.7,
            linestyle="none",
            elinewidth=0.7,
            label=None if name in named else name,
        )
        named.add(name)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel="mean round, printed", ylabel="mean round, ours")
    axes.set_xticks((20, 50, 100, 200, 500), ("20", "50", "100", "200", "500"))
    axes.set_yticks((20, 50, 100, 200, 500), ("20", "50", "100", "200", "500"))
    axes.minorticks_off()
    axes.grid(visible=True, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _differing(ours: CellSummary) -> str:
    own = [(key, value) for key, value in ours.cell.settings if key not in _OF_THE_PAPER]
    return ", ".join(_WORDS.get(key, f"{key} {value}") for key, value in own)


def _lateness(cells: Sequence[Agreement]) -> str:
    """Return how all rounds lie beside the printed ones: a shift that no cell shows alone may show here."""
    n_later = sum(one.ours.round > one.paper.round for one in cells)
    ratio = math.exp(sum(math.log(one.ours.round / one.paper.round) for one in cells) / len(cells))
    p_value = sign_test(n_later, len(cells) - n_later)
    return (
        f"Taken together, {n_later} of the {len(cells)} mean rounds are later than printed (sign test: {p_value:.2g}), "
        f"by a factor of {ratio:.2f} in the geometric mean."
    )


def _ours(one: Agreement) -> str:
    return f"{short(one.ours.value)} @ {one.ours.round:.1f} (± {one.round_margin:.0f})"


def _verdict(difference: float, margin: float) -> str:
    if math.isnan(difference):
        return "higher"
    if abs(difference) <= margin:
        return "as printed"
    return "lower" if difference < 0 else "higher"


def _quantile(degrees: int) -> float:
    from scipy.stats import t  # type: ignore[import-untyped]  # noqa: PLC0415 - slow to load, and only pages need it

    return float(t.ppf(_LEVEL, degrees))

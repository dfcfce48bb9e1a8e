"""The replays as tables in Markdown, put into the pages that show them, and as a picture of best-so-far curves.

A page holds `<!-- replays TASK ...: LABEL, ... -->` before and `<!-- end of replays -->` after the place of a table.
One task gives everything about it, several a short comparison. Labels, if any, say which methods are in it, by how
their labels begin.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from research.harness.page import PageTable, table_text
from research.harness.row import Row
from research.replays.summary import CHECKPOINTS, NEAR, ReplaySummary, gap_curves

_PLACE = re.compile(
    r"(?P<head><!-- replays (?P<tasks>[\w ]+)(?:: (?P<labels>[\w ,]+))? -->).*?(?P<end><!-- end of replays -->)",
    re.DOTALL,
)
# Keeps a number and its unit on one line.
_SPACE = "\u00a0"
# Colors that color-blind people can tell apart (Okabe and Ito).
_COLORS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")


def tables(summaries: Sequence[ReplaySummary]) -> str:
    """Return a table per task."""
    tasks = dict.fromkeys(summary.task for summary in summaries)
    return "\n\n".join(
        f"### {task}\n\n{_table([summary for summary in summaries if summary.task == task])}" for task in tasks
    )


def put_into_pages(folder: Path, summaries: Sequence[ReplaySummary]) -> list[Path]:
    """Write the tables anew into all pages of a folder that have a place for them; return those pages."""
    changed = []
    for page in sorted(folder.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        filled = _PLACE.sub(lambda match: _filled(match, summaries), text)
        if _PLACE.search(text):
            page.write_text(filled, encoding="utf-8")
            changed.append(page)
    return changed


def _filled(match: re.Match[str], summaries: Sequence[ReplaySummary]) -> str:
    tasks = match["tasks"].split()
    labels = tuple((match["labels"] or "").split(", "))
    wanted = [summary for summary in summaries if summary.task in tasks and summary.label.startswith(labels)]
    table = _table(wanted) if len(tasks) == 1 else _short_table(wanted, tasks)
    return f"{match['head']}\n\n{table}\n\n{match['end']}"


def _table(summaries: Sequence[ReplaySummary]) -> str:
    columns = ["method", "runs", "to within 1 %", "missed", "feasible ones", "beyond Hedgerow (95 %)"]
    columns += [f"gap @{n}" for n in CHECKPOINTS] + ["optimum", "infeasible", "repeated", "ms"]
    rows = []
    for summary in summaries:
        more = summary.more_than_reference
        rows.append(
            [
                summary.label,
                str(summary.n_runs),
                f"{summary.to_near:.1f}",
                str(summary.misses or ""),
                f"{summary.feasible_to_near:.1f}",
                "" if more is None else f"{more[0]:+.0f} ({more[1]:+.0f} to {more[2]:+.0f})".replace(" ", _SPACE),
                *(_percent(gap) for gap in summary.gaps.values()),
                f"{summary.n_optimal} of {summary.n_runs}",
                f"{summary.infeasible:.0f}",
                f"{summary.repeated:.0f}",
                f"{summary.milliseconds:.0f}",
            ]
        )
    return table_text(PageTable(columns, rows), to_the_right=True)


def _short_table(summaries: Sequence[ReplaySummary], tasks: Sequence[str]) -> str:
    """Return a row per task and method: evaluations, gap at the end and infeasible suggestions."""
    last = CHECKPOINTS[-1]
    rows = [
        [
            "" if before is not None and before.task == summary.task else summary.task.removesuffix("_milo"),
            summary.label,
            str(summary.n_runs),
            f"{summary.to_near:.0f}",
            str(summary.misses or ""),
            _percent(summary.gaps[last]),
            f"{summary.infeasible:.0f}",
        ]
        for before, summary in pairwise([None, *sorted(summaries, key=lambda one: tasks.index(one.task))])
        if summary is not None
    ]
    head = ["system", "method", "runs", "to within 1 %", "missed", f"gap @{last}", "infeasible"]
    return table_text(PageTable(head, rows), to_the_right=True)


def _percent(gap: float) -> str:
    return "" if np.isnan(gap) else f"{100 * gap:.1f}{_SPACE}%"


def draw(path: Path, lines: Mapping[str, Mapping[str, Sequence[Row]]], optima: Mapping[str, float]) -> None:
    """Draw the mean gap after each evaluation, a panel per task, with the middle half of the runs shaded."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - of the extra `plots`

    figure = Figure(figsize=(10, 7.2), layout="constrained")
    # The same color everywhere for those who take part everywhere; others share the last one, one to a panel.
    labels = dict.fromkeys(label for by_label in lines.values() for label in by_label)
    common = [label for label in labels if sum(label in by_label for by_label in lines.values()) > len(lines) / 2]
    colors = dict(zip(common, _COLORS, strict=False))
    for axes, (task, by_label) in zip(figure.subplots(2, 2).ravel(), lines.items(), strict=False):
        for label, rows in by_label.items():
            gaps = 100 * gap_curves(rows, optima[task])
            evaluations = np.arange(1, gaps.shape[1] + 1)
            is_known = ~np.isnan(gaps).any(axis=0)
            low, high = np.quantile(gaps[:, is_known], [0.25, 0.75], axis=0)
            color = colors.get(label, _COLORS[-1])
            axes.fill_between(evaluations[is_known], low, high, step="post", alpha=0.12, color=color, linewidth=0)
            axes.step(
                evaluations[is_known], gaps[:, is_known].mean(axis=0), where="post", color=color, label=label, lw=1.7
            )
        axes.axhline(100 * NEAR, color="0.35", linestyle="--", linewidth=1)
        axes.set_yscale("symlog", linthresh=100 * NEAR)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter("{x:g} %")
        axes.set_title(task, loc="left", fontweight="bold")
        axes.set_xlabel("evaluations")
        axes.set_ylabel("above the optimum")
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130, metadata={"Software": None})

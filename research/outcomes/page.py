"""Tables of the rows that are there, put into the page between marks: `<!-- outcomes PART -->` and its end."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import t as student  # type: ignore[import-untyped]

from research.outcomes import stops
from research.outcomes.runs import STOP_BUDGET, OutcomeRow
from research.outcomes.stopping_rules import curve

_PLACE = re.compile(r"(<!-- outcomes (\w+) -->\n).*?(<!-- end of outcomes -->)", re.DOTALL)


def put_into_page(page: Path, rows: Sequence[OutcomeRow]) -> None:
    """Replace each table of a page by one of these rows."""
    text = page.read_text(encoding="utf-8")
    new = _PLACE.sub(lambda found: f"{found[1]}\n{table(found[2], rows)}\n{found[3]}", text)
    page.write_text(new, encoding="utf-8")


def table(part: str, rows: Sequence[OutcomeRow]) -> str:
    """Return the table of one comparison in Markdown."""
    if part in ("chosen", "judged"):
        runs = [run for run in stops.read(stops.TABLE) if run.is_held_out == (part == "judged")]
        return curve(runs) if runs else "Not measured yet.\n"
    if part == "overtaken":
        return overtaken([row for row in rows if row.part == "failures"])
    if part == "paired":
        return paired([row for row in rows if row.part in ("pareto", "limits")])
    own = [row for row in rows if row.part == part]
    if not own:
        return "Not measured yet.\n"
    return {"stopping": _stopping, "rules": _rules}.get(part, _compared)(own)


def _compared(rows: Sequence[OutcomeRow]) -> str:
    """Return a line for each task and method: means over seeds after each number of trials."""
    after = sorted({row.after for row in rows})
    counted = {"failures": "failed", "noise": "readings", "limits": "within"}.get(rows[0].part)
    head = ["task", "method", "runs", *(f"after {n}" for n in after), *([counted] if counted else []), "ms per ask"]
    lines = [head, ["---"] * 2 + ["---:"] * (len(head) - 2)]
    for task in dict.fromkeys(row.task for row in rows):
        for method in dict.fromkeys(row.method for row in rows if row.task == task):
            own = [row for row in rows if (row.task, row.method) == (task, method)]
            last = [row for row in own if row.after == after[-1]]
            cells = [_mean([row.value for row in own if row.after == n]) for n in after]
            count = [f"{np.mean([row.count for row in last]):.1f}"] if counted else []
            milliseconds = f"{np.mean([row.milliseconds for row in last]):.0f}"
            lines.append([task, method, str(len(last)), *cells, *count, milliseconds])
    return _text(lines)


def _mean(values: Sequence[float]) -> str:
    """Return a mean with its standard error."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return f"{mean:.4f}"
    return f"{mean:.4f} ± {float(np.std(values, ddof=1)) / math.sqrt(len(values)):.4f}"


def paired(rows: Sequence[OutcomeRow], ours: str = "hedgerow") -> str:
    """Return a line for each task and rival: by how much ours is ahead on the same seeds, with an interval of 95 %."""
    after = sorted({row.after for row in rows})
    lines = [["task", "against", "pairs", *(f"after {n}" for n in after)], ["---"] * 2 + ["---:"] * (1 + len(after))]
    known = {(row.part, row.task, row.method, row.seed, row.after): row.value for row in rows}
    for part, task in dict.fromkeys((row.part, row.task) for row in rows):
        for rival in dict.fromkeys(row.method for row in rows if (row.part, row.task) == (part, task)):
            seeds = {key[3] for key in known if key[:3] == (part, task, rival)}
            seeds &= {key[3] for key in known if key[:3] == (part, task, ours)}
            if rival == ours or not seeds:
                continue
            # More volume is better, less regret is.
            sign = 1.0 if part == "pareto" else -1.0
            ahead = [
                [
                    sign * (known[part, task, ours, seed, n] - known[part, task, rival, seed, n])
                    for seed in sorted(seeds)
                ]
                for n in after
            ]
            lines.append([task, rival, str(len(seeds)), *(_ahead(each) for each in ahead)])
    return _text(lines) if len(lines) > 2 else "Not measured yet.\n"


def _ahead(differences: Sequence[float]) -> str:
    """Return a mean with an interval of 95 % by Student's distribution, without one where it means nothing."""
    mean = float(np.mean(differences))
    if len(differences) < 3:
        return f"{mean:+.3f}"
    half = (
        float(student.ppf(0.975, len(differences) - 1)) * float(np.std(differences, ddof=1)) / len(differences) ** 0.5
    )
    return f"{mean:+.3f} ({mean - half:+.3f} to {mean + half:+.3f})"


def overtaken(rows: Sequence[OutcomeRow], ours: str = "hedgerow", rival: str = "evolution") -> str:
    """Return a line for each task: failed trials by when ours is as good as a rival at its end, and of that rival.

    Runs are looked at after some trials alone, so ours is seen to have overtaken late, never early.
    """
    head = ["task", "pairs", "overtaken", "after, median", "failed until then", f"failed in all runs of {rival}"]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for task in dict.fromkeys(row.task for row in rows):
        runs = {
            method: {
                row.seed: [each for each in rows if (each.task, each.method, each.seed) == (task, method, row.seed)]
                for row in rows
                if (row.task, row.method) == (task, method)
            }
            for method in (ours, rival)
        }
        seeds = sorted(runs[ours].keys() & runs[rival].keys())
        if not seeds:
            continue
        goals = {seed: runs[rival][seed][-1].value for seed in seeds}
        reached = {seed: [row for row in runs[ours][seed] if row.value <= goals[seed]] for seed in seeds}
        first = [found[0] for found in reached.values() if found]
        # Where it is never as good, all that failed counts.
        failed = [(reached[seed] or runs[ours][seed][-1:])[0].count for seed in seeds]
        after = f"{np.median([row.after for row in first]):.0f}" if first else "-"
        of_rival = [runs[rival][seed][-1].count for seed in seeds]
        cells = [f"{len(first)} of {len(seeds)}", after, f"{np.mean(failed):.1f}", f"{np.mean(of_rival):.1f}"]
        lines.append([task, str(len(seeds)), *cells])
    return _text(lines) if len(lines) > 2 else "Not measured yet.\n"


def _rules(rows: Sequence[OutcomeRow]) -> str:
    lines = [["task", "found", "trials until 30 failed"], ["---", "---:", "---:"]]
    for task in dict.fromkeys(row.task for row in rows):
        own = [row for row in rows if row.task == task]
        n_found = sum(row.value == 1.0 for row in own)
        lines.append([task, f"{n_found} of {len(own)}", f"{np.mean([row.count for row in own]):.0f}"])
    return _text(lines)


def _stopping(rows: Sequence[OutcomeRow]) -> str:
    head = ["task", "runs", "stopped after", "near enough after", "within 1.5 times", "too early", "not stopped"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    names = dict.fromkeys(row.task for row in rows)
    lines += [_stopping_line(task, [row for row in rows if row.task == task]) for task in names]
    lines.append(_stopping_line("all", rows))
    return _text(lines)


def _stopping_line(task: str, rows: Sequence[OutcomeRow]) -> list[str]:
    stopped = [row for row in rows if row.after < STOP_BUDGET]
    early = [row for row in stopped if row.value > 1.0]
    soon = [row for row in stopped if row.value <= 1.0 and row.after <= 1.5 * row.count]
    return [
        task,
        str(len(rows)),
        f"{np.median([row.after for row in rows]):.0f}",
        f"{np.median([row.count for row in rows if row.count] or [0]):.0f}",
        str(len(soon)),
        str(len(early)),
        str(len(rows) - len(stopped)),
    ]


def _text(lines: Sequence[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)

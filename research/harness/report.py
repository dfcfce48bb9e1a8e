"""The page of an experiment, made from stored rows alone: nothing is run again.

A verdict, one table and one figure; the rest is folded. What it shows is said in the `[report]` of the specification:

    reading = "..."                  an honest reading of the results, written by hand
    table = "grid"                   the table that is not folded, see `main_table.py`
    made_by = "..."                  the command that makes its page, where it has one of its own
    reference = "Hedgerow default"   the family that all others are compared with in pairs
    compared = ["gap-a", ...]        tasks over which the geometric mean of evaluations to the optimum is taken
    checkpoints = [25, 50, ...]      rounds after which mean best values are shown
    published = { must = 0.5, ... }  parts of the published round after which its value is looked for
    [[report.figures]]
    kind = "convergence"             or rejected, sensitivity, loss, run-loss, violated, starts, predictor,
                                     agreement
    caption = "..."
    lines = "family"                 a line per family (its best rank), or "label": one per cell, or a list of settings:
                                     one per cell, named by these alone, in the words of [report.grid.words]
    setting = "penalty"              for kind sensitivity
    where = { kind = "catd" }        which cells; a list means any of its entries
    measure = "run"                  which measurements, one or a list
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.errors import HedgerowError
from research.harness.against_paper import draw_agreement
from research.harness.cell import Cell
from research.harness.grids import line_name
from research.harness.labels import family, label
from research.harness.main_table import CELLS, main_table
from research.harness.milestones import checkpoint_table, compared_on, published_table
from research.harness.page import Block, FoldedPart, Heading, Page, Paragraph, Picture, to_html, to_markdown
from research.harness.plots import (
    Draw,
    draw_convergence,
    draw_panels,
    draw_rejected,
    draw_run_losses,
    draw_sensitivity,
    draw_series,
)
from research.harness.recheck import sentence as recheck_sentence
from research.harness.row import Row
from research.harness.spec import Experiment
from research.harness.starts import draw_predictor, draw_starts
from research.harness.summary import CellSummary, best_of_families, summarize
from research.harness.tables import cell_table, comparison_table
from research.harness.version import version_of


def write_report(experiment: Experiment, rows: Iterable[Row], folder: Path) -> tuple[Path, Path]:
    """Write NAME.md, NAME.html and the pictures into a folder; return the two pages."""
    shown = in_order(experiment, rows)
    if not shown:
        raise HedgerowError(
            f"There are no rows of '{experiment.name}' yet. Run it first: python -m research run {experiment.name}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    page = Page(experiment.title, _blocks(experiment, shown, folder))
    markdown, html = folder / f"{experiment.name}.md", folder / f"{experiment.name}.html"
    markdown.write_text(to_markdown(page, folder), encoding="utf-8")
    html.write_text(to_html(page), encoding="utf-8")
    return markdown, html


def in_order(experiment: Experiment, rows: Iterable[Row]) -> list[Row]:
    """Return the rows that belong to the experiment as it is specified, in the order of its tasks and cells."""
    wanted = {work.job: place for place, work in enumerate(experiment.works())}
    tasks = {task: place for place, task in enumerate(experiment.tasks)}
    cells = {cell.name: place for place, cell in enumerate(experiment.cells)}
    kept = [row for row in rows if row.job in wanted]
    return sorted(kept, key=lambda row: (tasks[row.task], cells[row.cell], row.seed))


def _blocks(experiment: Experiment, rows: Sequence[Row], folder: Path) -> list[Block]:
    report, summaries = experiment.report, summarize(rows)
    blocks: list[Block] = [Paragraph(str(report["reading"]).strip())] if report.get("reading") else []
    blocks.append(Paragraph(_summary(experiment, rows)))
    blocks += main_table(experiment, summaries, rows)
    pictures = _pictures(experiment, rows, summaries, folder)
    blocks += pictures[:1]
    folds: list[Block] = [FoldedPart("More figures", pictures[1:])] if pictures[1:] else []
    if summaries:
        reference = str(report.get("reference", family(experiment.cells[0])))
        compared = comparison_table(summaries, reference)
        # Grids of settings have tests of their own, or far too many pairs.
        if compared.body and report.get("table", "best") in ("best", "cells"):
            paired = f"{_PAIRED} {len(compared.body)} comparisons are made, and no p is corrected for their number."
            folds.append(FoldedPart(f"{reference} against the others, in pairs", [Paragraph(paired), compared]))
        folds += _milestones(summaries, report)
        shown = blocks[-1 - len(pictures[:1])]
        if (cells := cell_table(experiment.name, summaries)) != shown:
            folds.append(FoldedPart("All cells", [Paragraph(CELLS), cells]))
    return [*blocks, *folds, Heading("How it was made"), Paragraph(_provenance(experiment, rows, folder))]


def _summary(experiment: Experiment, rows: Sequence[Row]) -> str:
    """Return in a line how much of the specification stands behind the page."""
    n_wanted, n_runs = len(set(experiment.works())), len(rows)
    missing = "" if n_runs == n_wanted else f" of {n_wanted:,} specified; what was left out stands at the end"
    return f"*{n_runs:,} runs{missing}.*"


def _pictures(
    experiment: Experiment, rows: Sequence[Row], summaries: Sequence[CellSummary], folder: Path
) -> list[Block]:
    pictures = []
    for number, figure in enumerate(experiment.report.get("figures", ()), start=1):
        path = folder / "images" / f"{experiment.name}-{number}.png"
        caption = str(figure.get("caption", figure["kind"]))
        if figure["kind"] == "starts":
            tasks = [task for task in figure["tasks"] if any(each.task == task for each in summaries)]
            draw_starts(path, summaries, tasks)
            pictures.append(Picture(path, caption))
        elif figure["kind"] == "agreement":
            draw_agreement(path, experiment.name, summaries)
            pictures.append(Picture(path, caption))
        elif figure["kind"] == "predictor":
            draw_predictor(path, rows, summaries)
            pictures.append(Picture(path, caption))
        elif (picture := _picture(figure, rows, path, experiment.report.get("grid", {}))) is not None:
            pictures.append(picture)
    return list(pictures)


def _milestones(summaries: Sequence[CellSummary], report: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    if "checkpoints" in report:
        blocks += [FoldedPart("After so many rounds", [checkpoint_table(summaries, report["checkpoints"])])]
    if sentence := compared_on(summaries, report.get("compared", ())):
        blocks.append(Paragraph(sentence))
    if "published" in report:
        table = published_table(summaries, report["published"])
        blocks += [FoldedPart("Against the published best", [Paragraph(_PUBLISHED), table])] if table.body else []
    return blocks


_PAIRED = (
    "Runs with one seed begin at the same point, so they are compared in pairs: won means a lower value, or the same "
    "value earlier. The effect is the share won less the share lost. Negative evaluations mean that fewer were needed "
    "to the optimum; a miss counts as the budget. The smallest p that Wilcoxon's test can give is 0.25 with 3 pairs, "
    "0.063 with 5 and 0.002 with 10."
)
_PUBLISHED = (
    "Published: mean value @ mean round. ✓ the mean best value after so many rounds is as good, as printed; * the "
    "first round after which it is."
)


def _provenance(experiment: Experiment, rows: Sequence[Row], folder: Path) -> str:
    n_wanted = len(set(experiment.works()))
    dates = sorted({row.date for row in rows})
    days = f"on {dates[0]}" if len(dates) == 1 else f"from {dates[0]} to {dates[-1]}"
    machines = sorted({row.machine for row in rows})
    hours = sum(row.seconds for row in rows) / 3600
    changed = sum(row.version != version_of(Cell.parse(row.cell).kind) for row in rows)
    versions = sorted({row.version for row in rows})
    lines = [
        f"{len(rows):,} of {n_wanted:,} runs, made with `python -m research run {experiment.name}` {days} "
        f"on {'; '.join(machines)}; choosing points took {hours:.1f} hours of one core in all. "
        f"This page: `python -m research report {experiment.name}`.",
        f"Versions: {'; '.join(versions)}.",
    ]
    left_out = _left_out(experiment, rows)
    if left_out:
        lines.append(f"Left out of the specification: {left_out}.")
    if changed:
        lines.append(f"{changed:,} of the runs were made by code that has changed since.")
        lines.append(recheck_sentence(folder, experiment.name))
    return " ".join(line for line in lines if line)


def _left_out(experiment: Experiment, rows: Sequence[Row]) -> str:
    """Return which runs of the specification there are no rows of, by seeds and tasks; empty where there is none."""
    made = {row.job for row in rows}
    tasks_of: dict[int, set[str]] = defaultdict(set)
    counts: Counter[int] = Counter()
    for job in {work.job for work in experiment.works()} - made:
        tasks_of[job.seed].add(job.task)
        counts[job.seed] += 1
    seeds_of: dict[frozenset[str], list[int]] = defaultdict(list)
    for seed in sorted(tasks_of):
        seeds_of[frozenset(tasks_of[seed])].append(seed)
    parts = []
    for tasks, seeds in seeds_of.items():
        named = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {', '.join(map(str, seeds))}"
        where = "" if tasks == set(experiment.tasks) else f" of {', '.join(sorted(tasks))}"
        parts.append(f"{named}{where} ({sum(counts[seed] for seed in seeds):,} runs)")
    return "; ".join(parts)


def _picture(figure: Mapping[str, Any], rows: Sequence[Row], path: Path, grid: Mapping[str, Any]) -> Picture | None:
    wanted = figure.get("where", {})
    given = figure.get("measure", _MEASURED.get(figure["kind"], "run"))
    measures = given if isinstance(given, list) else [given]
    chosen = [row for row in rows if row.measure in measures and Cell.parse(row.cell).matches(wanted)]
    panels = _panels(chosen, figure, grid)
    if not panels:
        return None
    draw_panels(path, panels, _drawing(figure))
    return Picture(path, str(figure.get("caption", figure["kind"])))


def _panels(rows: Sequence[Row], figure: Mapping[str, Any], grid: Mapping[str, Any]) -> dict[str, dict[str, list[Row]]]:
    """Return the rows of every line of every panel."""
    named_by = figure.get("lines", "family")
    if named_by == "family" and figure["kind"] in ("convergence", "rejected"):
        panels: dict[str, dict[str, list[Row]]] = defaultdict(dict)
        for (task, name), best in best_of_families(summarize(rows)).items():
            panels[task][name] = list(best.rows)
        return dict(panels)
    lines: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        cell = Cell.parse(row.cell)
        if figure["kind"] == "sensitivity":
            cell = Cell(cell.kind, tuple(item for item in cell.settings if item[0] != figure["setting"]))
        name = line_name(cell, named_by, grid) if isinstance(named_by, list) else label(cell)
        lines[row.task][name].append(row)
    return {task: dict(group) for task, group in lines.items()}


# What a figure is drawn from, where it is not the runs.
_MEASURED = {"loss": "training", "violated": "training", "run-loss": "losses"}


def _drawing(figure: Mapping[str, Any]) -> Draw:
    match figure["kind"]:
        case "convergence":
            return draw_convergence
        case "rejected":
            return draw_rejected
        case "sensitivity":
            return draw_sensitivity(figure["setting"])
        case "loss":
            return draw_series("loss", "mean squared error")
        case "run-loss":
            return draw_run_losses
        case "violated":
            return draw_series("violated", "share of infeasible rows violated")
    raise HedgerowError(
        f"There is no figure '{figure['kind']}'; known are convergence, rejected, sensitivity, loss, run-loss, "
        "violated, starts, predictor, agreement."
    )

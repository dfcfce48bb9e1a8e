"""The one table of a page that is not folded, as `table` in the `[report]` of the specification says.

"best"        the best of each family beside the paper; the default where families have several members
"cells"       every cell beside the paper; the default elsewhere
"variants"    the paper's -c and -u side by side, tested in pairs
"agreement"   every cell beside the paper, and whether they agree within sampling error
"grid"        a row per choice of settings and a column per task; `grid = { across = [...], one_column = true }`
"starts"      over where factors begin, the weight of the penalty, and where suggestions may lie
"""

from __future__ import annotations

from collections.abc import Sequence

from research.harness.against_paper import agreement_table, agreement_text
from research.harness.grids import GRID_TEXT, grid_table
from research.harness.labels import family
from research.harness.page import Block, Paragraph
from research.harness.row import Row
from research.harness.spec import Experiment
from research.harness.starts import fresh_table, prediction_text, starts_table, starts_text
from research.harness.summary import CellSummary
from research.harness.tables import best_table, cell_table
from research.harness.variants import variant_table, variant_text

CELLS = (
    "Value and round are means ± standard deviations over the runs, the round being that in which a run's best value "
    "first appeared, as in the paper. A run stops at the optimum. Seconds are the processor's, for choosing a point."
)
_PICKED = (
    "Of each family the rank with the lowest mean value is shown, then the earliest round, as in the paper. It is "
    "picked on the runs that are shown, which flatters families of many members."
)


def main_table(experiment: Experiment, summaries: Sequence[CellSummary], rows: Sequence[Row]) -> list[Block]:
    """Return the table with a paragraph that explains it."""
    if not summaries:
        return []
    has_families = len({family(each.cell) for each in summaries}) < len({each.cell for each in summaries})
    name = experiment.name
    match experiment.report.get("table", "best" if has_families else "cells"):
        case "best":
            return [Paragraph(_PICKED), best_table(name, summaries)]
        case "variants":
            return [Paragraph(variant_text(summaries)), variant_table(name, summaries)]
        case "agreement":
            return [Paragraph(agreement_text(name, summaries)), agreement_table(name, summaries)]
        case "grid":
            return [Paragraph(GRID_TEXT), grid_table(summaries, experiment.report.get("grid", {}))]
        case "starts":
            fresh: list[Block] = [Paragraph(prediction_text(rows, summaries)), fresh_table(rows)]
            return [Paragraph(starts_text(summaries)), starts_table(summaries), *fresh]
    return [Paragraph(CELLS), cell_table(name, summaries)]

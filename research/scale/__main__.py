"""Large spaces, beside the runs of `python -m research run scale`: `python -m research scale costs|search|page`.

`costs` measures seconds per ask and memory, each in a process of its own; `search` compares the search with
listing and with what solvers know, and models of thousands of observations; `page` writes docs/scale.md from what is
stored.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from hedgerow.errors import HedgerowError
from research.harness.execute import default_store
from research.harness.row import Row
from research.harness.spec import Experiment, load_spec
from research.harness.store import write_table
from research.problems import get_problem
from research.scale.costs import measure_all
from research.scale.costs import read as read_costs
from research.scale.handover import Learned, all_comparisons
from research.scale.page import Searches, page
from research.scale.plot import plot_costs, plot_regrets
from research.scale.regret import Regret, lowest_known, regrets
from research.scale.searches import AgainstListing, AgainstSolver, all_against_listing, all_against_solver

HERE = Path(__file__).parent
DOCS = HERE.parent.parent / "docs"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what was asked for."""
    options = _options(arguments)
    console = Console(stderr=True)
    return _VERBS[options.verb](options, console)


def _costs(options: argparse.Namespace, console: Console) -> int:
    for cost in measure_all(options.results / "scale-costs.json", console.print):
        print(f"{cost.task:14} {cost.n_observations:6,}  {cost.seconds:.3f} s  {cost.peak_mib:.0f} MiB")
    return 0


def _search(options: argparse.Namespace, console: Console) -> int:
    console.print("search against listing and solvers, then models of thousands of observations; some minutes")
    found = {
        "listings": [asdict(one) for one in all_against_listing()],
        "solvers": [asdict(one) for one in all_against_solver()],
        "learned": [asdict(one) for one in all_comparisons()],
    }
    text = json.dumps(found, indent=1)
    (options.results / "scale-search.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


def _page(options: argparse.Namespace, console: Console) -> int:
    experiment = load_spec("scale")
    rows = _stored(experiment, options.results)
    if not rows:
        raise HedgerowError("There are no runs yet: `python -m research run scale` makes them.")
    groups, lowest = _groups(experiment, rows)
    costs = read_costs(options.results / "scale-costs.json")
    searches = options.results / "scale-search.json"
    found = json.loads(searches.read_text(encoding="utf-8")) if searches.exists() else {}
    plot_regrets(options.docs / "images" / "scale-regret.png", groups)
    plot_costs(options.docs / "images" / "scale-costs.png", costs)
    text = page(
        rows,
        groups,
        lowest,
        costs,
        Searches(
            [AgainstListing(**one) for one in found.get("listings", [])],
            [AgainstSolver(**one) for one in found.get("solvers", [])],
            [Learned(**one) for one in found.get("learned", [])],
        ),
        str(experiment.report.get("reading", "")),
    )
    (options.docs / "scale.md").write_text(text, encoding="utf-8")
    write_table(options.docs / "results" / "scale.csv.gz", rows)
    console.print(f"Written: {options.docs / 'scale.md'}")
    return 0


def _stored(experiment: Experiment, folder: Path) -> list[Row]:
    """Return the stored rows of the experiment, tasks and methods in its order."""
    done = default_store(experiment.name, folder).read()
    tasks, cells = list(experiment.tasks), [cell.name for cell in experiment.cells]
    rows = [row for row in done.values() if row.task in tasks and row.cell in cells]
    return sorted(rows, key=lambda row: (tasks.index(row.task), cells.index(row.cell), row.seed))


def _groups(experiment: Experiment, rows: list[Row]) -> tuple[list[list[Regret]], dict[str, float]]:
    tasks = [task for task in experiment.tasks if any(row.task == task for row in rows)]
    lowest = {task: lowest_known(get_problem(task), [row for row in rows if row.task == task]) for task in tasks}
    found = regrets(rows, lowest)
    return [[regret for regret in found if regret.task == task] for task in tasks], lowest


_VERBS = {"costs": _costs, "search": _search, "page": _page}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m research scale", description=__doc__)
    parser.add_argument("verb", choices=_VERBS)
    parser.add_argument("--results", type=Path, default=DOCS / "results", help="where runs are kept")
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the page goes")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

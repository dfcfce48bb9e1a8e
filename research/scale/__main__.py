"""Large spaces: `python -m research scale [run|costs|search|page]`.

`run` (the default) runs what `scale.toml` still lacks, on all cores, interrupted and resumed at will, and prints the
regret; `costs` measures seconds per ask and memory, each in a process of its own; `search` compares the search with
listing and with what solvers know, and models of thousands of observations; `page` writes docs/scale.md from what is
stored.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from hedgerow.errors import HedgerowError
from research.harness.execute import default_store, execute
from research.harness.row import Row
from research.harness.spec import Changes, Experiment, load_spec
from research.harness.store import write_table
from research.problems import get_problem
from research.scale.costs import measure_all
from research.scale.costs import read as read_costs
from research.scale.handover import Learned, all_comparisons
from research.scale.page import Searches, page
from research.scale.plot import plot_costs, plot_regrets
from research.scale.regret import CHECKPOINTS, Regret, lowest_known, regrets
from research.scale.searches import AgainstListing, AgainstSolver, all_against_listing, all_against_solver

HERE = Path(__file__).parent
DOCS = HERE.parent.parent / "docs"
SPEC = HERE / "scale.toml"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what was asked for."""
    options = _options(arguments)
    console = Console(stderr=True)
    return _VERBS[options.verb](options, console)


def _run(options: argparse.Namespace, console: Console) -> int:
    experiment = load_spec(str(SPEC), Changes(seeds=options.seeds))
    store = default_store(experiment.name, options.results)
    outcome = execute(experiment, store, options.workers, redo_changed=options.redo_changed, console=console)
    for trouble in outcome.troubles:
        console.print(trouble, style="red", markup=False)
    for group in _groups(experiment, _stored(experiment, options.results))[0]:
        for regret in group:
            at = "  ".join(f"@{n} {regret.at(n):.4g}" for n in CHECKPOINTS)
            print(f"{regret.task:18} {regret.name:40} {regret.n_runs:3} runs  {at}  {regret.seconds:.2g} s per ask")
    return 0 if outcome.is_complete else 1


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
    experiment = load_spec(str(SPEC))
    rows = _stored(experiment, options.results)
    if not rows:
        raise HedgerowError("There are no runs yet: `python -m research scale` makes them.")
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


_VERBS = {"run": _run, "costs": _costs, "search": _search, "page": _page}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m research scale", description=__doc__)
    parser.add_argument("verb", nargs="?", choices=_VERBS, default="run")
    parser.add_argument("--seeds", type=int, help="instead of the number in scale.toml")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--results", type=Path, default=DOCS / "results", help="where runs are kept")
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the page goes")
    parser.add_argument("--redo-changed", action="store_true", help="run again what other code made")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

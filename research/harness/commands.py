"""`python -m research run|report|recheck|list`: run experiments, make their pages, make rows again, list them."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from research.harness.spec import Changes

COMPLETE, INCOMPLETE = 0, 1
ALL = "all"


def add_verbs(deeds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs to the laboratory's own parser."""
    run = deeds.add_parser("run", help="run an experiment, or go on with it", description=run_experiment.__doc__)
    _common(run)
    run.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")
    run.add_argument("--redo-changed", action="store_true", help="run again what other code made")
    run.set_defaults(run=run_experiment)

    report = deeds.add_parser("report", help="write its page", description=report_experiment.__doc__)
    _common(report)
    report.set_defaults(run=report_experiment)

    again = deeds.add_parser("recheck", help="make some rows again", description=recheck_experiment.__doc__)
    _common(again)
    again.add_argument("--rows", type=int, default=10, help="how many (default 10)")
    again.add_argument(
        "--longest", type=float, default=5.0, metavar="S", help="none that took more seconds (default 5)"
    )
    again.set_defaults(run=recheck_experiment)

    listing = deeds.add_parser("list", help="the experiments", description=list_experiments.__doc__)
    listing.add_argument("--json", action="store_true", help="print JSON for programs")
    listing.set_defaults(run=list_experiments)


def run_experiment(options: Namespace) -> int:
    """Run what an experiment still lacks. Finished runs are kept: interrupt it at any time, and start it again."""
    from research.harness.execute import default_store, execute  # noqa: PLC0415 - heavy, and only for this verb
    from research.harness.spec import load_spec  # noqa: PLC0415

    console = Console(stderr=True)
    is_complete = True
    for name in _names(options):
        experiment = load_spec(name, _changes(options))
        begin = time.monotonic()
        store = default_store(_stored_name(experiment.name, options), options.results)
        outcome = execute(experiment, store, options.workers, redo_changed=options.redo_changed, console=console)
        for trouble in outcome.troubles:
            console.print(trouble, markup=False, highlight=False, soft_wrap=True)
        is_complete = is_complete and outcome.is_complete
        facts = {
            "experiment": experiment.name,
            "wanted": outcome.n_wanted,
            "stored_before": outcome.n_stored,
            "finished_now": outcome.n_finished,
            "seconds": round(time.monotonic() - begin, 1),
            "troubles": list(outcome.troubles),
        }
        text = (
            f"{experiment.name}: {outcome.n_finished:,} runs finished, {outcome.n_stored:,} were stored, "
            f"{outcome.n_wanted - outcome.n_finished - outcome.n_stored:,} are missing."
        )
        print(json.dumps(facts) if options.json else text)
    return COMPLETE if is_complete else INCOMPLETE


def report_experiment(options: Namespace) -> int:
    """Write the page of an experiment as Markdown and HTML with its pictures, and its rows as one compressed table."""
    from research.harness.execute import default_store  # noqa: PLC0415
    from research.harness.report import write_report  # noqa: PLC0415
    from research.harness.spec import load_spec  # noqa: PLC0415
    from research.harness.store import write_table  # noqa: PLC0415

    for name in _names(options):
        experiment = load_spec(name, _changes(options))
        if "made_by" in experiment.report and not options.quick:
            print(f"The page of {experiment.name} is made by `{experiment.report['made_by']}`.", file=sys.stderr)
            continue
        store = default_store(_stored_name(experiment.name, options), options.results)
        rows = store.read().values()
        folder = options.results / "quick" if options.quick else options.results
        pages = write_report(experiment, rows, folder)
        write_table(store.table, rows)
        files = [str(path) for path in (*pages, store.table)]
        print(json.dumps(files) if options.json else "\n".join(files))
    return COMPLETE


def recheck_experiment(options: Namespace) -> int:
    """Make some of the rows again that older code made, and note on how many the code of today agrees."""
    from research.harness.execute import default_store  # noqa: PLC0415
    from research.harness.recheck import keep, recheck  # noqa: PLC0415
    from research.harness.spec import load_spec  # noqa: PLC0415

    all_same = True
    for name in _names(options):
        experiment = load_spec(name, _changes(options))
        wanted = {work.job for work in experiment.works()}
        rows = default_store(experiment.name, options.results).read()
        found = recheck([row for job, row in rows.items() if job in wanted], options.rows, options.longest)
        if found.n_made:
            keep(options.results, experiment.name, found)
        all_same = all_same and found.n_same == found.n_made
        print(f"{experiment.name}: {found.n_made} rows made again, {found.n_same} the same.")
    return COMPLETE if all_same else INCOMPLETE


def list_experiments(options: Namespace) -> int:
    """List the experiments with their tasks, cells and runs."""
    from research.harness.spec import load_spec, spec_names  # noqa: PLC0415

    experiments = [load_spec(name) for name in spec_names()]
    if options.json:
        print(json.dumps([_facts(experiment.name) for experiment in experiments]))
        return COMPLETE
    for experiment in experiments:
        facts = _facts(experiment.name)
        print(f"{experiment.name:20} {facts['runs']:>6,} runs  {experiment.title}")
    return COMPLETE


def _facts(name: str) -> dict[str, object]:
    from research.harness.spec import load_spec  # noqa: PLC0415

    experiment = load_spec(name)
    return {
        "name": name,
        "title": experiment.title,
        "tasks": list(experiment.tasks),
        "cells": len(experiment.cells),
        "runs": len(set(experiment.works())),
    }


def _names(options: Namespace) -> list[str]:
    from research.harness.spec import spec_names  # noqa: PLC0415

    return spec_names() if options.experiment == ALL else [options.experiment]


def _stored_name(name: str, options: Namespace) -> str:
    """Quick runs are kept apart: their budgets are too small to mean anything."""
    return f"quick/{name}" if options.quick else name


def _changes(options: Namespace) -> Changes:
    from research.harness.spec import Changes  # noqa: PLC0415

    if options.data_dir:
        # Workers inherit it.
        os.environ["HEDGEROW_DATA"] = options.data_dir
    return Changes(options.quick, options.seeds, options.first_seed, options.budget, options.tasks, options.methods)


def _common(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "experiment", metavar="NAME", help="an experiment (see `python -m research list`), a TOML file, or all"
    )
    verb.add_argument("--quick", action="store_true", help="few seeds and small budgets: minutes, for a first look")
    verb.add_argument("--seeds", type=int, default=None, metavar="N", help="instead of the number in the specification")
    verb.add_argument("--first-seed", type=int, default=None, metavar="N", help="the first seed (default 0)")
    verb.add_argument("--budget", type=int, default=None, metavar="N", help="rounds, for all tasks")
    verb.add_argument("--tasks", nargs="+", default=None, metavar="TASK", help="only these, or others")
    verb.add_argument("--methods", nargs="+", default=None, metavar="KIND", help="only these kinds, as auto or catd")
    verb.add_argument("--data-dir", default=None, metavar="DIR", help="measured data (default: HEDGEROW_DATA)")
    verb.add_argument("--results", type=Path, default=Path("docs/results"), metavar="DIR", help="default docs/results")
    verb.add_argument("--json", action="store_true", help="print JSON for programs")

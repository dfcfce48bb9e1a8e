"""The verb `report`: a study as one HTML page."""

from __future__ import annotations

import argparse
import json
import sys
from argparse import Namespace
from pathlib import Path

from hedgerow.cli.study_options import problem_of, silence_optuna, with_storage
from hedgerow.report.page import render, report_of, write_page
from hedgerow.report.words import counted


def add_report(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of the verb."""
    verb.description = report.__doc__
    verb.add_argument("file", metavar="FILE", help="a problem file in TOML")
    verb.add_argument(
        "-o", "--output", metavar="PAGE", help="where the page goes (default: FILE-report.html; - prints it)"
    )
    verb.add_argument("--json", action="store_true", help="print JSON for programs")
    verb.add_argument("--storage", metavar="URL", help="where the trials are (default: as for `run`)")
    verb.add_argument("--study", metavar="NAME", help="the study's name in the storage (default: the file's name)")
    verb.add_argument("--node-budget", type=int, default=None, metavar="N", help="largest diagram, in nodes")
    verb.set_defaults(run=with_storage(report))


def report(options: Namespace) -> int:
    """Write a page with the best points, the rules they meet, convergence, effects, failures and costs.

    The page needs no other file and no network. The study may still be running; it is only looked at.
    """
    file = Path(options.file)
    silence_optuna()
    facts = report_of(problem_of(options), file)
    if options.output == "-":
        sys.stdout.buffer.write(render(facts).encode("utf-8", errors="replace"))
        return 0
    output = Path(options.output) if options.output else file.with_name(f"{file.stem}-report.html")
    write_page(facts, output)
    if options.json:
        trials = f"hedgerow export {options.file}"
        print(
            json.dumps(
                {"output": str(output), "study": facts.problem.study, **facts.status.to_dict(), "trials": trials}
            )
        )
    else:
        print(f"{output}: {counted(len(facts.ended), 'trial')}. Open it in any browser; it needs no other file.")
    return 0

"""The verb `status`: a study in numbers, read without loading what runs it."""

from __future__ import annotations

import argparse
import json
from argparse import Namespace

from rich.console import Console
from rich.text import Text

from hedgerow.cli import show
from hedgerow.cli.study_options import add_study_options, problem_of, with_storage
from hedgerow.runs.snapshot import read_or_empty
from hedgerow.runs.table import rows_of

YES = 0
# Reasons of failed trials that are shown.
_REASONS_SHOWN = 3


def add_status(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of the verb."""
    verb.description = status.__doc__
    add_study_options(verb, compiles=False)
    verb.add_argument("--trials", action="store_true", help="with --json: every trial, as `export` writes it")
    verb.set_defaults(run=with_storage(status))


def status(options: Namespace) -> int:
    """Say how many trials there are in which state, and which point is the best."""
    snapshot = read_or_empty(problem_of(options))
    problem, pending, changes = snapshot.problem, snapshot.pending_by_hand, snapshot.rule_changes_with_file
    if options.json:
        facts = {
            **snapshot.status.to_dict(),
            "pending": pending,
            "forbidden": snapshot.forbidden_by_hand,
            "rule_changes": changes,
            "space_changes": snapshot.space_changes,
            "method_changes": snapshot.method_changes,
            "file_changes": snapshot.file_changes,
            "trials": rows_of(snapshot) if options.trials else f"hedgerow export {options.file}",
        }
        budget = {"budget": problem.budget, "asked": snapshot.status.n_counted}
        print(json.dumps({"study": problem.study, **budget, **facts}))
        return YES
    console = Console()
    show.status(console, problem.study, snapshot.status)
    for reason in snapshot.latest_reasons(_REASONS_SHOWN):
        console.print(Text(f"failed: {reason}"))
    if pending:
        rows = [{"trial": waiting["trial"], **waiting["point"]} for waiting in pending]
        show.points(console, "Waiting for values by hand", rows)
    for number in snapshot.forbidden_by_hand:
        forget = f"hedgerow tell {options.file} {number} forget"
        said = f"Trial {number} waits for its value, but its point breaks a rule now. Without a value: {forget}"
        console.print(Text(said, style="yellow"))
    for words in snapshot.changes:
        console.print(Text(words))
    if len(changes) > 1:
        last = changes[-1]
        console.print(f"The rules last changed on {last['since']}, after {last['after_trials']} trials.")
    return YES

"""The verbs about failed trials: retry lets them come again, learn says what they have in common."""

from __future__ import annotations

import argparse
import json
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.cli.study_options import add_study_options, problem_of, study_of, with_storage
from hedgerow.errors import HedgerowError, RuleError
from hedgerow.wording import counted

if TYPE_CHECKING:
    from hedgerow.methods.borders import SuggestedRule

YES, NO = 0, 1
_NAME = "learned"


def add_retry(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `retry`."""
    verb.description = retry.__doc__
    add_study_options(verb)
    verb.add_argument(
        "--reason", metavar="TEXT", help="only those whose reason contains this (default: all that failed)"
    )
    verb.set_defaults(run=with_storage(retry))


def add_learn(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `learn`."""
    verb.description = learn.__doc__
    add_study_options(verb)
    verb.add_argument(
        "--adopt", metavar="N", action="append", default=[], help="write rule number N of the list into FILE, or 'all'"
    )
    verb.set_defaults(run=with_storage(learn))


def retry(options: Namespace) -> int:
    """Let failed trials be tried again by the next run: what failed them was not their points.

    They stay in the storage and count for nothing, their budget is free, and their points wait first in line.
    """
    retried = study_of(options).retry(options.reason)
    if options.json:
        print(json.dumps({"waiting": list(retried.waiting), "forbidden": list(retried.forbidden)}))
        return YES
    n = len(retried.waiting)
    if not n and not retried.forbidden:
        print("No trial has failed" + (f" with '{options.reason}' in its reason." if options.reason else "."))
        return YES
    print(f"{counted(n, 'point')} will be tried again by the next hedgerow run {options.file}.")
    if retried.forbidden:
        print(f"{counted(len(retried.forbidden), 'point')} that the rules forbid by now came to be forgotten.")
    return YES


def learn(options: Namespace) -> int:
    """Say which short rules separate the trials that failed from those that worked, and adopt those you choose."""
    from hedgerow.methods.borders import Landmarks, suggested_rules  # noqa: PLC0415 - after the arguments are checked
    from hedgerow.runs.snapshot import read_snapshot  # noqa: PLC0415

    snapshot = read_snapshot(problem_of(options))
    told = snapshot.read.told
    worked = np.array([bool(item.outcome.readings) for item in told], dtype=np.bool_)
    rows = np.array([item.row for item in told], dtype=np.int64)
    found = suggested_rules(Landmarks(snapshot.problem.space), rows, worked) if len(told) else ()
    adopted = _adopt(Path(options.file), found, options.adopt)
    if options.json:
        print(json.dumps({"rules": [_facts(rule) for rule in found], "adopted": adopted}))
        return YES
    n_failed = int((~worked).sum())
    if not found:
        print(
            f"{n_failed} of {counted(len(told), 'trial')} failed; no short rule tells them from the others"
            + (" yet." if n_failed else ".")
        )
        return NO if options.adopt else YES
    for place, rule in enumerate(found, start=1):
        print(f"{place}. {rule}")
    if adopted:
        print(f"Adopted into {options.file}: {', '.join(f'{name} ({text})' for name, text in adopted.items())}.")
    else:
        print(f"Adopt one: hedgerow learn {options.file} --adopt 1")
    return YES


def _adopt(file: Path, found: tuple[SuggestedRule, ...], chosen: list[str]) -> dict[str, str]:
    """Write the chosen rules into the problem file, each under a name of its own, and return them."""
    from hedgerow.adapters.new_rule import replace_file, with_rule  # noqa: PLC0415
    from hedgerow.feasible import FeasibleSet  # noqa: PLC0415
    from hedgerow.problem_file import read_problem_file  # noqa: PLC0415

    places = _places(chosen, len(found))
    if not places:
        return {}
    taken = set(read_problem_file(file).rules)
    text = file.read_text(encoding="utf-8-sig")
    adopted: dict[str, str] = {}
    for place in places:
        name = next(name for n in range(1, 10_000) if (name := f"{_NAME}_{n}") not in taken)
        taken.add(name)
        adopted[name] = str(found[place].rule)
        text, says = with_rule(text, name, adopted[name], file.name)
    if FeasibleSet(says.space, says.rules, allow_empty=True).codes.is_empty:
        raise RuleError("With these rules no point would be left, so nothing was adopted. Choose fewer of them.")
    replace_file(file, text)
    return adopted


def _places(chosen: list[str], n: int) -> list[int]:
    if chosen == ["all"]:
        return list(range(n))
    for word in chosen:
        if not (word.isascii() and word.isdigit() and 1 <= int(word) <= n):
            known = f"a number from 1 to {n}, or 'all'" if n else "one of the listed rules, and there is none yet"
            raise HedgerowError(f"--adopt takes {known}, but {word!r} was given.")
    return sorted({int(word) - 1 for word in chosen})


def _facts(rule: SuggestedRule) -> dict[str, Any]:
    return {"rule": str(rule.rule), "evidence": str(rule)}

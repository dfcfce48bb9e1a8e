"""The verbs for those who evaluate themselves, people and programs: ask, tell and serve."""

from __future__ import annotations

import argparse
import json
import sys
from argparse import Namespace

from rich.console import Console

from hedgerow.cli import show
from hedgerow.cli.study_options import add_study_options, study_of, with_storage
from hedgerow.cli.verbs import read_point
from hedgerow.errors import HedgerowError, PointError

YES = 0


def add_ask(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `ask`."""
    verb.description = ask.__doc__
    add_study_options(verb)
    verb.add_argument("-n", type=int, default=1, metavar="N", help="how many points (default 1)")
    verb.set_defaults(run=with_storage(ask))


def add_tell(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `tell`."""
    verb.description = tell.__doc__
    add_study_options(verb)
    verb.add_argument("point", metavar="POINT", help='JSON such as \'{"block_x": 64, "padding": true}\'')
    verb.add_argument("value", metavar="VALUE", help="a number, 'failed', or 'forget' for one that was not measured")
    verb.set_defaults(run=with_storage(tell))


def add_serve(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `serve`."""
    verb.description = serve.__doc__
    add_study_options(verb)
    verb.set_defaults(run=with_storage(serve))


def ask(options: Namespace) -> int:
    """Give points to evaluate by hand; each waits until its value is told, however long that takes."""
    if options.n < 1:
        raise HedgerowError(f"-n is a whole number of at least 1, but {options.n} was given.")
    trials = study_of(options).ask_by_hand(options.n)
    if options.json:
        print(json.dumps([{"trial": asked.number, "point": asked.point} for asked in trials]))
    else:
        show.points(Console(), f"{len(trials)} points", [{"trial": a.number, **a.point} for a in trials])
    return YES


def tell(options: Namespace) -> int:
    """Store what a point gave, whether it was asked before or not."""
    study = study_of(options)
    point = read_point(options.point)
    is_forgotten = options.value == "forget"
    number = study.forget(point) if is_forgotten else study.tell(point, _value(options.value))
    keeps_rules = point in study.sampler.feasible
    if options.json:
        print(json.dumps({"trial": number, "keeps_rules": keeps_rules}))
        return YES
    print(
        f"Trial {number}: {options.value}."
        + ("" if keeps_rules else " The point breaks a rule: it informs, but is never best.")
    )
    return YES


def serve(options: Namespace) -> int:
    """Answer {"op": "ask"}, {"op": "tell"} and others, one JSON object per line, until the input ends."""
    from hedgerow.runs.serve import serve as answer  # noqa: PLC0415

    def write(line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    answer(study_of(options), sys.stdin, write)
    return YES


def _value(text: str) -> float | None:
    if text == "failed":
        return None
    try:
        number = float(text)
    except ValueError:
        raise PointError(f"VALUE is a number, 'failed' or 'forget', but {text!r} was given.") from None
    return number if abs(number) < float("inf") else None

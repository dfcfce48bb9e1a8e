"""The verbs for those who evaluate themselves, people and programs: ask, tell, serve and mcp."""

from __future__ import annotations

import argparse
import json
import math
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from hedgerow.cli import show
from hedgerow.cli.study_options import add_study_options, problem_of, silence_optuna, study_of, with_storage
from hedgerow.cli.verbs import read_point
from hedgerow.errors import HedgerowError, PointError
from hedgerow.outcomes.failure import Failure
from hedgerow.wording import counted

YES = 0


def add_ask(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `ask`."""
    verb.description = ask.__doc__
    add_study_options(verb, suggests=True)
    verb.add_argument("-n", type=int, default=1, metavar="N", help="how many points (default 1)")
    verb.set_defaults(run=with_storage(ask))


def add_tell(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `tell`."""
    verb.description = tell.__doc__
    add_study_options(verb)
    which = 'the number that ask printed, or JSON such as \'{"block_x": 64, "padding": true}\''
    verb.add_argument("point", metavar="POINT", nargs="?", help=which)
    verb.add_argument(
        "value",
        metavar="VALUE",
        nargs="*",
        help="a number; numbers by name, as time=3.1 memory=11.8 or JSON; 'failed'; or 'forget', as if it had not been",
    )
    verb.add_argument("--reason", metavar="TEXT", help="why it failed")
    verb.add_argument(
        "--from", dest="results", metavar="CSV", help="many results at once: columns trial (or the variables) and value"
    )
    verb.add_argument("--skip-unfit", action="store_true", help="with --from: leave out lines outside the space")
    verb.set_defaults(run=with_storage(tell))


def add_mcp(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `mcp`."""
    verb.description = mcp.__doc__
    add_study_options(verb, suggests=True, prints=False)
    verb.set_defaults(run=with_storage(mcp))


def ask(options: Namespace) -> int:
    """Give points to evaluate by hand; each waits until its value is told, however long that takes."""
    if options.n < 1:
        raise HedgerowError(f"-n is a whole number of at least 1, but {options.n} was given.")
    trials = study_of(options).ask_by_hand(options.n)
    if options.json:
        print(json.dumps([{"trial": asked.number, "point": asked.point} for asked in trials]))
    else:
        show.points(Console(), counted(len(trials), "point"), [{"trial": a.number, **a.point} for a in trials])
    return YES


def tell(options: Namespace) -> int:
    """Store what a point gave, whether it was asked before or not; or what a table of points gave."""
    if options.results is not None:
        return _tell_all(options)
    if options.point is None or not options.value:
        raise HedgerowError("tell takes a POINT (or the number of a trial) and a VALUE, or --from results.csv.")
    if options.value == ["forget"]:
        return _forget(options)
    told = _told(options.value, options.reason)
    study = study_of(options)
    point = study.pending_point(int(options.point)) if _is_number(options.point) else read_point(options.point)
    number = study.tell(point, told)
    keeps_rules = point in study.sampler.feasible
    if options.json:
        print(json.dumps({"trial": number, "keeps_rules": keeps_rules}))
        return YES
    print(
        f"Trial {number}: {'failed' if told is None or isinstance(told, Failure) else ' '.join(options.value)}."
        + ("" if keeps_rules else " The point breaks a rule: it informs, but is never best.")
    )
    return YES


def _forget(options: Namespace) -> int:
    study = study_of(options)
    is_number = _is_number(options.point)
    number = study.forget_trial(int(options.point)) if is_number else study.forget(read_point(options.point))
    print(json.dumps({"trial": number}) if options.json else f"Trial {number}: forgotten. Its point may come again.")
    return YES


def _tell_all(options: Namespace) -> int:
    from hedgerow.runs.plate import tell_all  # noqa: PLC0415 - takes a second, which bad input need not wait for
    from hedgerow.runs.table import results_in  # noqa: PLC0415

    if options.point is not None:
        raise HedgerowError("tell takes a POINT and a VALUE, or --from results.csv, not both.")
    problem = problem_of(options)
    results = results_in(_text_of(options.results), problem.space, problem.goals)
    report = tell_all(study_of(options), results, options.skip_unfit)
    print(json.dumps(asdict(report)) if options.json else str(report))
    return YES


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise HedgerowError(f"The file '{path}' cannot be opened: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise HedgerowError(f"The file '{path}' is not text in UTF-8.") from None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def mcp(options: Namespace) -> int:
    """Let agents check, ask, tell, explain and repair: the Model Context Protocol on standard input and output."""
    from hedgerow.adapters.mcp import server  # noqa: PLC0415 - needs the SDK, an extra

    # A file that cannot be read is told here, where a person can see it.
    problem_of(options)
    silence_optuna()
    names = ("storage", "study", "seed", "method", "node_budget")
    server(options.file, {name: getattr(options, name) for name in names}).run("stdio")
    return YES


def _told(words: list[str], reason: str | None) -> Any:
    """Return what is told: a number, numbers by name, JSON, or a failure."""
    text = " ".join(words)
    if text == "failed":
        return None if reason is None else Failure(reason)
    if reason is not None:
        raise HedgerowError("--reason says why a trial failed, and goes with 'failed' alone.")
    if text[0] in "{[":
        try:
            return json.loads(text, parse_float=_value)
        except (ValueError, RecursionError) as error:
            raise PointError(f"VALUE is not valid JSON: {error}.") from None
    if "=" in text:
        pairs = [word.partition("=") for word in words]
        return {name: _value(number) for name, _, number in pairs}
    return _value(text)


def _value(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        raise PointError(
            f"VALUE is a number, numbers by name such as time=3.1, 'failed' or 'forget', but {text!r} was given."
        ) from None
    if math.isinf(number) and any(letter.isdigit() for letter in text):
        raise PointError(
            f"VALUE is a number that a float can hold, at most about 1.8e308, but {text[:40]!r} was given."
        )
    return number if math.isfinite(number) else None

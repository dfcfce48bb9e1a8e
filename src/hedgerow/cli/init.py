"""The verb `init`: the first problem file, from options or by asking; what it writes has been read back before."""

from __future__ import annotations

import argparse
import re
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hedgerow.errors import HedgerowError, ProblemFileError
from hedgerow.problem_file import parse_problem
from hedgerow.rules import bind_rules
from hedgerow.space import toml
from hedgerow.wording import counted

YES = 0
_FORMS = "16,32,64 or 1..16 or 0..100:5 or 0.0..1.0/11 or a,b,c or true,false"
_RANGE = re.compile(r"(?P<low>[-+\d.eE]+)\.\.(?P<high>[-+\d.eE]+)(?::(?P<step>\d+)|/(?P<levels>\d+)(?P<log>log)?)?")


def add_init(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of the verb."""
    verb.description = init.__doc__
    verb.add_argument("-o", "--output", default="problem.toml", metavar="FILE", help="default: problem.toml")
    verb.add_argument("-v", "--variable", action="append", default=[], metavar="NAME=VALUES", help=_FORMS)
    verb.add_argument("-r", "--rule", action="append", default=[], metavar="[NAME=]RULE", help="such as 'x * y <= 64'")
    verb.add_argument("--command", metavar="COMMAND", help="such as './measure --x {x}'; it prints the value last")
    verb.add_argument("--maximize", action="store_true", help="larger values are better")
    verb.add_argument("--budget", type=int, default=100, metavar="N", help="how many trials (default 100)")
    verb.set_defaults(run=init)


def init(options: Namespace) -> int:
    """Write a problem file: from options, or by asking where none are given."""
    file = Path(options.output)
    if file.exists():
        raise HedgerowError(f"There is a file {file} already. Name another one with -o.")
    if not options.variable:
        if not sys.stdin.isatty():
            raise HedgerowError(f"Say what may vary: -v NAME=VALUES, where VALUES are {_FORMS}.")
        _ask(options, input)
    text = problem_text(options.variable, options.rule, options.command, options.maximize, options.budget)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise HedgerowError(f"The file '{file}' cannot be written: {error.strerror or error}.") from None
    said = f"{counted(len(options.variable), 'variable')}, {counted(len(options.rule), 'rule')}"
    print(f"{file}: {said}. Next: hedgerow check {file}")
    return YES


def problem_text(variables: list[str], rules: list[str], command: str | None, maximize: bool, budget: int) -> str:
    """Return a problem file that says this, or say what cannot be read."""
    space = dict(_variable(given) for given in variables)
    named = dict(_rule(number, given) for number, given in enumerate(rules, start=1))
    objective: dict[str, Any] = {"command": command} if command else {}
    objective["direction"] = "maximize" if maximize else "minimize"
    parts = [toml.table("space", space), toml.table("rules", named), toml.table("objective", objective)]
    text = "\n".join([*parts, toml.table("run", {"budget": budget, "seed": 0})])
    read = parse_problem(text, "the problem file")
    bind_rules(read.space, read.rules)
    return text


def _ask(options: Namespace, ask: Callable[[str], str]) -> None:
    """Ask for what the options would say; an empty answer goes on to the next question."""
    print(f"What may vary? One variable per line, NAME=VALUES, where VALUES are {_FORMS}. An empty line ends them.")
    while answer := ask("variable: ").strip():
        try:
            _variable(answer)
        except HedgerowError as error:
            print(error)
        else:
            options.variable.append(answer)
    if not options.variable:
        raise HedgerowError("A problem needs at least one variable.")
    print("What must hold between them? One rule per line, such as x * y <= 64.")
    while answer := ask("rule: ").strip():
        options.rule.append(answer)
    names = " ".join(
        f"--{given.partition('=')[0].strip()} {{{given.partition('=')[0].strip()}}}" for given in options.variable
    )
    print(f"How is a point measured? A command that prints the value last, such as ./measure {names}; empty: by hand.")
    options.command = ask("command: ").strip() or None
    options.maximize = ask("Are larger values better? [y/N] ").strip().lower() in ("y", "yes")


def _variable(given: str) -> tuple[str, Any]:
    name, separator, values = given.partition("=")
    if not separator or not values.strip():
        raise ProblemFileError(f"'{given}' is no variable. It looks like NAME=VALUES, where VALUES are {_FORMS}.")
    return name.strip(), _values(values.strip())


def _values(text: str) -> Any:
    found = _RANGE.fullmatch(text)
    if found:
        low, high = _number(found["low"]), _number(found["high"])
        if found["levels"]:
            log = {"log": True} if found["log"] else {}
            return {"type": "real", "low": float(low), "high": float(high), "levels": int(found["levels"]), **log}
        step = {"step": int(found["step"])} if found["step"] else {}
        return {"type": "integer", "low": low, "high": high, **step}
    items = [item.strip() for item in text.split(",")]
    if sorted(items) == ["false", "true"]:
        return {"type": "boolean"}
    try:
        return [_number(item) for item in items]
    except ValueError:
        return {"type": "categorical", "values": items}


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)


def _rule(number: int, given: str) -> tuple[str, str]:
    """Return a rule with its name; `NAME=RULE` has a single = after a name, which no comparison has."""
    found = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*=(?!=)(.*)", given, re.DOTALL)
    return (found[1], found[2].strip()) if found else (f"rule_{number}", given.strip())

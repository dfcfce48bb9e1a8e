"""Writes docs/commands.md from the parser of the command, before `make docs` builds the site."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from hedgerow.cli.main import VERBS

PAGE = Path(__file__).parent / "commands.md"
_HEAD = """# Commands

Exit codes: 0 success; 1 the answer is no (a point that breaks a rule, rules that
nothing satisfies, a run without a value); 2 bad input; 3 a storage that stayed out of reach; 130 interrupted, and goes on when it is run again.
"""


def page() -> str:
    """Return the page."""
    return "\n".join([_HEAD, *(_verb(name, summary, place) for name, (summary, place) in VERBS.items())])


def _verb(name: str, summary: str, place: str) -> str:
    parser = argparse.ArgumentParser(prog=f"hedgerow {name}", add_help=False)
    module, function = place.split(":")
    getattr(import_module(module), function)(parser)
    takes = [action for action in parser._actions if not action.option_strings]
    usage = " ".join(["hedgerow", name, *map(_placed, takes)])
    words = " ".join((parser.description or summary).split())
    shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    rows = [f"| {_named(action)} | {_cell(action.help or '')} |" for action in shown]
    return "\n".join([f"## {name}", "", f"`{usage} [options]`", "", words, "", "| | |", "|---|---|", *rows, ""])


def _placed(action: argparse.Action) -> str:
    shown = str(action.metavar or action.dest).upper()
    return f"[{shown}]" if action.nargs in ("?", "*") else shown


def _named(action: argparse.Action) -> str:
    choices = "|".join(map(str, action.choices)) if action.choices else action.dest.upper()
    value = "" if action.nargs == 0 else f" {action.metavar or choices}"
    return f"`{_cell((', '.join(action.option_strings) + value).strip())}`"


def _cell(text: str) -> str:
    return " ".join(text.replace("%%", "%").replace("|", "\\|").split())


def on_pre_build(config: object) -> None:  # noqa: ARG001 - what MkDocs calls
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")

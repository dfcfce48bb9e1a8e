"""The `hedgerow` command: reads its arguments, calls one verb, turns errors into exit codes.

Exit codes: 0 success (for `run`: the budget is used, or every feasible point has been tried); 1 the answer is no (a
point that breaks a rule, rules that nothing satisfies, a run without a single value); 2 bad input; 3 a storage that
stayed out of reach; 130 a run that was interrupted, and goes on when it is run again.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from hedgerow import __version__
from hedgerow.errors import HedgerowError, RuleWarning, TrialWarning
from hedgerow.wording import ending

BAD_INPUT = 2

# Each verb with what fills its parser. A verb is loaded when it is called: `check` waits for nothing that `run` needs.
VERBS = {
    "check": ("size, exact count, and what the rules do", "hedgerow.cli.verbs:add_check"),
    "sample": ("uniform random points", "hedgerow.cli.verbs:add_sample"),
    "explain": ("which rules a point breaks, and its repair", "hedgerow.cli.verbs:add_explain"),
    "run": ("run or resume a study", "hedgerow.cli.run:add_run"),
    "status": ("trials by state, and the best point", "hedgerow.cli.status:add_status"),
    "ask": ("points to evaluate by hand", "hedgerow.cli.by_hand:add_ask"),
    "tell": ("what a point gave", "hedgerow.cli.by_hand:add_tell"),
    "retry": ("let failed trials come again", "hedgerow.cli.failures:add_retry"),
    "learn": ("rules that failures suggest", "hedgerow.cli.failures:add_learn"),
    "export": ("the trials as a table", "hedgerow.cli.export:add_export"),
    "serve": ("ask and tell as JSON lines, or over HTTP", "hedgerow.cli.serve:add_serve"),
    "mcp": ("a study for agents (Model Context Protocol)", "hedgerow.cli.by_hand:add_mcp"),
    "report": ("one HTML page that shows a study", "hedgerow.cli.report:add_report"),
    "init": ("a problem file, from options or by asking", "hedgerow.cli.init:add_init"),
    "completion": ("verbs and options for your shell", "hedgerow.cli.completion:add_completion"),
    "import": ("a problem file from another tool's file", "hedgerow.cli.import_:add_import"),
}

_FIRST = """Black-box optimization that never leaves the rules. What to do first:

  hedgerow init -o problem.toml          write a problem file: variables, rules, how a point is measured
  hedgerow check problem.toml            how many points are feasible, and what the rules do
  hedgerow run problem.toml              measure until the budget is used; run it again to go on
  hedgerow ask problem.toml              or measure by hand, and tell what each point gave

All verbs: hedgerow --help; one of them: hedgerow run --help."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if not given:
        print(_FIRST)
        return 0
    if not given[0].startswith("-") and given[0] not in VERBS:
        print(f"hedgerow: there is no verb '{given[0]}'{ending(given[0], list(VERBS))}", file=sys.stderr)
        return BAD_INPUT
    parser = _parser()
    options = parser.parse_args(arguments)
    with warnings.catch_warnings():
        # `check` reports what the warnings say, and in better words.
        warnings.simplefilter("ignore", RuleWarning)
        warnings.showwarning = _show_warning
        try:
            return int(options.run(options))
        except HedgerowError as error:
            print(f"hedgerow: {error}", file=sys.stderr)
            return BAD_INPUT
        except BrokenPipeError:
            return 0


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Print what is to be known about trials as messages are printed, without the place in the source."""
    kind = "" if issubclass(category, TrialWarning) else f"{category.__name__}: "
    print(f"hedgerow: {kind}{message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hedgerow",
        description="Black-box optimization over discrete and mixed spaces that never leaves the rules.",
        epilog="Exit codes: 0 success, 1 the answer is no (an infeasible point, contradicting rules, a run without a "
        "value), 2 bad input, 3 storage out of reach, 130 interrupted (run again to go on).",
    )
    parser.add_argument("--version", action="version", version=f"hedgerow {__version__}")
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB", parser_class=_VerbParser)
    for name, (summary, place) in VERBS.items():
        verbs.add_parser(name, help=summary, place=place)
    return parser


class _VerbParser(argparse.ArgumentParser):
    """The parser of one verb, which loads the verb when it is the one that was called."""

    def __init__(self, *, place: str, **options: Any) -> None:
        super().__init__(**options)
        self._place = place

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Fill the parser, and read the arguments."""
        module, function = self._place.split(":")
        getattr(import_module(module), function)(self)
        return super().parse_known_args(args, namespace)


if __name__ == "__main__":
    sys.exit(main())

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

from hedgerow import __version__
from hedgerow.cli.import_ import add_import
from hedgerow.cli.report import add_report
from hedgerow.cli.run import add_parsers as add_study_verbs
from hedgerow.cli.verbs import check, explain, sample
from hedgerow.errors import HedgerowError, RuleWarning

BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    with warnings.catch_warnings():
        # `check` reports what the warnings say, and in better words.
        warnings.simplefilter("ignore", RuleWarning)
        try:
            return int(options.run(options))
        except HedgerowError as error:
            print(f"hedgerow: {error}", file=sys.stderr)
            return BAD_INPUT
        except BrokenPipeError:
            return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hedgerow",
        description="Black-box optimization over discrete spaces that never leaves the rules.",
        epilog="Exit codes: 0 success, 1 the answer is no (an infeasible point, contradicting rules, a run without a "
        "value), 2 bad input, 3 storage out of reach, 130 interrupted (run again to go on).",
    )
    parser.add_argument("--version", action="version", version=f"hedgerow {__version__}")
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB")

    verb = verbs.add_parser("check", help="size, exact count, and what the rules do", description=check.__doc__)
    _common(verb)
    verb.set_defaults(run=check)

    verb = verbs.add_parser("sample", help="uniform random points", description=sample.__doc__)
    _common(verb)
    verb.add_argument("-n", type=_count, default=5, metavar="N", help="how many points (default 5)")
    verb.add_argument("--seed", type=int, default=None, help="for the same points every time")
    verb.add_argument("--infeasible", action="store_true", help="draw from the points that break a rule")
    verb.set_defaults(run=sample)

    verb = verbs.add_parser("explain", help="which rules a point breaks, and its repair", description=explain.__doc__)
    _common(verb)
    verb.add_argument("point", metavar="POINT", help='JSON such as \'{"block_x": 64, "padding": true}\'')
    verb.set_defaults(run=explain)

    add_study_verbs(verbs)
    add_report(verbs)
    add_import(verbs)
    return parser


def _common(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("file", metavar="FILE", help="a problem file in TOML")
    verb.add_argument("--json", action="store_true", help="print JSON for programs")
    verb.add_argument("--node-budget", type=_count, default=None, metavar="N", help="largest diagram, in nodes")


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main())

"""The laboratory, run from a checkout with the extra `research`: `python -m research VERB`.

`list`, `run NAME`, `report NAME` and `recheck NAME` are for experiments (TOML files in `research/experiments`); the
other verbs are measurements with options of their own, as `python -m research scale --help` shows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from hedgerow.errors import HedgerowError
from research.harness.commands import add_verbs
from research.measurements.catalog import MEASUREMENTS

BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an experiment's verb or a measurement."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given and given[0] in MEASUREMENTS:
            return int(import_module(MEASUREMENTS[given[0]].module).main(given[1:]))
        options = _parser().parse_args(given)
        return int(options.run(options))
    except HedgerowError as error:
        print(f"research: {error}", file=sys.stderr)
        return BAD_INPUT


def _parser() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {name:18} {one.what} ({one.takes})" for name, one in MEASUREMENTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m research",
        description=__doc__,
        epilog=f"measurements, and how long they take on two cores:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_verbs(parser.add_subparsers(title="experiments", required=True, metavar="list|run|report|recheck"))
    return parser


if __name__ == "__main__":
    sys.exit(main())

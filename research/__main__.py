"""The laboratory: `python -m research VERB`, from a checkout with the extra `research`.

`list`, `run NAME` and `report NAME` are for experiments (TOML files in `research/experiments`); the other verbs are
measurements with options of their own, as `python -m research scale --help` shows.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence

from hedgerow.errors import HedgerowError
from research.harness.commands import add_verbs

BAD_INPUT = 2
# What each measurement measures; the module of the same name runs it.
MEASUREMENTS = {
    "ask_times": "seconds per proposal",
    "dense_pgrad": "training over the whole tensor against ours",
    "faults": "workers killed at random: nothing lost, nothing twice",
    "fuzz": "hostile text for everything that reads text",
    "hsdp_solvers": "solvers for the semidefinite relaxation",
    "overhead": "milliseconds per trial of `hedgerow run`",
    "penalty": "what the paper's penalty is worth inside the rules",
    "replays": "measured data, method against method",
    "rules": "compiling and counting rules, against Kernel Tuner",
    "same-suggestions": "what two versions of the source suggest",
    "sample_efficiency": "trials to the optimum",
    "scale": "spaces of 10^10 to 10^60 points",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an experiment's verb or a measurement."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] == "same-suggestions":
        from research.measurements.same_suggestions.__main__ import main as compare  # noqa: PLC0415 - heavy

        return compare(given[1:])
    if given and given[0] in MEASUREMENTS:
        sys.argv = [f"python -m research {given[0]}", *given[1:]]
        runpy.run_module(f"research.{given[0]}", run_name="__main__", alter_sys=False)
        return 0
    listed = "\n".join(f"  {name:20} {what}" for name, what in MEASUREMENTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m research",
        description=__doc__,
        epilog=f"measurements:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_verbs(parser.add_subparsers(title="experiments", required=True, metavar="list|run|report"))
    options = parser.parse_args(given)
    try:
        return int(options.run(options))
    except HedgerowError as error:
        print(f"research: {error}", file=sys.stderr)
        return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())

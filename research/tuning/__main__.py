"""What a change of the default does to tuning tasks: `python -m research tuning LABEL [--against OTHER] [--set ...]`.

Runs the default as it stands in this checkout, with settings or numbers of modules changed by `--set`, under a label;
then prints how it compares with the runs under another label, in pairs of one task and seed. Finished runs are kept,
so a command goes on where it stopped. `research/tuning/split.toml` says which tasks these are; others are refused.

    python -m research tuning before
    python -m research tuning patient --set patience=60 --against before
    python -m research tuning wary --set hedgerow.methods.auto.belief:_STRUCTURE=-3.0 --against before
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

from hedgerow.errors import HedgerowError
from hedgerow.wording import ending
from research.tuning.changed import Change
from research.tuning.pairs import table
from research.tuning.runs import TuningRun, append, read, run

SPLIT = Path(__file__).parent / "split.toml"
RUNS = Path(__file__).parents[1] / "results" / "tuning.jsonl"
# A few minutes for one label: what sticks, what is local but not a sequence, what is one, and two rugged lists.
QUICK = ("scattered-20", "scattered-60", "motif-8", "spins-24", "tiles", "contamination", "max-sat-28", "warcraft-2x2")


def tuning_tasks() -> list[str]:
    """Return the tasks that the default may be tuned on."""
    split = tomllib.loads(SPLIT.read_text(encoding="utf-8"))
    return [task for tasks in split["tuning"].values() for task in tasks]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing within the processor time given, then print the comparison."""
    options = _options(arguments)
    for task in options.tasks:
        if task not in tuning_tasks():
            raise HedgerowError(f"'{task}' is not a tuning task{ending(task, tuning_tasks())}")
    change = Change.parse(options.set)
    stored = {(one.label, one.task, one.seed, one.budget) for one in read(options.runs)}
    end = time.process_time() + options.seconds
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        for task in options.tasks:
            if (options.label, task, seed, options.budget) in stored:
                continue
            if time.process_time() > end:
                print("The time is up; the same command goes on from here.", file=sys.stderr)
                break
            append(options.runs, run(options.label, task, seed, options.budget, change))
    if options.against:
        print(table(read(options.runs), options.label, options.against, options.tasks))
    else:
        print("\n".join(_line(one) for one in read(options.runs) if one.label == options.label))
    return 0


def _line(one: TuningRun) -> str:
    rounds, value = one.improvements[-1]
    return f"{one.task:18} seed {one.seed:3}  {value:.6g} after {rounds} of {one.n_rounds}  {one.milliseconds:.0f} ms"


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m research tuning", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("label", help="what the runs of this code with these changes are called")
    parser.add_argument("--against", help="the label to compare with")
    parser.add_argument("--set", nargs="+", default=[], metavar="PLACE=VALUE", help="numbers to change")
    parser.add_argument("--tasks", nargs="+", default=list(QUICK))
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--budget", type=int, default=120)
    parser.add_argument("--seconds", type=float, default=1800.0, help="processor time to spend (default 1800)")
    parser.add_argument("--runs", type=Path, default=RUNS, help="the file of finished runs")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

"""How far the engines reach: `python -m research engines [--models FOLDER] [--only TEXT] [--table FILE]`.

Each family is measured in a process of its own, in processor seconds: compiling (with the process of the compiler where
there is one), the first point, draws, and asks of the default with a synthetic objective; then d4 and CP-SAT alone on
the same rules. Every point is checked against the rules' own evaluator.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow import HedgerowError, Optimizer
from hedgerow.space.encoding import encode, slot_values
from research.engines.alone import d4_alone, solver_alone
from research.engines.families import FAMILIES, Family, of_folder

N_DRAWS = 10
N_ASKS = 6
_COLUMNS = ("compile", "exact", "engine", "first", "draws a second", "ask", "MiB", "d4 alone", "CP-SAT alone", "before")


def main(arguments: Sequence[str]) -> int:
    """Measure the families and print a table."""
    options = _parser().parse_args(arguments)
    families = FAMILIES | (of_folder(options.models) if options.models else {})
    if options.measure is not None:
        print(json.dumps(measured(families[options.measure])))
        return 0
    lines = [f"| rules | {' | '.join(_COLUMNS)} |", "|---" * (len(_COLUMNS) + 1) + "|"]
    for name, family in families.items():
        if options.only in name:
            lines.append(_line(name, family, _in_a_process(name, options)))
            print(lines[-1], flush=True)
    if options.table is not None:
        options.table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def measured(family: Family) -> dict[str, Any]:
    """Return one row."""
    space, rules = family.make()
    began = _seconds()
    optimizer = Optimizer(space, rules=rules, seed=0)
    feasible = optimizer.feasible
    compiled = _seconds()
    points = feasible.sample(1, seed=0)
    first = _seconds()
    points += feasible.sample(N_DRAWS, seed=1)
    drawn = _seconds()
    asks = _ask_seconds(optimizer, points)
    for point in points:
        values = slot_values(space, encode(space, point))
        assert all(rule.holds(values) for rule in feasible.rules), "a point breaks a rule"
    return {
        "compile": compiled - began,
        "exact": f"{feasible.count:.3g}" if feasible.is_exact else "no",
        "engine": feasible.codes.description.partition(",")[0],
        "first": first - compiled,
        "draws a second": f"{N_DRAWS / max(drawn - first, 1e-4):,.0f} {feasible.sampling}",
        "ask": asks,
        "MiB": _peak_mib(),
        "d4 alone": d4_alone(space, rules),
        "CP-SAT alone": solver_alone(space, rules),
    }


def _seconds() -> float:
    """Return the processor seconds of this process and of those it has started."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _ask_seconds(optimizer: Optimizer, points: list[dict[str, Any]]) -> float:
    """Return the median time of some asks of the default under a sum with pairs; the first two learn nothing yet."""
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=size) for size in optimizer.space.sizes]
    times: list[float] = []
    for _ in range(N_ASKS):
        began = time.process_time()
        point = optimizer.ask()
        times.append(time.process_time() - began)
        row = encode(optimizer.space, point)
        parts = np.array([weight[code] for weight, code in zip(weights, row, strict=True)])
        optimizer.tell(point, float(parts.sum() + (parts[1:] * parts[:-1]).sum()))
        points.append(point)
    return float(np.median(times[2:]))


def _in_a_process(name: str, options: argparse.Namespace) -> dict[str, Any] | str:
    command = [sys.executable, "-m", "research", "engines", "--measure", name]
    if options.models:
        command += ["--models", str(options.models)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer in {options.seconds:.0f} s"
    if done.returncode:
        return done.stderr.strip().splitlines()[-1][:80] if done.stderr.strip() else "failed"
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def _line(name: str, family: Family, row: dict[str, Any] | str) -> str:
    if isinstance(row, str):
        return f"| {name} | {row} |{' |' * (len(_COLUMNS) - 2)} {family.before} |"
    cells = [f"{row[key]:.2f} s" if isinstance(row[key], float) else str(row[key]) for key in _COLUMNS[:-1]]
    return f"| {name} | {' | '.join(cells)} | {family.before} |"


def _peak_mib() -> int:
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError as error:
        raise HedgerowError("Peak memory is not known on this system.") from error
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m research engines", description=__doc__)
    parser.add_argument("--models", type=Path, help="a folder of CNF files")
    parser.add_argument("--only", default="", help="families whose name holds this text")
    parser.add_argument("--seconds", type=float, default=600.0, help="when a family is given up")
    parser.add_argument("--table", type=Path, help="where to write the table")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""How far the engines reach: `python -m research engines [--models FOLDER] [--only TEXT]`.

Each family is measured in a process of its own, in processor seconds: compiling (with the process of the compiler where
there is one), the first point, draws, and asks of the default with a synthetic objective; then d4 and CP-SAT alone on
the same rules. Every point is checked against the rules' own evaluator, and a count against that of d4 where d4 has
one. Rows are added to a table, and a family that is in it is not measured again, unless `--again` is said. The tables
of docs/engines.md are made from the rows.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow import HedgerowError, Optimizer
from hedgerow.space.encoding import encode, slot_values
from research.engines.alone import d4_alone, solver_alone
from research.engines.families import FAMILIES, Family, of_folder
from research.engines.page import FIELDS, TABLE, line_of, write_page

N_ASKS = 8
# Draws are made until they have taken so many seconds.
_DRAW_SECONDS = 0.5
_MAX_DRAWS = 10_000
# How much longer by the clock a family may take on a machine that does other things.
_BUSY = 50


def main(arguments: Sequence[str]) -> int:
    """Measure the families that are missing, and write the page."""
    options = _parser().parse_args(arguments)
    families = FAMILIES | (of_folder(options.models) if options.models else {})
    if options.measure is not None:
        _bound_seconds(options.seconds)
        print(json.dumps(measured(families[options.measure], options.d4_seconds)))
        return 0
    rows = read_rows(options.table)
    for name, family in {} if options.show else families.items():
        if options.only not in name or (name in rows and not options.again):
            continue
        found = _in_a_process(name, options)
        rows[name] = {"rules": name, "before": family.before, "date": f"{datetime.now(UTC):%Y-%m-%d}", **found}
        _write_rows(options.table, rows, list(families))
        print(line_of(rows[name]), flush=True)
    if not options.only:
        write_page(list(rows.values()))
    return 0


def measured(family: Family, d4_seconds: int) -> dict[str, Any]:
    """Return one row."""
    space, rules = family.make()
    began, d4_began = _seconds(), _seconds_of_children()
    optimizer = Optimizer(space, rules=rules, seed=0)
    feasible = optimizer.feasible
    compiled, d4_took = _seconds(), _seconds_of_children() - d4_began
    points = feasible.sample(1, seed=0)
    first = _seconds()
    n_drawn = 1
    while (drawn := _seconds()) - first < _DRAW_SECONDS and n_drawn < _MAX_DRAWS:
        points += feasible.sample(n_drawn, seed=n_drawn)
        n_drawn *= 2
    ask, slowest = _ask_seconds(optimizer, points)
    memory = _peak_mib()
    for point in points[:200] + points[-N_ASKS:]:
        values = slot_values(space, encode(space, point))
        assert all(rule.holds(values) for rule in feasible.rules), "a point breaks a rule"
    count = feasible.count if feasible.is_exact else None
    alone = "the same run" if d4_took and count is not None else d4_alone(space, rules, d4_seconds, count)
    return {
        "engine": feasible.codes.description,
        "count": "" if count is None else str(count),
        "sampling": feasible.sampling,
        "compile": round(compiled - began, 2),
        "of_it_d4": round(d4_took, 2),
        "first": round(first - compiled, 2),
        "draws_a_second": round((len(points) - 1 - N_ASKS) / max(drawn - first, 1e-3), 1),
        "ask": round(ask, 2),
        "slowest_ask": round(slowest, 2),
        "mib": memory,
        "d4_alone": alone,
        "cp_sat_alone": solver_alone(space, rules),
    }


def _seconds() -> float:
    """Return the processor seconds of this process and of those it has started."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _seconds_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _ask_seconds(optimizer: Optimizer, points: list[dict[str, Any]]) -> tuple[float, float]:
    """Return the median and the longest time of asks of the default under a sum with pairs, from the third on.

    The first two learn nothing yet.
    """
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
    return float(np.median(times[2:])), max(times[2:])


def _bound_seconds(seconds: float) -> None:
    """End this process after so many processor seconds, where the system can do that."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (round(seconds), round(seconds) + 1))


def _in_a_process(name: str, options: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, "-m", "research", "engines", "--measure", name]
    command += ["--seconds", str(options.seconds), "--d4-seconds", str(options.d4_seconds)]
    if options.models:
        command += ["--models", str(options.models)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_BUSY * options.seconds, check=False)
    except subprocess.TimeoutExpired:
        return {"engine": f"no answer in {_BUSY * options.seconds:.0f} s by the clock"}
    if done.returncode < 0:
        return {"engine": f"no answer in {options.seconds:.0f} processor seconds"}
    if done.returncode:
        return {"engine": done.stderr.strip().splitlines()[-1][:80] if done.stderr.strip() else "failed"}
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def read_rows(path: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of the table, by the name of the family."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {row["rules"]: dict(row) for row in csv.DictReader(file)}


def _write_rows(path: Path, rows: dict[str, dict[str, Any]], names: list[str]) -> None:
    def place(name: str) -> float:
        return names.index(name) if name in names else math.inf

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows, key=place))


def _peak_mib() -> int:
    """Return the most memory that this process or the compiler's has had."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError as error:
        raise HedgerowError("Peak memory is not known on this system.") from error
    both = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return max(both) // 1024


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m research engines", description=__doc__)
    parser.add_argument("--models", type=Path, help="a folder of CNF files")
    parser.add_argument("--only", default="", help="families whose name holds this text; the page is not written")
    parser.add_argument("--again", action="store_true", help="measure also what is in the table")
    parser.add_argument("--show", action="store_true", help="measure nothing, write the page")
    parser.add_argument("--seconds", type=float, default=120.0, help="processor seconds after which one is given up")
    parser.add_argument("--d4-seconds", type=int, default=60, help="what d4 alone may take")
    parser.add_argument("--table", type=Path, default=TABLE, help="where the rows are")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

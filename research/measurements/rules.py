"""Speed and memory of the feasible set: `python -m research rules [--data-dir DIR] [--json] [--orders]`.

Every case runs in a process of its own, so that its peak memory is its own. Where Kernel Tuner is installed (the extra
`research`), its `Searchspace` is built from the same rules in the same process, right after ours; both are timed cold.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import hedgerow as hr
from hedgerow.feasible.compile import compile_rules
from hedgerow.wording import approximate
from research.measurements.rule_cases import GPU_CASES, RuleCase, cases

N_DRAWS = 100_000
N_RANDOM_ORDERS = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all cases, or one of them when called by itself."""
    options = _options(arguments)
    warnings.simplefilter("ignore", hr.RuleWarning)
    data_dir = _data_dir(options.data_dir)
    known = cases(data_dir)
    if options.case:
        measure = measure_orders if options.orders else measure_case
        print(json.dumps(measure(options.case, known[options.case])))
        return 0
    console = Console(stderr=True)
    if data_dir is None:
        console.print("The GPU spaces are skipped: set HEDGEROW_DATA or --data-dir to the folder with kernel_tuner/.")
    rows: list[dict[str, Any]] = []
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("measuring", total=len(known))
        for name in known:
            progress.update(task, description=name)
            rows.append(_in_process(name, options))
            progress.advance(task)
    report = {"machine": _machine(), "import_seconds": import_seconds(), "cases": rows}
    if options.json:
        print(json.dumps(report, indent=2))
    elif options.orders:
        _show_orders(Console(), report)
    else:
        _show(Console(), report)
    return 0


def measure_case(name: str, make: Callable[[], RuleCase]) -> dict[str, Any]:
    """Time one case in this process, and the peer after it."""
    case = make()
    before = _peak_mib()
    start = time.perf_counter()
    feasible = hr.FeasibleSet(case.space, case.rules)
    count = feasible.count
    seconds = time.perf_counter() - start
    peak = _peak_mib()
    if case.expected is not None and count != case.expected:
        raise SystemExit(f"{name}: counted {count}, expected {case.expected}")
    rng = np.random.default_rng(0)
    feasible.codes.draw(4096, rng)
    start = time.perf_counter()
    feasible.codes.draw(N_DRAWS, rng)
    draws = N_DRAWS / (time.perf_counter() - start)
    result = {
        "name": name,
        "points": case.space.size,
        "feasible": count,
        "nodes": feasible.codes.n_nodes,
        "seconds": seconds,
        "peak_mib": peak,
        "added_mib": peak - before,
        "draws_per_second": draws,
    }
    if name in GPU_CASES:
        result["peer_seconds"] = _kernel_tuner_seconds(case, count)
    return result


def measure_orders(name: str, make: Callable[[], RuleCase]) -> dict[str, Any]:
    """Compile one case under several variable orders and compare the sizes of the diagrams."""
    case = make()
    feasible = hr.FeasibleSet(case.space, case.rules)
    n_slots = len(case.space.slots)
    declared = list(range(n_slots))
    rng = np.random.default_rng(0)
    orders = {"declared": [declared], "reversed": [declared[::-1]]}
    orders["random"] = [list(map(int, rng.permutation(n_slots))) for _ in range(N_RANDOM_ORDERS)]
    sizes: dict[str, Any] = {"chosen": feasible.codes.n_nodes}
    for label, candidates in orders.items():
        nodes = [_nodes_with(feasible, order) for order in candidates]
        known = sorted(n for n in nodes if n is not None)
        sizes[label] = known[len(known) // 2] if len(known) > len(nodes) // 2 else None
    return {"name": name, "nodes": sizes}


def _nodes_with(feasible: hr.FeasibleSet, order: list[int]) -> int | None:
    """The size of the diagram, or None when the order does not fit the budget."""
    compiled = compile_rules(feasible.space, feasible.rules, order=order)
    return compiled.diagram.n_nodes if compiled.is_exact else None


def _kernel_tuner_seconds(case: RuleCase, count: int) -> float | None:
    try:
        from kernel_tuner.searchspace import Searchspace  # noqa: PLC0415 - an optional peer
    except ImportError:
        return None
    texts = [str(rule.content if isinstance(rule, hr.Rule) else rule) for rule in case.rules]
    parameters = {slot.name: list(slot.variable.values) for slot in case.space.slots}
    start = time.perf_counter()
    peer = Searchspace(parameters, texts, 1024)
    seconds = time.perf_counter() - start
    if peer.size != count:
        raise SystemExit(f"Kernel Tuner counts {peer.size}, Hedgerow {count}")
    return seconds


def import_seconds() -> float:
    """The time of `import hedgerow` in a fresh process, least of five, without starting Python itself."""
    code = "import time; t = time.perf_counter(); import hedgerow; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


def _in_process(name: str, options: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, "-m", "research.measurements.rules", "--case", name]
    if options.data_dir:
        command += ["--data-dir", str(options.data_dir)]
    if options.orders:
        command.append("--orders")
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        raise SystemExit(f"{name} failed:\n{finished.stderr}")
    measured: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return measured


def _show(console: Console, report: dict[str, Any]) -> None:
    table = Table(title=f"Compile and count; {report['machine']}", header_style="bold")
    columns = ("space", "points", "feasible", "nodes", "seconds", "peak MiB", "draws/s", "Kernel Tuner s", "ratio")
    for column in columns:
        table.add_column(column, justify="left" if column == "space" else "right")
    for row in report["cases"]:
        peer = row.get("peer_seconds")
        table.add_row(
            row["name"],
            approximate(row["points"]),
            approximate(row["feasible"]),
            f"{row['nodes']:,}",
            f"{row['seconds']:.3f}",
            f"{row['peak_mib']:.0f} (+{row['added_mib']:.0f})",
            f"{row['draws_per_second']:,.0f}",
            "" if peer is None else f"{peer:.3f}",
            "" if peer is None else f"{peer / row['seconds']:.1f}x",
        )
    console.print(table)
    console.print(f"import hedgerow: {report['import_seconds']:.2f} s")


def _show_orders(console: Console, report: dict[str, Any]) -> None:
    table = Table(title="Nodes of the diagram by variable order ('-': beyond the budget)", header_style="bold")
    for column in ("space", "chosen", "declared", "reversed", f"random (median of {N_RANDOM_ORDERS})"):
        table.add_column(column, justify="left" if column == "space" else "right")
    for row in report["cases"]:
        sizes = (row["nodes"][label] for label in ("chosen", "declared", "reversed", "random"))
        table.add_row(row["name"], *("-" if n is None else f"{n:,}" for n in sizes))
    console.print(table)


def _machine() -> str:
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}"


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _data_dir(given: Path | None) -> Path | None:
    chosen = given or (Path(os.environ["HEDGEROW_DATA"]) if "HEDGEROW_DATA" in os.environ else None)
    return chosen if chosen is not None and (chosen / "kernel_tuner").is_dir() else None


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m research rules", description=__doc__)
    parser.add_argument(
        "--data-dir", type=Path, default=None, help="folder with kernel_tuner/ (default: HEDGEROW_DATA)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--orders", action="store_true", help="compare variable orders instead of speed")
    parser.add_argument("--case", default=None, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

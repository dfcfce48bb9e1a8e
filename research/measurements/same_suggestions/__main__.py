"""Compare what two versions of the source suggest: `python -m research same-suggestions --against OTHER/src`.

Digests can be kept in a file (`--save`) and compared with later (`--against FILE`), which saves half of the time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from hedgerow.errors import HedgerowError
from research.measurements.same_suggestions.ask import N_SEEDS

ROOT = Path(__file__).parents[3]
Digests = dict[str, dict[str, Any]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of what is equal; the exit code is 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m research same-suggestions", description=__doc__)
    parser.add_argument("--source", type=Path, default=ROOT / "src", help="the source to look at (default: this one)")
    parser.add_argument("--against", type=Path, help="another source, or a file that --save has written")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the digests of --source")
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help=f"seeds of the default method ({N_SEEDS})")
    options = parser.parse_args(arguments)
    before = None if options.against is None else digests(options.against, options.seeds)
    now = digests(options.source, options.seeds)
    if options.save is not None:
        options.save.write_text(json.dumps(now, indent=1), encoding="utf-8")
    if before is None:
        print(f"{len(now)} runs asked; digests of {options.source}" + (f" in {options.save}" if options.save else ""))
        return 0
    return show(before, now)


def digests(source: Path, n_seeds: int) -> Digests:
    """Return the digests of a source tree, made in a process of its own, or of a file."""
    if source.is_file():
        return dict(json.loads(source.read_text(encoding="utf-8")))
    if not (source / "hedgerow").is_dir():
        raise HedgerowError(f"{source} is neither a source tree with a folder 'hedgerow' nor a file of digests.")
    command = [sys.executable, "-m", "research.measurements.same_suggestions.ask", str(n_seeds)]
    environment = {**os.environ, "PYTHONPATH": f"{source.resolve()}{os.pathsep}{ROOT}"}
    console = Console(stderr=True)
    found: Digests = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as process:
        assert process.stdout is not None
        with console.status(str(source)) as status:
            for line in process.stdout:
                facts = json.loads(line)
                found[f"{facts['method']} {facts['problem']} {facts['seed']}"] = facts
                status.update(f"{source}: {facts['method']}, {facts['problem']}")
    if process.returncode:
        raise HedgerowError(f"Asking with {source} ended with code {process.returncode}; its message stands above.")
    return found


def show(before: Digests, now: Digests) -> int:
    """Print what is equal and what is not."""
    table = Table("method", "problem", "seed", "before", "now", "suggestions", header_style="bold")
    verdicts = list(_compared(before, now))
    for key, verdict in verdicts:
        first, second = (digests.get(key, {}).get("all", "-") for digests in (before, now))
        table.add_row(*key.split(" "), first, second, verdict)
    Console(width=None if sys.stdout.isatty() else 110).print(table)
    different = [key for key, verdict in verdicts if verdict != "equal"]
    print(f"{len(verdicts) - len(different)} of {len(verdicts)} runs equal" + (", different:" if different else "."))
    for key in different:
        print(f"  {key}")
    return 1 if different else 0


def _compared(before: Digests, now: Digests) -> Iterator[tuple[str, str]]:
    for key in dict.fromkeys([*before, *now]):
        if key not in before or key not in now:
            # Fewer seeds than were kept are no difference.
            if key in now:
                yield key, "new"
            continue
        yield key, _verdict(before[key]["each"], now[key]["each"])


def _verdict(before: Sequence[str], now: Sequence[str]) -> str:
    place = next((n for n, pair in enumerate(zip(before, now, strict=False), start=1) if pair[0] != pair[1]), None)
    if place is not None:
        return f"differ from ask {place}"
    return "equal" if len(before) == len(now) else f"{len(before)} asks, now {len(now)}"


if __name__ == "__main__":
    sys.exit(main())

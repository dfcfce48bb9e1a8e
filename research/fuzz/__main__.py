"""`python -m research fuzz`: read mutated texts for a given time, and report what crashed, hung or ran code.

`python -m research.fuzz.coverage` lets coverage guide the mutations instead, where Atheris is installed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from research.fuzz.mutations import mutated
from research.fuzz.seeds import SEEDS
from research.fuzz.targets import TARGETS, survives
from research.fuzz.watch import LIMIT_SECONDS, CodeRan, Guard, TooSlow


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m research fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="in total, over all targets (default 60)")
    parser.add_argument("--target", choices=tuple(TARGETS), action="append", help="only this one (may be repeated)")
    parser.add_argument("--seed", type=int, default=0, help="for the same texts every time")
    parser.add_argument("--keep", type=Path, default=None, help="a folder for the texts that failed")
    options = parser.parse_args(arguments)
    targets = options.target or list(TARGETS)
    failures = 0
    for name in targets:
        failures += fuzz(name, options.seconds / len(targets), options.seed, options.keep)
    return 1 if failures else 0


def fuzz(name: str, seconds: float, seed: int, keep: Path | None) -> int:
    """Fuzz one target, print a line about it, and return how many texts failed."""
    rng = random.Random(f"{name} {seed}")
    guard = Guard()
    for text in SEEDS[name]:
        # Compiled loops and lazy imports come first, so that the guard sees only what a text causes.
        if not survives(name, text):
            raise SystemExit(f"a seed of '{name}' is refused; fuzzing would start from nothing:\n{text}")
    n_texts = n_read = n_failed = 0
    slowest = 0.0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        text = mutated(name, rng)
        started = time.process_time()
        failure, is_read = attempt(name, text, guard)
        slowest = max(slowest, time.process_time() - started)
        n_texts += 1
        n_read += is_read
        if failure:
            n_failed += 1
            _report(name, text, failure, n_failed, keep)
    print(f"{name:<12} {n_texts:>8,} texts, {n_read:>7,} read, {n_failed} failed, slowest {slowest:.2f} s", flush=True)
    return n_failed


def attempt(name: str, text: str, guard: Guard, seconds: float = LIMIT_SECONDS) -> tuple[str, bool]:
    """Return what went wrong, if anything, and whether the text was read."""
    try:
        with guard.watching(seconds):
            return "", survives(name, text)
    except (CodeRan, TooSlow) as error:
        return f"{type(error).__name__}: {error}", False
    except Exception:
        return traceback.format_exc(limit=-6), False


def _report(name: str, text: str, failure: str, number: int, keep: Path | None) -> None:
    shown = text if len(text) < 600 else f"{text[:300]} ... {text[-300:]}"
    print(f"--- {name}, failure {number}\n{shown!r}\n{failure}", file=sys.stderr, flush=True)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{name}-{number}.txt").write_text(text, encoding="utf-8", errors="surrogatepass")


if __name__ == "__main__":
    sys.exit(main())

"""What `hedgerow run` costs beside asking: trials per second with an objective that costs nothing, one worker, SQLite.

`python -m research overhead` runs 800 trials and prints, for each quarter of them, the seconds per trial as the clock
and as the processor counts them, without the time spent in the method.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import optuna

from hedgerow.methods.suggester import Suggester
from hedgerow.runs.loop import RunState, run_study
from hedgerow.runs.problem import load_problem

PROBLEM = """
[space]
x = { type = "vector", length = 6, of = { type = "integer", low = 0, high = 9 } }
kind = ["a", "b", "c"]
[rules]
total = "sum(x) <= 30"
[objective]
python = "free_objective:measure"
"""
OBJECTIVE = "def measure(point):\n    return float(sum(point['x']))\n"


class _Asking:
    """Adds up what the method itself takes."""

    def __init__(self) -> None:
        self.seconds = self.processor = 0.0
        self._suggest = Suggester.suggest

    def install(self) -> None:
        watch = self

        def timed(suggester: Suggester, history: Any) -> Any:
            seconds, processor = time.monotonic(), time.process_time()
            row = watch._suggest(suggester, history)
            watch.seconds += time.monotonic() - seconds
            watch.processor += time.process_time() - processor
            return row

        Suggester.suggest = timed  # type: ignore[method-assign,assignment]


def measure(n_trials: int, method: str, n_parts: int = 4) -> list[dict[str, float]]:
    """Return the costs of each part of a run."""
    asking = _Asking()
    asking.install()
    parts: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory(prefix="hedgerow-overhead-") as name:
        (Path(name) / "free_objective.py").write_text(OBJECTIVE, encoding="utf-8")
        file = Path(name) / "problem.toml"
        file.write_text(PROBLEM, encoding="utf-8")
        for part in range(n_parts):
            problem = load_problem(file, {"budget": n_trials * (part + 1) // n_parts, "method": method})
            seen: list[tuple[float, float, float, float, int]] = []

            def note(state: RunState, seen: list[tuple[float, float, float, float, int]] = seen) -> None:
                clock, processor = time.monotonic(), time.process_time()
                seen.append((clock, processor, asking.seconds, asking.processor, state.status.n_counted_finished))

            run_study(problem, view=note)
            # The start of a run is not a cost of its trials: counted from the second look on.
            first, last = seen[1], seen[-1]
            n = max(1, last[4] - first[4])
            parts.append(
                {
                    "trials_before": first[4],
                    "ms_by_clock": 1000 * ((last[0] - first[0]) - (last[2] - first[2])) / n,
                    "ms_by_processor": 1000 * ((last[1] - first[1]) - (last[3] - first[3])) / n,
                    "ms_asking": 1000 * (last[3] - first[3]) / n,
                }
            )
    return parts


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m research overhead", description=__doc__)
    parser.add_argument("--trials", type=int, default=800)
    parser.add_argument("--method", default="random")
    options = parser.parse_args(arguments)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for part in measure(options.trials, options.method):
        print(json.dumps({name: round(value, 2) for name, value in part.items()}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

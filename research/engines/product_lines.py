"""Product lines with pair interactions: the regret of the default, evolution and local search inside the same rules.

`python -m research product-lines` runs each on generated feature models of 200 and 500 options
(`research/problems/product_line.py`), and with `--models FOLDER` on those of a folder of CNF files. A quarter of the
options add to the response alone, and some pairs together; the optimum is proven by CP-SAT. Rows are added to a table,
and a run that is in it is not made again. What is printed, and put on docs/engines.md, is the mean regret over seeds at
each number of trials, with its standard error, and the median processor seconds of an ask.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow import Optimizer, Space, Vector
from hedgerow.importers import load_dimacs
from hedgerow.rules import RuleLike
from hedgerow.space.encoding import encode
from research.engines.alone import best_of_response
from research.engines.page import PAGE
from research.harness.marks import write_between_marks
from research.problems.product_line import Response, line_rules, response_terms, response_values
from research.rivals.evolution import Evolution
from research.rivals.local_search import LocalSearch

METHODS: dict[str, Any] = {"default": "auto", "evolution": Evolution(), "local search": LocalSearch()}
TABLE = Path("docs/results/product-lines.csv")
CHECKPOINTS = (50, 100, 200, 500)
_FIELDS = ("case", "method", "seed", *(f"regret_{at}" for at in CHECKPOINTS), "seconds_per_ask")
_SEEDS_OF_RULES = {200: 0, 500: 2}

Rules = tuple[Space, Sequence[RuleLike]]


def made_line(n_options: int) -> Rules:
    """Return a generated product line."""
    return Space({"option": Vector(bool, n_options)}), line_rules(n_options, _SEEDS_OF_RULES[n_options])


def _read_line(path: Path) -> Rules:
    problem = load_dimacs(path)
    return problem.space, tuple(problem.rules)


def cases(folder: Path | None) -> dict[str, Callable[[], Rules]]:
    """Return the product lines by name."""
    found: dict[str, Callable[[], Rules]] = {f"{n} options": lambda n=n: made_line(n) for n in _SEEDS_OF_RULES}  # type: ignore[misc]
    for path in sorted(folder.glob("*.cnf")) if folder else ():
        found[path.stem] = lambda path=path: _read_line(path)  # type: ignore[misc]
    return found


def measured(
    rules: Rules, response: Response, optimum: float, method: Any, seed: int, n_trials: int
) -> list[float | None]:
    """Return how far the best value is from the optimum at each checkpoint so far, and the seconds of an ask."""
    space, written = rules
    optimizer = Optimizer(space, list(written), method=method, seed=seed)
    values: list[float] = []
    asks: list[float] = []
    for _ in range(n_trials):
        began = time.process_time()
        point = optimizer.ask()
        asks.append(time.process_time() - began)
        chosen = encode(space, point)[None, :].astype(np.float64)
        values.append(float(response_values(response, chosen)[0]))
        optimizer.tell(point, values[-1])
    best = np.minimum.accumulate(values) - optimum
    regrets = [round(float(best[at - 1]), 6) if at <= n_trials else None for at in CHECKPOINTS]
    return [*regrets, round(float(np.median(asks)), 4)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the runs that are missing, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m research product-lines", description=__doc__)
    parser.add_argument("--models", type=Path, help="a folder of CNF files")
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--trials", type=int, default=CHECKPOINTS[-1], help="of each run; a longer run replaces it")
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--show", action="store_true", help="print the table of what is there, and run nothing")
    options = parser.parse_args(arguments)
    rows = _read(options.table)
    n_wanted = sum(at <= options.trials for at in CHECKPOINTS)
    done = {tuple(row[:3]) for row in rows if all(row[3 : 3 + n_wanted])}
    chosen = (
        {} if options.show else {name: made for name, made in cases(options.models).items() if options.only in name}
    )
    for seed in range(options.seeds):
        for name, made in chosen.items():
            for method, settings in METHODS.items():
                if (name, method, str(seed)) in done:
                    continue
                rules, response, optimum = _prepared(name, made)
                regrets = measured(rules, response, optimum, settings, seed, options.trials)
                rows = [row for row in rows if tuple(row[:3]) != (name, method, str(seed))]
                rows.append([name, method, str(seed), *("" if one is None else str(one) for one in regrets)])
                _write(options.table, rows)
                print(*rows[-1], file=sys.stderr, flush=True)
    print(table(rows))
    if options.table == TABLE and rows:
        write_between_marks(PAGE, "product lines", table(rows))
    return 0


@cache
def _prepared(name: str, made: Callable[[], Rules]) -> tuple[Rules, Response, float]:
    space, rules = made()
    n_options = len(space.slots)
    response = response_terms(n_options, len(name) if n_options not in _SEEDS_OF_RULES else 1)
    return (space, rules), response, best_of_response(space, rules, response)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return the means by case and method."""
    lines = [f"| product line | method | runs | {' | '.join(f'{at} trials' for at in CHECKPOINTS)} | an ask |"]
    lines.append("|---" * (len(CHECKPOINTS) + 4) + "|")
    for case, method in dict.fromkeys((row[0], row[1]) for row in sorted(map(tuple, rows))):
        own = [row[3:] for row in rows if (row[0], row[1]) == (case, method)]
        cells = [_mean([row[place] for row in own if row[place]]) for place in range(len(CHECKPOINTS))]
        ask = np.median([float(row[-1]) for row in own])
        lines.append(f"| {case} | {method} | {len(own)} | {' | '.join(cells)} | {ask:.2f} s |")
    return "\n".join(lines)


def _mean(regrets: Sequence[str]) -> str:
    """Return a mean with its standard error."""
    if not regrets:
        return "-"
    numbers = np.array(regrets, dtype=np.float64)
    error = f"{numbers.std(ddof=1) / np.sqrt(numbers.size):.2f}" if numbers.size > 1 else "?"
    return f"{numbers.mean():.2f} +- {error}"


def _read(path: Path) -> list[list[str]]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [[row[name] for name in _FIELDS] for row in csv.DictReader(file)]


def _write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_FIELDS)
        writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())

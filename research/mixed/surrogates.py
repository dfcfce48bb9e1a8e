"""The paper's surrogates on the original pressure vessel: `python -m research mixed --catd`.

Tensors whose cores are functions of the real variables, with the penalty (-c) and without (-u), inside the rules and as
published, where suggestions may break them; beside the default. Paired by seed: all begin at the same point.
"""

from __future__ import annotations

import csv
import time
from pathlib import Path
from statistics import median

import hedgerow as hr
from hedgerow.methods import CATD, Auto, Method
from hedgerow.methods.threads import one_thread
from research.problems.engineering import pressure_vessel

TABLE = Path(__file__).parents[2] / "docs" / "results" / "mixed-catd.csv"
BUDGET = 60
_COLUMNS = ("method", "seed", "to_1_percent", "to_01_percent", "gap", "broken", "seconds")

CONTESTANTS: dict[str, Method] = {
    "default": Auto(),
    "TT-u": CATD("tt"),
    "CP-u": CATD("cp"),
    "TR-u": CATD("tr"),
    "TT-c": CATD("tt", penalty=1.0),
    "CP-c": CATD("cp", penalty=1.0),
    "TR-c": CATD("tr", penalty=1.0),
    "TT-u as published": CATD.as_published("tt", penalty=0.0),
    "TT-c as published": CATD.as_published("tt", penalty=1.0),
}


def run_missing(n_seeds: int, seconds: float) -> None:
    """Add what the table still lacks, as far as the processor time goes."""
    stored = {(row["method"], row["seed"]) for row in read()}
    end = time.process_time() + seconds
    with one_thread():
        for seed in range(n_seeds):
            for name in CONTESTANTS:
                if (name, str(seed)) not in stored and time.process_time() < end:
                    _append(_run(name, seed))


def read() -> list[dict[str, str]]:
    """Return the rows so far."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _append(row: dict[str, str]) -> None:
    is_new = not TABLE.exists()
    with TABLE.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, _COLUMNS)
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def _run(name: str, seed: int) -> dict[str, str]:
    design = pressure_vessel()
    began, best, n_broken, one, tenth = time.process_time(), float("inf"), 0, "", ""
    optimizer = hr.Optimizer(design.space, design.rules, method=CONTESTANTS[name], seed=seed)
    for trial in range(1, BUDGET + 1):
        point = optimizer.ask()
        value = design.cost(point)
        optimizer.tell(point, value)
        if point in optimizer.feasible:
            best = min(best, value)
        else:
            n_broken += 1
        one = one or (str(trial) if design.gap(best) <= 0.01 else "")
        tenth = tenth or (str(trial) if design.gap(best) <= 0.001 else "")
    seconds = f"{time.process_time() - began:.1f}"
    row = (name, str(seed), one, tenth, f"{design.gap(best):.6f}", str(n_broken), seconds)
    return dict(zip(_COLUMNS, row, strict=True))


def table() -> str:
    """Return medians over seeds as Markdown."""
    rows = read()
    lines = [
        "| method | seeds | within 1 % | trials to 1 % | within 0.1 % | gap after 60 | trials that broke a rule |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in CONTESTANTS:
        own = [row for row in rows if row["method"] == name]
        if own:
            trials = median(float(row["to_1_percent"] or "inf") for row in own)
            cells = (
                name,
                str(len(own)),
                str(sum(bool(row["to_1_percent"]) for row in own)),
                "–" if trials == float("inf") else f"{trials:g}",
                str(sum(bool(row["to_01_percent"]) for row in own)),
                f"{median(float(row['gap']) for row in own):.1%}",
                f"{median(int(row['broken']) for row in own):g}",
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)

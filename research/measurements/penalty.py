"""What the penalty is worth: `python -m research penalty [--seeds N] [--budget N] [--workers N]`.

CATD with the penalty's weight (the paper's lambda) at 0, 0.01, 0.1 and 1, with proposals restricted to the rules and
not, and with other T-norms. Where proposals may break rules, one that does counts as an evaluation and is told as the
worst value on the feasible set, as in the paper. A run ends at the optimum; one that misses it counts as the budget.
Every finished run is a line of `research/results/penalty.jsonl`, so that an interrupted benchmark goes on where it
stopped. Prints the tables of `docs/penalty.md` and draws its picture, given matplotlib (the extra `plots`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

TASKS = ("ackley-65", "pressure-vessel", "warcraft-2x2", "gap-b", "ising-a", "nas-tss")
FORMATS = (("cp", 4), ("tt", 3))
PENALTIES = (0.0, 0.01, 0.1, 1.0)
TNORMS = ("lukasiewicz", "product", "goedel")
# The weight at which T-norms are compared.
TNORM_PENALTY = 0.1
RESULTS = Path(__file__).parents[1] / "results" / "penalty.jsonl"
IMAGES = Path(__file__).parents[2] / "docs" / "images"
# Values this close to the optimum have reached it.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Job:
    """One run."""

    task: str
    format: str
    rank: int
    penalty: float
    restricted: bool
    tnorm: str
    seed: int
    budget: int


def jobs(seeds: int, budget: int) -> Iterator[Job]:
    """Yield all runs of the ablation, one seed after the other, so that early results cover everything."""
    for seed in range(seeds):
        for task in TASKS:
            for form, rank in FORMATS:
                for penalty in PENALTIES:
                    for restricted in (True, False):
                        yield Job(task, form, rank, penalty, restricted, "lukasiewicz", seed, budget)
            for tnorm in TNORMS[1:]:
                yield Job(task, *FORMATS[0], TNORM_PENALTY, True, tnorm, seed, budget)


def run_once(job: Job) -> dict[str, Any]:
    """Return the job with the evaluations it took, whether it reached the optimum, and its proposals off the rules."""
    import hedgerow as hr  # noqa: PLC0415 - workers import what they run
    from hedgerow.methods import CATD  # noqa: PLC0415
    from research.harness.tasks import load_task  # noqa: PLC0415
    from research.problems import get_problem  # noqa: PLC0415

    warnings.simplefilter("ignore", hr.RuleWarning)
    problem = get_problem(job.task)
    assert problem.objective is not None and problem.optimum is not None
    method = CATD(
        job.format,  # type: ignore[arg-type]
        job.rank,
        penalty=job.penalty,
        tnorm=job.tnorm,  # type: ignore[arg-type]
        restrict_to_rules=job.restricted,
    )
    # Runs and instances draw from unrelated streams.
    optimizer = hr.Optimizer(problem.space, problem.rules, method=method, seed=10_000 + job.seed)
    n_invalid = 0
    for n in range(1, job.budget + 1):
        point = optimizer.ask()
        is_valid = point in optimizer.feasible
        n_invalid += not is_valid
        value = problem.objective(point) if is_valid else load_task(job.task).worst
        optimizer.tell(point, value)
        if is_valid and value is not None and value <= problem.optimum + TOLERANCE:
            return {**asdict(job), "evaluations": n, "reached": True, "invalid": n_invalid}
    return {**asdict(job), "evaluations": job.budget, "reached": False, "invalid": n_invalid}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, then print the tables and draw."""
    options = _options(arguments)
    # One thread per run: the cores are for seeds.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = "1"
    wanted = list(jobs(options.seeds, options.budget))
    done = {_job(row): row for row in _stored(options.results)}
    missing = [job for job in wanted if job not in done]
    options.results.parent.mkdir(parents=True, exist_ok=True)
    with Progress(console=Console(stderr=True)) as progress, ProcessPoolExecutor(options.workers) as pool:
        bar = progress.add_task("runs", total=len(wanted), completed=len(wanted) - len(missing))
        for future in as_completed([pool.submit(run_once, job) for job in missing]):
            row = future.result()
            done[_job(row)] = row
            with options.results.open("a") as file:
                file.write(json.dumps(row) + "\n")
            progress.advance(bar)
    rows = [done[job] for job in wanted]
    print(tables(rows))
    _draw(rows, options.images)
    return 0


def tables(rows: list[dict[str, Any]]) -> str:
    """Return the results as Markdown."""
    lines = []
    for restricted in (True, False):
        where = "inside the rules" if restricted else "anywhere"
        lines += [f"Proposals {where}:", "", _header([f"λ = {p:g}" for p in PENALTIES])]
        for task in TASKS:
            for form, rank in FORMATS:
                cells = []
                for penalty in PENALTIES:
                    some = _of(rows, task=task, format=form, penalty=penalty, restricted=restricted, tnorm=TNORMS[0])
                    cells.append(_cell(some, show_invalid=not restricted))
                lines.append(f"| {task} | {form.upper()}-{rank} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += [f"T-norms, proposals inside the rules, λ = {TNORM_PENALTY:g}:", "", _header(list(TNORMS))]
    for task in TASKS:
        form, rank = FORMATS[0]
        cells = [
            _cell(_of(rows, task=task, format=form, penalty=TNORM_PENALTY, restricted=True, tnorm=tnorm))
            for tnorm in TNORMS
        ]
        lines.append(f"| {task} | {form.upper()}-{rank} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _header(columns: list[str]) -> str:
    return f"| task | format | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}"


def _cell(rows: list[dict[str, Any]], *, show_invalid: bool = False) -> str:
    mean, error = _mean_and_error(rows)
    misses = sum(not row["reached"] for row in rows)
    share = sum(row["invalid"] for row in rows) / sum(row["evaluations"] for row in rows)
    text = f"{mean:.1f} ± {error:.1f}"
    text += f" ({misses} missed)" if misses else ""
    return text + (f", {share:.0%} invalid" if show_invalid else "")


def _mean_and_error(rows: list[dict[str, Any]]) -> tuple[float, float]:
    evaluations = np.array([row["evaluations"] for row in rows], dtype=np.float64)
    # One run alone has no spread to tell.
    spread = evaluations.std(ddof=1) if evaluations.size > 1 else 0.0
    return float(evaluations.mean()), float(spread / np.sqrt(evaluations.size))


def _draw(rows: list[dict[str, Any]], images: Path) -> None:
    try:
        import matplotlib as mpl  # noqa: PLC0415
    except ModuleNotFoundError:
        print("No pictures: matplotlib is not installed.")
        return
    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(2, 3, figsize=(11, 6.2), sharex=True, constrained_layout=True)
    places = np.arange(len(PENALTIES))
    for axis, task in zip(axes.flat, TASKS, strict=True):
        for (form, rank), colour in zip(FORMATS, ("#1f6f8b", "#c8553d"), strict=True):
            for restricted, style in ((True, "o-"), (False, "s--")):
                points = [
                    _mean_and_error(
                        _of(rows, task=task, format=form, penalty=p, restricted=restricted, tnorm=TNORMS[0])
                    )
                    for p in PENALTIES
                ]
                label = f"{form.upper()}-{rank}, {'inside the rules' if restricted else 'anywhere'}"
                means, errors = zip(*points, strict=True)
                axis.errorbar(places, means, errors, fmt=style, color=colour, capsize=3, label=label)
        axis.set_title(task)
        axis.set_xticks(places, [f"{p:g}" for p in PENALTIES])
        axis.set_ylim(0, None)
        axis.grid(alpha=0.3)
    for axis in axes[1]:
        axis.set_xlabel("weight λ of the penalty")
    for axis in axes[:, 0]:
        axis.set_ylabel("evaluations to the optimum")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncol=4, frameon=False)
    images.mkdir(parents=True, exist_ok=True)
    figure.savefig(images / "penalty.png", dpi=110)


def _of(rows: list[dict[str, Any]], **wanted: Any) -> list[dict[str, Any]]:
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def _job(row: dict[str, Any]) -> Job:
    return Job(**{name: row[name] for name in Job.__dataclass_fields__})


def _stored(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m research penalty", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--budget", type=int, default=100)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--images", type=Path, default=IMAGES)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

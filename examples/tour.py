"""A tour of what Hedgerow can say about a space before a single trial is run: `python examples/tour.py [FILE]`."""

import sys
from pathlib import Path

from rich.console import Console

import hedgerow as hr
from hedgerow.cli import show
from hedgerow.problem_file import read_problem_file

# Too many threads, too much shared memory, tensor cores with full precision: broken in several ways.
BROKEN_POINT = {
    "block_x": 256,
    "block_y": 16,
    "tile_x": 8,
    "tile_y": 3,
    "depth": 64,
    "stages": 4,
    "vector": 8,
    "padding": True,
    "kernel": "tensor",
    "precision": "fp32",
}


def main() -> None:
    """Show size, count, diagnosis, samples, an explanation and a repair."""
    console = Console()
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "gpu_kernel.toml"
    problem = read_problem_file(file)
    feasible = hr.FeasibleSet(problem.space, problem.rules)

    console.rule("[bold]What the rules leave")
    show.diagnosis(console, file.name, feasible, feasible.doctor())

    console.rule("[bold]Five uniform draws, all feasible")
    show.points(console, "feasible.sample(5, seed=0)", feasible.sample(5, seed=0))

    point = BROKEN_POINT if set(BROKEN_POINT) == set(problem.space) else feasible.sample_infeasible(1, seed=0)[0]
    console.rule("[bold]Why a point is not feasible, and the nearest one that is")
    show.explanation(console, point, feasible.explain(point), feasible.repair(point))


if __name__ == "__main__":
    main()

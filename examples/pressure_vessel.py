"""Design a pressure vessel within its rules: `python examples/pressure_vessel.py [--trials N] [--plot FILE]`.

A cylinder with two round heads, ten sizes for each of its four dimensions, rules for wall thickness, volume and
length, and a cost to be as low as possible. The optimizer sees the rules and the costs of the designs it tries, nothing
else. Because this set is small, every feasible design can be priced afterwards, to see how good the answer is.
"""

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

import hedgerow as hr
from hedgerow.space import Point

MILLIMETRES_PER_INCH = 25.4
LITRES_PER_CUBIC_INCH = 0.016387064
N_LEVELS = 10
NAMES = {"shell": "shell thickness", "head": "head thickness", "radius": "inner radius", "length": "cylinder length"}


def middles(low: float, high: float) -> list[float]:
    """Return the middles of ten equal bins."""
    width = (high - low) / N_LEVELS
    return [low + (i + 0.5) * width for i in range(N_LEVELS)]


SPACE = hr.Space(
    {
        "shell": middles(0.0625, 6.1875),
        "head": middles(0.0625, 6.1875),
        "radius": middles(10, 200),
        "length": middles(10, 200),
    }
)
RULES = {
    "shell thickness": "-shell + 0.0193 * radius <= 0",
    "head thickness": "-head + 0.00954 * radius <= 0",
    # The bound on the length holds everywhere on this grid; as a rule of its own it would only raise a warning.
    "volume and length": f"-{math.pi} * radius**2 * length - 4 / 3 * {math.pi} * radius**3 + 1296000 <= 0 "
    "and length - 240 <= 0",
}


def cost(point: Point) -> float:
    """Return the cost of material, forming and welding."""
    shell, head, radius, length = (float(point[name]) for name in ("shell", "head", "radius", "length"))
    return (
        0.6224 * shell * radius * length
        + 1.7781 * head * radius**2
        + 3.1661 * shell**2 * length
        + 19.84 * shell**2 * radius
    )


def main() -> None:
    """Run the optimizer, show the design it found, and compare it with the true optimum."""
    options = _options()
    console = Console(highlight=False)
    feasible = hr.FeasibleSet(SPACE, RULES)

    console.rule("[bold]A pressure vessel at least cost, within its rules")
    console.print(f"{SPACE.size:,} designs, of which {feasible.count:,} keep the rules. {options.trials} trials:")
    result = hr.minimize(cost, SPACE, rules=RULES, budget=options.trials, seed=options.seed, progress=True)
    assert result.best_point is not None
    _show_design(console, result)
    _show_rules(console, result.best_point)
    optimum = _show_comparison(console, feasible, result)
    _draw(console, result, optimum, options.plot)
    _show_next_steps(console)


@dataclass(frozen=True)
class Requirement:
    """One requirement at a design: the left side must not exceed the limit."""

    name: str
    text: str
    left: float
    limit: float
    unit: str

    @property
    def margin(self) -> float:
        """How far the left side stays below the limit."""
        return self.limit - self.left


def requirements(point: Point) -> list[Requirement]:
    """Return the rules of the problem as an engineer would check them by hand."""
    return [
        Requirement("shell", "0.0193 · radius ≤ shell", 0.0193 * point["radius"], point["shell"], "in"),
        Requirement("head", "0.00954 · radius ≤ head", 0.00954 * point["radius"], point["head"], "in"),
        Requirement("volume", "1,296,000 ≤ volume", 1_296_000, volume(point), "in³"),
        Requirement("length", "length ≤ 240", point["length"], 240, "in"),
    ]


def volume(point: Point) -> float:
    """Return the volume of the cylinder and its two half spheres, in cubic inches."""
    radius, length = point["radius"], point["length"]
    return float(math.pi * radius**2 * length + 4 / 3 * math.pi * radius**3)


def _show_design(console: Console, result: hr.Result) -> None:
    point = result.best_point
    assert point is not None
    table = Table(title=f"Best design: cost ${result.best_value:,.2f}", title_justify="left", header_style="bold")
    table.add_column("dimension")
    table.add_column("US units", justify="right")
    table.add_column("metric", justify="right")
    for name, value in point.items():
        table.add_row(NAMES[name], f"{value:,.3f} in ", f"{value * MILLIMETRES_PER_INCH:,.1f} mm")
    content = volume(point)
    table.add_row("volume", f"{content:,.0f} in³", f"{content * LITRES_PER_CUBIC_INCH:,.0f} l ")
    console.print(table)


def _show_rules(console: Console, point: Point) -> None:
    table = Table(title="How it meets the rules", title_justify="left", header_style="bold")
    for column in ("", "rule"):
        table.add_column(column)
    for column in ("left side", "limit", "margin"):
        table.add_column(column, justify="right")
    for required in requirements(point):
        is_met = required.margin >= 0
        digits = 0 if required.unit == "in³" else 3
        table.add_row(
            Text("✓" if is_met else "✗", style="green" if is_met else "bold red"),
            required.text,
            *(f"{number:,.{digits}f} {required.unit}" for number in (required.left, required.limit, required.margin)),
        )
    console.print(table)


def _show_comparison(console: Console, feasible: hr.FeasibleSet, result: hr.Result) -> float:
    """Price every feasible design, say how the found one compares, and return the lowest cost."""
    assert result.best_value is not None
    costs = [cost(point) for point in feasible]
    optimum = min(costs)
    n_better = sum(each < result.best_value for each in costs)
    found_in = 1 + result.best_so_far().index(result.best_value)
    n_broken = sum(not feasible.explain(trial.point).is_feasible for trial in result.observations)
    console.print(f"\nAll {len(costs):,} feasible designs, priced one by one: the lowest cost is ${optimum:,.2f}.")
    if n_better:
        excess = result.best_value / optimum - 1
        console.print(f"[yellow]{n_better:,} designs are better[/]; the one found costs {excess:.1%} more.")
    else:
        console.print(f"[bold green]✓ That is the design found[/], in trial {found_in}.")
    console.print(f"Trials that broke a rule: {n_broken}.")
    return optimum


def _draw(console: Console, result: hr.Result, optimum: float, path: Path) -> None:
    try:
        result.plot_convergence(
            path, optimum=optimum, title="Pressure vessel: cost of each design tried", value_label="cost [$]"
        )
    except hr.HedgerowError as error:
        console.print(f"No picture: {error}", markup=False)
    else:
        console.print(Text(f"Convergence plot: {path.resolve()}"), soft_wrap=True)


def _show_next_steps(console: Console) -> None:
    console.rule("[bold]Next")
    steps = Table.grid(padding=(0, 2))
    steps.add_row("make tour", "what the rules say before a single trial")
    steps.add_row("examples/coating.toml", "a problem file with an objective: hedgerow run, then hedgerow report")
    steps.add_row("README.md", "your own space, rules and objective in ten lines")
    steps.add_row("examples/pressure_vessel.py", "this program; try --seed 1 --trials 15")
    console.print(steps)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Design a pressure vessel within its rules.")
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", type=Path, default=Path("pressure_vessel.png"), help="where the picture goes")
    return parser.parse_args()


if __name__ == "__main__":
    main()

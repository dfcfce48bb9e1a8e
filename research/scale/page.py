"""The page docs/scale.md: who is ahead where, what an ask costs, how good the search is, and what does not scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.wording import approximate
from research.harness.page import PageTable, table_text
from research.harness.row import Row
from research.problems import get_problem
from research.scale.costs import SIZES, Cost
from research.scale.handover import Learned
from research.scale.regret import CHECKPOINTS, OURS, ZERO, Regret, ahead
from research.scale.searches import AgainstListing, AgainstSolver


@dataclass(frozen=True)
class Searches:
    """What was compared besides runs."""

    listings: Sequence[AgainstListing]
    solvers: Sequence[AgainstSolver]
    learned: Sequence[Learned]


def page(
    rows: Sequence[Row],
    groups: Sequence[Sequence[Regret]],
    lowest: Mapping[str, float],
    costs: Sequence[Cost],
    searches: Searches,
    reading: str,
) -> str:
    """Return the page as Markdown."""
    parts = ["# Large spaces", _made_by(rows), reading.strip(), "## Regret", "![Regret](images/scale-regret.png)"]
    for group in groups:
        parts += [_task_heading(group[0].task, lowest[group[0].task]), _regret_table(group)]
    parts += ["## What an ask costs", "![Costs](images/scale-costs.png)", _cost_text(costs), _cost_table(costs)]
    parts += ["## How good the search is", _listing_table(searches.listings), _solver_table(searches.solvers)]
    parts += ["## Thousands of observations", _learned_table(searches.learned)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _made_by(rows: Sequence[Row]) -> str:
    machines = " or ".join(dict.fromkeys(row.machine for row in rows))
    dates = sorted({row.date for row in rows})
    days = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return (
        f"Made by `python -m research run scale` and `python -m research scale page` from {len(rows):,} runs, {days}, "
        f"{machines}, shared with other work; "
        "seconds are the processor's. The runs lie beside it in `results/scale.csv.gz`."
    )


def _task_heading(task: str, lowest: float) -> str:
    problem = get_problem(task)
    kind = "optimum" if problem.optimum is not None else "lowest value known"
    size = math.prod(problem.space.sizes)
    feasible = "" if problem.n_feasible is None else f", {approximate(problem.n_feasible)} of them feasible"
    return f"### {task}\n\n{problem.description}. {approximate(size)} points{feasible}; {kind} {lowest:.6g}."


def _regret_table(group: Sequence[Regret]) -> str:
    ours = next((regret for regret in group if regret.cell.kind == OURS), None)
    others = [regret for regret in group if regret is not ours]
    leads = {} if ours is None else ahead(ours, others)
    headings = ["method", "runs", *(f"@{n}" for n in CHECKPOINTS), "optimum in", "infeasible", "repeated", "s per ask"]
    lines = [
        [
            regret.name,
            str(regret.n_runs),
            *(_regret_cell(regret, n, regret is ours and leads[n]) for n in CHECKPOINTS),
            _reached(regret),
            f"{regret.infeasible:,}",
            f"{regret.repeated:,}",
            f"{regret.seconds:.2g}",
        ]
        for regret in group
    ]
    return table_text(PageTable(headings, lines), to_the_right=True)


def _regret_cell(regret: Regret, n: int, leads: bool) -> str:
    value = regret.at(n)
    text = "none feasible" if math.isnan(value) else "0" if value <= ZERO else f"{value:.4g}"
    return f"**{text}**" if leads else text


def _reached(regret: Regret) -> str:
    if not regret.n_reached:
        return ""
    mean = float(np.mean(regret.first))
    return f"{regret.n_reached} of {regret.n_runs}, after {mean:.0f} (at most {max(regret.first)})"


def slope(costs: Iterable[Cost]) -> float:
    """Return the slope of seconds over observations, both as logarithms."""
    listed = list(costs)
    x, y = np.log([cost.n_observations for cost in listed]), np.log([cost.seconds for cost in listed])
    return float(np.polyfit(x, y, 1)[0])


def _cost_text(costs: Sequence[Cost]) -> str:
    tasks = dict.fromkeys(cost.task for cost in costs if cost.task not in SIZES)
    if not tasks:
        return ""
    slopes = ", ".join(f"{task} {slope(cost for cost in costs if cost.task == task):.2f}" for task in tasks)
    return (
        "Seconds are means over whole periods of the schedule on which parameters are fitted again; the median ask is "
        "one without a fit. At 100 observations:\n\n"
        f"- by the number of variables (digits, ten levels each) {_by_size(costs, 'digits')};\n"
        f"- by the number of levels (ten variables) {_by_size(costs, 'levels')}.\n\n"
        f"Slopes of the seconds over the number of observations, both as logarithms: {slopes}."
    )


def _by_size(costs: Sequence[Cost], family: str) -> str:
    own = [cost for cost in costs if cost.task.startswith(f"{family}-")]
    first, last = own[0], own[-1]
    logarithms = np.log([cost.seconds for cost in own])
    by_size = float(np.polyfit([cost.log10_points * np.log(10) for cost in own], logarithms, 1)[0])
    return (
        f"from 10^{first.log10_points:.0f} to 10^{last.log10_points:.0f} points {first.seconds:.3f} to "
        f"{last.seconds:.3f} s per ask, a factor of {last.seconds / first.seconds:.1f} and a slope of {by_size:.3f} "
        f"between logarithms (the median ask {first.median:.3f} to {last.median:.3f} s, a factor of "
        f"{last.median / first.median:.1f})"
    )


def _cost_table(costs: Sequence[Cost]) -> str:
    headings = ["problem", "points", "observations", "s per ask", "median s", "slowest s", "peak MiB"]
    lines = [
        [
            cost.task,
            f"10^{cost.log10_points:.0f}",
            f"{cost.n_observations:,}",
            f"{cost.seconds:.3f}",
            f"{cost.median:.3f}",
            f"{cost.slowest:.3f}",
            f"{cost.peak_mib:.0f}",
        ]
        for cost in costs
    ]
    return table_text(PageTable(headings, lines), to_the_right=True) if lines else ""


def _listing_table(listings: Sequence[AgainstListing]) -> str:
    if not listings:
        return ""
    text = (
        "Against scoring every feasible row, on the beliefs after random observations. The share is the expected "
        "improvement of the row found, as part of the highest there is."
    )
    headings = ["problem", "feasible", "observations", "exact", "mean share", "s to search (with the fit)", "s to list"]
    lines = [
        [
            found.task,
            f"{found.n_feasible:,}",
            str(found.n_observations),
            f"{found.n_exact} of {found.n_searches}",
            f"{found.mean_share:.3f}",
            f"{found.seconds:.2f}",
            f"{found.seconds_listing:.2f}",
        ]
        for found in listings
    ]
    return f"{text}\n\n{table_text(PageTable(headings, lines), to_the_right=True)}"


def _solver_table(solvers: Sequence[AgainstSolver]) -> str:
    if not solvers:
        return ""
    text = (
        "On the true objectives, which are sums over slots and pairs. What is known comes from the assignment problem "
        "(gap-30x10), from CP-SAT (proven for product-line-200; its best after 400 s for dna-100, whose bound is "
        "-196.6), and from 3,000 local searches (ising-60)."
    )
    headings = ["problem", "known", "mean found", "best found", "reached", "s per search"]
    lines = [
        [
            found.task,
            f"{found.known:.4f}{' (proven)' if found.is_proven else ''}",
            f"{found.mean:.4f}",
            f"{found.best:.4f}",
            f"{found.n_reached} of {found.n_searches}",
            f"{found.seconds:.2f}",
        ]
        for found in solvers
    ]
    return f"{text}\n\n{table_text(PageTable(headings, lines), to_the_right=True)}"


def _learned_table(learned: Sequence[Learned]) -> str:
    text = (
        "The kernel on the best third and the latest of 1,500 observations, as the default has it, against finite-rank "
        "ensembles on all of them: rank correlation with the truth on 500 new points, half of them uniform and half "
        "near good ones, and among the best fifth of these."
    )
    headings = ["problem", "observations", "model", "all", "best fifth", "s to learn"]
    lines = [
        [
            one.task,
            f"{one.n_observations:,}",
            one.model,
            f"{one.correlation:.3f}",
            f"{one.among_best:.3f}",
            f"{one.seconds:.1f}",
        ]
        for one in learned
    ]
    return f"{text}\n\n{table_text(PageTable(headings, lines), to_the_right=True)}" if lines else ""

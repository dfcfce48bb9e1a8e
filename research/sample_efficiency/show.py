"""The tables of the benchmark."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from research.harness.tasks import FAMILIES
from research.sample_efficiency.summary import CHECKPOINTS, Mark, Summary, geometric_mean
from research.sample_efficiency.tasks import COMPARED


def show(console: Console, summaries: Sequence[Summary]) -> None:
    """Print what the runs show, and what that is beside the published results."""
    console.print(_conduct(summaries))
    if any(summary.published for summary in summaries):
        console.print(_published(summaries))
    for line in compared(summaries):
        console.print(line)


def compared(summaries: Sequence[Summary]) -> list[str]:
    """Return each method's geometric mean over the tasks that all of them have run, with as many seeds."""
    methods = list(dict.fromkeys(summary.method for summary in summaries))
    found = {(summary.task, summary.method): summary.evaluations for summary in summaries}
    n_runs = {task: {summary.n_runs for summary in summaries if summary.task == task} for task in COMPARED}
    tasks = [task for task in COMPARED if len(n_runs[task]) == 1 and all((task, method) in found for method in methods)]
    if not tasks or len(methods) < 2:
        return []
    means = {method: geometric_mean([found[task, method] for task in tasks]) for method in methods}
    listed = ", ".join(f"{method} {mean:.1f}" for method, mean in sorted(means.items(), key=lambda item: item[1]))
    return [f"Geometric mean of evaluations to the optimum over {len(tasks)} of {len(COMPARED)} tasks: {listed}"]


def number(value: float) -> str:
    """Return a value with as many digits as are worth comparing."""
    return f"{value:.2f}" if abs(value) >= 1000 else f"{value:.4f}"


def _conduct(summaries: Sequence[Summary]) -> Table:
    budgets = sorted({summary.budget for summary in summaries})
    shown = [n for n in CHECKPOINTS if n <= budgets[-1]]
    table = Table(title=f"budget {', '.join(map(str, budgets))}", title_justify="left", header_style="bold")
    for column in ("task", "method"):
        table.add_column(column, no_wrap=True)
    columns = ["runs", "to optimum", "misses", "best", *(f"@{n}" for n in shown), "ms/ask", "invalid", "repeated"]
    for column in columns:
        table.add_column(column, justify="right")
    for summary, opens in _grouped(summaries):
        at = [number(summary.mean_best_at[n]) if n in summary.mean_best_at else "" for n in shown]
        table.add_row(
            summary.task if opens else "",
            summary.method,
            str(summary.n_runs),
            f"{summary.evaluations:.1f}",
            str(summary.misses or ""),
            number(summary.mean_best),
            *at,
            f"{summary.milliseconds_per_ask:.0f}",
            _alarming(summary.invalid),
            _alarming(summary.duplicates),
        )
    return table


def _published(summaries: Sequence[Summary]) -> Table:
    table = Table(
        title="Against the published best (mean value @ mean round)",
        title_justify="left",
        header_style="bold",
        caption="✓ the mean best value after so many evaluations is as good, as printed; * the first at which it is",
        caption_justify="left",
    )
    for column in ("task", "method"):
        table.add_column(column, no_wrap=True)
    for column in ("published", "must", "hoped", "to its value", "misses"):
        table.add_column(column, justify="right")
    for summary, opens in _grouped([summary for summary in summaries if summary.published]):
        published = summary.published
        assert published is not None
        table.add_row(
            summary.task if opens else "",
            summary.method,
            f"{published.value:.2f} @ {published.round:.1f}" if opens else "",
            _mark(published.must),
            _mark(published.hoped),
            f"{published.evaluations:.1f}{'*' if summary.task in FAMILIES else ''}",
            str(published.misses or ""),
        )
    return table


def _grouped(summaries: Sequence[Summary]) -> list[tuple[Summary, bool]]:
    """Each summary, and whether it is the first of its task."""
    tasks = [None, *(summary.task for summary in summaries)]
    return [(summary, summary.task != before) for summary, before in zip(summaries, tasks, strict=False)]


def _mark(mark: Mark | None) -> Text:
    if mark is None:
        return Text("")
    text = f"{number(mark.mean_best)} @ {mark.evaluations} {'✓' if mark.is_met else '✗'}"
    return Text(text, style="green" if mark.is_met else "red")


def _alarming(n: int) -> Text:
    return Text(str(n), style="bold red" if n else "")

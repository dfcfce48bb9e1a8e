"""The whole page, from its facts to a file."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files
from os import PathLike
from pathlib import Path

from hedgerow.errors import StudyError
from hedgerow.report.best import best_points, headline, rules_at_best
from hedgerow.report.effects import main_effects
from hedgerow.report.facts import Facts, gather
from hedgerow.report.interactions import interactions
from hedgerow.report.left import what_is_left
from hedgerow.report.outcomes import front, limits, readings
from hedgerow.report.parallel import parallel_coordinates
from hedgerow.report.progress import convergence, cost
from hedgerow.report.record import changes, failures, settings
from hedgerow.runs.problem import Problem
from hedgerow.runs.snapshot import read_snapshot
from hedgerow.web import document, join, tag

_SECTIONS = (
    front,
    best_points,
    limits,
    rules_at_best,
    convergence,
    parallel_coordinates,
    main_effects,
    interactions,
    what_is_left,
    readings,
    failures,
    cost,
    changes,
    settings,
)


def report_of(problem: Problem, problem_file: str | Path) -> Facts:
    """Return the facts of the problem's study, without changing anything."""
    file = Path(problem_file)
    text = file.read_text(encoding="utf-8", errors="replace")
    return gather(read_snapshot(problem, is_through_optuna=True), file.name, text, datetime.now(UTC))


def render(facts: Facts) -> str:
    """Return the page."""
    own = files("hedgerow.report")
    style, script = (own.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    body = tag("main", headline(facts), *(join([part(facts), "\n"]) for part in _SECTIONS))
    return document(f"{facts.problem.study} – Hedgerow report", body, style, [script])


def write_page(facts: Facts, output: str | PathLike[str]) -> None:
    """Write the page to a file."""
    # A name may hold halves of characters, which UTF-8 does not have.
    content = render(facts).encode("utf-8", errors="replace")
    try:
        Path(output).write_bytes(content)
    except OSError as error:
        raise StudyError(f"The report cannot be written to '{output}': {error.strerror or error}.") from None

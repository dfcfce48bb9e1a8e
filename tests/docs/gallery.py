"""Draws the thumbnails of docs/gallery.md from runs of the pages and programs they stand for.

`python -m tests.docs.gallery [NAME ...]` runs each and writes `docs/images/gallery/NAME.svg`. Every mark is a trial of
that run; nothing is drawn from memory. Colors serve light and dark pages.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import runpy
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

import hedgerow as hr
from hedgerow.runs.live import LiveView
from hedgerow.runs.loop import RunState, run_study
from tests.docs.pages import ROOT, PageRun, blocks_of

OUTPUT = ROOT / "docs" / "images" / "gallery"
WIDTH, HEIGHT, EDGE = 320, 180, 16
BEST, TRIAL, BAD = "#00897b", "#8a97a5", "#c2573a"
INKS = ("#00897b", "#5c6bc0", "#f2a33c", "#8a97a5", "#c2573a", "#7cb342")
LETTERS = {"A": "#43a047", "C": "#1e88e5", "G": "#fb8c00", "T": "#e53935"}

Pair = tuple[float, float]


def gpu_kernel() -> str:
    """Run times of a kernel, without a rule that failures suggested and with it."""
    values = [seen.value for seen in _page("tutorials/gpu-kernel.md")["result"].observations]
    return _svg("Trials of a GPU kernel and the best so far; crosses failed", _climb(values, 1.0))


def software() -> str:
    """Response times of a database's configurations."""
    values = [trial.value for trial in _page("tutorials/software.md")["study"].trials]
    return _svg("Trials of a database's configurations and the best so far", _climb(values, 1.0))


def formulation() -> str:
    """Recipes as columns of shares, in the order in which they were tried."""
    lab = _page("tutorials/formulation.md")["lab"]
    seen = lab.observations
    step = (WIDTH - 2 * EDGE) / len(seen)
    parts = []
    for place, one in enumerate(seen):
        low = float(HEIGHT - EDGE)
        for ink, share in zip(INKS, one.point.values(), strict=True):
            tall = share / 100 * (HEIGHT - 2 * EDGE)
            low -= tall
            parts.append(_box(EDGE + place * step, low, 0.84 * step, tall, ink))
    return _svg("Recipes in the order in which they were tried, each a column of its shares", parts)


def dna() -> str:
    """The best tags of a run, letter by letter."""
    result = _page("tutorials/dna.md")["result"]
    best = sorted(result.observations, key=lambda seen: seen.value)[:8]
    wide, tall = (WIDTH - 2 * EDGE) / 16, (HEIGHT - 2 * EDGE) / len(best)
    parts = []
    for line, seen in enumerate(best):
        for place, letter in enumerate(seen.point["tag"]):
            x, y = EDGE + place * wide, EDGE + line * tall
            parts.append(_box(x, y, wide - 2, tall - 2, LETTERS[letter], 1 - 0.09 * line))
            parts.append(_text(x + wide / 2 - 1, y + tall / 2 + 3, letter))
    return _svg("The eight best DNA tags of the run, the best on top", parts)


def hyperparameters() -> str:
    """Trainings by learning rate and size; the better, the darker."""
    seen = _page("tutorials/hyperparameters.md")["result"].observations
    x = _scale([math.log(one.point["rate"]) for one in seen], EDGE, WIDTH - EDGE)
    sizes = [sum(one.point.get(f"units{i}", 0) for i in (1, 2, 3)) for one in seen]
    y = _scale([math.log(size) for size in sizes], HEIGHT - EDGE, EDGE)
    worth = _scale([-math.log(one.value) for one in seen], 0.12, 1.0)
    inks = [BEST if one.point["optimizer"] == "adam" else "#5c6bc0" for one in seen]
    marks = [_dot(a, b, 3 + 4 * w, ink, w) for a, b, w, ink in zip(x, y, worth, inks, strict=True)]
    return _svg("Trainings by learning rate and size, the better the larger; two optimizers", marks)


def vessel() -> str:
    """The vessel that was found, in proportion, above the costs of all that were tried."""
    program = runpy.run_path(str(ROOT / "examples" / "pressure_vessel.py"))
    result = hr.minimize(program["cost"], program["SPACE"], rules=program["RULES"], budget=30, seed=0)
    assert result.best_point is not None
    radius, length = (float(result.best_point[name]) for name in ("radius", "length"))
    scale = min(110.0 / (2 * radius), 250.0 / (length + 2 * radius))
    wide, tall = scale * (length + 2 * radius), scale * 2 * radius
    left, top = (WIDTH - wide) / 2, (HEIGHT - tall) / 2
    seams = [_stroke([(x, top), (x, top + tall)], BEST, 1.5, 0.6) for x in (left + tall / 2, left + wide - tall / 2)]
    body = (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{tall:.1f}" rx="{tall / 2:.1f}" '
        f'fill="{BEST}" fill-opacity=".14" stroke="{BEST}" stroke-width="3"/>'
    )
    dots = _climb([seen.value for seen in result.observations], 1.0)
    return _svg("The pressure vessel that was found, and the costs of those tried", [body, *seams, *dots])


def front() -> str:
    """Time against energy, with the front."""
    result = _page("objectives.md")["result"]
    seen = [one.outcomes for one in result.observations]
    x = _scale([math.log(one["time"]) for one in seen], EDGE, WIDTH - EDGE)
    y = _scale([math.log(one["energy"]) for one in seen], HEIGHT - EDGE, EDGE)
    on = [one in result.front for one in result.observations]
    marks = [_dot(a, b, 4.5 if o else 3.5, BEST if o else TRIAL) for a, b, o in zip(x, y, on, strict=True)]
    line = sorted((a, b) for a, b, o in zip(x, y, on, strict=True) if o)
    corners = [corner for (_, b), (c, d) in pairwise(line) for corner in ((c, b), (c, d))]
    return _svg("Trials by time and energy, and the front", [_stroke([line[0], *corners], BEST, 2, 0.7), *marks])


def live() -> str:
    """The page of `hedgerow run` in a terminal of 80 columns, after nine trials of the problem of docs/runs.md."""
    blocks = {block.title: block.text for block in blocks_of(ROOT / "docs" / "runs.md")}
    shown = Console(record=True, width=80, file=io.StringIO())
    with tempfile.TemporaryDirectory() as folder:
        for name in ("problem.toml", "measure.sh"):
            (Path(folder) / name).write_text(blocks[name], encoding="utf-8")
        (Path(folder) / "measure.sh").chmod(0o755)
        problem = hr.load_problem(Path(folder) / "problem.toml")
        view, stop = LiveView(problem, Console(file=io.StringIO(), width=80)), threading.Event()

        def look(state: RunState) -> None:
            view(state)
            if state.status.n_counted_finished >= 9 and not stop.is_set():
                shown.print(view.page(state))
                stop.set()

        run_study(problem, view=look, stop=stop)
    # Without the fonts that the picture would load from elsewhere.
    plain = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace("Fira Code, ", "")
    return shown.export_svg(title="hedgerow run problem.toml", code_format=plain, unique_id="live")


def optuna() -> str:
    """Two studies: one whose sampler knows the rules, above, and one whose trials are pruned, below."""
    page = _page("from-optuna.md")
    parts = []
    for line, study in enumerate((page["study"], page["before"])):
        for place, trial in enumerate(study.trials):
            x = EDGE + (place % 20 + 0.5) * (WIDTH - 2 * EDGE) / 20
            y = 34 + 82 * line + 32 * (place // 20)
            parts.append(_cross(x, y) if trial.state.name == "PRUNED" else _dot(x, y, 5, TRIAL if line else BEST))
    return _svg("Forty trials with rules and forty without; crosses were pruned", parts)


PICTURES: dict[str, Callable[[], str]] = {
    "gpu-kernel": gpu_kernel,
    "software": software,
    "formulation": formulation,
    "dna": dna,
    "hyperparameters": hyperparameters,
    "vessel": vessel,
    "front": front,
    "optuna": optuna,
    "live": live,
}


def _page(name: str) -> dict[str, Any]:
    """Run a page in a folder of its own and return what its code has made."""
    here, path = Path.cwd(), list(sys.path)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        try:
            run = PageRun(Path(folder))
            for block in blocks_of(ROOT / "docs" / name):
                if not block.reason and not block.title.startswith("prints"):
                    with contextlib.redirect_stderr(io.StringIO()):
                        run.run(block)
        finally:
            os.chdir(here)
            sys.path[:] = path
    return run.namespace


def _climb(values: Sequence[float | None], sign: float) -> list[str]:
    """Return trials as dots, failed ones as crosses below, with the best so far as a line; the best is low."""
    known = [sign * value for value in values if value is not None]
    y = iter(_scale([_squeezed(value, known) for value in known], HEIGHT - EDGE - 6, EDGE))
    step = (WIDTH - 2 * EDGE) / len(values)
    marks = []
    for place, value in enumerate(values):
        x = EDGE + (place + 0.5) * step
        marks.append(_cross(x, HEIGHT - 8) if value is None else _dot(x, next(y), 3.2, TRIAL))
    return [*marks, *_best_line(values, sign)]


def _best_line(values: Sequence[float | None], sign: float) -> list[str]:
    known = [sign * value for value in values if value is not None]
    heights = dict(
        zip(known, _scale([_squeezed(value, known) for value in known], HEIGHT - EDGE - 6, EDGE), strict=True)
    )
    step = (WIDTH - 2 * EDGE) / len(values)
    corners: list[Pair] = []
    best = math.inf
    for place, value in enumerate(values):
        if value is not None:
            best = min(best, sign * value)
        if best < math.inf:
            x = EDGE + (place + 0.5) * step
            corners += [(x, corners[-1][1])] if corners else []
            corners.append((x, heights[best]))
    return [_stroke(corners, BEST, 2.5)]


def _squeezed(value: float, known: Sequence[float]) -> float:
    """Return a value on a scale on which the good ones are apart."""
    return math.log(value - min(known) + 0.02 * (max(known) - min(known)) + 1e-12)


def _scale(values: Iterable[float], low: float, high: float) -> list[float]:
    listed = list(values)
    least, most = min(listed), max(listed)
    return [low + (high - low) * ((value - least) / (most - least) if most > least else 0.5) for value in listed]


def _box(x: float, y: float, wide: float, tall: float, ink: str, opacity: float = 1.0) -> str:
    return f'<path d="M{x:.1f} {y:.1f}h{wide:.1f}v{tall:.1f}h{-wide:.1f}z" fill="{ink}" fill-opacity="{opacity:.2f}"/>'


def _dot(x: float, y: float, radius: float, ink: str, opacity: float = 1.0) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{ink}" fill-opacity="{opacity:.2f}"/>'


def _cross(x: float, y: float) -> str:
    return f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0-8l-8 8" stroke="{BAD}" stroke-width="2"/>'


def _stroke(corners: Sequence[Pair], ink: str, width: float, opacity: float = 1.0) -> str:
    way = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
    return f'<path d="M{way}" fill="none" stroke="{ink}" stroke-width="{width}" stroke-opacity="{opacity}"/>'


def _text(x: float, y: float, letter: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="9" text-anchor="middle" fill="#fff">{escape(letter)}</text>'


def _svg(title: str, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="monospace">'
    return "\n".join([head, f"<title>{escape(title)}</title>", *parts, "</svg>", ""])


def main(names: Sequence[str]) -> None:
    """Draw the pictures of these names, or all."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    for name in names or PICTURES:
        (OUTPUT / f"{name}.svg").write_text(PICTURES[name](), encoding="utf-8")
        print(f"{name}.svg")


if __name__ == "__main__":
    main(sys.argv[1:])

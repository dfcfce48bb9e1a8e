"""The specification of an experiment: a TOML file that says which methods run on which tasks, how long and how often.

title = "..."                    what the page is called
tasks = ["gap-a", ...]           names of problems, or of a family such as diabetes
seeds = 10
first_seed = 0                   the first of them
budget = 500                     or a table with a number for each task
seconds = 3600                   a run is cut off after choosing points for so long
measure = "run"                  or "full" (do not stop at the optimum), "losses", "training", "fresh" (see `run.py`)

[[methods]]                      every combination of the settings that are lists is a cell
kind = "catd"
rank = [2, 3]
tasks, seeds, seconds, measure   override the above for these cells

[quick]                          what changes with --quick: tasks, seeds, budget, and in `only` fewer settings
[report]                         what the page shows; see `report.py`
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.errors import HedgerowError
from hedgerow.wording import ending, suggestion
from research.harness.cell import Cell, expand
from research.harness.contestants import check_cell
from research.harness.row import RunKey
from research.harness.run import MEASURES, Work
from research.harness.tasks import FAMILIES
from research.problems import problem_names

_KEYS = ("title", "tasks", "seeds", "first_seed", "budget", "seconds", "measure", "methods", "quick", "report")
_QUICK_KEYS = ("tasks", "seeds", "budget", "only")
# Settings of a group of methods that say where it runs, not what it is.
_PLACE_KEYS = ("tasks", "seeds", "seconds", "measure")
_PLACE = Path(__file__).parents[1] / "experiments"


@dataclass(frozen=True)
class CellGroup:
    """Cells that run on the same tasks, equally often."""

    cells: tuple[Cell, ...]
    tasks: tuple[str, ...]
    seeds: int
    seconds: float
    measure: str


@dataclass(frozen=True)
class Experiment:
    """What to run, and what to show of it."""

    name: str
    title: str
    groups: tuple[CellGroup, ...]
    budgets: Mapping[str, int]
    report: Mapping[str, Any] = field(default_factory=dict)
    first_seed: int = 0

    @property
    def tasks(self) -> tuple[str, ...]:
        """All tasks, in the order of the page."""
        return tuple(self.budgets)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells, each once, in the order of the page."""
        return tuple(dict.fromkeys(cell for group in self.groups for cell in group.cells))

    def works(self) -> Iterator[Work]:
        """Yield all runs, one seed after the other, so that early results cover everything."""
        for seed in range(max(group.seeds for group in self.groups)):
            for task in self.tasks:
                for group in self.groups:
                    if seed < group.seeds and task in group.tasks:
                        for cell in group.cells:
                            job = RunKey(task, cell.name, self.first_seed + seed, self.budgets[task], group.measure)
                            yield Work(job, group.seconds)


def find_spec(name: str) -> Path:
    """Return the file of an experiment given by name, or by path."""
    if name.endswith(".toml"):
        return Path(name)
    if (_PLACE / f"{name}.toml").exists():
        return _PLACE / f"{name}.toml"
    raise HedgerowError(f"There is no experiment '{name}'{suggestion(name, spec_names()) or '.'}")


def spec_names() -> list[str]:
    """Return the names of the experiments that come with the project."""
    return sorted(path.stem for path in _PLACE.glob("*.toml"))


@dataclass(frozen=True)
class Changes:
    """What a command line says instead of the specification; None leaves it as it is. `kinds` are those that stay."""

    quick: bool = False
    seeds: int | None = None
    first_seed: int | None = None
    budget: int | None = None
    tasks: Sequence[str] | None = None
    kinds: Sequence[str] | None = None


def load_spec(name: str, changes: Changes = Changes()) -> Experiment:
    """Return an experiment by name or path, with these changes."""
    path = find_spec(name)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise HedgerowError(f"{path} cannot be read as a specification: {error}") from None
    try:
        return _experiment(path.stem, data, changes)
    except HedgerowError as error:
        raise HedgerowError(f"{path}: {error}") from None


def _experiment(name: str, data: dict[str, Any], changes: Changes) -> Experiment:
    _check_keys(data, _KEYS, "the specification")
    quick = data.get("quick", {}) if changes.quick else {}
    _check_keys(quick, _QUICK_KEYS, "[quick]")
    given = {key: getattr(changes, key) for key in ("seeds", "first_seed", "budget", "tasks")}
    merged = {**data, **quick, **{key: value for key, value in given.items() if value is not None}}
    only = {**quick.get("only", {}), **({} if changes.kinds is None else {"kind": list(changes.kinds)})}
    tasks = _tasks(merged.get("tasks", []))
    is_fixed = changes.quick or changes.seeds is not None
    groups = tuple(_group(group, merged, tasks, only, is_fixed) for group in data.get("methods", []))
    kept = tuple(group for group in groups if group.cells and group.tasks)
    if not kept:
        raise HedgerowError("nothing to run: [[methods]] with a 'kind' are needed, on tasks of the specification.")
    return Experiment(
        name,
        str(data.get("title", name)),
        kept,
        _budgets(merged.get("budget", 500), tasks),
        data.get("report", {}),
        _count("first_seed", merged.get("first_seed", 0), at_least=0),
    )


def _group(
    group: dict[str, Any], data: dict[str, Any], tasks: tuple[str, ...], only: Mapping[str, Any], is_fixed: bool
) -> CellGroup:
    if "kind" not in group:
        raise HedgerowError(f"[[methods]] needs a 'kind', but has only {', '.join(group) or 'nothing'}.")
    settings = {key: value for key, value in group.items() if key not in ("kind", *_PLACE_KEYS)}
    cells = tuple(cell for cell in expand(group["kind"], settings) if _is_kept(cell, only))
    for cell in cells:
        check_cell(cell)
    own_tasks = _tasks(group["tasks"]) if "tasks" in group else tasks
    measure = group.get("measure", data.get("measure", "run"))
    if measure not in MEASURES:
        raise HedgerowError(f"There is no measure '{measure}'{ending(str(measure), MEASURES)}")
    seeds = _count("seeds", data.get("seeds", 10))
    if "seeds" in group:
        # A group may ask for fewer; --seeds and --quick ask for no more than that.
        seeds = min(seeds, group["seeds"]) if is_fixed else _count("seeds", group["seeds"])
    seconds = float(group.get("seconds", data.get("seconds", 3600)))
    return CellGroup(cells, tuple(task for task in tasks if task in own_tasks), seeds, seconds, measure)


def _is_kept(cell: Cell, only: Mapping[str, Any]) -> bool:
    """Return whether a cell has only the settings that a quick run keeps; settings it does not have do not matter."""
    own = {"kind": cell.kind, **dict(cell.settings)}
    return all(own[key] in values for key, values in only.items() if key in own)


def _budgets(budget: Any, tasks: tuple[str, ...]) -> dict[str, int]:
    if not isinstance(budget, dict):
        return dict.fromkeys(tasks, _count("budget", budget))
    missing = [task for task in tasks if task not in budget]
    if missing:
        raise HedgerowError(f"[budget] has no number for the task '{missing[0]}'.")
    return {task: _count("budget", budget[task]) for task in tasks}


def _tasks(names: Any) -> tuple[str, ...]:
    known = [*FAMILIES, *problem_names()]
    if not isinstance(names, list) or not names:
        raise HedgerowError("'tasks' must be a list of at least one name of a problem.")
    for name in names:
        if name not in known:
            raise HedgerowError(f"There is no task '{name}'{suggestion(str(name), known) or '.'}")
    return tuple(names)


def _count(key: str, value: Any, at_least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
        raise HedgerowError(f"'{key}' is a whole number of at least {at_least}, but {value!r} was given.")
    return value


def _check_keys(data: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in known:
            raise HedgerowError(f"{where} has no key '{key}'{ending(key, known)}")

"""A problem: its space and rules, how a point is measured, and how to run it; what a problem file says, checked."""

from __future__ import annotations

import math
import shlex
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import checks
from hedgerow.arrays import Codes
from hedgerow.checks import Engine
from hedgerow.errors import ArgumentError, HedgerowError, ProblemFileError, RuleWarning
from hedgerow.methods.registry import check_name
from hedgerow.outcomes.goals import Goals, Repeats
from hedgerow.outcomes.objectives import UNNAMED
from hedgerow.problem_file import ProblemFile, read_problem_file
from hedgerow.rules import BoundRule, RuleLike, bind_rules
from hedgerow.rules.batch import bind_batch_rules
from hedgerow.runs.urls import as_url
from hedgerow.runs.workers.command import CommandTemplate
from hedgerow.runs.workers.job import Job
from hedgerow.runs.workers.spool import Spool
from hedgerow.space import Point, Space
from hedgerow.space.encoding import slot_values

if TYPE_CHECKING:
    # Naming a method loads none: what asks about a study stays light.
    from hedgerow.methods.method import Method
    from hedgerow.optimizer import Direction
    from hedgerow.stopping import Stopping


# What an evaluation has to know of the goals, to read what it is given.
_GOALS = ("direction", "objectives", "limits", "repeats")


@dataclass(frozen=True)
class Problem:
    """A space with its rules, an objective, and the settings of a run: everything that a run depends on."""

    space: Space
    rules: Mapping[str, RuleLike]
    storage: str
    study: str
    direction: Direction = "minimize"
    # What trials give by name, limits on it, and how often a point is measured, as `Optimizer` takes them.
    objectives: Mapping[str, str] | None = None
    limits: Mapping[str, str] | None = None
    repeats: Repeats = False
    reference: Mapping[str, float] | None = None
    command: CommandTemplate | None = None
    python: str = ""
    function: Callable[[Point], Any] | None = None
    folder: str = ""
    timeout: float | None = None
    budget: int = 100
    seed: int = 0
    workers: int = 1
    method: str | Method = "auto"
    executor: str | None = None
    # A worker that has not been heard of for so many seconds has lost its trial.
    lease: float = 60.0
    # A point whose evaluation and worker vanished together so often is told as failed: it may be the reason.
    max_lost: int = 3
    node_budget: int | None = None
    # Several points are asked for, and one at a time is measured: others would disturb a timing.
    exclusive: bool = False
    # What outcomes are measured in, by name, for those who read them.
    units: Mapping[str, str] = field(default_factory=dict)
    # The values that variables had in trials of before they were added.
    before: Mapping[str, Any] = field(default_factory=dict)
    # The values that variables have which are in the space no more.
    removed: Mapping[str, Any] = field(default_factory=dict)
    engine: Engine = "auto"
    # Trials of related problems: what `Optimizer` takes, or names of files beside the problem file.
    prior: Any = None
    # When a run ends before its budget is used, and what a gain must be worth for it to go on, as in `minimize`.
    stop: str | None = None
    least_gain: float | None = None
    # Rules that points asked for by hand at once keep together, as in `Optimizer.ask(n, batch_rules=...)`.
    batch_rules: tuple[str, ...] = ()
    # The problem file, as the user named it.
    file: str = ""

    @cached_property
    def goals(self) -> Goals:
        """What trials are judged by."""
        return Goals.of(self.direction, self.objectives, self.limits, self.repeats, self.reference)

    @cached_property
    def stopping(self) -> Stopping | None:
        """When runs end before the budget is used; None where they do not."""
        from hedgerow.stopping import Stopping  # noqa: PLC0415 - what asks about a study stays light

        return Stopping.of(self.stop, self.least_gain, self.goals, self.space)

    @property
    def is_maximized(self) -> bool:
        """Whether larger values are better; of the first objective where there are several."""
        return self.goals.objectives.directions[0] == "maximize"

    @property
    def measured_by(self) -> dict[str, str] | None:
        """What measures points, as far as it has a text."""
        if self.command is not None:
            return {"command": shlex.join(self.command.arguments)}
        return {"python": self.python} if self.python else None

    @cached_property
    def bound_rules(self) -> tuple[BoundRule, ...]:
        """The rules, read against the space."""
        with warnings.catch_warnings():
            # What there is to say about them is said when the feasible set is made.
            warnings.simplefilter("ignore", RuleWarning)
            return bind_rules(self.space, self.rules)

    def in_unit(self, number: str, outcome: str | None = None) -> str:
        """Return a number, as it is written, with the unit of an outcome, by default the first objective."""
        return f"{number} {self.units.get(outcome or self.goals.objectives.names[0], '')}".rstrip()

    def keeps_rules(self, rows: Iterable[Codes]) -> NDArray[np.bool_]:
        """Return which rows satisfy every rule, by evaluating them: quicker than compiling for a few thousand."""
        listed = (slot_values(self.space, row) for row in rows)
        return np.array([all(rule.holds(values) for rule in self.bound_rules) for values in listed], dtype=np.bool_)

    @property
    def has_objective(self) -> bool:
        """Whether there is something to run; without it, points are asked and told by hand."""
        return self.command is not None or bool(self.python) or self.function is not None

    def job(self, point: Point, number: int, spool: str = "") -> Job:
        """Return the evaluation of a point."""
        command = () if self.command is None else tuple(self.command.fill(point))
        goals = {} if self.goals.is_plain else {name: getattr(self, name) for name in _GOALS}
        varies = self.command is not None and self.command.varies
        return Job(point, number, command, self.python, self.function, self.folder, self.timeout, spool, varies, goals)

    @property
    def spool(self) -> Spool:
        """Where outcomes wait for the storage to have them: a folder beside the problem file."""
        if not self.folder:
            return Spool(None)
        import hashlib  # noqa: PLC0415 - takes longer to load than a status to read

        # Studies of the same name in different storages have different trials; a folder that was moved has the same.
        mark = hashlib.sha256(self.storage.replace(self.folder, "").encode()).hexdigest()[:8]
        return Spool(Path(self.folder) / f".{self.study}-{mark}.measured")


def load_problem(path: str | Path, overrides: Mapping[str, Any] | None = None) -> Problem:
    """Read a problem file: a space, its rules, how a point is measured, and how to run it.

    Parameters
    ----------
    path : path
        The file, in TOML.
    overrides : mapping, optional
        What stands in for entries of the file's `[run]`, where it is not None: `{"budget": 20}`.

    Returns
    -------
    Problem
        What `hr.run` takes; `problem.space` and `problem.rules` serve `hr.FeasibleSet` and `hr.Optimizer` too.

    Raises
    ------
    ProblemFileError
        Where the file cannot be read, or says something that cannot be; the message names the line and the key.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "problem.toml"
    >>> n_characters = file.write_text('[space]\\nx = [1, 2]\\ny = [1, 2]\\n[rules]\\nless = "x < y"\\n')
    >>> problem = hr.load_problem(file)
    >>> hr.FeasibleSet(problem.space, problem.rules).count
    1
    """
    file = Path(path)
    file_says = read_problem_file(file)
    given = {key: value for key, value in (overrides or {}).items() if value is not None}
    try:
        return replace(_problem(file_says, {**file_says.run, **given}, file.resolve()), file=str(path))
    except ProblemFileError as error:
        raise ProblemFileError(f"{file.name}: {error}") from None


def _problem(file_says: ProblemFile, run: Mapping[str, Any], file: Path) -> Problem:
    objective = file_says.objective
    if "command" in objective and "python" in objective:
        raise ProblemFileError("[objective] has both 'command' and 'python'. Keep one of them.")
    direction = objective.get("direction", "minimize")
    if direction not in ("minimize", "maximize"):
        raise ProblemFileError(f"'direction' in [objective] is 'minimize' or 'maximize', not {direction!r}.")
    timeout = _number(objective, "objective", "timeout")
    command = _text(objective, "objective", "command")
    lease = _number(run, "run", "lease")
    method = _text(run, "run", "method") or "auto"
    check_name(method)
    problem = Problem(
        file_says.space,
        file_says.rules,
        storage=as_url(_text(run, "run", "storage")) or f"sqlite:///{file.with_suffix('.db')}",
        study=_text(run, "run", "study") or file.stem,
        direction=direction,
        objectives=dict(file_says.objectives) or None,
        limits=dict(file_says.limits) or None,
        repeats=run.get("repeats", False),
        reference=run.get("reference"),
        command=CommandTemplate.parse(command, file_says.space) if "command" in objective else None,
        python=_text(objective, "objective", "python"),
        folder=str(file.parent),
        timeout=timeout,
        budget=_whole(run, "budget", 1, 100),
        seed=_whole(run, "seed", 0, 0),
        workers=_whole(run, "workers", 1, 1),
        method=method,
        executor=_text(run, "run", "executor") or None,
        lease=60.0 if lease is None else lease,
        max_lost=_whole(run, "max_lost" if "max_lost" in run else "max_losses", 1, 3),
        node_budget=run.get("node_budget"),
        exclusive=_truth(run, "exclusive"),
        units=_units(file_says),
        before=file_says.before,
        removed=file_says.removed,
        engine=_engine(run),
        prior=_files(run, "prior"),
        stop=run.get("stop"),
        least_gain=run.get("least_gain"),
        batch_rules=_rules_of_batches(run),
    )
    try:
        # Read now, so that what cannot be meant is told before anything runs.
        _ = problem.goals
        bind_batch_rules(problem.space, problem.batch_rules)
        if problem.stop is not None or problem.least_gain is not None:
            _ = problem.stopping
    except HedgerowError as error:
        raise ProblemFileError(str(error)) from None
    return problem


def _engine(run: Mapping[str, Any]) -> Engine:
    try:
        return checks.engine(run.get("engine", "auto"))
    except ArgumentError as error:
        raise ProblemFileError(f"[run]: {error}") from None


def _rules_of_batches(run: Mapping[str, Any]) -> tuple[str, ...]:
    value = run.get("batch_rules", [])
    if not isinstance(value, list) or not all(isinstance(rule, str) for rule in value):
        raise ProblemFileError(
            f"'batch_rules' in [run] is a list of rules, as in batch_rules = [\"same(temperature)\"], not {value!r}."
        )
    return tuple(value)


def _files(run: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    value = run.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
        raise ProblemFileError(f"'{key}' in [run] is a list of files, as in {key} = [\"other.toml\"], not {value!r}.")
    return tuple(value) or None


def _text(section: Mapping[str, Any], name: str, key: str) -> str:
    value = section.get(key, "")
    if not isinstance(value, str):
        raise ProblemFileError(f"'{key}' in [{name}] is text, not {value!r}.")
    return value


def _units(file_says: ProblemFile) -> dict[str, str]:
    """Return the units by the names of outcomes; one without a name is that of the objective."""
    unit = file_says.objective.get("unit", "")
    if isinstance(unit, Mapping):
        return dict(unit)
    return {next(iter(file_says.objectives), UNNAMED): unit} if unit else {}


def _truth(run: Mapping[str, Any], key: str) -> bool:
    value = run.get(key, False)
    if not isinstance(value, bool):
        raise ProblemFileError(f"'{key}' in [run] is true or false, not {value!r}.")
    return value


def _whole(run: Mapping[str, Any], key: str, least: int, default: int) -> int:
    value = run.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ProblemFileError(f"'{key}' in [run] is a whole number of at least {least}, not {value!r}.")
    return value


def _number(section: Mapping[str, Any], name: str, key: str) -> float | None:
    value = section.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ProblemFileError(f"'{key}' in [{name}] is a number of seconds above 0, not {value!r}.")
    return float(value)

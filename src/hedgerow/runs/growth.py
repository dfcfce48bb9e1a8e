"""A space that has changed since a study began: what may change, what trials of before are worth, and what is recorded.

Values may be added and taken away, ranges widened and narrowed, and variables added where it is said which value they
had before. A variable may go where it is said which value it has from then on: points that differ in it would become
one, so the trials with that value stay. A trial whose point is one of the new space stays an observation; the others
stay in the storage, and count again where the space is changed back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hedgerow import schema
from hedgerow.errors import HedgerowError, PointError, StudyError
from hedgerow.schema import is_finished, is_lost
from hedgerow.space import Space, Variable, Vector
from hedgerow.space.encoding import encode, slot_values
from hedgerow.wording import counted, quoted

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

    from hedgerow.optuna.trials import TrialRows
    from hedgerow.runs.problem import Problem

_MAX_SHOWN = 8


def check_growth(problem: Problem, attrs: Mapping[str, Any]) -> None:
    """Raise where the space of a study cannot become the problem's."""
    stored = attrs.get(schema.SPACE, {})
    now = problem.space.to_dict()
    if not stored or stored == now:
        return
    gone = [name for name in stored if name not in now and name not in problem.removed]
    if gone:
        raise StudyError(
            f"The study '{problem.study}' has the variable {quoted(gone[:1])}, which the file has no more. Points that "
            "differ in it would become one. Say which value it has from now on, in the file under [removed], as in "
            f"{gone[0]} = ..., or name another study in [run] or with --study."
        )
    _removed_now(problem, stored)
    # What was taken out and comes back had the value that was stated then.
    back = {slot.partition("[")[0] for slot in _recorded(attrs, "removed")}
    known = {*_recorded(attrs), *problem.before, *back}
    new = [name for name in now if name not in stored and name not in known]
    if new:
        raise StudyError(
            f"The variable {quoted(new[:1])} is new to the study '{problem.study}'. Say which value it had in earlier "
            f"trials, in the file under [before], as in {new[0]} = ..., or name another study in [run] or with --study."
        )


def before_by_slot(problem: Problem, attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that variables had in trials of before they were added, by slot.

    A variable that was taken out and came back had the value that was stated then.
    """
    slots = {slot.name for slot in problem.space.slots}
    back = {name: value for name, value in _recorded(attrs, "removed").items() if name in slots}
    return back | by_slot(problem.space, _recorded(attrs) | dict(problem.before))


def removed_by_slot(problem: Problem, attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of variables that are in the space no more, by slot: trials with others do not fit."""
    stored = attrs.get(schema.SPACE, {})
    slots = {slot.name for slot in problem.space.slots}
    recorded = {name: value for name, value in _recorded(attrs, "removed").items() if name not in slots}
    return recorded | _removed_now(problem, stored if isinstance(stored, dict) else {})


def _removed_now(problem: Problem, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return by slot what the file says of variables that the stored space has and the file has no more."""
    values: dict[str, Any] = {}
    for name in stored:
        if name in problem.removed and name not in problem.space and isinstance(stored[name], dict):
            try:
                variable = {key: value for key, value in stored[name].items() if key != "when"}
                alone = Space.from_dict({name: variable})
                found = slot_values(alone, encode(alone, {name: problem.removed[name]}))
            except HedgerowError as error:
                raise StudyError(f"[removed] in the file: {error}") from None
            values |= {slot.name: one for slot, one in zip(alone.slots, found, strict=True)}
    return values


def by_slot(space: Space, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of variables by slot; what is no value of the space by now is left out."""
    values: dict[str, Any] = {}
    for name, value in before.items():
        if name in space:
            alone = Space({name: space.variables[name]})
            with suppress(PointError):
                found = slot_values(alone, encode(alone, {name: value}))
                values |= {slot.name: one for slot, one in zip(alone.slots, found, strict=True)}
    return values


def space_changes(problem: Problem, attrs: Mapping[str, Any], n_trials: int) -> list[dict[str, Any]]:
    """Return the changes of the space over time, each with when and after how many trials; a new one comes now."""
    recorded = attrs.get(schema.SPACES, [])
    before: list[dict[str, Any]] = list(recorded) if isinstance(recorded, list) else []
    old = attrs.get(schema.SPACE)
    if not isinstance(old, dict) or old == problem.space.to_dict():
        return before
    new = {name: value for name, value in problem.before.items() if name not in old}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    gone = _removed_now(problem, old)
    changes = [*differences(old, problem.space), *(f"{name} is gone, where it was {gone[name]!r}" for name in gone)]
    said = {"since": now, "after_trials": n_trials, "changes": changes, "before": new}
    return [*before, said | ({"removed": gone} if gone else {})]


def differences(old: Mapping[str, Any], space: Space) -> list[str]:
    """Return in words how a space differs from an earlier one, as `to_dict` gave it."""
    now = space.to_dict()
    words = []
    for name, variable in space.variables.items():
        if name not in old:
            words.append(f"{name} is new")
        elif old[name] != now[name]:
            words.append(f"{name} {_difference(old[name], variable)}")
    return words


def _difference(old: Any, variable: Variable | Vector) -> str:
    try:
        earlier = Space.from_dict({"x": old}).variables["x"]
    except HedgerowError:
        return "is another"
    if isinstance(earlier, Vector) or isinstance(variable, Vector):
        return "is another vector"
    before, after = list(getattr(earlier, "values", ())), list(getattr(variable, "values", ()))
    gained = [value for value in after if value not in before]
    gone = [value for value in before if value not in after]
    parts = [f"gained {_listed(gained)}" if gained else "", f"no longer has {_listed(gone)}" if gone else ""]
    return " and ".join(filter(None, parts)) or "is written in another way"


def _listed(values: Sequence[Any]) -> str:
    shown = ", ".join(map(repr, values[:_MAX_SHOWN]))
    return shown if len(values) <= _MAX_SHOWN else f"{shown} and {len(values) - _MAX_SHOWN:,} others"


def carried_over(read: TrialRows) -> tuple[int, list[int]]:
    """Return how many finished trials fit the space as it is now, and the numbers of those that do not."""
    finished = [trial for trial in read.trials if is_finished(trial) and not is_lost(trial)]
    fitting = {item.number for item in read.told} | {item.number for item in read.lost}
    out = [trial.number for trial in finished if trial.number not in fitting]
    return len(finished) - len(out), out


def growth_in_words(changes: Sequence[Mapping[str, Any]], read: TrialRows) -> str | None:
    """Return what became of a study whose space has changed, or None where it has not."""
    if not changes:
        return None
    last = changes[-1]
    n_fitting, out = carried_over(read)
    told = f"{counted(n_fitting, 'trial')} carried over"
    lost = f", {counted(len(out), 'trial')} no longer fit{'s' if len(out) == 1 else ''} ({_listed(out)})" if out else ""
    what = "; ".join(map(str, last.get("changes", ())))
    return f"The space changed after {counted(int(last.get('after_trials', 0)), 'trial')}: {what}. {told}{lost}."


def parameter_names(
    distributions: Mapping[str, BaseDistribution], first: Mapping[str, BaseDistribution]
) -> dict[str, str]:
    """Return the name under which each slot is stored; `first` has what each parameter was first.

    A storage holds all values of one parameter to the same choices, so a slot whose choices have changed goes on under
    a name of its own, such as `k@2`; the point itself is in the trial's claim.
    """
    from optuna.distributions import check_distribution_compatibility  # noqa: PLC0415 - loaded where studies are

    def fits(name: str, distribution: BaseDistribution) -> bool:
        try:
            check_distribution_compatibility(first.get(name, distribution), distribution)
        except ValueError:
            return False
        return True

    names: dict[str, str] = {}
    for slot, distribution in distributions.items():
        name, number = slot, 1
        while not fits(name, distribution):
            number += 1
            name = f"{slot}@{number}"
        names[slot] = name
    return names


def _recorded(attrs: Mapping[str, Any], key: str = "before") -> dict[str, Any]:
    found: dict[str, Any] = {}
    recorded = attrs.get(schema.SPACES, [])
    for change in recorded if isinstance(recorded, list) else []:
        if isinstance(change, dict) and isinstance(change.get(key), dict):
            found |= change[key]
    return found

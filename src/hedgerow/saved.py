"""An optimizer as a file: JSON with its problem, its settings and all that it was told; never a pickle.

A suggestion is a function of problem, settings, seed, observations and pending points, so an optimizer that is read
back goes on with the very points that it would have given.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from hedgerow.errors import HedgerowError, ProblemFileError, RuleError
from hedgerow.expressions import Opaque
from hedgerow.feasible import FeasibleSet
from hedgerow.methods.method import Method
from hedgerow.methods.registry import METHODS, method_named
from hedgerow.outcomes.failure import Failure
from hedgerow.outcomes.observation import Observation
from hedgerow.problem_file import format_problem, parse_problem
from hedgerow.space import Point

_FORMAT = "hedgerow optimizer"
_VERSION = 1


def write(
    path: str | os.PathLike[str],
    feasible: FeasibleSet,
    settings: Mapping[str, Any],
    observations: Sequence[Observation],
    pending: Sequence[Point],
) -> None:
    """Write an optimizer, whole or not at all; rules that are functions have no text and are refused."""
    for rule in feasible.rules:
        if isinstance(rule.written, Opaque):
            raise HedgerowError(
                f"The optimizer cannot be saved: rule '{rule.name}' is a Python function, which no file holds. Write "
                "it as text."
            )
    try:
        problem = format_problem(
            feasible.space, {rule.name: rule.written for rule in feasible.rules if not rule.is_of_space}
        )
        # What cannot be read back must fail here, and not when somebody needs it.
        parse_problem(problem)
    except (RuleError, ProblemFileError) as error:
        raise HedgerowError(f"The optimizer cannot be saved: {error}") from None
    data = {
        "format": _FORMAT,
        "version": _VERSION,
        "problem": problem,
        "settings": {**settings, "method": _method_out(settings["method"])},
        "observations": [_observation_out(seen) for seen in observations],
        "pending": list(pending),
    }
    place = Path(path)
    draft = place.with_name(f".{place.name}.draft")
    try:
        draft.write_text(json.dumps(data, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        draft.replace(place)
    except OSError as error:
        raise HedgerowError(f"The file '{place}' cannot be written: {error.strerror or error}.") from None


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a file says: the arguments of an optimizer, what to tell it, and what is pending."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("format") != _FORMAT:
            raise HedgerowError(f"The file '{path}' is no saved optimizer.")
        if data.get("version") != _VERSION:
            raise HedgerowError(f"The file '{path}' has version {data.get('version')}, which is not known here.")
        problem = parse_problem(data["problem"], str(path))
        settings = dict(data["settings"])
        return {
            "space": problem.space,
            "rules": dict(problem.rules),
            "settings": {**settings, "method": _method_in(settings["method"])},
            "told": [(item["point"], _told_in(item)) for item in data["observations"]],
            "pending": list(data["pending"]),
        }
    except OSError as error:
        raise HedgerowError(f"The file '{path}' cannot be opened: {error.strerror or error}.") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, ProblemFileError) as error:
        raise HedgerowError(f"The file '{path}' is damaged: {error}.") from None


def _observation_out(seen: Observation) -> dict[str, Any]:
    told = {"failed": seen.reason or ""} if seen.failed else {"told": seen.told}
    return {"point": seen.point, **told}


def _told_in(item: Mapping[str, Any]) -> Any:
    if "failed" in item:
        return Failure(item["failed"]) if item["failed"] else None
    return item["told"]


def _method_out(method: str | Method) -> str | dict[str, Any]:
    """Return a method as its name, with the settings that differ from the usual ones where they are plain."""
    if isinstance(method, str):
        return method
    name = next((name for name in METHODS if type(method) is _class_of(name)), None)
    if name is None or not is_dataclass(method):
        raise HedgerowError(f"The optimizer cannot be saved: its method {method!r} is not one of {', '.join(METHODS)}.")
    changed = _changed(method, method_named(name))
    return {"name": name, "settings": changed} if changed else name


def _changed(settings: Any, usual: Any) -> dict[str, Any]:
    """Return the settings that differ from the usual ones, those of a part under its name."""
    pairs = {item.name: (getattr(settings, item.name), getattr(usual, item.name)) for item in fields(settings)}
    return {key: _setting_out(key, value, known) for key, (value, known) in pairs.items() if value != known}


def _setting_out(key: str, value: Any, usual: Any) -> Any:
    if is_dataclass(value) and type(value) is type(usual):
        return _changed(value, usual)
    if isinstance(value, tuple) and isinstance(usual, tuple):
        return [_setting_out(key, each, None) for each in value]
    if not isinstance(value, bool | int | float | str | None):
        raise HedgerowError(f"The optimizer cannot be saved: '{key}' of its method is {value!r}, which has no text.")
    return value


def _method_in(written: Any) -> str | Method:
    if isinstance(written, str):
        return written
    method: Method = _with_settings(_class_of(written["name"])(), written["settings"])
    return method


def _with_settings(usual: Any, written: Mapping[str, Any]) -> Any:
    """Return settings with those that are written; each is of the kind that the usual one is."""
    known = {item.name: getattr(usual, item.name) for item in fields(usual)}
    return replace(usual, **{key: _setting_in(value, known[key]) for key, value in written.items()})


def _setting_in(value: Any, usual: Any) -> Any:
    if is_dataclass(usual) and isinstance(value, Mapping):
        return _with_settings(usual, value)
    return tuple(value) if isinstance(usual, tuple) else value


def _class_of(name: str) -> Any:
    module, kind = METHODS[name].split(":")
    return getattr(import_module(module), kind)

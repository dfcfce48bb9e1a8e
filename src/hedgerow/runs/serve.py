"""Ask and tell for programs in other languages: one JSON object per line in, one per line out.

    {"op": "ask", "n": 2}                                 -> {"trials": [{"trial": 0, "point": {...}}, ...]}
    {"op": "tell", "trial": 0, "value": 1.5}              -> {"trial": 0}
    {"op": "tell", "point": {...}, "value": null}         -> {"trial": 1}       null: the trial failed
    {"op": "tell", "trial": 0, "value": {"time": 3.1, "memory": 11.8}}          numbers by name; [3.1, 3.2]: readings
    {"op": "tell", "trial": 0, "value": null, "reason": "out of memory"}
    {"op": "forget", "trial": 0}                          -> {"trial": 0}       it was not measured, and may come again
    {"op": "pending"}                                     -> {"trials": [...]}  asked and not told yet
    {"op": "status"}, {"op": "best"}                      -> counts and the best point; the best point alone
    {"op": "stop"}                                        -> {"stopped": true}

A line that cannot be answered gets {"error": "...", "kind": "..."}, and the next line is read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hedgerow.errors import HedgerowError, PointError, StudyError
from hedgerow.outcomes.failure import Failure
from hedgerow.runs.stored import Asked
from hedgerow.runs.study import Study
from hedgerow.wording import ending


def serve(study: Study, lines: Iterable[str], write: Callable[[str], object]) -> None:
    """Answer requests until they end, or one says stop."""
    for line in lines:
        if not line.strip():
            continue
        answer = _answered(study, line)
        write(json.dumps(answer) + "\n")
        if answer.get("stopped"):
            return


def _answered(study: Study, line: str) -> dict[str, Any]:
    try:
        request = _read(line)
        if not isinstance(request, dict) or "op" not in request:
            raise StudyError('A request is a JSON object with "op", such as {"op": "ask"}.')
        operation = request["op"]
        if not isinstance(operation, str) or operation not in _OPERATIONS:
            raise StudyError(f"There is no operation {operation!r}{ending(str(operation), _OPERATIONS)}")
        return _OPERATIONS[operation](study, request)
    except HedgerowError as error:
        kind = "JSONDecodeError" if isinstance(error, NotJson) else type(error).__name__
        return {"error": str(error), "kind": kind}


def _read(line: str) -> Any:
    try:
        return json.loads(line, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        # Besides its own errors, the parser lets pass what Python says of numbers with thousands of digits.
        raise NotJson(f"The line is not valid JSON: {error}.") from None


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise PointError(
            f"A value is a number that a float can hold, at most about 1.8e308, but {text[:40]} was given."
        )
    return number


class NotJson(HedgerowError):  # noqa: N818 - what clients of this protocol know as JSONDecodeError
    """A line that cannot be read."""


def _ask(study: Study, request: Mapping[str, Any]) -> dict[str, Any]:
    n = request.get("n", 1)
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise StudyError(f'"n" is a whole number of at least 1, not {n!r}.')
    return {"trials": [_shown(asked) for asked in study.ask_by_hand(n)]}


def _tell(study: Study, request: Mapping[str, Any]) -> dict[str, Any]:
    if "value" not in request:
        raise StudyError('A tell needs a "value": a number, or null for a trial that failed.')
    return {"trial": study.tell(_point(study, request), as_told(request["value"], request.get("reason")))}


def _forget(study: Study, request: Mapping[str, Any]) -> dict[str, Any]:
    number = request.get("trial")
    if "point" not in request and isinstance(number, int) and not isinstance(number, bool):
        return {"trial": study.forget_trial(number)}
    return {"trial": study.forget(_point(study, request))}


def _pending(study: Study, _request: Mapping[str, Any]) -> dict[str, Any]:
    return {"trials": [_shown(asked) for asked in study.pending_by_hand()]}


def _status(study: Study, _request: Mapping[str, Any]) -> dict[str, Any]:
    return study.believed_status().to_dict()


def _best(study: Study, _request: Mapping[str, Any]) -> dict[str, Any]:
    return {"best": study.believed_status().to_dict()["best"]}


def _stop(_study: Study, _request: Mapping[str, Any]) -> dict[str, Any]:
    return {"stopped": True}


_OPERATIONS: dict[str, Callable[[Study, Mapping[str, Any]], dict[str, Any]]] = {
    "ask": _ask,
    "tell": _tell,
    "forget": _forget,
    "pending": _pending,
    "status": _status,
    "best": _best,
    "stop": _stop,
}


def as_value(value: object) -> float | None:
    """Return a told value as a number, or None for a trial that failed; NaN and infinity mean that too."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PointError(f"A value is a number, or null for a failed trial, but {value!r} was given.")
    try:
        number = float(value)
    except OverflowError:
        raise PointError("A value is a number that a float can hold, but one near infinity was given.") from None
    return number if abs(number) < float("inf") else None


def as_told(value: object, reason: object = None) -> Any:
    """Return what to tell of a trial: a number, numbers by name, readings, or a failure, perhaps with its reason."""
    if value is None and reason is not None:
        return Failure(str(reason))
    return value if isinstance(value, dict | list) else as_value(value)


def _shown(asked: Asked) -> dict[str, Any]:
    return {"trial": asked.number, "point": asked.point}


def _point(study: Study, request: Mapping[str, Any]) -> Mapping[str, Any]:
    if "point" in request:
        point = request["point"]
        if not isinstance(point, dict):
            raise PointError(f'"point" is an object of names and values, not {point!r}.')
        return point
    number = request.get("trial")
    for asked in study.pending_by_hand():
        if asked.number == number and not isinstance(number, bool):
            return asked.point
    raise StudyError(f"No trial {number!r} waits for a value. Ask for pending ones, or tell with a point.")

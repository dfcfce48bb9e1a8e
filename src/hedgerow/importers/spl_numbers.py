"""The values of a numeric option of SPLConqueror: a list, or steps such as `n + 2` or `n * 2` from low to high."""

from __future__ import annotations

import math
import re

from hedgerow.errors import ProblemFileError, RuleError, SpaceError
from hedgerow.expressions import Expression
from hedgerow.importers.levels import is_float
from hedgerow.importers.source import shortened
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.parse import parse_rule
from hedgerow.rules.resolve import resolve
from hedgerow.space import Levels, Space

MAX_VALUES = 10_000
MAX_ALL_VALUES = 100_000


def numeric_levels(name: str, low: str, high: str, step: str, values: str) -> Levels:
    """Return the levels that the texts of a numeric option describe; the step may call the option n or by its name."""
    plain_step = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "n", step)
    try:
        if values:
            return Levels([_number(text) for text in values.split(";") if text.strip()])
        return Levels(_stepped(_number(low), _number(high), plain_step or "n + 1"))
    except SpaceError as error:
        raise ProblemFileError(str(error)) from None


def _number(text: str) -> int | float:
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        raise ProblemFileError(f"'{shortened(text)}' is not a number.") from None
    if not math.isfinite(number):
        raise ProblemFileError(f"'{shortened(text)}' is not a finite number.")
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _stepped(low: int | float, high: int | float, step: str) -> list[int | float]:
    space = Space({"n": [low]})
    try:
        function, _ = resolve(parse_rule(step), space, step)
    except RuleError as error:
        raise ProblemFileError(f"the step function '{shortened(step)}' cannot be read: {error}") from None
    values: list[int | float] = []
    current = low
    while current <= high:
        values.append(current)
        if len(values) > MAX_VALUES:
            raise ProblemFileError(f"the step function '{shortened(step)}' gives more than {MAX_VALUES:,} values.")
        following = _next(function, current, step)
        if not following > current:
            raise ProblemFileError(
                f"the step function '{shortened(step)}' leads from {current} to {following}, which is not further up."
            )
        current = following
    if not values:
        raise ProblemFileError(f"its lowest value {low} is above its highest value {high}.")
    return values


def _next(function: Expression, current: int | float, step: str) -> int | float:
    place = f"the step function '{shortened(step)}', at {current},"
    try:
        found = evaluate(function, (current,))
    except (ArithmeticError, TypeError, ValueError, RuleError) as error:
        raise ProblemFileError(f"{place} fails: {error}.") from None
    if isinstance(found, bool | str) or not is_float(found):
        raise ProblemFileError(f"{place} does not give a number that a float can hold.")
    return int(found) if isinstance(found, float) and found.is_integer() and abs(found) < 2**53 else found

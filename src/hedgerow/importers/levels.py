"""Ranges of numbers as levels: whole where they are short, spread over a few levels where they are long."""

from __future__ import annotations

import math

from hedgerow.errors import ProblemFileError, SpaceError
from hedgerow.space import Integer, Levels, Real, Variable

DEFAULT_LEVELS = 17
# A range of whole numbers up to this length is kept as it is.
MAX_WHOLE = 1_000
MAX_STEPS = 10_000


def real_range(low: float, high: float, n_levels: int | None, log: bool = False) -> Variable:
    """Return `n_levels` numbers from low to high, evenly spaced in the value or in its logarithm; None means any."""
    _check_bounds(low, high)
    if low == high:
        return Levels([float(low)])
    _check_log(low, log)
    try:
        return Real(low, high, n_levels, log=log)
    except SpaceError as error:
        raise ProblemFileError(str(error)) from None


def whole_range(low: int, high: int, n_levels: int, log: bool = False) -> Variable:
    """Return the whole numbers from low to high, or some `n_levels` of them where there are too many.

    On a logarithmic scale most of a long range is its last tenth, so there a range longer than `n_levels` is thinned.
    """
    _check_bounds(low, high)
    _check_log(low, log)
    if high - low < (n_levels if log else MAX_WHOLE):
        return Integer(low, high)
    if log:
        ratio = math.log(high) - math.log(low)
        inner = [round(low * math.exp(ratio * i / (n_levels - 1))) for i in range(1, n_levels - 1)]
    else:
        inner = [low + (high - low) * i // (n_levels - 1) for i in range(1, n_levels - 1)]
    return Levels(sorted({low, *(min(max(value, low), high) for value in inner), high}))


def stepped_range(low: float, high: float, step: float) -> Variable:
    """Return low, low + step and so on, up to high."""
    _check_bounds(low, high)
    if not (step > 0 and is_float(step)):
        raise ProblemFileError("its step is not a finite number above zero.")
    n_steps = (high - low) / step
    if n_steps > MAX_STEPS:
        raise ProblemFileError(f"steps of {step!r} from {low!r} to {high!r} are more than {MAX_STEPS:,} levels.")
    values = [low + step * i for i in range(math.floor(n_steps * (1 + 1e-12)) + 1)]
    return Levels(sorted({value if isinstance(value, int) else float(f"{value:.12g}") for value in values}))


def range_note(name: str, variable: Variable, low: float, high: float, log: bool) -> list[str]:
    """Return what to say where the variable has fewer values than the range."""
    if isinstance(variable, Integer) or low == high or variable.is_continuous:
        return []
    scale = " on a logarithmic scale" if log else ""
    return [f"'{name}' takes {len(variable.values)} of the values from {low!r} to {high!r}{scale}."]


def is_float(number: float) -> bool:
    """Whether a number of any size is a finite float."""
    try:
        return math.isfinite(float(number))
    except OverflowError:
        return False


def _check_bounds(low: float, high: float) -> None:
    if not (is_float(low) and is_float(high)):
        raise ProblemFileError("its bounds are not finite numbers that a float can hold.")
    if high < low:
        raise ProblemFileError(f"its upper bound {high!r} is below its lower bound {low!r}.")


def _check_log(low: float, log: bool) -> None:
    if log and low <= 0:
        raise ProblemFileError(f"a logarithmic scale needs a lower bound above zero, but it is {low!r}.")

"""Everything that can go wrong, as a few exceptions that say what was wrong, what was seen and what to do.

Warnings are here as well, and the one way to give them at the line of the user's that they are about.
"""

import os
import sys
import warnings
from pathlib import Path
from types import FrameType

_PACKAGE = f"{Path(__file__).parent}{os.sep}"


class HedgerowError(Exception):
    """Base of every error that this library raises on purpose.

    Examples
    --------
    >>> import hedgerow as hr
    >>> try:
    ...     hr.Space({"a": []})
    ... except hr.HedgerowError as error:
    ...     print(error)
    Variable 'a': The list of values is empty. Give at least one value.
    """


class ArgumentError(HedgerowError, ValueError):
    """An argument is not what a function takes: text for a number, a negative size, an unknown word.

    Examples
    --------
    >>> import hedgerow as hr
    >>> hr.FeasibleSet(hr.Space({"a": [1, 2]})).sample("3")
    Traceback (most recent call last):
    ...
    hedgerow.errors.ArgumentError: n is a whole number of at least 0, but '3' was given.
    """


class SpaceError(HedgerowError, ValueError):
    """A space is not well defined: an empty domain, a duplicate value, an illegal name.

    Examples
    --------
    >>> import hedgerow as hr
    >>> hr.Integer(9, 1)
    Traceback (most recent call last):
    ...
    hedgerow.errors.SpaceError: Integer(9, 1) is empty: high is below low. Swap them or widen the range.
    """


class RuleError(HedgerowError, ValueError):
    """A rule cannot be read, or does not fit the space.

    Examples
    --------
    >>> import hedgerow as hr
    >>> try:
    ...     hr.FeasibleSet(hr.Space({"width": [1, 2]}), ["widht < 2"])
    ... except hr.RuleError as error:
    ...     print(error)
    Rule 1: There is no variable 'widht'; did you mean 'width'? (column 1)
        widht < 2
        ^
    """


class PointError(HedgerowError, ValueError):
    """A point does not fit the space: a missing, unknown or out-of-domain value.

    Examples
    --------
    >>> import hedgerow as hr
    >>> {"a": 3} in hr.FeasibleSet(hr.Space({"a": [1, 2]}))
    Traceback (most recent call last):
    ...
    hedgerow.errors.PointError: a = 3 is not in its domain [1, 2].
    """


class InfeasibleError(HedgerowError):
    """No point satisfies the rules; `rules` names a minimal set that contradicts itself.

    Examples
    --------
    >>> import hedgerow as hr
    >>> try:
    ...     hr.FeasibleSet(hr.Space({"a": [1, 2, 3]}), ["a < 3", "a > 1", "a != 2"])
    ... except hr.InfeasibleError as error:
    ...     print(error.rules)
    ('a < 3', 'a > 1', 'a != 2')
    """

    def __init__(self, message: str, rules: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.rules = rules


class SpaceExhausted(HedgerowError):  # noqa: N818 - a fixed public name
    """Every feasible point has been told; there is nothing left to suggest.

    Examples
    --------
    >>> import hedgerow as hr
    >>> optimizer = hr.Optimizer(hr.Space({"a": [1, 2]}), ["a > 1"])
    >>> optimizer.tell({"a": 2}, 0.5)
    >>> try:
    ...     optimizer.ask()
    ... except hr.SpaceExhausted:
    ...     print("all told")
    all told
    """


class EffortExceeded(HedgerowError):  # noqa: N818 - says what happened, not that something is broken
    """An exact answer would cost more memory or work than allowed; the message tells what to change.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector(hr.Integer(0, 9), 8)})
    >>> feasible = hr.FeasibleSet(space, ["sum(x) % 7 == 3"], node_budget=10)
    >>> try:
    ...     feasible.count
    ... except hr.EffortExceeded as error:
    ...     print(str(error).partition(":")[0])
    The number of feasible points is not known exactly
    """


class StudyError(HedgerowError, ValueError):
    """A study, its trials or its storage do not fit the problem.

    Examples
    --------
    >>> import hedgerow as hr
    >>> issubclass(hr.StudyError, hr.HedgerowError)
    True
    """


class ProblemFileError(HedgerowError, ValueError):
    """A problem file is malformed; the message names the line and the key.

    Examples
    --------
    >>> import hedgerow as hr
    >>> try:
    ...     hr.Space.from_toml("[space")
    ... except hr.ProblemFileError as error:
    ...     print(str(error).partition(":")[0])
    Not valid TOML
    """


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the line that called this package, however deep in it the reason was found."""
    frame: FrameType | None = sys._getframe()
    level = 0
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level + 1)


class RuleWarning(UserWarning):
    """A rule is legal but probably not what was meant.

    Examples
    --------
    >>> import warnings
    >>> import hedgerow as hr
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     feasible = hr.FeasibleSet(hr.Space({"a": [1, 2]}), ["a > 0"])
    >>> print(caught[0].message)
    Rule 'a > 0' is always true in this space; it has no effect.
    """


class TrialWarning(UserWarning):
    """A trial failed in a way that may be a mistake.

    Examples
    --------
    >>> import warnings
    >>> import hedgerow as hr
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     result = hr.minimize(lambda point: 1 / 0, hr.Space({"a": [1, 2]}), budget=1)
    >>> caught[0].category is hr.TrialWarning
    True
    """

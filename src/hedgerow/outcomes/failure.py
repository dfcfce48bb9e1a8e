"""A trial that gave nothing, with the reason."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.errors import PointError


@dataclass(frozen=True)
class Failure:
    """What to tell of a trial that failed, where the reason is known.

    Attributes
    ----------
    reason : str
        Why it failed, in a few words. Nothing is learned from the words; they are kept with the observation.

    Raises
    ------
    PointError
        Where the reason is no text.

    Examples
    --------
    >>> import hedgerow as hr
    >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}))
    >>> optimizer.tell({"x": 2}, hr.Failure("out of memory"))
    >>> optimizer.observations[0].reason
    'out of memory'
    """

    reason: str

    def __post_init__(self) -> None:
        if not isinstance(self.reason, str):
            raise PointError(f"The reason of a failure is a text, but {self.reason!r} was given.")

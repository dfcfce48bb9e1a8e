"""What goes out and what comes back: a suggestion is a point to try, an observation what was told of one."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.outcomes.failure import Failure
from hedgerow.outcomes.numbers import as_value
from hedgerow.outcomes.observation import Estimate, Observation, Prediction
from hedgerow.space import Point


@dataclass(frozen=True)
class Suggestion:
    """A point to try, with what the method knows about it.

    Attributes
    ----------
    point : dict
        The point, as `ask` gives it.
    is_exact : bool
        Whether no untried feasible point scores higher with the method, which is so where all of them were looked at.
        Points that were drawn, as the first one is, and points that a search found, are not exact.
    reason : str
        Why it was chosen, a sentence; one of `hedgerow.methods.Reason` where the method is one of Hedgerow's own.

    Examples
    --------
    >>> import hedgerow as hr
    >>> suggestion = hr.Optimizer(hr.Space({"x": [1, 2, 3]})).suggest()
    >>> suggestion.is_exact
    False
    >>> print(suggestion.reason)
    Drawn at random: there is too little to learn from yet.
    """

    point: Point
    is_exact: bool
    reason: str


__all__ = ["Estimate", "Failure", "Observation", "Prediction", "Suggestion", "as_value"]

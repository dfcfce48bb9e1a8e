"""What a method answers with: a row, whether it is the exact maximum of the method's score, and why it was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hedgerow.arrays import Codes


class Reason(StrEnum):
    """Why a row was chosen; each value is a sentence for the user.

    Examples
    --------
    >>> from hedgerow.methods import Reason
    >>> print(Reason.BEST_OF_ALL)
    It has the highest score of all untried points.
    """

    NOTHING_LEARNED = "Drawn at random: there is too little to learn from yet."
    BEST_ELSEWHERE = "It was the best of the earlier trials of a related problem."
    DRAWN = "Drawn at random, as this method always does."
    BEST_OF_ALL = "It has the highest score of all untried points."
    BEST_OF_SHORTLIST = "It has the highest score of those untried points whose quick bounds are highest."
    BEST_OF_DRAWS = "It has the highest score of a number of random draws."
    BEST_FOUND = "It has the highest score that a search inside the rules found."
    NOTHING_FOUND = "Drawn at random: the search met no untried point."
    DOUBT = "The model expects no more from its favorites, so this is the best point if it is less sure than it says."
    NEAR_BEST = "The model expects no more from its favorites, so this is a small change of one of the best points."
    PLATEAU = "Many trials share the best value exactly, so this one tells what of it matters and tests much at once."
    NOISE_UNKNOWN = "A second reading of the best point: how noisy readings are is not known yet."
    AGAIN = "Another reading of this point is worth more than a new point."
    VARIATION = "It is a random change of a good point."
    UNSTATED = "The method gives no reason."


@dataclass(frozen=True, eq=False)
class RowSuggestion:
    """A row to try next.

    Attributes
    ----------
    codes : array of int, shape (n_slots,)
        The row.
    is_exact : bool
        Whether no untried feasible row has a higher score; False for the best that was found and for draws.
    reason : str
        Why it was chosen: a `Reason`, or a sentence of the method's own.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.methods import Reason, RowSuggestion
    >>> RowSuggestion(np.array([0, 2]), is_exact=True, reason=Reason.BEST_OF_ALL).codes
    array([0, 2])
    """

    codes: Codes
    is_exact: bool
    reason: str = Reason.UNSTATED

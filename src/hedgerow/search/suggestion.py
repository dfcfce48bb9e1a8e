"""What a method answers with: a row, and how sure it is that no untried row is better."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.arrays import Codes


@dataclass(frozen=True)
class RowSuggestion:
    """A row, and whether it is the best of all unseen feasible rows or the best that was found."""

    codes: Codes
    is_exact: bool

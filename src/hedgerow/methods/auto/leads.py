"""First guesses of all values, that beliefs may follow: what they predict is then what is left over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hedgerow.arrays import Codes, Column, Places, Scores
from hedgerow.feasible.changes import Literals


@dataclass(frozen=True, eq=False)
class Guess:
    """What a lead says of the rows that were told, and of rows good and bad from everywhere."""

    values: Column
    everywhere: Column


class Lead(Protocol):
    """A guess of the value of any row, in the unit of the values told."""

    def at(self, rows: Codes) -> Column:
        """Return the guess at some rows."""
        ...

    def guess(self, rows: Codes) -> Guess:
        """Return the guess at some rows with the guess at others to compare."""
        ...

    def listed(self) -> Column:
        """Return the guess at all listed rows."""
        ...

    def near(self, row: Codes, literals: Literals) -> LeadNear:
        """Return the guess around a row."""
        ...


class LeadNear(Protocol):
    """A guess around one row."""

    def means(self, first: Places, second: Places) -> Scores:
        """Return the guess after changes to one literal, or to two where `second` is not -1."""
        ...

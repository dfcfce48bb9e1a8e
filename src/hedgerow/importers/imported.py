"""What every importer returns: the part of a foreign file that Hedgerow understands."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.rules import Rule
from hedgerow.space import Space


@dataclass(frozen=True)
class Imported:
    """A named space and its rules."""

    name: str
    space: Space
    rules: tuple[Rule, ...]

"""What came of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """What came of it: a value, or the reason why there is none; the end of what was printed.

    Where a trial gives more than one number, `readings` has them by name, and `value` that of a single objective.
    `is_broken` where it could not be measured at all, through no fault of its point.
    """

    value: float | None
    reason: str = ""
    seconds: float = 0.0
    output: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    readings: list[dict[str, float]] = field(default_factory=list)
    is_broken: bool = False

    @property
    def failed(self) -> bool:
        """Whether nothing was measured."""
        return self.value is None and not self.readings

    def to_dict(self) -> dict[str, Any]:
        """Return the parts that say something; readings have a place of their own."""
        names = ("value", "reason", "seconds", "output", "details")
        return {name: value for name in names if (value := getattr(self, name)) not in ("", None, {})}

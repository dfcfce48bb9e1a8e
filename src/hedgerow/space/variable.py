"""What all kinds of variable have in common. Each is a frozen value that checks itself and lists its levels once.

`values` holds the plain Python values in the order of their integer codes; `is_ordered` says whether that order
means anything (so that neighboring codes are similar). `when` is the condition under which a variable exists; what it
means is said in `rules.conditions`, since it is written in the language of rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from hedgerow.errors import SpaceError
from hedgerow.expressions import Expression, Scalar


@dataclass(frozen=True, repr=False)
class Conditional:
    """What variables and vectors have in common: each may exist only where a condition holds.

    `when` is text in the language of rules, over variables that come before.
    """

    when: str | None = field(default=None, kw_only=True)

    def _set_when(self, when: object) -> None:
        object.__setattr__(self, "when", condition_text(when))

    def _with_when(self, form: dict[str, Any]) -> dict[str, Any]:
        return form if self.when is None else {**form, "when": self.when}

    def __repr__(self) -> str:
        shown = [each.name for each in fields(self) if each.name != "when" and getattr(self, each.name) != ()]
        given = [f"{name}={getattr(self, name)!r}" for name in shown]
        return f"{type(self).__name__}({', '.join([*given, *self._shown_when()])})"

    def _shown_when(self) -> list[str]:
        return [] if self.when is None else [f"when={self.when!r}"]


def condition_text(when: object) -> str | None:
    """Return a condition as text: given as text or as an expression."""
    if when is None:
        return None
    text = str(when) if isinstance(when, Expression) else when
    if not isinstance(text, str):
        raise SpaceError(f"when takes a condition as text, as in when=\"kind == 'tiled'\", but {when!r} was given.")
    if not text.strip():
        raise SpaceError("when is empty. Give a condition, as in when=\"kind == 'tiled'\", or leave it out.")
    return " ".join(text.split())


@dataclass(frozen=True, repr=False)
class Variable(Conditional):
    """Base of all scalar variables."""

    type_name: ClassVar[str]
    is_ordered: ClassVar[bool] = True

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The values it can take, in the order of their codes."""
        raise NotImplementedError

    @property
    def is_continuous(self) -> bool:
        """Whether it takes any float between its ends; then `values` holds the ends, and a code is a place."""
        return False

    @property
    def n_levels(self) -> int:
        """How many values it can take."""
        return len(self.values)

    def value_at(self, code: int) -> Scalar:
        """Return the value that a code stands for."""
        return self.values[code]

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use.

        Returns
        -------
        dict
            Plain data with a `type`.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Integer(0, 3).to_dict()
        {'type': 'integer', 'low': 0, 'high': 3}
        """
        raise NotImplementedError

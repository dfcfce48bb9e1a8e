"""Settings of the default, and numbers of its modules, changed for as long as a run takes."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from hedgerow.errors import HedgerowError
from hedgerow.methods import Auto
from research.sensitivity.constants import with_setting


@dataclass(frozen=True)
class Change:
    """Places with their values: `belief.n_draws` of `Auto`, or `hedgerow.methods.auto.belief:_STRUCTURE`."""

    values: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def parse(cls, texts: Sequence[str]) -> Change:
        """Read `PLACE=VALUE` texts, whose values are literals."""
        pairs = []
        for text in texts:
            place, equals, value = text.partition("=")
            if not equals:
                raise HedgerowError(f"A change is written PLACE=VALUE; got '{text}'.")
            pairs.append((place, ast.literal_eval(value)))
        return cls(tuple(pairs))

    def method(self) -> Auto:
        """Return the settings, as far as they are settings."""
        settings = Auto()
        for place, value in self.values:
            if ":" not in place:
                settings = with_setting(settings, place.split("."), value)
        return settings

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """Change the numbers of modules, and make `auto` of experiments the changed one."""
        with contextlib.ExitStack() as stack:
            for place, value in self.values:
                if ":" in place:
                    stack.enter_context(patch(place.replace(":", "."), value))
            stack.enter_context(patch.dict("research.harness.contestants.KINDS", {"auto": self.method}))
            yield

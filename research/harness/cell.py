"""A cell of a table: a kind of method with its settings, which has one name everywhere it is stored or shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

Setting = str | int | float | bool


@dataclass(frozen=True)
class Cell:
    """A method to be run: what it is called, and its settings in a fixed order."""

    kind: str
    settings: tuple[tuple[str, Setting], ...] = ()

    @classmethod
    def of(cls, kind: str, settings: Mapping[str, Setting]) -> Cell:
        """Return the cell with these settings."""
        return cls(kind, tuple(sorted(settings.items())))

    @classmethod
    def parse(cls, name: str) -> Cell:
        """Return the cell that has this name."""
        kind, *parts = name.split(";")
        pairs = (part.partition("=") for part in parts)
        return cls(kind, tuple((key, _setting(text)) for key, _, text in pairs))

    @property
    def name(self) -> str:
        """The name under which its rows are stored, as `catd;follows=program;format=tt;rank=3;variant=c`."""
        return ";".join([self.kind, *(f"{key}={_text(value)}" for key, value in self.settings)])

    def get(self, key: str) -> Setting | None:
        """Return a setting, or None where it has its default."""
        return dict(self.settings).get(key)

    def matches(self, wanted: Mapping[str, object]) -> bool:
        """Return whether kind and settings are as wanted; a list means any of its entries, "" a setting not given."""
        own = {"kind": self.kind, **dict(self.settings)}
        return all(own.get(key, "") in (value if isinstance(value, list) else [value]) for key, value in wanted.items())


def expand(kind: str, settings: Mapping[str, Setting | Sequence[Setting]]) -> Iterator[Cell]:
    """Yield a cell for every combination of the settings that are lists."""
    choices = [list(value) if isinstance(value, list) else [value] for value in settings.values()]
    for combination in product(*choices):
        yield Cell.of(kind, dict(zip(settings, combination, strict=True)))


def _text(value: Setting) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _setting(text: str) -> Setting:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text

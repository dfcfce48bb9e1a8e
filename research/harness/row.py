"""What is kept of a run: a row of plain numbers and short texts, so that a compressed table of them stays small."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class RunKey:
    """What identifies a run: nothing else may change its result."""

    task: str
    cell: str
    seed: int
    budget: int
    measure: str = "run"


@dataclass(frozen=True)
class Row:
    """A finished run.

    `improvements` holds (round, value) wherever the best feasible value improved, `invalid_rounds` the rounds whose
    suggestion broke a rule, `series` named curves of other measurements. `stopped` is why it ended: optimum, budget,
    time, exhausted.
    """

    task: str
    cell: str
    seed: int
    budget: int
    measure: str
    n_rounds: int
    stopped: str
    improvements: tuple[tuple[int, float], ...]
    invalid_rounds: tuple[int, ...]
    n_repeated: int
    seconds: float
    version: str
    machine: str
    date: str
    series: Mapping[str, Sequence[float]]

    @property
    def job(self) -> RunKey:
        """What identifies it."""
        return RunKey(self.task, self.cell, self.seed, self.budget, self.measure)

    @property
    def best(self) -> float | None:
        """The best feasible value, None when no suggestion kept the rules."""
        return self.improvements[-1][1] if self.improvements else None

    @property
    def first_round(self) -> int:
        """The round in which the best value first appeared; the budget where there is none."""
        return self.improvements[-1][0] if self.improvements else self.budget

    @property
    def reached(self) -> bool:
        """Whether the optimum was found."""
        return self.stopped == "optimum"

    @property
    def seconds_per_round(self) -> float:
        """Processor time to choose a point, the mean over rounds."""
        return self.seconds / max(1, self.n_rounds)

    def best_at(self, round_number: int) -> float | None:
        """Return the best feasible value after so many rounds."""
        best = None
        for number, value in self.improvements:
            if number > round_number:
                break
            best = value
        return best


COLUMNS = tuple(field.name for field in fields(Row))


def to_texts(row: Row) -> dict[str, str]:
    """Return the row as the texts of a table."""
    return {
        **{key: str(value) for key, value in asdict(row).items()},
        "improvements": " ".join(f"{number}:{value!r}" for number, value in row.improvements),
        "invalid_rounds": _as_ranges(row.invalid_rounds),
        "seconds": f"{row.seconds:.4g}",
        "series": json.dumps({key: [float(f"{x:.5g}") for x in curve] for key, curve in row.series.items()})
        if row.series
        else "",
    }


def from_texts(texts: Mapping[str, str]) -> Row:
    """Return the row that these texts say."""
    plain: dict[str, Any] = {
        key: texts[key] for key in ("task", "cell", "measure", "stopped", "version", "machine", "date")
    }
    plain |= {key: int(texts[key]) for key in ("seed", "budget", "n_rounds", "n_repeated")}
    pairs = (part.partition(":") for part in texts["improvements"].split())
    return Row(
        **plain,
        improvements=tuple((int(number), float(value)) for number, _, value in pairs),
        invalid_rounds=tuple(_from_ranges(texts["invalid_rounds"])),
        seconds=float(texts["seconds"]),
        series=json.loads(texts["series"] or "{}"),
    )


def _as_ranges(numbers: Sequence[int]) -> str:
    """Return rising numbers as `3-7 9`."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return " ".join(f"{first}-{last}" if last > first else str(first) for first, last in ranges)


def _from_ranges(text: str) -> Iterable[int]:
    for part in text.split():
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)

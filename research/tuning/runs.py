"""One run under a label, and the file in which they are kept, a line of JSON each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from research.harness.row import RunKey
from research.harness.run import Work, run_once
from research.tuning.changed import Change

_LONGEST = 600.0


@dataclass(frozen=True)
class TuningRun:
    """How a run went: where the best value improved, how many rounds it took, and milliseconds per round."""

    label: str
    task: str
    seed: int
    budget: int
    n_rounds: int
    improvements: tuple[tuple[int, float], ...]
    milliseconds: float

    @property
    def best(self) -> float:
        """The best value."""
        return self.improvements[-1][1]

    def rounds_to(self, value: float) -> float:
        """Return after how many rounds the best was at most this; one and a half budgets where it never was."""
        return next((rounds for rounds, best in self.improvements if best <= value), 1.5 * self.budget)


def run(label: str, task: str, seed: int, budget: int, change: Change) -> TuningRun:
    """Run the changed default once."""
    with change.in_place():
        row = run_once(Work(RunKey(task, "auto", seed, budget), _LONGEST))
    return TuningRun(label, task, seed, budget, row.n_rounds, row.improvements, 1000 * row.seconds_per_round)


def append(path: Path, one: TuningRun) -> None:
    """Add a run to the file, which is made where it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(one)) + "\n")


def read(path: Path) -> list[TuningRun]:
    """Return the runs that are there; a last line that was cut off is left out."""
    lines: Iterable[str] = path.read_text(encoding="utf-8").splitlines() if path.exists() else ()
    return [_run(json.loads(line)) for line in lines if line.endswith("}")]


def _run(data: dict[str, object]) -> TuningRun:
    improvements = data.pop("improvements")
    assert isinstance(improvements, list)
    return TuningRun(improvements=tuple((int(rounds), float(value)) for rounds, value in improvements), **data)  # type: ignore[arg-type]

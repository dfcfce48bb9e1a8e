"""What a fresh model puts below the best value known."""

import pytest

from hedgerow.errors import HedgerowError
from research.harness.cell import Cell
from research.harness.fresh import N_OBSERVED
from research.harness.row import RunKey
from research.harness.run import Work, run_once

PROGRAM = {"follows": "program", "format": "tt", "first": "feasible"}


def shares(**settings: object) -> list[float]:
    cell = Cell.of("catd", {**PROGRAM, **settings})  # type: ignore[dict-item]
    row = run_once(Work(RunKey("ackley-65", cell.name, 0, 10, "fresh"), 60))
    assert row.series["observed"] == list(N_OBSERVED)
    return list(row.series["infeasible"])


def test_the_authors_start_puts_half_of_all_infeasible_points_below_and_the_penalty_lifts_them() -> None:
    assert shares(penalty=0.0)[-1] == pytest.approx(0.5, abs=0.1)
    assert shares(penalty=1.0)[-1] < 0.1
    assert shares(penalty=0.0, beginning="scaled")[-1] < 0.1


def test_only_what_pgrad_trains_can_be_asked() -> None:
    with pytest.raises(HedgerowError, match="pgrad"):
        run_once(Work(RunKey("ackley-65", "random", 0, 10, "fresh"), 60))

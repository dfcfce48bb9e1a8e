"""How far two versions are from the optimum: pairs of one cell alone, and ratios where there is one to compare with."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.errors import HedgerowError
from research.harness.row import Row
from research.harness.store import Store
from research.measurements import gaps
from research.problems import get_problem

OPTIMUM = get_problem("pressure-vessel").optimum or 0.0


def stored(folder: Path, bests: list[float], cell: str = "auto") -> Path:
    store = Store(folder / "journals" / "sample-efficiency.jsonl", folder / "sample-efficiency.csv.gz")
    for seed, best in enumerate(bests):
        improvements = ((1, 3 * OPTIMUM), (60, best))
        store.append(
            Row(
                *("pressure-vessel", cell, seed, 100, "run", 100, "budget", improvements, ()),
                *(0, 1.0, "1", "here", "2026-11-19", {}),
            )
        )
    return folder


def test_gaps_are_of_pairs_and_of_one_cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now = stored(tmp_path / "now", [1.1 * OPTIMUM] * 3)
    before = stored(tmp_path / "before", [1.2 * OPTIMUM] * 2)
    stored(before, [9 * OPTIMUM] * 3, cell="evolution")
    assert gaps.main([str(now), "--against", str(before)]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert lines == [
        "| pressure-vessel | 2 | 50 | 200.00% | 200.00% | 1.00 (1.00 to 1.00) |",
        "| pressure-vessel | 2 | 100 | 10.00% | 20.00% | 0.50 (0.50 to 0.50) |",
    ]


def test_a_version_at_the_optimum_leaves_no_ratio(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now, before = (stored(tmp_path / name, [OPTIMUM] * 2) for name in ("now", "before"))
    assert gaps.main([str(now), "--against", str(before), "--at", "100"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("| 0.00% | 0.00% | - |")


def test_results_without_a_pair_are_refused(tmp_path: Path) -> None:
    now, before = stored(tmp_path / "now", [OPTIMUM]), stored(tmp_path / "before", [])
    with pytest.raises(HedgerowError, match="no task and seed in common"):
        gaps.main([str(now), "--against", str(before)])

"""Batches find the optimum whichever way they are told; what is asked about keeps the rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from research.harness.tasks import load_task
from research.measurements import batches, calibration


@pytest.mark.parametrize(("width", "in_rounds"), [(1, True), (4, True), (4, False)])
def test_the_optimum_is_found_with_several_trials_out(width: int, in_rounds: bool) -> None:
    assert 1 <= batches.trials(load_task("ackley-5"), 0, width, in_rounds) <= 320


def test_a_run_that_is_in_the_table_is_not_made_again_and_the_page_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, rows = tmp_path / "page.md", tmp_path / "rows.csv"
    page.write_text("before\n<!-- batches -->\nstale\n<!-- end of batches -->\nafter\n", encoding="utf-8")
    monkeypatch.setattr(batches, "trials", lambda _task, _seed, width, _in_rounds: 8 + 2 * width)
    options = ["--tasks", "ackley-5", "--seeds", "2", "--table", str(rows), "--page", str(page)]
    assert batches.main(options) == 0
    shown = page.read_text(encoding="utf-8")
    assert "| 4 | in rounds | 16.0 | 1.60 (1.60 to 1.60) | 5.0 | 0 of 2 |" in shown
    assert shown.startswith("before\n")
    assert shown.endswith("after\n")
    assert "stale" not in shown
    monkeypatch.setattr(batches, "trials", lambda *_: pytest.fail("made again"))
    assert batches.main(options) == 0
    assert page.read_text(encoding="utf-8") == shown
    capsys.readouterr()


def test_points_near_the_best_keep_the_rules() -> None:
    codes = load_task("gap-b").feasible.codes
    row = codes.draw(1, np.random.default_rng(0))[0]
    near = calibration.changed(codes, row, np.random.default_rng(1))
    assert near.shape[0] > 0
    assert codes.accepts(near).all()
    assert (near != row).any(axis=1).all()


def test_what_is_stated_is_compared_with_what_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "_MOMENTS", (5, 8))
    monkeypatch.setattr(calibration, "_N_NEXT", 2)
    told = calibration.StatedErrors()
    told.errors["drawn"], told.inside["drawn"] = [1.0, -1.0, 1.0, -1.0], [True, True, True, False]
    assert told.cells("drawn") == "1.00 | 75 %"
    assert calibration.main(["--tasks", "gap-b", "--seeds", "1"]) == 0
    assert "| gap-b | " in (seen := capsys.readouterr().out)
    # Nothing is known of structure after eight observations.
    assert calibration.main(["--tasks", "gap-b", "--seeds", "1", "--plain"]) == 0
    assert capsys.readouterr().out == seen

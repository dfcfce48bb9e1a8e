"""What the replays report, on rows made by hand, and Kernel Tuner in its simulation mode on measured data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from research.harness.kernel_tuner import run_strategy
from research.harness.row import Row, RunKey
from research.harness.spec import load_spec
from research.harness.tasks import load_task
from research.replays.contestants import replay_label
from research.replays.show import put_into_pages, tables
from research.replays.summary import ReplaySummary, evaluations_to_near, gap_curves, summarize
from tests.research.harness.rows import row

OPTIMUM = 100.0


def replayed(seed: int, *improvements: tuple[int, float], invalid: tuple[int, ...] = ()) -> Row:
    return replace(row(seed), task="hsqldb", budget=200, improvements=improvements, invalid_rounds=invalid)


def summary(label: str, task: str = "hsqldb") -> ReplaySummary:
    rows = [replace(replayed(0, (1, 150.0), (7, 100.5), invalid=(2, 3, 150)), task=task), replayed(1, (1, 150.0))]
    reference = [replayed(0, (5, 100.0)), replayed(1, (5, 100.0))]
    return summarize(label, rows, OPTIMUM, reference)


def test_near_is_within_a_percent_and_a_miss_counts_as_the_budget() -> None:
    assert evaluations_to_near(replayed(0, (1, 102.0), (9, 101.0), (12, 100.0)), OPTIMUM) == 9
    assert evaluations_to_near(replayed(0, (1, 101.1)), OPTIMUM) == 200


def test_a_summary_tells_what_was_paid_for() -> None:
    found = summary("some method")
    assert (found.to_near, found.misses, found.n_optimal) == ((7 + 200) / 2, 1, 0)
    assert found.feasible_to_near == (7 - 2 + 200) / 2
    assert found.infeasible == 1.5
    assert found.gaps[25] == pytest.approx((0.005 + 0.5) / 2)
    assert found.more_than_reference is not None
    assert found.more_than_reference[0] == (2 + 195) / 2


def test_curves_hold_the_best_so_far() -> None:
    curve = gap_curves([replayed(0, (3, 120.0), (5, 110.0))], OPTIMUM)[0]
    assert np.isnan(curve[:2]).all()
    assert curve[2:6] == pytest.approx([0.2, 0.2, 0.1, 0.1])


def test_every_contestant_has_a_name_of_its_own() -> None:
    cells = load_spec("replays").cells
    assert len({replay_label(cell) for cell in cells}) == len(cells) == 15


def test_tables_are_put_where_pages_have_a_place_for_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Title\n<!-- replays hipacc hsqldb: Hedge -->\nold\n<!-- end of replays -->\n\n"
        "<!-- replays hsqldb -->\n<!-- end of replays -->\nlast\n"
    )
    summaries = [summary("Hedgerow"), summary("rival"), summary("Hedgerow", "hipacc")]
    assert put_into_pages(tmp_path, summaries) == [page]
    first, second = page.read_text().split("<!-- replays hsqldb -->")
    assert "old" not in first
    assert first.count("| Hedgerow |") == 2
    assert "rival" not in first
    assert "| rival |" in second
    before = page.read_text()
    put_into_pages(tmp_path, summaries)
    assert page.read_text() == before
    assert "### hipacc" in tables(summaries)


def test_kernel_tuner_replays_what_was_measured(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("kernel_tuner", reason="Kernel Tuner is not installed: pip install 'hedgerow[research]'")
    monkeypatch.setenv("HEDGEROW_DATA", str(data_dir))
    job = RunKey("convolution_milo", "kernel-tuner;strategy=genetic_algorithm", 0, 40, "full")
    replay = run_strategy(job)
    assert replay.n_rounds == 40
    assert replay.invalid_rounds == ()
    values = [value for _, value in replay.improvements]
    assert values == sorted(values, reverse=True)
    assert values[-1] >= (load_task("convolution_milo").problem.optimum or 0)
    assert run_strategy(job).improvements == replay.improvements


def test_feature_models_are_problems_with_an_optimum(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEDGEROW_DATA", str(data_dir))
    for name in ("hipacc", "hsqldb"):
        task = load_task(name)
        assert task.problem.optimum is not None
        assert task.worst > task.problem.optimum

"""Every experiment of the project, from specification to page, with tiny budgets."""

from dataclasses import replace
from pathlib import Path

import pytest

from research.harness.cell import Cell
from research.harness.report import write_report
from research.harness.run import run_once
from research.harness.spec import Changes, load_spec, spec_names
from research.harness.version import missing_libraries


@pytest.mark.parametrize("name", spec_names())
def test_an_experiment_runs_from_end_to_end(name: str, tmp_path: Path) -> None:
    experiment = load_spec(name, Changes(quick=True, seeds=1))
    tiny = replace(experiment, budgets={experiment.tasks[0]: 4})
    works = [work for work in tiny.works() if not missing_libraries(Cell.parse(work.job.cell).kind)]
    assert works
    rows = [run_once(work) for work in works]
    assert all(row.n_rounds <= 4 for row in rows)
    markdown, html = write_report(tiny, rows, tmp_path)
    assert tiny.tasks[0] in markdown.read_text(encoding="utf-8")
    assert html.read_text(encoding="utf-8").count("<img") == len(list((tmp_path / "images").glob("*.png"))) > 0

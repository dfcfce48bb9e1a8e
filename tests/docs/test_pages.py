"""Every code block of the README and of docs/ runs, page by page; those that cannot are marked, and counted here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import hedgerow as hr
from tests.docs.pages import PageRun, blocks_of, name_of, pages

# How many blocks of a page are marked as not run. A page that is not named has none.
NOT_RUN = {
    "README.md": 2,
    "docs/from-kernel-tuner.md": 1,
    "docs/index.md": 1,
    "docs/inside.md": 2,
    "docs/replays.md": 1,
    "docs/reports.md": 1,
    "docs/runs.md": 2,
    "docs/service.md": 2,
}


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    # What evaluates points in processes of its own finds the same Hedgerow.
    monkeypatch.setenv("PYTHONPATH", str(Path(hr.__file__).resolve().parents[1]))
    monkeypatch.setenv("COLUMNS", "100")
    before = set(sys.modules)
    run = PageRun(tmp_path)
    n_skipped = 0
    for block in blocks_of(page):
        if block.reason:
            n_skipped += 1
        else:
            run.run(block)
    assert n_skipped == NOT_RUN.get(name_of(page), 0)
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_every_page_that_is_said_to_skip_blocks_exists() -> None:
    assert set(NOT_RUN) <= {name_of(page) for page in pages()}


def test_the_readme_counts_what_it_says() -> None:
    page = pages()[0]
    first = next(block for block in blocks_of(page) if block.language == "python")
    run = PageRun(Path())
    run.run(first)
    assert f"# {run.namespace['feasible'].count}, exactly" in first.text

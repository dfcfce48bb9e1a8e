"""Runs of the sample-efficiency benchmark: what is stored, what is reused, and what a dying worker leaves."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hedgerow.errors import HedgerowError
from research.harness.pool import run_all
from research.sample_efficiency import contestants
from research.sample_efficiency.contestants import contestant, fingerprint
from research.sample_efficiency.plot import plot_curves
from research.sample_efficiency.runs import Job, Run, append_run, described, read_runs, reusable, run_once
from research.sample_efficiency.tasks import reference

ROOT = Path(__file__).parent.parent.parent
FATAL_SEED = 3


def made_up(job: Job) -> Run:
    return Run(job.task, job.method, job.seed, job.budget, (1.0, 0.5), False, 0.1, 0, 0, fingerprint(job.method))


def dies_with_one_seed(job: Job) -> Run:
    if job.seed == FATAL_SEED:
        os._exit(1)
    return made_up(job)


def fails_with_one_seed(job: Job) -> Run:
    if job.seed == FATAL_SEED:
        raise ValueError("no such luck")
    return made_up(job)


def test_a_run_ends_at_the_optimum_and_is_well_behaved() -> None:
    run = run_once(Job("ackley-5", "random", seed=0, budget=13))
    assert run.reached
    assert run.best[-1] == pytest.approx(0.0, abs=1e-9)
    assert (run.invalid, run.duplicates) == (0, 0)
    assert run.best == run_once(run.job).best


def test_runs_are_stored_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "runs.jsonl"
    assert read_runs(path) == []
    runs = [made_up(Job("gap-a", "random", seed, 10)) for seed in range(3)]
    for run in runs:
        append_run(path, run)
    assert read_runs(path) == runs


def test_a_line_that_a_crash_cut_off_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first, second, third = (made_up(Job("gap-a", "random", seed, 10)) for seed in range(3))
    append_run(path, first)
    append_run(path, second)
    path.write_bytes(path.read_bytes()[:-20])
    append_run(path, third)
    assert read_runs(path) == [first, third]


def test_runs_that_other_code_made_are_not_reused_unless_asked() -> None:
    current = made_up(Job("gap-a", "random", 0, 10))
    other = replace(made_up(Job("gap-a", "random", 1, 10)), fingerprint="0123456789ab")
    unknown = replace(made_up(Job("gap-a", "random", 2, 10)), fingerprint=None)
    assert list(reusable([current, other, unknown], any_version=False).values()) == [current]
    assert list(reusable([current, other, unknown], any_version=True).values()) == [current, other, unknown]


def test_stored_runs_of_a_rival_that_is_not_installed_are_still_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestants, "_version", lambda _: None)
    stored = Run("gap-a", "botorch", 0, 10, (1.0,), False, 0.1, 0, 0, "0123456789ab")
    assert reusable([stored], any_version=False) == {stored.job: stored}


def test_the_fingerprint_follows_the_code_that_makes_proposals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rival = "../../research/rivals/evolution.py"
    source = tmp_path / "src/hedgerow"
    source.mkdir(parents=True)
    for file in ("methods/auto.py", "methods/random.py", rival, "cli/show.py"):
        (source / file).parent.mkdir(exist_ok=True, parents=True)
        (source / file).write_text("before")
    monkeypatch.setattr(contestants, "_SOURCE", source)

    def prints() -> list[str]:
        fingerprint.cache_clear()
        return [fingerprint(name) for name in ("auto", "random", "evolution")]

    try:
        before = prints()
        (source / "cli/show.py").write_text("after")
        assert prints() == before
        (source / "methods/auto.py").write_text("after")
        changed = prints()
        assert changed[0] != before[0]
        assert changed[1:] == before[1:]
        (source / rival).write_text("after")
        assert prints()[2] != before[2]
    finally:
        fingerprint.cache_clear()


def test_an_unknown_method_is_refused_with_a_suggestion() -> None:
    with pytest.raises(HedgerowError, match="did you mean 'evolution'"):
        contestant("evolutoin")


def test_a_failing_run_is_reported_and_the_others_are_kept() -> None:
    kept: list[Run] = []
    troubles = run_all(
        [Job("gap-a", "random", s, 10) for s in range(6)], 1, kept.append, fails_with_one_seed, described
    )
    assert troubles == ["gap-a, random, seed 3: ValueError: no such luck"]
    assert sorted(run.seed for run in kept) == [0, 1, 2, 4, 5]


def test_a_dying_worker_is_reported_and_finished_runs_are_kept() -> None:
    kept: list[Run] = []
    troubles = run_all([Job("gap-a", "random", s, 10) for s in range(6)], 1, kept.append, dies_with_one_seed, described)
    assert len(troubles) == 1
    assert "A worker process died" in troubles[0]
    assert f"{6 - len(kept)} of 6 runs were not finished" in troubles[0]
    assert {run.seed for run in kept} <= {0, 1, 2}


def test_curves_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed: pip install 'hedgerow[plots]'")
    runs = [made_up(Job("gap-a", "random", seed, 10)) for seed in range(3)]
    path = plot_curves(tmp_path / "plots", reference("gap-a"), {"random": runs})
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_command_runs_saves_and_resumes(tmp_path: Path) -> None:
    results = tmp_path / "runs.jsonl"
    command = [
        *(sys.executable, "-m", "research.sample_efficiency", "--json", "--workers", "1", "--results", str(results)),
        *("--tasks", "ackley-3", "--methods", "random", "evolution", "--budget", "5", "--seeds"),
    ]
    for seeds in ("1", "2"):
        finished = subprocess.run([*command, seeds], capture_output=True, text=True, check=False, cwd=ROOT)
        assert finished.returncode == 0, finished.stderr
    printed = json.loads(finished.stdout)
    assert printed == json.loads(results.with_suffix(".summary.json").read_text())
    assert [(row["method"], row["n_runs"]) for row in printed] == [("random", 2), ("evolution", 2)]
    assert len(read_runs(results)) == 4


def test_the_command_says_what_is_missing(tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "research.sample_efficiency", "--results", str(tmp_path / "runs.jsonl")),
        *("--tasks", "nas-tss", "--methods", "random", "--data-dir", str(tmp_path / "nothing")),
    ]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert finished.returncode == 1
    assert "nas-tss is skipped" in finished.stderr

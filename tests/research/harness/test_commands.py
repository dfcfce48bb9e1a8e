"""The commands of experiments: run, go on, report."""

import json
from pathlib import Path

import pytest

from research.__main__ import main


def test_an_experiment_is_narrowed_resumed_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ["sample-efficiency", "--tasks", "ackley-3", "--methods", "random", "evolution", "--budget", "5", "--json"]
    options = [*chosen, "--results", str(tmp_path), "--first-seed", "7"]
    found = []
    for seeds in ("1", "2"):
        assert main(["run", *options, "--workers", "1", "--seeds", seeds]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert [(facts["stored_before"], facts["finished_now"]) for facts in found] == [(0, 2), (2, 2)]
    assert main(["report", *options, "--seeds", "2"]) == 0
    assert "| ackley-3 | random feasible |" in (tmp_path / "sample-efficiency.md").read_text(encoding="utf-8")


def test_measured_data_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = str(tmp_path / "nothing")
    chosen = ["--tasks", "nas-tss", "--methods", "random", "--seeds", "1", "--budget", "3", "--workers", "1"]
    given = ["run", "sample-efficiency", *chosen, "--results", str(tmp_path), "--data-dir", nothing]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEDGEROW_DATA", nothing)
        assert main(given) == 1
    assert "nas-tss" in capsys.readouterr().err

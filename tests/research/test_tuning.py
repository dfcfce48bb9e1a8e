"""The tuning loop: what it may look at, what a change changes, and how pairs are compared."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from hedgerow.errors import HedgerowError
from hedgerow.methods.auto import belief
from research.harness.contestants import KINDS
from research.harness.spec import load_spec
from research.harness.tasks import FAMILIES
from research.problems import problem_names
from research.tuning.__main__ import QUICK, SPLIT, main, tuning_tasks
from research.tuning.changed import Change
from research.tuning.pairs import log_ratio, table
from research.tuning.runs import TuningRun, append, read


def run_of(label: str, *improvements: tuple[int, float]) -> TuningRun:
    return TuningRun(label, "tiles", 0, 100, 100, improvements, 30.0)


def held_out() -> dict[str, object]:
    found = tomllib.loads(SPLIT.read_text(encoding="utf-8"))["held_out"]
    assert isinstance(found, dict)
    return found


def test_no_task_is_both_tuned_on_and_held_out() -> None:
    names = {*problem_names(), *FAMILIES}
    apart = {*held_out()["listed"], *held_out()["searched"]}  # type: ignore[misc]
    assert not apart & set(tuning_tasks())
    assert apart | set(tuning_tasks()) <= names
    assert set(QUICK) <= set(tuning_tasks())


@pytest.mark.parametrize(("name", "part"), [("strength", "listed"), ("strength-searched", "searched")])
def test_experiments_of_strength_are_those_of_the_split(name: str, part: str) -> None:
    experiment = load_spec(name)
    assert set(experiment.tasks) == set(held_out()[part])  # type: ignore[call-overload]
    assert experiment.first_seed == held_out()["first_seed"]


def test_held_out_tasks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(HedgerowError, match="'tf-bind' is not a tuning task"):
        main(["before", "--tasks", "tf-bind", "--runs", str(tmp_path / "runs.jsonl")])


def test_a_change_lasts_as_long_as_a_run() -> None:
    before = belief._STRUCTURE, KINDS["auto"]
    change = Change.parse(["patience=7", "belief.n_draws=1", "hedgerow.methods.auto.belief:_STRUCTURE=-9.0"])
    with change.in_place():
        assert belief._STRUCTURE == -9.0
        method = KINDS["auto"]()
        assert (method.patience, method.belief.n_draws) == (7, 1)  # type: ignore[attr-defined]
    assert (belief._STRUCTURE, KINDS["auto"]) == before
    with pytest.raises(HedgerowError, match="PLACE=VALUE"):
        Change.parse(["patience"])


def test_the_loop_runs_keeps_and_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = tmp_path / "runs.jsonl"
    common = ["--tasks", "gap-b", "--seeds", "2", "--budget", "6", "--runs", str(runs)]
    assert main(["before", *common]) == 0
    assert main(["local", *common, "--set", "patience=2", "--against", "before"]) == 0
    assert "| gap-b | 2 |" in capsys.readouterr().out
    kept = read(runs)
    assert [one.label for one in kept] == ["before", "before", "local", "local"]
    main(["before", *common])
    assert read(runs) == kept


def test_pairs_count_being_early_and_coming_to_the_end() -> None:
    early_and_stuck = run_of("a", (1, 5.0), (10, 2.0))
    late_and_better = run_of("b", (1, 5.0), (40, 2.0), (60, 1.0))
    # To 2.0 after 10 and 40 trials; to 1.0 never, which counts as 150, and after 60.
    assert log_ratio((early_and_stuck, late_and_better)) == pytest.approx(0.5 * (-1.386294 + 0.916291), abs=1e-5)
    there, back = (early_and_stuck, late_and_better), (late_and_better, early_and_stuck)
    assert log_ratio(there) == pytest.approx(-log_ratio(back))
    assert "| tiles | 1 |" in table([early_and_stuck, late_and_better], "a", "b", ["tiles"])


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    append(path, run_of("a", (1, 5.0)))
    path.write_text(path.read_text() + '{"label": "b", "ta', encoding="utf-8")
    assert read(path) == [run_of("a", (1, 5.0))]

"""What is stored stays readable: a study of an earlier version opens and goes on, and is read alike without Optuna."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.trial import TrialState

import hedgerow
from hedgerow import schema
from hedgerow.runs import snapshot as snapshots
from hedgerow.runs.leases import Lease
from hedgerow.runs.loop import Pace, run_study
from hedgerow.runs.problem import Problem, load_problem
from hedgerow.runs.snapshot import Snapshot, read_snapshot
from hedgerow.runs.sqlite_reader import UnknownLayout, read_study
from hedgerow.runs.study import Study
from hedgerow.runs.workers.job import Outcome
from hedgerow.schema import StoredState

HERE = Path(__file__).parent
# A study with trials in every state, made by the version before this format had a file of its own; what that version
# said of it, and how the present default goes on with it.
OLD = json.loads((HERE / "old_study.json").read_text())


def measure(point: dict[str, Any]) -> float:
    if point["x"] == 5:
        raise RuntimeError("unlucky")
    return float(10 - (point["x"] - 3) ** 2 + point["y"] + 2 * (point["kind"] == "b") + sum(point["bits"]))


@pytest.fixture(name="problem")
def problem_fixture(tmp_path: Path) -> Problem:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    connection = sqlite3.connect(tmp_path / "old.db")
    connection.executescript((HERE / "old_study.sql").read_text())
    connection.close()
    file = tmp_path / "old.toml"
    file.write_text((HERE / "old_study.toml").read_text())
    return load_problem(file)


def facts(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "status": snapshot.status.to_dict(),
        "pending": [waiting["point"] for waiting in snapshot.pending_by_hand],
        "rules": [list(change["rules"]) for change in snapshot.rule_changes],
    }


def test_an_old_study_says_what_it_said(problem: Problem) -> None:
    expected = {key: OLD[key] for key in ("status", "pending", "rules")}
    assert facts(read_snapshot(problem)) == expected
    study = Study(problem)
    assert study.status().to_dict() == OLD["status"]
    assert facts(read_snapshot(problem)) == expected


def test_an_old_study_goes_on_as_it_would_have(problem: Problem) -> None:
    study = Study(problem)
    n = len(study.trials())
    for trial in study.trials():
        if trial.state is TrialState.RUNNING and schema.LEASE in trial.system_attrs:
            study.lose(trial._trial_id, schema.INTERRUPTED)
    with ThreadPoolExecutor(1) as pool:
        run_study(replace(problem, python="", function=measure), executor=pool, pace=Pace(watch=0.2, show=0.05))
    trials = [[trial.params, trial.value] for trial in study.trials()]
    assert trials[n - 1 : n] == OLD["waiting_became"]
    assert trials[n:] == OLD["goes_on"]
    assert study.status().to_dict() == OLD["end"]


def test_the_same_is_read_with_and_without_optuna(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    direct, through = (read_snapshot(problem, is_through_optuna=is_through) for is_through in (False, True))
    for trial, other in zip(direct.trials, through.trials, strict=True):
        assert (trial.number, trial.state, trial.values) == (other.number, other.state, other.values)
        assert trial.params == other.params
        assert [type(value) for value in trial.params.values()] == [type(value) for value in other.params.values()]
        assert trial.system_attrs == other.system_attrs
        assert trial.user_attrs == other.user_attrs
    assert facts(direct) == facts(through)
    assert direct.latest_reasons(3) == through.latest_reasons(3) != []
    assert [item.number for item in direct.read.told] == [item.number for item in through.read.told]

    def unknown(*_: object) -> None:
        raise UnknownLayout

    monkeypatch.setattr(snapshots, "read_study", unknown)
    assert facts(read_snapshot(problem)) == facts(direct)


def test_a_layout_that_is_not_known_is_left_to_optuna(problem: Problem) -> None:
    file = Path(problem.folder) / "old.db"
    connection = sqlite3.connect(file)
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = 'v99'")
    connection.close()
    with pytest.raises(UnknownLayout):
        read_study(file, "old")
    file.write_bytes(b"no database at all")
    with pytest.raises(UnknownLayout):
        read_study(file, "old")


def test_states_are_those_of_optuna() -> None:
    assert {state.name: state.value for state in StoredState} == {state.name: state.value for state in TrialState}
    assert all((StoredState[state.name] in schema.FINISHED) == state.is_finished() for state in TrialState)


def test_every_stored_key_stands_in_the_schema_alone() -> None:
    written = re.compile(r"""["']hedgerow:\w+["']""")
    sources = Path(hedgerow.__file__).parent.rglob("*.py")
    assert [file.name for file in sources if written.search(file.read_text(encoding="utf-8"))] == ["schema.py"]


class _Counted:
    """Counts how often trials of a study are read, and how many."""

    def __init__(self, study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
        self.n = self.n_trials = 0
        for owner, name in ((study.storage, "get_all_trials"), (study.stored.bulk, "read")):
            monkeypatch.setattr(owner, name, self._counted(getattr(owner, name)))

    def _counted(self, read: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            self.n += 1
            found = read(*arguments, **options)
            self.n_trials += len(found)
            return found

        return counted


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_trial_reads_the_study_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_alone: bool) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    file = tmp_path / "p.toml"
    file.write_text('[space]\nx = { type = "integer", low = 0, high = 50 }\n[run]\nmethod = "random"\n')
    study = Study(load_problem(file))
    if not is_alone:
        assert study.ask(Lease("another", "elsewhere", 1, "1")) is not None
    reads = _Counted(study, monkeypatch)
    for n in range(1, 6):
        asked = study.ask(Lease.mine(), budget=50)
        assert asked is not None
        study.finish(asked, Outcome(1.0))
        assert reads.n == 2 * n
    # The trial itself, when it is there and when it has ended, and the one of the other worker.
    assert reads.n_trials <= (2 if is_alone else 4) * 5

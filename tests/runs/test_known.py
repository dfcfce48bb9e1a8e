"""What is kept of a study in memory is what all of its trials tell when they are read anew."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import optuna
import pytest

from hedgerow import schema
from hedgerow.errors import StudyError
from hedgerow.optuna.trials import ClaimedRow, FinishedRow, TrialRows
from hedgerow.runs.leases import Lease
from hedgerow.runs.problem import load_problem
from hedgerow.runs.sqlite_reader import external_value
from hedgerow.runs.stored import Asked
from hedgerow.runs.study import Study
from hedgerow.runs.workers.job import Outcome

FILE = """
[space]
a = {{ type = "integer", low = 0, high = 3 }}
k = ["x", "y"]
deep = {{ type = "levels", values = [1, 2], when = "k == 'y'" }}
{more}
[run]
method = "random"
budget = 1000
storage = "sqlite:///{folder}/study.db"
{repeats}
"""
SEVERAL = '[objectives]\ntime = "minimize"\nenergy = "maximize"\n[limits]\nfits = "memory <= 3"'
KINDS = ["ask", "ask", "ask", "among", "finish", "finish", "fail", "lose", "enqueue", "tell", "forget", "retry", "look"]


def study_in(folder: Path, more: str = "", repeats: str = "") -> Study:
    file = folder / "problem.toml"
    file.write_text(FILE.format(folder=folder, more=more, repeats=repeats), encoding="utf-8")
    return Study(load_problem(file))


def fresh_rows(study: Study) -> TrialRows:
    """Return what the trials tell, read by Optuna and all of them anew."""
    return study.sampler.reader(study.in_optuna).read(study.trials())


def assert_same(study: Study, kept: TrialRows, fresh: TrialRows) -> None:
    goals, n_slots = study.sampler.goals, len(study.problem.space.slots)
    numbers = [None, *(trial.number for trial in fresh.trials)]
    for without in numbers:
        one, other = (rows.history(n_slots, goals, without) for rows in (kept, fresh))
        np.testing.assert_array_equal(one.codes, other.codes)
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.pending, other.pending)
        assert (one.outcomes is None) == (other.outcomes is None)
        if one.outcomes is not None and other.outcomes is not None:
            np.testing.assert_array_equal(one.outcomes, other.outcomes)
        assert set(one.seen) == set(other.seen)
        assert kept.n_counted(without) == fresh.n_counted(without)
    for number in range(len(fresh.trials) + 1):
        assert kept.n_counted_before(number) == fresh.n_counted_before(number)
    items: list[FinishedRow | ClaimedRow] = [*fresh.told, *fresh.claimed, *fresh.lost]
    for item in items:
        row = item.row.tobytes()
        holders = [sorted((each.number, each.reading) for each in rows.with_row(row)) for rows in (kept, fresh)]
        assert holders[0] == holders[1]
        assert kept.next_reading(item.row) == fresh.next_reading(item.row)
        assert kept.lost_with(item.key) == fresh.lost_with(item.key)
    for name in ("told", "claimed", "lost"):
        assert [item.number for item in getattr(kept, name)] == [item.number for item in getattr(fresh, name)]
    assert [trial.number for trial in kept.unfinished] == [trial.number for trial in fresh.unfinished]
    assert list(kept.stepped_back) == list(fresh.stepped_back)
    assert kept.forgotten == fresh.forgotten
    assert kept.constraint_names == fresh.constraint_names


def outcome(study: Study, rng: random.Random) -> Outcome:
    if not study.problem.goals.objectives.are_several:
        return Outcome(rng.random())
    reading = {name: rng.random() for name in ("time", "energy", "memory") if rng.random() < 0.8}
    return Outcome(None, readings=[reading or {"time": 1.0}])


def act(kind: str, study: Study, out: list[tuple[Study, Asked]], rng: random.Random) -> None:
    chosen = out[rng.randrange(len(out))] if out else None
    if kind in ("ask", "among"):
        asked = study.ask(Lease.mine() if kind == "ask" else None, 1000)
        assert asked is not None
        out.append((study, asked))
    elif kind in ("finish", "fail", "lose") and chosen is not None:
        out.remove(chosen)
        if kind == "lose":
            chosen[0].lose(chosen[1].trial_id, rng.choice([schema.VANISHED, schema.WITHDRAWN]))
        else:
            chosen[0].finish(chosen[1], Outcome(None, "no") if kind == "fail" else outcome(study, rng))
    elif kind == "enqueue":
        study.in_optuna.enqueue_trial({"a": rng.randrange(4)})
    elif kind == "tell" and not study.problem.goals.objectives.are_several:
        study.tell({"a": rng.randrange(4), "k": "x"}, rng.random())
    elif kind == "forget" and fresh_rows(study).told:
        study.forget_trial(rng.choice(list(fresh_rows(study).told)).number)
    elif kind == "retry":
        study.retry()


@pytest.mark.parametrize("more", ["", SEVERAL])
@pytest.mark.parametrize("seed", range(3))
def test_two_who_work_on_a_study_know_what_is_stored(tmp_path: Path, seed: int, more: str) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    studies = [study_in(tmp_path, more, "repeats = 3") for _ in range(2)]
    rng = random.Random(seed)
    out: list[tuple[Study, Asked]] = []
    for _ in range(14):
        study = rng.choice(studies)
        before = fresh_rows(study), study.read()
        act(rng.choice(KINDS), study, out, rng)
        kept = study.read()
        assert_same(study, kept, fresh_rows(study))
        # What was read before is still what it was, though it is not the newest.
        assert_same(study, before[1], before[0])


def test_a_study_that_somebody_deleted_gets_no_trials(tmp_path: Path) -> None:
    study = study_in(tmp_path)
    study.storage.delete_study(study.stored.study_id)
    with pytest.raises(StudyError, match="deleted it"):
        study.ask(Lease.mine(), 10)


@pytest.mark.parametrize(
    ("name", "expected"), [("IntUniformDistribution", 3), ("UniformDistribution", 3.0), ("IntDistribution", 3)]
)
def test_parameters_of_old_studies_are_read(name: str, expected: float) -> None:
    value = external_value(3.0, name, ())
    assert (value, type(value)) == (expected, type(expected))

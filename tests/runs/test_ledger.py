"""Many trials at a time: stored as Optuna stores them, asked for as one by one, and never lost or made twice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy
from sqlalchemy import exc

from hedgerow import schema
from hedgerow.arrays import Codes
from hedgerow.errors import SpaceExhausted
from hedgerow.runs.bulk import Bulk, Ending, NewTrial, OneByOne
from hedgerow.runs.bulk_sql import BulkSql, bulk_of
from hedgerow.runs.ledger import Ledger
from hedgerow.runs.problem import load_problem
from hedgerow.runs.status import status_of
from hedgerow.runs.storage import Patience, PatientStorage
from hedgerow.runs.stored import Asked
from hedgerow.runs.study import Study
from hedgerow.runs.telling import ending_of
from hedgerow.runs.workers.outcome import Outcome
from hedgerow.schema import StoredState
from hedgerow.space.encoding import encode
from research.measurements.postgres import Postgres, binaries

FILE = """
[space]
a = {{ type = "integer", low = 0, high = 9 }}
r = [0.5, 1.5, 2.5]
k = ["x", "y"]
deep = {{ type = "levels", values = [1, 2], when = "k == 'y'" }}
[rules]
cap = "a <= 7 or k == 'x'"
[run]
method = "{method}"
budget = 1000
storage = "{url}"
"""


@pytest.fixture(params=["sqlite", "postgresql"], name="url")
def url_fixture(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/study.db"
    elif binaries() is None:
        pytest.skip("there is no PostgreSQL server")
    else:
        with Postgres() as server:
            yield server.url


def study_in(url: str, folder: Path, method: str = "random", **overrides: Any) -> Study:
    file = folder / "problem.toml"
    file.write_text(FILE.format(url=url, method=method))
    return Study(load_problem(file, overrides))


def row_of(study: Study, a: int) -> Codes:
    return encode(study.problem.space, {"a": a, "r": 0.5, "k": "x", "deep": None})


def tell(study: Study, ledger: Ledger, asked: list[Asked]) -> list[Asked]:
    outcomes = [Outcome(float(one.point["a"])) for one in asked]
    pairs = zip(asked, outcomes, strict=True)
    return ledger.end([(one, ending_of(study.problem, outcome)) for one, outcome in pairs])


def test_what_is_stored_is_what_optuna_stores(url: str, tmp_path: Path) -> None:
    first, second = (study_in(url, tmp_path, study=name) for name in ("first", "second"))
    claims = [
        {"a": 3, "r": 1.5, "k": "x", "deep": None},
        {"a": 7, "r": 0.5, "k": "y", "deep": 2},
        {"a": 0, "r": 2.5, "k": "x", "deep": None},
    ]
    new = [NewTrial(claim, {schema.CLAIM: claim, schema.ASKED_WITH: "method x"}) for claim in claims]
    details = {schema.DETAILS: {"reason": "no"}}
    endings = [
        Ending(StoredState.COMPLETE, (1.5,), {schema.READINGS: [{"value": 1.5}]}, {schema.CONSTRAINTS: [0.5]}),
        Ending(StoredState.FAIL, (), details),
    ]
    for study, bulk in ((first, bulk_of(first.stored.place)), (second, OneByOne(second.stored.place))):
        made = bulk.create(new, "mark")
        assert [number for _, number in made] == [0, 1, 2]
        assert len(bulk.end({made[0][0]: endings[0], made[1][0]: endings[1]})) == 2
        study.stored.create({schema.BY_HAND: True}, claims[0])
        assert [number for _, number in bulk.create(new[:1], "other")] == [4]
    assert isinstance(bulk_of(first.stored.place), BulkSql)
    now = datetime.now()
    for mine, optunas in zip(first.trials(), second.trials(), strict=True):
        for name in ("number", "state", "values", "params", "distributions", "user_attrs", "system_attrs"):
            assert getattr(mine, name) == getattr(optunas, name), name
        assert mine.datetime_start is not None
        assert abs(mine.datetime_start - now) < timedelta(minutes=5)
        assert (mine.datetime_complete is None) == (optunas.datetime_complete is None)
        if mine.datetime_complete is not None:
            assert abs(mine.datetime_complete - now) < timedelta(minutes=5)
    read = [bulk_of(study.stored.place).read(-1) for study in (first, second)]
    assert [trial.params for trial in read[0].values()] == [trial.params for trial in first.trials()]
    assert [trial.values for trial in read[0].values()] == [trial.values for trial in read[1].values()]


@pytest.mark.parametrize("method", ["random", "auto"])
def test_a_group_is_what_one_by_one_would_be(tmp_path: Path, method: str) -> None:
    one, many = (study_in(f"sqlite:///{tmp_path}/{name}.db", tmp_path, method) for name in ("one", "many"))
    ledger = Ledger(many.stored)
    for n in (1, 3, 2):
        asked: list[Asked] = []
        while len(asked) < n:
            asked += ledger.ask(n - len(asked), 1000)
        single = one.ask_by_hand(n)
        assert [each.point for each in asked] == [each.point for each in single]
        assert tell(many, ledger, asked) == []
        for each in single:
            one.tell(each.point, float(each.point["a"]))


def same_as_stored(study: Study, ledger: Ledger) -> None:
    """Compare what a ledger knows to what is read anew."""
    ledger.look()
    # By Optuna, and not from what is kept in memory.
    read = study.sampler.reader(study.in_optuna).read(study.trials())
    fresh = study.sampler.history(study.in_optuna, read)
    known = ledger._known
    kept = known.history(study.problem.goals)
    np.testing.assert_array_equal(kept.codes, fresh.codes)
    np.testing.assert_array_equal(kept.values, fresh.values)
    assert sorted(row.tobytes() for row in kept.pending) == sorted(row.tobytes() for row in fresh.pending)
    assert set(kept.seen) == set(fresh.seen)
    assert known.n_counted == sum(read.is_counted(trial) for trial in read.trials)
    assert ledger.status() == status_of(read, study.problem, study.sampler.feasible.codes.accepts)
    assert {item.number for items in known.lost.values() for item in items} == {item.number for item in read.lost}


@pytest.mark.parametrize("seed", range(4))
def test_a_ledger_knows_what_others_do(tmp_path: Path, seed: int) -> None:
    url = f"sqlite:///{tmp_path}/study.db"
    mine, other = study_in(url, tmp_path), study_in(url, tmp_path)
    ledger, theirs = Ledger(mine.stored), Ledger(other.stored)
    ledger._checked = -1e9
    rng = random.Random(seed)
    out: list[Asked] = []
    for _ in range(25):
        kind = rng.choice(["ask", "ask", "end", "other ask", "other tell", "unasked", "lose", "forget", "retry"])
        ledger._checked = -1e9  # look at all of them each time
        if kind == "ask":
            out += ledger.ask(rng.randint(1, 3), 1000)
        elif kind == "end" and out:
            tell(mine, ledger, [out.pop(rng.randrange(len(out)))])
        elif kind == "other ask":
            theirs.ask(2, 1000)
        elif kind == "other tell":
            waiting = other.pending_by_hand()
            if waiting:
                chosen = rng.choice(waiting)
                other.tell(chosen.point, rng.choice([None, 4.0]))
        elif kind == "unasked":
            theirs.look()
            theirs.tell_unasked(
                encode(mine.problem.space, {"a": rng.randrange(7), "r": 0.5, "k": "x", "deep": None}), Outcome(1.0)
            )
        elif kind == "lose" and out:
            ledger.lose([out.pop()], schema.VANISHED)
        elif kind == "forget" and mine.read().told:
            other.forget_trial(rng.choice(mine.read().told).number)
        elif kind == "retry":
            other.retry()
        same_as_stored(mine, ledger)
    points = [claim.key for claim in mine.read().claimed]
    assert len(points) == len(set(points))


def test_two_that_ask_at_the_same_time_share_all_points(url: str, tmp_path: Path) -> None:
    """The later of two trials with the same point steps back, whoever wrote first."""
    studies = [study_in(url, tmp_path) for _ in range(2)]
    ledgers = [Ledger(study.stored) for study in studies]
    given: list[tuple[Any, ...]] = []
    is_over = [False, False]
    while not all(is_over):
        for place, ledger in enumerate(ledgers):
            try:
                given += [tuple(one.point.items()) for one in ledger.ask(7, 10**6)]
            except SpaceExhausted:
                is_over[place] = True
    assert len(given) == len(set(given)) == studies[0].sampler.feasible.count


class Cut:
    """Lets the connection break at a moment: just before or just after what a transaction wrote is kept."""

    def __init__(self, storage: PatientStorage, monkeypatch: pytest.MonkeyPatch) -> None:
        self.when = ""
        assert storage.database is not None
        engine = storage.database.engine
        begin = engine.begin
        storage._patience = Patience(5.0, 0.001, 0.01)

        @contextmanager
        def breaking() -> Iterator[sqlalchemy.Connection]:
            when, self.when = self.when, ""
            broken = exc.OperationalError("statement", {}, Exception("server closed the connection"))
            with begin() as connection:
                yield connection
                if when == "before":
                    raise broken
            if when == "after":
                raise broken

        monkeypatch.setattr(engine, "begin", breaking)


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_answer_that_got_lost_neither_doubles_nor_loses(
    url: str, tmp_path: Path, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_in(url, tmp_path)
    assert isinstance(study.storage, PatientStorage)
    cut = Cut(study.storage, monkeypatch)
    ledger = Ledger(study.stored)
    cut.when = when
    asked = ledger.ask(4, 1000)
    assert [one.number for one in asked] == [0, 1, 2, 3]
    cut.when = when
    assert tell(study, ledger, asked) == []
    assert tell(study, ledger, asked) == []  # and once more, by a worker that did not get its answer
    cut.when = when
    assert ledger.tell_unasked(row_of(study, 1), Outcome(2.0)) == 4
    assert [item.value for item in study.read().told] == [*(float(one.point["a"]) for one in asked), 2.0]
    assert len(study.trials()) == 5
    ledger._checked = -1e9
    same_as_stored(study, ledger)


def test_trials_that_were_made_without_knowing_it_are_given_out(tmp_path: Path) -> None:
    study = study_in(f"sqlite:///{tmp_path}/study.db", tmp_path)
    ledger = Ledger(study.stored)
    claim = {"a": 3, "r": 1.5, "k": "x", "deep": None}
    bulk: Bulk = ledger._bulk
    bulk.create([NewTrial(claim, {schema.CLAIM: claim})], f"{ledger._me}-77")
    assert [one.point for one in ledger.look()] == [{"a": 3, "r": 1.5, "k": "x"}]
    assert ledger.look() == []


def test_a_value_that_comes_late_is_kept_once(url: str, tmp_path: Path) -> None:
    study = study_in(url, tmp_path)
    ledger = Ledger(study.stored)
    [asked] = ledger.ask(1, 1000)
    ledger.lose([asked], schema.VANISHED)
    for _ in range(2):
        assert tell(study, ledger, [asked]) == [asked]
        ledger.tell_late(asked, Outcome(4.0))
        ledger.look()
    assert [(item.number, item.value) for item in study.read().told] == [(1, 4.0)]
    same_as_stored(study, ledger)


def test_a_part_that_comes_late_is_kept(url: str, tmp_path: Path) -> None:
    """A trial that was given up has failed, too, but not with what was measured."""
    study = study_in(url, tmp_path, objectives={"time": "minimize", "energy": "minimize"})
    ledger = Ledger(study.stored)
    [asked] = ledger.ask(1, 1000)
    ledger.lose([asked], schema.VANISHED)
    part = Outcome(None, readings=[{"time": 2.0}])
    assert ledger.end([(asked, ending_of(study.problem, part))]) == [asked]
    ledger.tell_late(asked, part)
    ledger.look()
    assert [item.outcome.numbers for item in study.read().told] == [{"time": 2.0}]


def test_a_trial_that_ends_while_it_is_read_has_its_value(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In PostgreSQL the statements of one transaction see different moments."""
    mine, other = study_in(url, tmp_path), study_in(url, tmp_path)
    [asked] = Ledger(other.stored).ask(1, 1000)
    bulk = mine.stored.bulk
    assert isinstance(bulk, BulkSql)
    by_id = bulk._by_id
    n_read = 0

    def interrupted(*arguments: Any) -> list[Any]:
        nonlocal n_read
        found = by_id(*arguments)
        n_read += 1
        if n_read == 3:
            other.stored.end(asked.trial_id, Ending(StoredState.COMPLETE, (4.0,)))
        return found

    monkeypatch.setattr(bulk, "_by_id", interrupted)
    mine.read()
    assert n_read >= 5, "it has ended in the midst of reading"
    assert [(item.number, item.value) for item in mine.read().told] == [(asked.number, 4.0)]


def test_a_journal_is_served_in_optunas_way(tmp_path: Path) -> None:
    study = study_in(f"journal:{tmp_path}/study.log", tmp_path)
    ledger = Ledger(study.stored)
    assert isinstance(ledger._bulk, OneByOne)
    asked = ledger.ask(3, 1000)
    assert tell(study, ledger, asked[:2]) == []
    ledger._checked = -1e9
    same_as_stored(study, ledger)
    assert len(ledger.by_hand()) == 1

"""Leases: the dead are noticed, the living are left alone, and no clock but one's own is trusted."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

import optuna
from optuna.trial import FrozenTrial, TrialState

from hedgerow.runs.heartbeat import Heartbeat
from hedgerow.runs.leases import Lease, Watch
from hedgerow.schema import LEASE


def new_study() -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna.create_study()


def with_lease(study: optuna.Study, lease: Lease) -> FrozenTrial:
    template = optuna.create_trial(state=TrialState.RUNNING, system_attrs={LEASE: lease.to_dict()})
    return study._storage.get_trial(study._storage.create_new_trial(study._study_id, template))


def elsewhere() -> Lease:
    return replace(Lease.mine(), machine="another machine")


def test_a_lease_survives_being_stored() -> None:
    study, lease = new_study(), Lease.mine()
    assert Lease.of(with_lease(study, lease)) == lease
    assert Lease.of(study.ask()._cached_frozen_trial) is None
    assert not lease.holder.is_surely_gone


def test_a_process_that_ended_here_is_surely_gone() -> None:
    code = "from hedgerow.runs.leases import Lease; import json; print(json.dumps(Lease.mine().to_dict()))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    lease = Lease(**__import__("json").loads(printed))
    assert lease.holder.is_surely_gone
    assert not replace(lease, machine="another machine").holder.is_surely_gone


def test_the_trial_of_a_dead_process_is_lost_at_once() -> None:
    study = new_study()
    trial = with_lease(study, replace(Lease.mine(), process=2**22 + 5))
    watch = Watch(60.0)
    assert watch.lost([trial], "me") == [trial]
    assert watch.in_doubt == {trial.number}
    watch.forget([trial])
    assert not watch.in_doubt


def test_time_in_which_nobody_looked_ends_no_lease() -> None:
    trial = with_lease(new_study(), elsewhere())
    watch = Watch(0.2)
    assert watch.lost([trial], "me") == []
    time.sleep(0.3)
    assert watch.lost([trial], "me") == []
    looks = 0
    while not watch.lost([trial], "me"):
        looks += 1
        time.sleep(0.06)
    assert looks >= 2


def test_a_lease_that_does_not_move_ends_and_one_that_moves_does_not() -> None:
    study = new_study()
    still, moving, mine = with_lease(study, elsewhere()), with_lease(study, elsewhere()), with_lease(study, elsewhere())
    by_hand = study._storage.get_trial(study.ask()._trial_id)
    own = Lease.of(mine)
    assert own is not None
    watch = Watch(0.3)
    found: set[int] = set()
    for beat in range(8):
        lease = Lease.of(moving)
        assert lease is not None
        study._storage.set_trial_system_attr(moving._trial_id, LEASE, replace(lease, beat=beat).to_dict())
        trials = [still, study._storage.get_trial(moving._trial_id), mine, by_hand]
        found |= {trial.number for trial in watch.lost(trials, own.worker, held={mine.number})}
        time.sleep(0.1)
    assert found == {still.number}
    assert watch.lost([mine], own.worker) == [mine]


def test_a_heart_keeps_what_it_holds_alive_and_lets_go_of_what_ended() -> None:
    study, lease = new_study(), Lease.mine()
    held, ended = with_lease(study, lease), with_lease(study, lease)
    heartbeat = Heartbeat(study._storage, lease, 0.2)
    heartbeat.hold(held._trial_id)
    heartbeat.hold(ended._trial_id)
    study._storage.set_trial_state_values(ended._trial_id, TrialState.FAIL)
    deadline = time.monotonic() + 20
    beats = 0
    while beats < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
        found = Lease.of(study._storage.get_trial(held._trial_id))
        beats = 0 if found is None else found.beat
    heartbeat.stop()
    assert beats >= 3
    assert heartbeat._held == {held._trial_id}

"""What is known of a study at a glance, without reading its trials, which takes long where there are thousands."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy
from optuna.distributions import BaseDistribution, json_to_distribution
from optuna.storages import BaseStorage
from sqlalchemy import Connection

from hedgerow.runs.storage import PatientStorage


@dataclass(frozen=True)
class Glance:
    """How many trials a study has, and the distribution that each of their parameters had first."""

    n_trials: int
    distributions: dict[str, BaseDistribution]


def glance_at(storage: BaseStorage, study_id: int) -> Glance:
    """Return what is known of a study at a glance; a storage that is no database is read whole."""
    if isinstance(storage, PatientStorage) and storage.database is not None:
        return storage.transact(lambda connection: _from_tables(connection, study_id), only_reads=True)
    trials = storage.get_all_trials(study_id, deepcopy=False)
    first: dict[str, BaseDistribution] = {}
    for trial in trials:
        for name, distribution in trial.distributions.items():
            first.setdefault(name, distribution)
    return Glance(len(trials), first)


def _from_tables(connection: Connection, study_id: int) -> Glance:
    about = {"study": study_id}
    query = "SELECT COUNT(*) FROM trials WHERE study_id = :study"
    n_trials = connection.execute(sqlalchemy.text(query), about).scalar_one()
    query = (
        "SELECT param_name, distribution_json FROM trial_params WHERE param_id IN (SELECT MIN(param_id) FROM "
        "trial_params JOIN trials ON trials.trial_id = trial_params.trial_id WHERE study_id = :study "
        "GROUP BY param_name) ORDER BY param_id"
    )
    found = connection.execute(sqlalchemy.text(query), about)
    return Glance(int(n_trials), {name: json_to_distribution(text) for name, text in found})

"""A study that was begun in Optuna, under other scales and choices, goes on from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import optuna
import pytest

from hedgerow.cli.main import main

FILE = """
[space]
kind = ["plain", "dart"]
leaves = { type = "integer", low = 4, high = 64 }
drop = { type = "real", low = 0.0, high = 0.5, levels = 11, when = "kind == 'dart'" }
[rules]
few = "leaves <= 32 or kind == 'dart'"
[run]
study = "mine"
method = "random"
storage = "mine.db"
"""


def objective(trial: optuna.Trial) -> float:
    kind = trial.suggest_categorical("kind", ["dart", "plain"])
    leaves = trial.suggest_int("leaves", 4, 64, log=True)
    drop = trial.suggest_float("drop", 0.0, 0.5, step=0.05) if kind == "dart" else 0.1
    return leaves + drop


def test_a_study_of_optuna_goes_on_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    begun = optuna.create_study(
        study_name="mine", storage="sqlite:///mine.db", sampler=optuna.samplers.RandomSampler(seed=0)
    )
    begun.optimize(objective, n_trials=6)
    Path("problem.toml").write_text(FILE)
    assert main(["ask", "problem.toml", "-n", "2", "--json"]) == 0
    asked = json.loads(capsys.readouterr().out)
    assert [one["trial"] for one in asked] == [6, 7]
    assert main(["tell", "problem.toml", "6", "1.5"]) == 0
    assert main(["tell", "problem.toml", json.dumps({"kind": "dart", "leaves": 4, "drop": 0.05}), "0.5"]) == 0
    assert main(["status", "problem.toml", "--json"]) == 0
    status = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert status["complete"] == 8
    assert status["best"] == {"trial": 8, "value": 0.5, "point": {"kind": "dart", "leaves": 4, "drop": 0.05}}
    # Once more, now that both ways of writing them are in the storage.
    assert main(["ask", "problem.toml"]) == 0

"""Studies to report on, made in a moment: points are asked, and told what a test says they gave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
import pytest

from hedgerow.report.facts import Facts
from hedgerow.report.page import report_of
from hedgerow.runs.leases import Lease
from hedgerow.runs.problem import load_problem
from hedgerow.runs.study import Study
from hedgerow.runs.workers.job import Outcome

Objective = Callable[[dict[str, Any]], Outcome]

SMALL = """
[space]
x = { type = "integer", low = 0, high = 9 }
y = ["a", "b", "c"]
[rules]
cap = "x <= 7"
pair = "y != 'c' or x >= 2"
"""


class Studies:
    """Makes problem files with trials in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self, text: str, n: int, objective: Objective, *, name: str = "study", n_running: int = 0) -> Path:
        """Return a problem file whose study has so many ended trials, and so many that still run."""
        file = self.folder / f"{name}.toml"
        # A journal takes a fraction of a database's time.
        run = f'[run]\nmethod = "random"\nstorage = "journal:{self.folder / name}.log"\n'
        file.write_text(text if "[run]" in text else f"{text}\n{run}", encoding="utf-8")
        study = Study(load_problem(file))
        lease = Lease.mine()
        for _ in range(n):
            asked = study.ask(lease)
            assert asked is not None
            study.finish(asked, objective(asked.point))
        for _ in range(n_running):
            study.ask(lease)
        return file

    def facts(self, text: str, n: int, objective: Objective, **options: Any) -> Facts:
        """Return the facts of such a study."""
        file = self.make(text, n, objective, **options)
        return report_of(load_problem(file), file)


@pytest.fixture(name="studies")
def studies_fixture(tmp_path: Path) -> Studies:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return Studies(tmp_path)

"""How cells are called on a page: their label, the family among which the best rank is picked, and the paper's name."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from research.harness.cell import Cell

_NAMES = {
    "auto": "Hedgerow default",
    "random": "random feasible",
    "anywhere": "random anywhere",
    "evolution": "evolution in the rules",
    "local-search": "local search in the rules",
    "baybe": "BayBE on the list",
    "botorch": "BoTorch on the list",
    "smac": "SMAC",
    "optuna-gp": "Optuna's GP",
    "tpe": "TPE",
    "gp": "GP",
    "protes": "PROTES",
    "nn-milp": "NN+MILP",
    "kernel-tuner": "Kernel Tuner",
}
_CATD_ENDINGS = {
    "program": "",
    "program-scaled": " scaled start",
    "text": " by the text",
    "defaults": " in the rules",
    "weighted": "",
}
# Settings that the names of a family already tell, or that are chosen within it.
_TOLD = ("follows", "format", "rank", "variant", "trainer")


@dataclass(frozen=True)
class PublishedCell:
    """The paper's mean best value and the mean round where it first appeared, and seconds per round where printed."""

    value: float
    round: float
    seconds: float | None = None


def label(cell: Cell) -> str:
    """Return the name of a cell in tables, as `TT-3-c`."""
    rank = cell.get("rank")
    return _named(cell, f"-{rank}" if cell.kind == "catd" and rank is not None else "")


def family(cell: Cell) -> str:
    """Return the name of all cells that differ in rank alone, as `TT-c`."""
    return _named(cell, "")


def published(experiment: str, task: str, cell: Cell) -> PublishedCell | None:
    """Return what the paper prints for a cell, if it does."""
    key = _published_key(experiment, cell)
    # An experiment of our own stands beside whichever of the paper's has its task.
    tables = _published_rows()
    row = tables.get(experiment, {**tables["exp2"], **tables["exp3"]}).get(task, {}).get(key)
    return None if row is None else PublishedCell(*row)


def _named(cell: Cell, rank: str) -> str:
    variant = cell.get("variant")
    ending = "" if variant is None else f"-{variant}"
    if cell.kind == "catd":
        follows, trainer = str(cell.get("follows") or "program"), cell.get("trainer")
        name = f"{str(cell.get('format') or 'tt').upper()}{rank}{ending}{_CATD_ENDINGS[follows]}"
        if trainer is not None:
            # Where trainers are compared, the rest is the same for all.
            name = f"{str(trainer).upper()}{ending}{' after the program' if follows == 'program' else ''}"
    else:
        name = _NAMES.get(cell.kind, cell.kind) + ending
    told = _TOLD if cell.get("trainer") is None else (*_TOLD, "acquisition", "first", "repeats", "trusts_observations")
    others = [
        f"{key} {value}" for key, value in cell.settings if key not in told or (key == "rank" and cell.kind != "catd")
    ]
    return f"{name} ({', '.join(others)})" if others else name


def _published_key(experiment: str, cell: Cell) -> str:
    variant = cell.get("variant")
    if cell.kind != "catd":
        return f"{_NAMES.get(cell.kind, cell.kind)}-{variant}"
    if experiment == "exp1":
        return f"{'HSDP' if cell.get('trainer') == 'hsdp' else 'PGRAD'}-{variant}"
    return f"{str(cell.get('format')).upper()}-{cell.get('rank')}-{variant}"


@cache
def _published_rows() -> dict[str, dict[str, dict[str, list[float]]]]:
    return tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))

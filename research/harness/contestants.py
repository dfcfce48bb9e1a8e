"""The kinds of method that an experiment may name, and what makes each from its settings.

The paper's variants: `c` knows the rules in the way its method can, `u` does not. What `worst` is told for a point that
breaks a rule comes from the task.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any, Literal

from hedgerow.errors import HedgerowError
from hedgerow.methods import CATD, Auto, Method, Random
from hedgerow.methods.auto.belief import BeliefSettings
from hedgerow.methods.candidates import CandidateSettings
from hedgerow.methods.catd.method import FormatName
from hedgerow.methods.catd.readings import Readings
from hedgerow.wording import ending
from research.harness.cell import Cell
from research.rivals import (
    NNMILP,
    PROTES,
    SMAC,
    TPE,
    Anywhere,
    BaybeList,
    BotorchList,
    Evolution,
    GaussianProcess,
    LocalSearch,
    OptunaGP,
)

Variant = Literal["c", "u"]
# "auto" goes with our version alone, and with any rank.
Format = Literal["cp", "tr", "tt", "auto"]
Make = Callable[..., Method]
# Settings of CATD that experiments may give by its own names.
_READINGS = (
    *(each.name for each in fields(Readings)),
    "doubts_rules",
    "restrict_to_rules",
    "max_epochs",
    "tnorm",
    "looks_ahead",
)
# Tuners that run themselves instead of being asked, with their settings; `run.py` knows who runs them.
OUTSIDE = {"kernel-tuner": ("strategy",)}


def make_method(cell: Cell, worst: float | Callable[[], float]) -> Method:
    """Return the method of a cell, for a task on which points that break a rule are worth `worst`.

    Finding out what that is may take long, so it may be a function, called for methods that want to know.
    """
    make = _kind(cell)
    known = _settings(make)
    _check_settings(cell, known)
    extra = {"worst": worst() if callable(worst) else worst} if "worst" in known else {}
    return make(**dict(cell.settings), **extra)


def _settings(make: Make) -> list[str]:
    """Return the names of the settings that a kind of method takes."""
    names = list(inspect.signature(make).parameters)
    return [*names[:-1], *_READINGS] if names and names[-1] == "readings" else names


def check_cell(cell: Cell) -> None:
    """Raise an error that names what is wrong with a cell, if anything is."""
    if cell.kind in OUTSIDE:
        _check_settings(cell, OUTSIDE[cell.kind])
    else:
        make_method(cell, 0.0)


def _check_settings(cell: Cell, known: Iterable[str]) -> None:
    choices = [name for name in known if name != "worst"]
    for key, _ in cell.settings:
        if key not in choices:
            raise HedgerowError(f"The method '{cell.kind}' has no setting '{key}'{ending(key, choices)}")


def _kind(cell: Cell) -> Make:
    if cell.kind not in KINDS:
        raise HedgerowError(f"There is no method '{cell.kind}' for experiments{ending(cell.kind, [*KINDS, *OUTSIDE])}")
    return KINDS[cell.kind]


def _catd(  # noqa: PLR0917 - the settings that experiments vary
    follows: Literal["text", "program", "program-scaled", "defaults", "weighted"] = "program",
    format: Format = "tt",  # noqa: A002 - the paper's word
    rank: int = 3,
    variant: Variant = "c",
    penalty: float = 1.0,
    acquisition: str | None = None,
    batch_size: int | None = None,
    epochs: int | None = None,
    scored: int | None = None,
    trainer: Literal["pgrad", "hsdp"] = "pgrad",
    **readings: object,
) -> Method:
    """CA-TD after the paper's text or after its program, or Hedgerow's version of it, which keeps the rules.

    "program-scaled" is a shortened program: twelve steps per round from a scaled beginning, and no spread outside the
    rules; "weighted" is Hedgerow's version with a penalty. `readings` are settings that `CATD` has under the same name.

    `epochs` fixes the number of steps per round, `batch_size` that of infeasible rows in a step, and `scored` that of
    the uniform draws among which the next point is chosen (Appendix F).
    """
    weight = penalty if variant == "c" else 0.0
    makers: dict[str, Callable[..., CATD]] = {
        "text": CATD.as_published,
        "program": CATD.as_programmed,
        "program-scaled": _program_scaled,
        "defaults": _restricted,
        "weighted": lambda format, rank, penalty: CATD(format, rank, penalty=penalty),  # noqa: A006
    }
    if follows not in makers or (format == "auto" and follows != "defaults"):
        raise HedgerowError(
            "catd follows 'text', 'program', 'program-scaled', 'weighted' or 'defaults', of which the last goes with "
            f"format 'auto'; got {follows!r} and {format!r}."
        )
    changes: dict[str, Any] = {"acquisition": acquisition, "trainer": trainer, **readings}
    if batch_size is not None:
        # 0 stands for all infeasible points.
        changes["batch_size"] = batch_size
    if epochs is not None:
        changes |= {"max_epochs": epochs, "loss_target": 0.0}
    if scored is not None:
        changes["candidates"] = CandidateSettings(n_drawn=scored)
    given = {key: value for key, value in changes.items() if value is not None}
    if batch_size == 0:
        given["batch_size"] = None
    return replace(makers[follows](format, rank, weight), **given)


def _program_scaled(format: FormatName, rank: int, penalty: float) -> CATD:  # noqa: A002
    return replace(
        CATD.as_published(format, rank, penalty),
        acquisition="gaussian-ei",
        doubts_rules=False,
        loss_target=0.0,
        max_epochs=12,
    )


def _restricted(format: Format, rank: int, penalty: float) -> CATD:  # noqa: A002
    # The variant c of our own version is inside the rules already, so its penalty is the default one.
    del penalty
    return CATD("auto", None) if format == "auto" else CATD(format, rank)


def _auto(sees_structure: bool = True) -> Method:
    return Auto(belief=BeliefSettings(sees_structure=sees_structure))


def _tpe(variant: Variant = "c", n_offline: int = 200, *, worst: float) -> Method:
    """The variant c is told so many infeasible points at the worst value before it begins."""
    return TPE(n_offline if variant == "c" else 0, worst)


def _optuna_gp(variant: Variant = "u", n_offline: int = 200, *, worst: float) -> Method:
    return OptunaGP(n_offline if variant == "c" else 0, worst)


def _gp(variant: Variant = "c", n_offline: int = 200, *, worst: float) -> Method:
    return GaussianProcess(n_offline if variant == "c" else 0, worst)


def _protes(variant: Variant = "c", batch: int = 100, top: int = 10, rank: int = 4) -> Method:
    return PROTES(knows_rules=variant == "c", n_batch=batch, n_top=top, rank=rank)


def _nn_milp(
    variant: Variant = "c",
    epochs: int = 1000,
    starts: int | None = None,
    solver: Literal["milp", "list"] = "milp",
    carries_weights: bool = True,
) -> Method:
    """One random start for c and fifty for u, as in the paper, unless told otherwise."""
    return NNMILP(
        respect_rules=variant == "c",
        n_start=starts if starts is not None else 1 if variant == "c" else 50,
        n_epochs=epochs,
        solver=solver,
        carries_weights=carries_weights,
    )


def _smac(variant: Variant = "c", n_trials: int = 500) -> Method:
    return SMAC(knows_rules=variant == "c", n_trials=n_trials)


KINDS: dict[str, Make] = {
    "auto": _auto,
    "random": Random,
    "anywhere": Anywhere,
    "evolution": Evolution,
    "local-search": LocalSearch,
    "baybe": BaybeList,
    "botorch": BotorchList,
    "catd": _catd,
    "optuna-gp": _optuna_gp,
    "tpe": _tpe,
    "gp": _gp,
    "protes": _protes,
    "nn-milp": _nn_milp,
    "smac": _smac,
}

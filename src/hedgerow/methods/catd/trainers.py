"""Trainers by name: what `CATD(trainer=...)` takes. A new one is a function that gives a `Training` for a problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from hedgerow.errors import HedgerowError
from hedgerow.methods.catd.choice import ChosenTraining
from hedgerow.methods.catd.ensemble.factorized import Factorized
from hedgerow.methods.catd.hsdp import Hsdp
from hedgerow.methods.catd.training import HsdpTraining, PgradTraining, Training
from hedgerow.methods.problem import CodeProblem


class Settings(Protocol):
    """What a trainer may look at: `CATD` fits, with all its other settings."""

    @property
    def rank(self) -> int | None:
        """The rank of the tensors."""

    @property
    def penalty(self) -> float:
        """The weight of the penalty."""

    @property
    def tames_outliers(self) -> bool:
        """Whether bad values are bent."""

    @property
    def hsdp(self) -> Hsdp:
        """Settings of the relaxation."""

    def surrogates(self) -> list[Factorized]:
        """Return the ensembles that the settings describe."""


MakeTraining = Callable[[Settings, CodeProblem], Training]


def register_trainer(name: str, make: MakeTraining) -> None:
    """Let `CATD(trainer=name)` train by what `make` returns for its settings and a problem.

    The `Training` that it returns has `after(history, seed)`, which gives the model that the observations lead to; it
    must depend on nothing else. A name that is taken is refused.
    """
    if name in TRAINERS:
        raise HedgerowError(f"There is a trainer {name!r} already; choose another name.")
    TRAINERS[name] = make


def _pgrad(settings: Settings, problem: CodeProblem) -> Training:
    surrogates = settings.surrogates()
    return ChosenTraining(surrogates, problem) if surrogates[1:] else PgradTraining(surrogates[0], problem)


def _hsdp(settings: Settings, problem: CodeProblem) -> Training:
    assert settings.rank is not None
    return HsdpTraining(
        settings.hsdp,
        problem,
        rank=settings.rank,
        penalty=settings.penalty,
        tames_outliers=settings.tames_outliers,
    )


TRAINERS: dict[str, MakeTraining] = {"pgrad": _pgrad, "hsdp": _hsdp}

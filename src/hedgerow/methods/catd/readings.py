"""What the paper's text leaves open, and where its authors' program goes its own way: one setting each.

The defaults are Hedgerow's. `CATD.as_published` and `CATD.as_programmed` choose among them; `docs/paper-open.md` has
what each choice does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hedgerow.errors import HedgerowError
from hedgerow.methods.catd.tensors.prior import Start
from hedgerow.wording import ending

First = Literal["feasible", "anywhere"]
Normalizes = Literal["all", "feasible"]
Threshold = Literal["feasible", "highest"]
Ring = Literal["closed", "open"]

_CHOICES: dict[str, tuple[str, ...]] = {
    "beginning": ("scaled", "normal"),
    "first": ("feasible", "anywhere"),
    "normalizes": ("all", "feasible"),
    "threshold": ("feasible", "highest"),
    "ring": ("closed", "open"),
}


@dataclass(frozen=True, kw_only=True)
class Readings:
    """Ways to read the paper; all are keywords of `CATD`.

    Parameters
    ----------
    beginning : {"scaled", "normal"}, optional
        Factors begin scaled so that entries are 0.5 +- 0.25, or around zero with a deviation of 1.
    beginning_spread : float, optional
        Another deviation.
    ring : {"closed", "open"}, optional
        Whether the ends of a tensor ring meet, so that an entry is a trace, or each end is summed over on its own. Says
        nothing about other formats.
    first : {"feasible", "anywhere"}, optional
        Where the first trial is drawn from.
    repeats : bool, optional
        Whether a tried point may be suggested again.
    trusts_observations : bool, optional
        Whether its own value then stands for it instead of what the models say.
    fits_infeasible : bool, optional
        Whether observed points that break a rule are fitted.
    normalizes : {"all", "feasible"}, optional
        Which observations lie between 0 and 1.
    threshold : {"feasible", "highest"}, optional
        tau is the highest value of a feasible observation, or of any.
    dilutes_loss : bool, optional
        Whether the squared errors are divided by the number of infeasible points and observations together, instead of
        observations alone.
    weight_decay : float, optional
        The weight of the mean squares of each slot's factors.
    first_epochs : int, optional
        Replaces max_epochs in the first training.
    min_epochs : int, optional
        What every training has at least.
    penalty_target : float, optional
        What the penalty has to meet on its own; loss_target is then for the data alone.
    """

    beginning: Start = "scaled"
    beginning_spread: float | None = None
    ring: Ring = "closed"
    first: First = "feasible"
    repeats: bool = False
    trusts_observations: bool = False
    fits_infeasible: bool = True
    normalizes: Normalizes = "all"
    threshold: Threshold = "feasible"
    dilutes_loss: bool = False
    weight_decay: float = 0.0
    first_epochs: int | None = None
    min_epochs: int = 0
    penalty_target: float | None = None

    def check_choices(self) -> None:
        """Raise an error for a choice that there is not."""
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            if value not in known:
                raise HedgerowError(f"CATD has no {name} {value!r}{ending(str(value), known)}")
        if self.beginning_spread is not None and not self.beginning_spread > 0:
            raise HedgerowError(f"beginning_spread is a positive number, or None; got {self.beginning_spread!r}.")
        if self.trusts_observations and not self.repeats:
            raise HedgerowError("trusts_observations says how tried points are scored: it goes with repeats=True.")

    def check_inside_rules(self) -> None:
        """Raise an error for choices that do not go with suggestions that keep every rule."""
        if self.first == "anywhere" or self.repeats:
            raise HedgerowError(
                f"first={self.first!r} and repeats={self.repeats!r} are for restrict_to_rules=False: inside the rules "
                "every suggestion is feasible and new."
            )

    def check_without_ensemble(self) -> None:
        """Raise an error for choices that rule the training of an ensemble, where there is none."""
        given = [name for name in _OF_TRAINING if getattr(self, name) != getattr(_DEFAULTS, name)]
        if given:
            raise HedgerowError(f"{', '.join(given)}: that rules trainer='pgrad' and does not go with 'hsdp'.")


_OF_TRAINING = (
    "beginning",
    "beginning_spread",
    "ring",
    "fits_infeasible",
    "normalizes",
    "threshold",
    "dilutes_loss",
    "weight_decay",
    "first_epochs",
    "min_epochs",
    "penalty_target",
)
_DEFAULTS = Readings()

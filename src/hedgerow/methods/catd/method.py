"""CA-TD, the paper's method: low-rank tensors trained with the constraints, by gradient (an ensemble, and expected
improvement) or by semidefinite relaxation (one table, and its mean).

`CATD.as_published` is the method to the letter of the paper, `CATD.as_programmed` what its authors ran. There,
suggestions may break rules, which the penalty only discourages. What the text leaves open is a setting each, explained
in `readings`. The defaults keep suggestions inside the rules, train on until the data is followed, draw each model back
to its own random beginning, know which variables are ordered, and bend bad outliers; `docs/penalty.md` has what the
penalty is worth then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Column
from hedgerow.errors import HedgerowError
from hedgerow.feasible import FeasibleSet
from hedgerow.feasible.engines.diagram import DiagramSet
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.methods.candidates import CandidateSettings, PlainCriterion, best_candidate
from hedgerow.methods.catd.ensemble.ensemble import Ensemble, moments
from hedgerow.methods.catd.ensemble.factorized import Factorized
from hedgerow.methods.catd.ensemble.pgrad import Pgrad
from hedgerow.methods.catd.hsdp import Hsdp
from hedgerow.methods.catd.look_ahead import LookAhead
from hedgerow.methods.catd.on_reals import GridLandscape, check_settings
from hedgerow.methods.catd.readings import Readings
from hedgerow.methods.catd.tensors import FORMATS
from hedgerow.methods.catd.trainers import TRAINERS
from hedgerow.methods.catd.training import Trained, Training
from hedgerow.methods.catd.trusted_rules import TrustedRules
from hedgerow.methods.history import History, found_among
from hedgerow.methods.problem import CodeProblem
from hedgerow.search import acquisition as functions
from hedgerow.search.maximize import best_of
from hedgerow.search.mixed import STUCK, best_inside
from hedgerow.search.suggestion import Reason, RowSuggestion
from hedgerow.wording import ending

FormatName = Literal["tt", "tr", "cp"]
# Formats and ranks to choose among.
_FORMATS: tuple[FormatName, ...] = ("tt", "tr", "cp")
_RANKS = (2, 3, 4, 6)
TrainerName = Literal["pgrad", "hsdp"]
Acquisition = Literal["ei", "gaussian-ei", "ucb", "thompson", "mean"]
TNorm = Literal["lukasiewicz", "product", "goedel"]

_CHOICES = {
    "acquisition": ("ei", "gaussian-ei", "ucb", "thompson", "mean"),
    "tnorm": ("lukasiewicz", "product", "goedel"),
}


@dataclass(frozen=True)
class CATD(Readings):
    """Settings of the paper's method.

    trainer="hsdp" is for two variables and the format "tt": the table of the given rank that fits best, with a proof.
    It is a single model, so n_models does not count and the acquisition is its mean; a penalty of any size above 0
    makes y(x) >= tau hold at every infeasible x, and what rules PGRAD is not used.

    Parameters
    ----------
    format : {"tt", "tr", "cp", "auto"} or str, optional
        The tensor format, also one added by `register_format`. "auto" is chosen among the first three by what predicts
        best, again after 8, 16, 32, ... observations.
    rank : int, optional
        The rank; None is chosen in the same way.
    trainer : {"pgrad", "hsdp"} or str, optional
        Training by gradient or by relaxation, or a trainer added by `register_trainer`.
    n_models : int, optional
        How many models the ensemble has.
    penalty : float, optional
        The paper's lambda; 0 is its variant -u.
    tnorm : {"lukasiewicz", "product", "goedel"}, optional
        How the penalty joins the truth of "y(x) >= tau" over infeasible rows.
    acquisition : {"ei", "gaussian-ei", "ucb", "thompson", "mean"}, optional
        What an untried row is worth; None is "gaussian-ei" with PGRAD and "mean" with HSDP.
    restrict_to_rules : bool, optional
        Whether suggestions keep every rule.
    learning_rate, loss_target : float, optional
        The steps of the training, and the loss at which it ends.
    max_epochs : int, optional
        When it ends at the latest.
    batch_size : int, optional
        How many infeasible rows an epoch has; None: all of them, where they can be listed.
    anchor : float, optional
        Beyond the paper: how strongly models are drawn to where they began, a noise variance on the scale of normalized
        values.
    smoothness : float, optional
        Beyond the paper: over which share of its range an ordered variable has similar effects; None: order is not
        used.
    tames_outliers : bool, optional
        Beyond the paper: whether values above the median are bent logarithmically.
    doubts_rules : bool, optional
        Where suggestions may break rules, whether the models' disagreement about a point that breaks one counts; in the
        authors' program it does not.
    candidates : CandidateSettings, optional
        Which rows are looked at.
    hsdp : Hsdp, optional
        Settings of the relaxation.
    looks_ahead : bool, optional
        Beyond the paper: in sets too large to list, whether the search also starts from rows that are good slot by
        slot, with what is best to come known to the tensor.
    n_nodes : int, optional
        Beyond the paper: where a variable takes any real number, its core is a function of it, linear between so many
        nodes at equal distances, 2 at least.
    beginning, beginning_spread, ring, first, repeats, trusts_observations, fits_infeasible : optional
        What the paper's text leaves open about beginnings and observations, by keyword; `Readings` explains them.
    normalizes, threshold, dilutes_loss, weight_decay, first_epochs, min_epochs, penalty_target : optional
        The same about values and training.

    Raises
    ------
    HedgerowError
        Where a choice is not known, or choices do not go together.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]})
    >>> method = hr.methods.CATD(rank=2, n_models=3, max_epochs=20)
    >>> hr.minimize(lambda point: point["x"] * point["y"], space, ["x + y == 4"], method=method).best_value
    3.0
    """

    format: FormatName | Literal["auto"] | str = "tt"
    rank: int | None = 3
    trainer: TrainerName | str = "pgrad"
    n_models: int = 10
    penalty: float = 0.0
    tnorm: TNorm = "lukasiewicz"
    acquisition: Acquisition | None = None
    restrict_to_rules: bool = True
    learning_rate: float = 0.01
    loss_target: float = 1e-4
    max_epochs: int = 200
    batch_size: int | None = 128
    anchor: float = 1e-3
    smoothness: float | None = 0.3
    tames_outliers: bool = True
    doubts_rules: bool = True
    candidates: CandidateSettings = field(default_factory=CandidateSettings)
    hsdp: Hsdp = field(default_factory=Hsdp)
    looks_ahead: bool = True
    n_nodes: int = 12

    @classmethod
    def as_published(
        cls,
        format: FormatName = "tt",  # noqa: A002
        rank: int = 3,
        penalty: float = 1.0,
        trainer: TrainerName = "pgrad",
    ) -> CATD:
        """Return the settings of the paper: penalty 1 is its variant -c, penalty 0 its -u.

        Where the text leaves a choice open, this one takes a start that is scaled to the data, the expectation over the
        ten values, no point twice, and the penalty over 2,048 infeasible points per step, all of them where there are
        fewer. Each is a setting; the page on the paper has what the other choices do.

        Parameters
        ----------
        format : {"tt", "tr", "cp"}, optional
            The tensor format.
        rank : int, optional
            The rank.
        penalty : float, optional
            The paper's lambda.
        trainer : {"pgrad", "hsdp"}, optional
            Training by gradient or by relaxation.

        Returns
        -------
        CATD
            Settings under which suggestions may break rules.

        Raises
        ------
        HedgerowError
            Where a choice is not known, or choices do not go together.

        Examples
        --------
        >>> from hedgerow.methods import CATD
        >>> method = CATD.as_published("cp", rank=4)
        >>> method.acquisition, method.penalty, method.may_break_rules
        ('ei', 1.0, True)
        """
        return cls(
            format,
            rank,
            trainer,
            n_models=10,
            penalty=penalty,
            acquisition="ei" if trainer == "pgrad" else "mean",
            restrict_to_rules=False,
            learning_rate=0.01,
            loss_target=0.1,
            max_epochs=1000,
            batch_size=2048,
            anchor=0.0,
            smoothness=None,
            tames_outliers=False,
            # The paper scores the whole tensor.
            candidates=CandidateSettings(max_listed=2**19),
        )

    @classmethod
    def as_programmed(cls, format: FormatName = "tt", rank: int = 3, penalty: float = 1.0) -> CATD:  # noqa: A002
        """Return the settings that act like the authors' program where it differs from their text.

        Factors begin as N(0, 1). Data loss and penalty have targets of their own, 0.01 and 0.1; the data loss is
        divided by the number of infeasible points as well, so that it meets its target at once: the first training is
        long and the later ones take the twelve steps that are the least. Expected improvement is the normal formula, in
        which the spread at points that break a rule does not count. Such observations are not fitted, tau is the
        highest value of all, tried points may come again with the value that was told, and the first trial is drawn
        from the whole grid. The ends of a tensor ring are summed over on their own, which makes it a tensor train whose
        ends begin wider and learn faster. Not as there: the penalty is taken over 2,048 infeasible points per step
        instead of all (batch_size=None takes all), and training ends after 1,000 epochs, as in the text.

        Parameters
        ----------
        format : {"tt", "tr", "cp"}, optional
            The tensor format.
        rank : int, optional
            The rank.
        penalty : float, optional
            The paper's lambda.

        Returns
        -------
        CATD
            Settings under which suggestions may break rules, and repeat.

        Raises
        ------
        HedgerowError
            Where a choice is not known.

        Examples
        --------
        >>> from hedgerow.methods import CATD
        >>> method = CATD.as_programmed()
        >>> method.beginning, method.first, method.repeats
        ('normal', 'anywhere', True)
        """
        return replace(
            cls.as_published(format, rank, penalty),
            acquisition="gaussian-ei",
            doubts_rules=False,
            loss_target=0.01,
            penalty_target=0.1,
            min_epochs=12,
            beginning="normal",
            ring="open",
            first="anywhere",
            repeats=True,
            trusts_observations=True,
            fits_infeasible=False,
            threshold="highest",
            dilutes_loss=True,
        )

    def __post_init__(self) -> None:
        self.check_choices()
        if self.restrict_to_rules:
            self.check_inside_rules()
        if self.trainer == "hsdp":
            self.check_without_ensemble()
        choices = {"format": (*FORMATS, "auto"), "trainer": tuple(TRAINERS), **_CHOICES}
        for name, known in choices.items():
            value = getattr(self, name)
            if value not in known and not (name == "acquisition" and value is None):
                raise HedgerowError(f"CATD has no {name} {value!r}{ending(str(value), known)}")
        if (self.rank is not None and self.rank < 1) or self.n_models < 1:
            raise HedgerowError(f"rank and n_models must be at least 1, but are {self.rank} and {self.n_models}.")
        if self.n_nodes < 2:
            raise HedgerowError(f"The grid of a real variable has at least 2 nodes, but n_nodes is {self.n_nodes}.")
        is_train = self.format == "tt" and self.rank is not None and self.acquisition in (None, "mean")
        if self.trainer == "hsdp" and not is_train:
            raise HedgerowError(
                "trainer='hsdp' gives one tensor train, which has no spread: it goes with format='tt', a rank and "
                f"acquisition='mean', not with {self.format!r}, {self.rank!r} and {self.acquisition!r}."
            )

    @property
    def may_break_rules(self) -> bool:
        """Whether suggestions are not restricted to the rules."""
        return not self.restrict_to_rules

    @property
    def trusts_rules(self) -> bool:
        """Whether suggestions may break rules, but what breaks one is worth its mean alone."""
        return not (self.restrict_to_rules or self.doubts_rules) and self.acquisition in ("ei", "gaussian-ei")

    def surrogates(self) -> list[Factorized]:
        """Return the surrogates that these settings describe: one, or those to choose among.

        Returns
        -------
        list of Factorized
            Ensembles to be trained by PGRAD.

        Raises
        ------
        ValueError
            Where a number that rules the training, or the smoothness, is out of its range.

        Examples
        --------
        >>> from hedgerow.methods import CATD
        >>> [(each.format, each.rank) for each in CATD(format="auto", rank=2).surrogates()]
        [('tt', 2), ('tr', 2), ('cp', 2)]
        """
        training = Pgrad(
            penalty=self.penalty,
            tnorm=self.tnorm,
            learning_rate=self.learning_rate,
            loss_target=self.loss_target,
            max_epochs=self.max_epochs,
            batch_size=self.batch_size,
            anchor=self.anchor,
            dilutes_loss=self.dilutes_loss,
            weight_decay=self.weight_decay,
            first_epochs=self.first_epochs,
            min_epochs=self.min_epochs,
            penalty_target=self.penalty_target,
        )
        readings = Readings(**{each.name: getattr(self, each.name) for each in fields(Readings)})
        formats = _FORMATS if self.format == "auto" else (self.format,)
        ranks = _RANKS if self.rank is None else (self.rank,)
        beyond = (self.smoothness, self.tames_outliers, readings, self.n_nodes)
        return [Factorized(form, rank, self.n_models, training, *beyond) for form, rank in product(formats, ranks)]

    def start(self, problem: CodeProblem) -> CatdRun:
        """Return the method at work on a problem."""
        return CatdRun(self, problem)

    def training(self, problem: CodeProblem) -> Training:
        """Return the training that these settings describe, at work on a problem.

        Parameters
        ----------
        problem : CodeProblem
            The space, and the rules that a penalty is to teach.

        Returns
        -------
        Training
            Gives the model after a history, all at once or one observation after the other.

        Raises
        ------
        HedgerowError
            Where the trainer cannot work on this problem, or needs a package that is not installed.

        Examples
        --------
        >>> import numpy as np, hedgerow as hr
        >>> from hedgerow.methods import CATD, CodeProblem, History
        >>> problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]})))
        >>> rows = problem.listed(9)
        >>> training = CATD(rank=2, n_models=3).training(problem)
        >>> model = training.at_once(History(rows, rows.sum(axis=1) / 4, rows[:0]), seed=0)
        >>> mean, sd = model.predict(rows)
        >>> mean.shape
        (9,)
        """
        if problem.space.reals:
            check_settings(self.trainer, self.dilutes_loss)
        return TRAINERS[self.trainer](self, problem)


@dataclass(frozen=True, eq=False)
class _Scored(PlainCriterion):
    look_ahead: Callable[[], Codes | None]

    def guided(self) -> Codes | None:
        """Return rows that look good from far."""
        return self.look_ahead()


class CatdRun:
    """Suggests rows. `model` is the last one trained; it is rebuilt by replaying."""

    def __init__(self, settings: CATD, problem: CodeProblem) -> None:
        self._settings = settings
        self._problem = problem
        self._allowed = problem if settings.restrict_to_rules else CodeProblem(FeasibleSet(problem.space))
        self._training = settings.training(problem)
        self.model: Trained | None = None
        self._trusted: TrustedRules | None = None
        # Where only so many draws are scored, the whole tensor is not looked at.
        if settings.trusts_rules and settings.candidates.n_drawn is None:
            self._trusted = TrustedRules.of(problem, settings.candidates.max_listed)

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return the row to try next."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        if not history.is_measured.any():
            # The first point satisfies the rules, as in the paper, unless the settings say otherwise.
            drawn_from = self._problem if self._settings.first == "feasible" else self._allowed
            return RowSuggestion(drawn_from.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        model = self.model = self._training.after(history, seed)
        best = float(model.scaling.normalize([history.values[history.is_measured].min()])[0])

        def score(rows: Codes) -> NDArray[np.float64]:
            # Thompson sampling must see one and the same model in every call.
            known = _known_values(history, rows) if self._settings.trusts_observations else None
            return self._score(model, rows, best, np.random.default_rng([seed, history.n_told]), known)

        tried = _Repeatable(history.codes, history.values, history.pending) if self._settings.repeats else history
        if self._trusted is not None and isinstance(model, Ensemble):
            rows = self._trusted.candidates(tried, model.mean_of_all(), best)
            if rows.shape[0]:
                return RowSuggestion(best_of(rows, score(rows), rng), True, Reason.BEST_OF_ALL)
        feasible = self._allowed.feasible
        if isinstance(feasible, MixedSet) and self._settings.candidates.n_drawn is None:
            landscape = GridLandscape(score, feasible.rules.scales, self._settings.n_nodes)
            is_stuck = history.n_stale >= STUCK
            found = best_inside(feasible, landscape, tried.is_seen, history.best_first, rng, is_stuck)
            return found or RowSuggestion(self._allowed.draw_unseen(tried, rng), False, Reason.NOTHING_FOUND)
        criterion = _Scored(score, lambda: self._looked_ahead(model))
        return best_candidate(self._allowed, tried, criterion, rng, self._settings.candidates)

    def _looked_ahead(self, model: Trained) -> Codes | None:
        """Return rows that look good from far, where the format and the rules allow to look ahead."""
        feasible = self._allowed.feasible
        if not self._settings.looks_ahead or not isinstance(model, Ensemble) or not isinstance(feasible, DiagramSet):
            return None
        if not LookAhead.is_possible(model, feasible):
            return None
        return LookAhead(model, feasible).beam(
            lambda found: functions.lower_confidence_bound(*moments(found)), _BEAM_WIDTH
        )

    def _score(
        self, model: Trained, rows: Codes, best: float, rng: np.random.Generator, known: Column | None
    ) -> NDArray[np.float64]:
        name = self._settings.acquisition or ("mean" if self._settings.trainer == "hsdp" else "gaussian-ei")
        is_doubted = self._is_doubted(rows)
        if name in ("ei", "thompson"):
            predictions = model.predictions(rows)
            predictions[~is_doubted] = predictions[~is_doubted].mean(axis=1, keepdims=True)
            if known is not None:
                is_known = np.isfinite(known)
                predictions[is_known] = model.scaling.normalize(known[is_known])[:, None]
            if name == "thompson":
                return functions.one_model(predictions, rng)
            return functions.ensemble_expected_improvement(predictions, best)
        mean, sd = model.predict(rows)
        sd[~is_doubted] = 0.0
        if known is not None:
            is_known = np.isfinite(known)
            mean[is_known], sd[is_known] = model.scaling.normalize(known[is_known]), _SD_OF_KNOWN
        if name == "gaussian-ei":
            return functions.log_expected_improvement(mean, sd, best)
        return functions.lower_confidence_bound(mean, sd) if name == "ucb" else functions.lowest_mean(mean)

    def _is_doubted(self, rows: Codes) -> NDArray[np.bool_]:
        """Return the rows whose spread counts: all, or where the settings say so those that keep the rules."""
        if self._settings.doubts_rules or self._settings.restrict_to_rules:
            return np.ones(rows.shape[0], dtype=np.bool_)
        return self._problem.feasible.accepts(rows)


class _Repeatable(History):
    """A history whose told rows may be suggested again; those that are still out may not."""

    @cached_property
    def seen(self) -> frozenset[bytes]:
        """The rows that are still out."""
        return frozenset(row.tobytes() for row in self.pending)


def _known_values(history: History, rows: Codes) -> Column:
    """Return what was told of each row, NaN for the others."""
    told = {row.tobytes(): value for row, value in zip(history.codes, history.values, strict=True)}
    places = np.flatnonzero(found_among(rows, told, history.codes))
    known = np.full(rows.shape[0], np.nan)
    known[places] = [told[row.tobytes()] for row in rows[places]]
    return known


# The spread of an observed value, as in the authors' program: small, but enough for the best to be worth something.
_SD_OF_KNOWN = 1e-8
# Prefixes that a beam carries from slot to slot.
_BEAM_WIDTH = 16

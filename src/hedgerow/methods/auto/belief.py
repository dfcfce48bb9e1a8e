"""What the default method believes: tensor-kernel processes under several transforms and parameters, by evidence.

Fitting parameters is the costly part. It is done on a schedule that depends on the number of observations alone, so
that a fit can be rebuilt from the history; conditioning on what came since is cheap and done in every ask.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Column, Scores
from hedgerow.methods.auto.curves import Curve
from hedgerow.methods.auto.interactions import pairs_view
from hedgerow.methods.auto.kernel.fit import KernelFit, draw_parameters, fit_mode
from hedgerow.methods.auto.kernel.pairs import Pairs
from hedgerow.methods.auto.kernel.process import KernelFactor
from hedgerow.methods.auto.kernel.tensor_kernel import KernelPrior, Parameters, TensorKernel
from hedgerow.methods.auto.kernel.view import View
from hedgerow.methods.auto.leads import Guess
from hedgerow.methods.auto.transforms import TRANSFORMS

# Transforms whose evidence is this far behind, as a logarithm, are left out, or do not choose the shortlist.
NEGLIGIBLE = -7.0
MINOR = -3.0
# How much likelier it is, as a logarithm, that a lead leads than that it says nothing, before anything is seen here.
_TRUST = 3.0
# How far the share of a lead that is believed lies from all of it, give or take.
_SHARE_SPREAD = 0.5
# How much less likely it is, as a logarithm, that a kind of structure matters than that it does not.
_STRUCTURE = -3.0
# Evidence that differs by less, as a logarithm, is that of the same belief.
_NO_DIFFERENCE = 0.05
# Fewer observations say nothing about structure.
_LEAST_SEEN = 20
# Kinds of structure are tried together where each of them is better by this much, as a logarithm, than none.
_BETTER = 1.0
# What a lead leaves over, as a part of its own spread, is taken to be at least this much.
_LEFT_OVER = 0.5


@dataclass(frozen=True)
class BeliefSettings:
    """How many parameter draws, and how many observations to fit them on and to condition on.

    Beyond `many` observations one draw is taken: scoring costs the square of their number for every draw.
    """

    n_draws: int = 4
    many: int = 500
    max_fitted: int = 250
    max_conditioned: int = 1500
    # Where trials failed, short rules are looked for that say where, beside the smooth chance. What that is worth is in
    # docs/outcomes-measured.md: on planted borders a tenth of the failed trials, on measured kernels as many or fewer.
    sharp_borders: bool = True
    # Whether beliefs may see windows of neighbors, motifs, counts, terms of rules and pairs found besides the slots.
    sees_structure: bool = True
    n_structured_draws: int = 2
    prior: KernelPrior = field(default_factory=KernelPrior)


@dataclass(frozen=True, eq=False)
class Belief:
    """One set of parameters under one transform, with its share of the evidence; `lead` is the one it follows."""

    kernel: TensorKernel
    codes: Codes
    transform: int
    parameters: Parameters
    log_weight: float
    is_mode: bool
    lead: int | None = None
    # How much of the lead's targets is believed.
    share: float = 0.0
    # What it sees besides the slots; None for nothing.
    view: View | None = None

    def rows_of(self, active: Codes) -> Codes:
        """Return rows of the kernel's slots as its process sees them."""
        return active if self.view is None else self.view.rows(active)

    @cached_property
    def factor(self) -> KernelFactor:
        """The factor of the rows that were there when it was fitted."""
        return KernelFactor.of(self.kernel, self.parameters, self.codes)


@dataclass(frozen=True, eq=False)
class Fit:
    """The beliefs after the first `n` measured observations, of which those at `kept` are conditioned on."""

    n: int
    kept: NDArray[np.int64]
    beliefs: list[Belief]


def fit_beliefs(
    settings: BeliefSettings,
    kernel: TensorKernel,
    codes: Codes,
    values: Scores,
    rng: Generator,
    transforms: Sequence[int] = range(len(TRANSFORMS)),
    guesses: Sequence[Guess] = (),
    *,
    views: Sequence[View] = (),
    finds_pairs: bool = False,
) -> Fit:
    """Fit parameters to measured observations, rows of the kernel's slots with values of any magnitude.

    `transforms` are those to weigh, by their places in `TRANSFORMS`; `guesses` what each lead says of the values;
    `views` what may be seen besides the slots, to which pairs of slots come where these are to be found. The first
    belief sees the slots alone.
    """
    fitted = _informative(values, settings.max_fitted)
    pairs = Pairs.of(kernel, np.ascontiguousarray(codes[fitted]))
    alone = [_alone(pairs, values[fitted], transform) for transform in transforms]
    led = [
        _led(pairs, values[fitted], k, replace(guess, values=guess.values[fitted]), side)
        for k, guess in enumerate(guesses)
        for side in alone
    ]
    likeliest = max(alone, key=lambda side: side.log_evidence)
    found = pairs_view(kernel, pairs.codes, likeliest.targets) if finds_pairs else None
    seen = views if found is None else [*views, found]
    sides = [*alone, *led, *_structured(pairs, values[fitted], alone, seen)]
    highest = max(side.log_evidence for side in sides)
    kept = _informative(values, settings.max_conditioned)
    conditioned = np.ascontiguousarray(codes[kept])
    beliefs: list[Belief] = []
    for side in sides:
        log_weight = side.log_evidence - highest
        if log_weight < NEGLIGIBLE and side is not likeliest:
            continue
        n_draws = settings.n_draws if values.size <= settings.many else min(1, settings.n_draws)
        if log_weight < NEGLIGIBLE:
            n_draws = 0
        elif side.view is not None:
            n_draws = min(n_draws, settings.n_structured_draws)
        draws = draw_parameters(side.pairs, side.targets, side.mode, n_draws, rng)
        rows = conditioned if side.view is None else side.view.rows(conditioned)
        beliefs += [
            Belief(
                side.pairs.kernel, rows, side.transform, drawn, log_weight, place == 0, side.lead, side.share, side.view
            )
            for place, drawn in enumerate([side.mode.parameters, *draws])
        ]
    return Fit(values.size, kept, beliefs)


@dataclass(frozen=True, eq=False)
class _Side:
    """One way to see the values, a transform and perhaps a share of a lead, with the parameters that suit it best."""

    pairs: Pairs
    transform: int
    targets: Column
    mode: KernelFit
    log_evidence: float
    lead: int | None = None
    share: float = 0.0
    view: View | None = None


def _structured(plain: Pairs, values: Column, alone: Sequence[_Side], views: Sequence[View]) -> list[_Side]:
    """Return what the transforms that matter look like to each view that is not far behind."""
    if values.size < _LEAST_SEEN:
        return []
    ranked = sorted(alone, key=lambda side: -side.log_evidence)
    highest = ranked[0].log_evidence
    sides: list[_Side] = []
    better: set[str] = set()
    for view in views:
        if len(view.kinds) > 1 and better != set(view.kinds):
            continue
        rows = view.rows(plain.codes)
        if not np.ptp(rows[:, plain.kernel.n_slots :], axis=0).any():
            # Under rules that settle it, what is seen is the same everywhere.
            continue
        pairs = Pairs.of(view.kernel, rows)
        for side in ranked:
            if side.log_evidence < ranked[0].log_evidence + MINOR:
                break
            seen = _alone(pairs, values, side.transform)
            log_evidence = seen.log_evidence + _STRUCTURE * len(view.kinds) - view.log_price
            if log_evidence < highest + NEGLIGIBLE or abs(seen.log_evidence - side.log_evidence) < _NO_DIFFERENCE:
                break
            if seen.log_evidence > side.log_evidence + _BETTER:
                better.update(view.kinds)
            highest = max(highest, log_evidence)
            sides.append(replace(seen, log_evidence=log_evidence, view=view, pairs=pairs))
    return sides


def _alone(pairs: Pairs, values: Column, transform: int) -> _Side:
    seen = TRANSFORMS[transform](safe(values))
    mode = fit_mode(pairs, seen.values)
    return _Side(pairs, transform, seen.values, mode, mode.log_evidence + seen.log_jacobian)


def _led(pairs: Pairs, values: Column, lead: int, guess: Guess, alone: _Side) -> _Side:
    """Return the same as without a lead, but for what it leaves over."""
    largest = float(np.abs(values).max()) or 1.0
    curve = Curve.of(alone.transform, safe(values))
    guessed = curve.targets(guess.values / largest)
    # Where the trials so far are alike, as the first ones are, they say little about how much the lead is worth.
    spread = max(1.0, _LEFT_OVER * float(curve.targets(guess.everywhere / largest).std()))
    factor = KernelFactor.of(pairs.kernel, alone.mode.parameters, pairs.codes)
    share = _share(factor, alone.targets, guessed, spread)
    left_over = alone.targets - share * guessed
    mode = fit_mode(pairs, left_over)
    # Offset and share were fitted, which evidence pays for as it does for parameters.
    log_jacobian = alone.log_evidence - alone.mode.log_evidence
    log_evidence = mode.log_evidence + log_jacobian - math.log(values.size) + _TRUST
    return _Side(pairs, alone.transform, left_over, mode, log_evidence, lead, share)


def _share(factor: KernelFactor, targets: Column, guessed: Column, spread: float) -> float:
    """Return how much of a guess the targets bear out: generalized least squares, drawn to all of it.

    `spread` is the deviation of what the guess leaves over.
    """
    ones, seen, told = factor.solve(np.stack([np.ones(targets.size), targets, guessed], axis=1)).T
    seen, told = (column - (ones @ column) / (ones @ ones) * ones for column in (seen, told))
    precision = (spread / _SHARE_SPREAD) ** 2
    return float(np.clip((told @ seen + precision) / (told @ told + precision), 0.0, 1.5))


def _informative(values: Scores, limit: int) -> NDArray[np.int64]:
    """Return which observations to use: all, or the best third of the limit and the latest of the others."""
    if values.size <= limit:
        return np.arange(values.size)
    order = np.argsort(values, kind="stable")
    best = order[: limit // 3]
    others = np.sort(order[limit // 3 :])[-(limit - best.size) :]
    return np.sort(np.concatenate([best, others]))


def safe(values: Scores) -> Scores:
    """Bring values of any magnitude into a range where squares neither overflow nor vanish."""
    largest = float(np.abs(values).max(initial=0.0))
    return values / largest if largest > 0 else values

"""Main effects and interactions of the model, averaged over uniform draws from the feasible set.

Nothing of the size of the space is made: a set that is small is listed, any other is drawn from. Combinations that the
rules forbid never count, so an effect says what a variable does where it may be used. Shares of the variance are those
of `importance`, with their intervals, where they are given; else those of the mean prediction, corrected for the luck
of the draw. The latter are larger where little is known, since a mean is smoother than what it is the mean of. Because
rules tie variables together, shares need not add up to one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np

from hedgerow.arrays import Codes, Column, Places
from hedgerow.errors import EffortExceeded
from hedgerow.feasible import FeasibleSet
from hedgerow.insight.importance import EffectShare, Importance
from hedgerow.insight.levels import LevelGroups, group_levels
from hedgerow.insight.model import fit_model

_LEAST_VALUES = 4
_LEAST_SHOWN = 0.005


@dataclass(frozen=True)
class EffectSettings:
    """How many rows to average over, how many levels to tell apart, and which interactions to look for."""

    n_rows: int = 4096
    max_levels: int = 24
    max_cells: int = 8
    # Pairs are sought among so many slots of greatest influence, and kept where they explain this much.
    n_paired: int = 40
    least_share: float = 0.01
    n_interactions: int = 6
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Effect:
    """What one slot does: the mean at each level and the middle half of the predictions there.

    Levels at which no feasible row was seen hold NaN. `share` is the part of the variance it explains by itself, and
    lies in `interval` with a chance of 90 %; it has none where it is that of the mean prediction alone.
    """

    levels: LevelGroups
    means: Column
    lows: Column
    highs: Column
    share: float
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Interaction:
    """What two slots do together: the mean of each pair of levels, NaN where no feasible row was seen.

    `share` is the part of the variance that the pair explains beyond the sum of its two effects.
    """

    first: LevelGroups
    second: LevelGroups
    means: Column  # (first, second)
    share: float
    interval: tuple[float, float] | None = None


_Shared = TypeVar("_Shared", Effect, Interaction)


@dataclass(frozen=True, eq=False)
class Effects:
    """Effects and interactions, strongest first, and what they rest on."""

    main: tuple[Effect, ...]
    interactions: tuple[Interaction, ...]
    n_values: int
    n_rows: int
    is_complete: bool  # whether the rows are all feasible ones
    trust: float


@dataclass(frozen=True)
class NoEffects:
    """Why there are none."""

    reason: str


def effects_of(
    feasible: FeasibleSet,
    codes: Codes,
    values: Column,
    is_maximized: bool,
    settings: EffectSettings | None = None,
    importance: Importance | None = None,
) -> Effects | NoEffects:
    """Return what the variables do, as far as these measured rows tell; shares are those of `importance` if given."""
    settings = settings or EffectSettings()
    if values.size < _LEAST_VALUES or np.unique(values).size < 2:
        return NoEffects(f"A model of the objective needs at least {_LEAST_VALUES} values that are not all the same.")
    if max(feasible.space.sizes) < 2:
        return NoEffects("No variable has more than one value.")
    try:
        rows, is_complete = _rows(feasible, settings)
    except EffortExceeded as error:
        return NoEffects(f"No feasible points could be drawn to average over. {error}")
    # In a unit of their own, squares of values of any magnitude stay within range.
    unit = float(np.abs(values).max())
    model = fit_model(feasible.space, codes, values / unit, is_maximized)
    drawn = _Predictions(rows, model.predict(rows), is_complete, unit)
    main = [_effect(group_levels(feasible.space, each.slot, settings.max_levels), drawn) for each in model.levels]
    paired = np.argsort(-model.influence(), kind="stable")[: settings.n_paired]
    grouped = [group_levels(feasible.space, model.levels[place].slot, settings.max_cells) for place in sorted(paired)]
    pairs = _interactions(grouped, drawn, settings)
    if importance is not None:
        known = {each.names: each for each in (*importance.main, *importance.pairs)}
        main = [_with_share(effect, known.get((effect.levels.name,))) for effect in main]
        pairs = [_with_share(pair, known.get((pair.first.name, pair.second.name))) for pair in pairs]
    return Effects(
        tuple(sorted(main, key=lambda effect: -effect.share)),
        tuple(sorted(pairs, key=lambda pair: -pair.share)),
        values.size,
        rows.shape[0],
        is_complete,
        model.trust,
    )


def _with_share(effect: _Shared, known: EffectShare | None) -> _Shared:
    return effect if known is None else replace(effect, share=known.share, interval=known.interval)


def _rows(feasible: FeasibleSet, settings: EffectSettings) -> tuple[Codes, bool]:
    if feasible.is_exact and feasible.count <= settings.n_rows:
        return np.concatenate(list(feasible.codes.batches())), True
    return feasible.codes.draw(settings.n_rows, np.random.default_rng(settings.seed)), False


class _Predictions:
    """Rows with what is predicted there, in units of `unit`; all of a set, or draws from it."""

    def __init__(self, rows: Codes, values: Column, is_complete: bool, unit: float) -> None:
        self.rows = rows
        self.values = values
        self.unit = unit
        self._is_complete = is_complete
        self.total = float(((values - values.mean()) ** 2).sum())

    def sums(self, groups: Places, n: int) -> tuple[Column, Column]:
        """Return how many rows each group has, and their mean value (NaN without any)."""
        counts = np.bincount(groups, minlength=n).astype(np.float64)
        with np.errstate(invalid="ignore"):
            return counts, np.bincount(groups, weights=self.values, minlength=n) / counts

    def share(self, explained: float, n_parameters: int, counts: Column, means: Column) -> float:
        """Return a sum of squares between groups as a share of the total, less what chance alone would give."""
        if self.total <= 0:
            return 0.0
        if not self._is_complete:
            center = self.values.mean()
            within = self.total - float(np.nansum(counts * (means - center) ** 2))
            n_left = self.values.size - int(np.count_nonzero(counts))
            by_chance = within / max(1, n_left)
            explained -= n_parameters * by_chance
            # Among many pairs some stand out by chance alone, hardly ever by four deviations.
            if explained < 4 * by_chance * math.sqrt(2 * n_parameters):
                return 0.0
        return float(np.clip(explained / self.total, 0.0, 1.0))


def _effect(levels: LevelGroups, drawn: _Predictions) -> Effect:
    groups = levels.groups(drawn.rows)
    counts, means = drawn.sums(groups, levels.n)
    between = float(np.nansum(counts * (means - drawn.values.mean()) ** 2))
    lows, highs = np.full(levels.n, np.nan), np.full(levels.n, np.nan)
    order = np.argsort(groups, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        lows[groups[part[0]]], highs[groups[part[0]]] = np.quantile(drawn.values[part], [0.25, 0.75])
    share = drawn.share(between, int(np.count_nonzero(counts)) - 1, counts, means)
    return Effect(levels, drawn.unit * means, drawn.unit * lows, drawn.unit * highs, share)


def _interactions(slots: Sequence[LevelGroups], drawn: _Predictions, settings: EffectSettings) -> list[Interaction]:
    found = [_interaction(first, second, drawn) for first, second in combinations(slots, 2)]
    strong = sorted((each for each in found if each.share >= settings.least_share), key=lambda each: -each.share)
    return strong[: settings.n_interactions]


def _interaction(first: LevelGroups, second: LevelGroups, drawn: _Predictions) -> Interaction:
    n_cells = first.n * second.n
    counts, means = drawn.sums(first.groups(drawn.rows) * second.n + second.groups(drawn.rows), n_cells)
    seen = np.flatnonzero(counts)
    rows = np.zeros((seen.size, first.n + second.n))
    rows[np.arange(seen.size), seen // second.n] = 1.0
    rows[np.arange(seen.size), first.n + seen % second.n] = 1.0
    # The best sum of two effects, by least squares: rules tie slots together, so that means per level would not do.
    weights = np.sqrt(counts[seen])
    fitted, _, rank, _ = np.linalg.lstsq(weights[:, None] * rows, weights * means[seen], rcond=None)
    beyond = float((counts[seen] * (means[seen] - rows @ fitted) ** 2).sum())
    share = drawn.share(beyond, seen.size - int(rank), counts, means)
    return Interaction(first, second, drawn.unit * means.reshape(first.n, second.n), share)


def share_in_words(share: float, interval: tuple[float, float] | None) -> str:
    """Return a share, with its interval where that is known."""
    words = f"{share:.0%}" if share >= _LEAST_SHOWN else "< 1%"
    return words if interval is None else f"{words} ({100 * interval[0]:.0f}–{100 * interval[1]:.0f}%)"

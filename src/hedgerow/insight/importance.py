"""Which variables matter: shares of the variance that slots and pairs of slots explain, with how sure that is.

Functions are drawn from what is believed of an outcome, at feasible points: all of them, or uniform draws. Each drawn
function has shares of its own, so their spread over the draws says how much is known and how much only guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hedgerow.arrays import Codes, Column, Matrix, Places
from hedgerow.feasible import FeasibleSet
from hedgerow.insight.levels import group_levels
from hedgerow.methods.auto.belief import safe
from hedgerow.methods.auto.left import joint_factor
from hedgerow.methods.auto.posterior import Posterior
from hedgerow.web import Html, tag

_N_ROWS = 600
_N_DRAWS = 96
# Levels that are told apart alone and in pairs, and the slots of greatest influence among which pairs are sought.
_MAX_LEVELS = 16
_MAX_CELLS = 6
_N_PAIRED = 12
_INTERVAL = 0.05, 0.95
# What explains less is not shown where people look.
_SEEN = 0.005


@dataclass(frozen=True)
class EffectShare:
    """The part of an outcome's variance over the feasible points that one variable explains, or two together.

    Attributes
    ----------
    names : tuple of str
        One variable, or two; of a vector, its component.
    share : float
        The part of the variance; of a pair, what it explains beyond the sum of its two.
    interval : tuple of two floats
        Where the share lies with a chance of 90 %.

    Examples
    --------
    >>> from hedgerow.insight.importance import EffectShare
    >>> print(EffectShare(("x", "y"), 0.25, (0.2, 0.31)))
    x, y: 25 % (20 to 31 %)
    """

    names: tuple[str, ...]
    share: float
    interval: tuple[float, float]

    def __str__(self) -> str:
        low, high = (f"{100 * end:.0f}" for end in self.interval)
        return f"{', '.join(self.names)}: {100 * self.share:.0f} % ({low} to {high} %)"


@dataclass(frozen=True)
class Importance:
    """Which variables matter for one outcome; `str` gives it as lines.

    Attributes
    ----------
    outcome : str
        The outcome.
    main : tuple of EffectShare
        What each variable explains by itself, the most important first.
    pairs : tuple of EffectShare
        What pairs of variables explain beyond that, the most important first.

    Examples
    --------
    >>> import hedgerow as hr
    >>> optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)}), method="random")
    >>> for point in optimizer.ask(30):
    ...     optimizer.tell(point, 5.0 * point["x"] + point["y"])
    >>> [share.names for share in optimizer.importance().main]
    [('x',), ('y',)]
    """

    outcome: str
    main: tuple[EffectShare, ...]
    pairs: tuple[EffectShare, ...]

    def __str__(self) -> str:
        return "\n".join([f"Shares of the variance of {self.outcome}", *map(str, self.main), *map(str, self.pairs)])

    def __repr__(self) -> str:
        """Return the shares that one sees; `main` and `pairs` have all of them."""
        return f"Importance({self.outcome}: {', '.join(map(str, self._seen)) or 'nothing explains it'})"

    @property
    def _seen(self) -> list[EffectShare]:
        return [share for share in (*self.main, *self.pairs) if share.share >= _SEEN]

    def _repr_html_(self) -> Html:
        shares = [(" and ".join(one.names), (one.share, *one.interval)) for one in self._seen]
        rows = [
            tag("tr", tag("th", names), *(tag("td", f"{100 * part:.0f} %") for part in parts))
            for names, parts in shares
        ]
        head = tag("tr", *(tag("th", text) for text in ("", "share", "from", "to")))
        return tag("div", tag("strong", f"Shares of the variance of {self.outcome}"), tag("table", head, *rows))


def importance_of(outcome: str, feasible: FeasibleSet, posterior: Posterior) -> Importance:
    """Return which slots and pairs matter, by what is believed of an outcome."""
    rows, is_complete = _rows(feasible)
    n_active = sum(size > 1 for size in feasible.space.sizes)
    influence = np.max([belief.parameters[:n_active] for belief in posterior.major], axis=0)
    return _importance(outcome, feasible, rows, _Shares(_functions(posterior, rows), is_complete), influence)


def importance_over_reals(
    outcome: str, feasible: FeasibleSet, functions: Callable[[Codes, int], Matrix | None], influence: Column
) -> Importance:
    """Return the same where variables take any real number, by functions drawn at rows; reals count by ranges."""
    rows, _ = _rows(feasible)
    drawn = functions(rows, _N_DRAWS)
    assert drawn is not None
    return _importance(outcome, feasible, rows, _Shares(drawn, is_complete=False), influence)


def _importance(outcome: str, feasible: FeasibleSet, rows: Codes, shares: _Shares, influence: Column) -> Importance:
    active = [slot for slot, size in enumerate(feasible.space.sizes) if size > 1]
    groups = {slot: group_levels(feasible.space, slot, _MAX_LEVELS) for slot in active}
    main = [_share((groups[slot].name,), shares.alone(groups[slot].groups(rows), groups[slot].n)) for slot in active]
    paired = sorted(np.argsort(-influence, kind="stable")[:_N_PAIRED])
    cells = {active[place]: group_levels(feasible.space, active[place], _MAX_CELLS) for place in paired}
    pairs = [
        _share(
            (first.name, second.name), shares.together((first.groups(rows), second.groups(rows)), (first.n, second.n))
        )
        for first, second in combinations(cells.values(), 2)
    ]
    return Importance(outcome, _sorted(main), _sorted(pairs))


def _rows(feasible: FeasibleSet) -> tuple[Codes, bool]:
    if feasible.is_exact and feasible.count <= _N_ROWS:
        return np.concatenate(list(feasible.codes.batches())), True
    return np.unique(feasible.codes.draw(_N_ROWS, np.random.default_rng(0)), axis=0), False


def _functions(posterior: Posterior, rows: Codes) -> Matrix:
    """Return drawn functions (n_draws, n_rows) in the unit of the outcome, within the range that was seen."""
    weights = np.exp([belief.log_weight for belief in posterior.beliefs])
    counts = np.maximum(1, np.round(_N_DRAWS * weights / weights.sum()).astype(int))
    rng = np.random.default_rng(0)
    drawn = []
    for belief, count in zip(posterior.beliefs, counts, strict=True):
        mean, factor = joint_factor(posterior.model(belief), posterior.seen_by(belief, rows))
        targets = posterior.targets(belief.transform)
        draws = mean + rng.normal(size=(count, mean.size)) @ factor.T
        drawn.append(posterior.values_of(belief.transform, np.clip(draws, targets.min(), targets.max())))
    return np.concatenate(drawn)


def _share(names: tuple[str, ...], shares: Column) -> EffectShare:
    low, high = (float(end) for end in np.quantile(shares, _INTERVAL))
    return EffectShare(names, float(shares.mean()), (low, high))


def _sorted(shares: Sequence[EffectShare]) -> tuple[EffectShare, ...]:
    return tuple(sorted(shares, key=lambda each: -each.share))


class _Shares:
    """Shares of the variance of functions, less what the luck of the drawn rows alone would give."""

    def __init__(self, functions: Matrix, is_complete: bool) -> None:
        # Shares have no unit, and squares of values of any magnitude overflow or vanish.
        functions = safe(functions)
        self._centered = functions - functions.mean(axis=1, keepdims=True)
        self._total = np.maximum((self._centered**2).sum(axis=1), 1e-300)
        self._is_complete = is_complete

    def alone(self, groups: Places, n: int) -> Column:
        """Return the share between groups, for each function."""
        counts = np.bincount(groups, minlength=n)
        seen = counts > 0
        means = (self._centered @ np.eye(n)[groups][:, seen]) / counts[seen]
        between = (counts[seen] * means**2).sum(axis=1)
        return self._corrected(between, between, int(seen.sum()) - 1, int(seen.sum()))

    def together(self, groups: tuple[Places, Places], sizes: tuple[int, int]) -> Column:
        """Return the share of pairs of groups beyond the best sum of two effects."""
        both = groups[0] * sizes[1] + groups[1]
        cells = np.unique(both)
        member = (both[:, None] == cells).astype(np.float64)
        counts = member.sum(axis=0)
        means = ((self._centered @ member) / counts).T
        design = np.concatenate([np.eye(sizes[0])[cells // sizes[1]], np.eye(sizes[1])[cells % sizes[1]]], axis=1)
        # By least squares: rules tie slots together, so that means per level would not do.
        weights = np.sqrt(counts)[:, None]
        fitted, _, rank, _ = np.linalg.lstsq(weights * design, weights * means, rcond=None)
        beyond = (counts[:, None] * (means - design @ fitted) ** 2).sum(axis=0)
        between = (counts[:, None] * means**2).sum(axis=0)
        return self._corrected(beyond, between, cells.size - int(rank), cells.size)

    def _corrected(self, explained: Column, between: Column, n_parameters: int, n_groups: int) -> Column:
        if not self._is_complete:
            by_chance = (self._total - between) / max(1, self._centered.shape[1] - n_groups)
            explained = explained - n_parameters * by_chance
        return np.asarray(np.clip(explained / self._total, 0.0, 1.0))

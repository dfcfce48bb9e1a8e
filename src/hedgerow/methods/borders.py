"""Sharp borders of failure: short rules that separate trials that failed from trials that worked, by evidence.

A border is a threshold on one variable, on a product or a sum of two, or a value of one variable, or values of two:
beyond it trials fail, as where `block_x * stages > 512` does not fit. Each candidate has an evidence, that of one
chance of failure beyond it and another elsewhere, both unknown, against that of one chance everywhere. Borders are
found one after the other: each explains the failures that those before it left.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln  # type: ignore[import-untyped]

from hedgerow.arrays import Codes, Column, Mask
from hedgerow.space import Space

# Beta priors of failing and working: beyond a border nearly all fails, elsewhere nearly nothing.
_BEYOND = 1.0, 0.2
_ELSEWHERE = 0.2, 1.0
# Where nothing has ever worked beyond a border, a next trial there counts for so much of one that does.
_SURE = 0.02
# A border is as good as a rule after so many failures beyond it, with odds (as a logarithm) and a share of the evidence
# like these.
_MANY_FAILED = 8
# A rule is suggested where so many trials failed beyond it, and for each of them at most so few worked.
_LEAST_FAILED = 3
_MOST_WORKED = 0.1
_SURE_ODDS = 7.0
_SURE_SHARE = 0.95
_ANYWHERE = 0.5, 0.5
# Prior chances that failures have no border, and of the kinds of borders.
_PRIOR_NONE = 0.5
_PRIOR_ONE, _PRIOR_PRODUCT, _PRIOR_SUM, _PRIOR_TWO_VALUES = 0.3, 0.1, 0.05, 0.05
# Pairs are looked at among this many slots: those that separate best alone.
_N_PAIRED = 14
_MAX_STAGES = 4
# Candidates of a stage that are averaged.
_N_KEPT = 12
# A stage is kept where borders together are this much likelier than none.
_LEAST_ODDS = 10.0


@dataclass(frozen=True)
class Feature:
    """A number computed from a row: a value, the product or the sum of two, or whether it has given values."""

    kind: str
    slots: tuple[int, ...]
    codes: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Border:
    """A feature beyond a threshold, with how many trials failed and worked there, and its chance in its stage."""

    feature: Feature
    threshold: float
    is_above: bool
    n_failed: int
    n_worked: int
    weight: float
    log_odds: float

    @property
    def chance(self) -> float:
        """The chance that a trial beyond it works."""
        return (self.n_worked + _SURE) / (self.n_failed + self.n_worked + 1.0)


class Landmarks:
    """The slots of a space as numbers, for features of rows."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._numbers: dict[int, Column] = {}
        for place, slot in enumerate(space.slots):
            values = slot.variable.values
            if slot.variable.is_continuous or slot.is_conditional:
                # Borders are looked for among levels; a real has none, and what has no value is on neither side.
                continue
            if len(values) > 1 and all(
                isinstance(value, int | float) and not isinstance(value, bool) for value in values
            ):
                self._numbers[place] = np.array(values, dtype=np.float64)
            elif len(values) > 2 and slot.variable.is_ordered:
                # Words in an order are told apart by their ranks, alone.
                self._numbers[place] = np.arange(float(len(values)))

    @property
    def is_word(self) -> Mask:
        """Which slots have no numbers to multiply or add."""
        return np.array([not isinstance(slot.variable.values[0], int | float) for slot in self._space.slots])

    def of(self, feature: Feature, rows: Codes) -> Column:
        """Return the feature of each row."""
        if feature.kind == "values":
            pairs = zip(feature.slots, feature.codes, strict=True)
            return np.asarray(np.all([rows[:, slot] == code for slot, code in pairs], axis=0).astype(np.float64))
        parts = [self._numbers[slot][rows[:, slot]] for slot in feature.slots]
        return np.asarray(np.prod(parts, axis=0) if feature.kind == "product" else np.sum(parts, axis=0))

    def features_of_one(self) -> list[Feature]:
        """Return the features of single slots."""
        found = []
        for place, slot in enumerate(self._space.slots):
            n_values = len(slot.variable.values)
            if place in self._numbers:
                found.append(Feature("sum", (place,)))
            if n_values > 1 and (place not in self._numbers or n_values > 2):
                found += [Feature("values", (place,), (code,)) for code in range(min(n_values, 64))]
        return found

    def features_of_two(self, slots: Sequence[int]) -> Iterator[Feature]:
        """Yield the features of pairs of these slots."""
        is_word = self.is_word
        for pair in combinations(sorted(slots), 2):
            sizes = [len(self._space.slots[slot].variable.values) for slot in pair]
            if all(slot in self._numbers and not is_word[slot] for slot in pair):
                yield Feature("product", pair)
                yield Feature("sum", pair)
            elif math.prod(sizes) <= 64:
                yield from (Feature("values", pair, (i, j)) for i in range(sizes[0]) for j in range(sizes[1]))

    def text(self, border: Border, is_rule: bool = False) -> str:
        """Return what holds beyond a border, in the rule language, or the rule that keeps trials on this side of it."""
        names = [self._space.slots[slot].name for slot in border.feature.slots]
        if border.feature.kind == "values":
            pairs = zip(border.feature.slots, names, border.feature.codes, strict=True)
            beyond = " and ".join(
                f"{name} == {self._space.slots[slot].variable.values[code]!r}" for slot, name, code in pairs
            )
            return _negated(beyond, len(names)) if is_rule else beyond
        words = (" * " if border.feature.kind == "product" else " + ").join(names)
        first = border.feature.slots[0]
        bound: object = int(border.threshold) if float(border.threshold).is_integer() else border.threshold
        if self.is_word[first]:
            bound = self._space.slots[first].variable.values[int(border.threshold)]
        sign = (">" if border.is_above else "<") if not is_rule else ("<=" if border.is_above else ">=")
        return f"{words} {sign} {bound!r}"

    def is_beyond(self, border: Border, rows: Codes) -> Mask:
        """Return which rows lie beyond a border."""
        feature = self.of(border.feature, rows)
        return np.asarray(feature > border.threshold if border.is_above else feature < border.threshold)


def _negated(text: str, n_parts: int) -> str:
    return text.replace("==", "!=") if n_parts == 1 else f"not ({text})"


@dataclass(frozen=True)
class SuggestedRule:
    """A rule that trials speak for; `str` gives its evidence.

    Attributes
    ----------
    rule : str
        A rule, to be put with the others: it leaves out what lies beyond the border.
    beyond : str
        What holds where trials fail.
    n_failed, n_worked : int
        How many trials beyond the border failed, and how many worked.
    n_all_failed, n_all_worked : int
        How many trials failed and worked at all.
    """

    rule: str
    beyond: str
    n_failed: int
    n_worked: int
    n_all_failed: int
    n_all_worked: int

    def __str__(self) -> str:
        failed = (
            f"all {self.n_failed}" if self.n_failed == self.n_all_failed else f"{self.n_failed} of {self.n_all_failed}"
        )
        worked = f"{self.n_worked or 'none'} of {self.n_all_worked}"
        return f"{self.rule}: {failed} failures and {worked} successes have {self.beyond}"


@dataclass(frozen=True, eq=False)
class Borders:
    """What was found, stage by stage, the likeliest border of each first."""

    landmarks: Landmarks
    stages: tuple[tuple[Border, ...], ...]

    def chance(self, rows: Codes) -> Column:
        """Return the chance that trials do not fail for lying beyond a border."""
        chance = np.ones(rows.shape[0])
        for stage in self.stages:
            chance *= 1.0 - sum(
                border.weight * (1.0 - border.chance) * self.landmarks.is_beyond(border, rows) for border in stage
            )
        return chance

    def is_hopeless(self, rows: Codes) -> Mask:
        """Return which rows lie beyond a border that is as good as a rule: many failed beyond it and nothing worked."""
        hopeless = np.zeros(rows.shape[0], dtype=np.bool_)
        for stage in self.stages:
            first = stage[0]
            if first.n_worked == 0 and first.n_failed >= _MANY_FAILED and first.log_odds >= _SURE_ODDS:
                beyond = sum(border.weight * self.landmarks.is_beyond(border, rows) for border in stage)
                hopeless |= np.asarray(beyond) > _SURE_SHARE
        return hopeless


def suggested_rules(landmarks: Landmarks, rows: Codes, has_worked: Mask) -> tuple[SuggestedRule, ...]:
    """Return a rule for each border that trials speak for, the first found first."""
    found = []
    for stage in learn_borders(landmarks, rows, has_worked).stages:
        border = stage[0]
        # Counts are those of all trials, not of those that earlier borders left.
        beyond = landmarks.is_beyond(border, rows)
        n_failed, n_worked = int((beyond & ~has_worked).sum()), int((beyond & has_worked).sum())
        if n_failed >= _LEAST_FAILED and n_worked <= _MOST_WORKED * n_failed:
            text, rule = landmarks.text(border), landmarks.text(border, is_rule=True)
            totals = int((~has_worked).sum()), int(has_worked.sum())
            found.append(SuggestedRule(rule, text, n_failed, n_worked, *totals))
    return tuple(found)


def learn_borders(landmarks: Landmarks, rows: Codes, has_worked: Mask) -> Borders:
    """Return the borders that trials speak for; none where failures look like chance."""
    stages: list[tuple[Border, ...]] = []
    while len(stages) < _MAX_STAGES and not has_worked.all() and has_worked.any():
        stage = _stage(landmarks, rows, ~has_worked)
        if not stage:
            break
        stages.append(stage)
        left = Borders(landmarks, (stage,)).chance(rows) > 0.5
        if left.all():
            break
        rows, has_worked = rows[left], has_worked[left]
    return Borders(landmarks, tuple(stages))


@dataclass(frozen=True, eq=False)
class _Splits:
    """All thresholds of one feature: the evidence of each beyond that of no border, and the counts beyond it."""

    feature: Feature
    thresholds: Column
    is_above: Mask
    n_failed: NDArray[np.int64]
    n_worked: NDArray[np.int64]
    log_odds: Column


def _stage(landmarks: Landmarks, rows: Codes, has_failed: Mask) -> tuple[Border, ...]:
    ones = [_splits(landmarks, feature, rows, has_failed) for feature in landmarks.features_of_one()]
    found = [(splits, _PRIOR_ONE / len(ones)) for splits in ones]
    best: dict[int, float] = {}
    for splits in ones:
        slot = splits.feature.slots[0]
        best[slot] = max(best.get(slot, -math.inf), float(splits.log_odds.max(initial=-math.inf)))
    paired = sorted(best, key=lambda slot: -best[slot])[:_N_PAIRED]
    twos = [_splits(landmarks, feature, rows, has_failed) for feature in landmarks.features_of_two(paired)]
    priors = {"product": _PRIOR_PRODUCT, "sum": _PRIOR_SUM, "values": _PRIOR_TWO_VALUES}
    for kind, prior in priors.items():
        own = [splits for splits in twos if splits.feature.kind == kind]
        found += [(splits, prior / len(own)) for splits in own]
    return _averaged(found)


def _averaged(found: list[tuple[_Splits, float]]) -> tuple[Border, ...]:
    """Return the likeliest borders with their chances, or none where no border is as likely."""
    logs = [splits.log_odds + math.log(prior / max(1, splits.log_odds.size)) for splits, prior in found]
    every = np.concatenate([np.zeros(0), *logs])
    if not every.size:
        return ()
    top = float(every.max())
    total = float(np.exp(every - top).sum())
    if top + math.log(total) - math.log(_PRIOR_NONE) < math.log(_LEAST_ODDS):
        return ()
    chance_of_any = 1.0 / (1.0 + _PRIOR_NONE * math.exp(-top) / total)
    owners = np.repeat(np.arange(len(logs)), [log.size for log in logs])
    starts = np.cumsum([0, *(log.size for log in logs)])
    order = np.argsort(-every, kind="stable")[:_N_KEPT]
    kept = np.exp(every[order] - top)
    borders = []
    for place, weight in zip(order, kept / kept.sum() * chance_of_any, strict=True):
        splits, k = found[owners[place]][0], int(place - starts[owners[place]])
        borders.append(
            Border(
                splits.feature,
                float(splits.thresholds[k]),
                bool(splits.is_above[k]),
                int(splits.n_failed[k]),
                int(splits.n_worked[k]),
                float(weight),
                float(every[place] - math.log(_PRIOR_NONE)),
            )
        )
    return tuple(borders)


def _splits(landmarks: Landmarks, feature: Feature, rows: Codes, has_failed: Mask) -> _Splits:
    """Count what lies beyond each threshold between values that occur."""
    levels, places = np.unique(landmarks.of(feature, rows), return_inverse=True)
    failed = np.bincount(places, has_failed, minlength=levels.size).astype(np.int64)
    worked = np.bincount(places, ~has_failed, minlength=levels.size).astype(np.int64)
    up_to_failed, up_to_worked = np.cumsum(failed)[:-1], np.cumsum(worked)[:-1]
    n_failed, n_worked = int(failed.sum()), int(worked.sum())
    # Of a gap between two values that occur nobody knows where in it the border lies: both ends count.
    below = [up_to_failed, up_to_failed], [up_to_worked, up_to_worked]
    thresholds = np.concatenate([levels[:-1], np.nextafter(levels[1:], -np.inf)])
    failed_above = n_failed - np.concatenate(below[0])
    worked_above = n_worked - np.concatenate(below[1])
    is_above = np.ones(thresholds.size, dtype=np.bool_)
    if feature.kind != "values":
        others = np.concatenate([levels[1:], np.nextafter(levels[:-1], np.inf)])
        thresholds = np.concatenate([thresholds, others])
        failed_above = np.concatenate([failed_above, *below[0]])
        worked_above = np.concatenate([worked_above, *below[1]])
        is_above = np.concatenate([is_above, np.zeros(others.size, dtype=np.bool_)])
    evidence = _log_beta(failed_above, worked_above, _BEYOND) + _log_beta(
        n_failed - failed_above, n_worked - worked_above, _ELSEWHERE
    )
    log_odds = evidence - float(_log_beta(np.array(n_failed), np.array(n_worked), _ANYWHERE))
    return _Splits(feature, thresholds, is_above, failed_above, worked_above, log_odds)


def _log_beta(failed: NDArray[np.int64], worked: NDArray[np.int64], prior: tuple[float, float]) -> Column:
    return np.asarray(betaln(failed + prior[0], worked + prior[1]) - betaln(*prior))

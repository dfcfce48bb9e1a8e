"""What rules for stopping would have done in recorded runs: how often they stop too early, and how late they stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow import stopping
from research.outcomes.stops import SURE, Record


@dataclass(frozen=True)
class StoppingRule:
    """Stop where the chance of a gain was below `most_chance` `in_a_row` times, and enough trials came since the best.

    The other conditions are those of `hedgerow.stopping`: enough trials for the number of points, and since the best.
    """

    most_chance: float
    in_a_row: int = stopping.IN_A_ROW
    for_each_bit: float = stopping.FOR_EACH_BIT
    since_best: float = stopping.SINCE_BEST
    share_since_best: float = stopping.SHARE_SINCE_BEST

    def stopped(self, run: Record) -> int | None:
        """Return after how many trials a recorded run stops; None where it does not as far as it was recorded."""
        bits = min(stopping.MOST_BITS, math.log2(run.n_points))
        n_until = 1
        for n, gap in enumerate(run.gaps, start=1):
            n_until = n if n > 1 and gap < run.gaps[n_until - 1] else n_until
            lately = run.chances[max(0, n - self.in_a_row) : n]
            is_sure = len(lately) == self.in_a_row and all(chance < self.most_chance for chance in lately)
            is_enough = n >= max(stopping.LEAST_VALUES, self.for_each_bit * bits)
            if is_sure and is_enough and n - n_until >= self.since_best + self.share_since_best * n_until:
                return n
        if not run.ends_surely or self.most_chance < SURE:
            return None
        # The chance is taken to stay as low as it was when recording ended: only trials were lacking.
        wanted = max(self.for_each_bit * bits, n_until + self.since_best + self.share_since_best * n_until)
        return max(len(run.gaps), math.ceil(wanted))


@dataclass(frozen=True)
class Verdict:
    """How a rule does on recorded runs that came near enough, and on those that never did."""

    n_runs: int
    n_early: int
    n_within: int  # near enough, and after at most 1.5 times the trials needed
    n_late: int  # not stopped as far as they were recorded: three times the trials needed and thirty more
    ratio: float  # the median of trials until stopped over trials needed, of those not too early

    @classmethod
    def of(cls, rule: StoppingRule, runs: Sequence[Record]) -> Verdict:
        """Judge a rule."""
        ratios, n_early, n_late = [], 0, 0
        for run in runs:
            n = rule.stopped(run)
            if n is not None and run.gaps[min(n, len(run.gaps)) - 1] > 1.0:
                n_early += 1
            elif n is None:
                n_late += 1
                ratios.append(math.inf)
            else:
                assert run.needed is not None
                ratios.append(n / run.needed)
        median = float(np.median(ratios)) if ratios else math.nan
        return cls(len(runs), n_early, sum(ratio <= 1.5 for ratio in ratios), n_late, median)


CURVE = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)


def curve(runs: Sequence[Record]) -> str:
    """Return a table in Markdown: each threshold of the chance with what it gives."""
    head = (
        "| stop below a chance of | runs | too early | within 1.5 times | trials over needed, median | not stopped |\n"
    )
    lines = [head, "| ---: | ---: | ---: | ---: | ---: | ---: |\n"]
    for most in CURVE:
        found = Verdict.of(StoppingRule(most), runs)
        share = f"{found.n_early} ({found.n_early / max(1, found.n_runs):.0%})"
        mark = " (the default)" if most == stopping.MOST_CHANCE else ""
        lines.append(
            f"| {most}{mark} | {found.n_runs} | {share} | {found.n_within} | {found.ratio:.2f} | {found.n_late} |\n"
        )
    return "".join(lines)

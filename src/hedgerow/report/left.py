"""What is left: how much better than the best the untried points are expected to be, and how long nothing changed."""

from __future__ import annotations

from hedgerow.report.facts import Facts
from hedgerow.report.words import counted, note, pairs, section
from hedgerow.web import Html
from hedgerow.wording import approximate


def what_is_left(facts: Facts) -> Html:
    """Return what untried points are expected to gain, and since when nothing better was found."""
    tried = {trial.row.tobytes() for trial in facts.ended if trial.row is not None and trial.keeps_rules}
    words = [_untried(facts, len(tried)), _since(facts)]
    if isinstance(facts.left, str):
        return section("left", "What is left", note(" ".join(filter(None, [*words, facts.left]))))
    left = facts.left
    looked = "every untried feasible point" if left.is_exact else "draws, and neighbors of the best points"
    entries = {
        "Expected of the best untried point": facts.in_unit(left.expected, 3),
        "If the beliefs were half as sure": facts.in_unit(left.cautious, 3),
        "Expected of the next trial": facts.in_unit(left.next_trial, 3),
        "Chance that any untried point is better": f"{left.chance:.0%}",
        "Looked at": f"{left.n_points:,} points: {looked}",
    }
    meaning = "Gains on the best value, as the default method believes now. Beliefs err, so stopping is cautious."
    return section("left", "What is left", note(" ".join(filter(None, words))), pairs(entries), note(meaning))


def _untried(facts: Facts, n_tried: int) -> str:
    feasible = facts.feasible
    if facts.problem.space.reals or not feasible.is_exact:
        return f"{counted(n_tried, 'feasible point')} tried."
    return (
        f"{approximate(max(0, feasible.count - n_tried))} of {approximate(feasible.count)} feasible points are untried."
    )


def _since(facts: Facts) -> str:
    """Return how many trials have ended since the best, or the newest point of the front."""
    order = {trial.number: place for place, trial in enumerate(facts.ended)}
    judged = facts.status.judged
    if judged is not None and facts.goals.objectives.are_several:
        places = [order[point.numbers[0]] for point in judged.front if point.numbers[0] in order]
        what = "the front last grew"
    else:
        places = [order[best.number] for best in facts.best[:1] if best.number in order]
        what = "the best point was found"
    if not places:
        return ""
    n_since = len(facts.ended) - 1 - max(places)
    return f"{counted(n_since, 'trial')} ended since {what}, in trial {facts.ended[max(places)].number}."

"""How the study went: every trial with the best value so far, and what the trials cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from hedgerow.insight.scale import Scale, Tick, count_scale, count_ticks, scale_of
from hedgerow.report.chart import chart, dot, dots, legend, steps
from hedgerow.report.facts import Facts, TrialFact
from hedgerow.report.volume import Growth, growth_of
from hedgerow.report.words import counted, folded, note, section
from hedgerow.web import Html, join, tag
from hedgerow.wording import readable_number, readable_seconds

# With more trials than this, dots are drawn as one mark, without words of their own.
_MAX_DOTS = 1500
# Seconds below this are drawn as this: clocks know no better, and an axis of factors has no zero.
_SHORTEST = 0.001
# In seconds, for axes of factors: up to ten days, then in larger steps.
_ROUND_TIMES = (0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 36_000, 864_000, 8_640_000, 86_400_000)


def convergence(facts: Facts) -> Html:
    """Return all trials over their order, and the best value so far; with several objectives also what is dominated."""
    title = "Convergence"
    if not any(trial.number_of(name) is not None for trial in facts.ended for name in facts.objectives):
        return section("convergence", title, note("No trial has given a value yet."))
    if not facts.goals.objectives.are_several:
        return section("convergence", title, _values(facts, facts.objectives[0]))
    growth = growth_of(facts)
    parts = [
        folded(f"Convergence of {name}", _values(facts, name), is_open=growth is None and name == facts.objectives[0])
        for name in facts.objectives
    ]
    return section("convergence", title, Html("") if growth is None else _volume(facts, growth), *parts)


def _volume(facts: Facts, growth: Growth) -> Html:
    """Return how much of the volume was dominated after each trial."""
    n = len(facts.ended)
    shares = [*growth.shares, (n, growth.shares[-1][1])]
    x = count_scale(n)
    y = scale_of([0.0, *(100.0 * share for _, share in shares)], may_be_log=False)
    worst = "the worst value on the front, or the median of all trials where that is worse"
    words = (
        "How much of the volume that the front dominates now was dominated after each trial. It is measured from "
        f"{'the reference of the problem' if growth.is_given else f'{worst}, in each objective'}."
    )
    drawn = chart(
        [steps([(x.place(place), y.place(100.0 * share)) for place, share in shares], "best")],
        f"The dominated volume after each of {counted(n, 'trial')}, as a share of what is dominated now.",
        x_ticks=count_ticks(x, n),
        y_ticks=y.ticks(),
        x_title="trials, in the order in which they ended",
        y_title="dominated volume, in % of what is dominated now",
        kind="high",
    )
    return join([note(words), drawn])


def _values(facts: Facts, objective: str) -> Html:
    """Return the values of one objective in all trials, with the best so far."""
    trials = facts.ended
    known = [
        (place, trial, value)
        for place, trial in enumerate(trials, start=1)
        if (value := trial.number_of(objective)) is not None
    ]
    if not known:
        return note(f"No trial has given {objective} yet.")
    x = count_scale(len(trials))
    y = scale_of(value for _, _, value in known)
    # Where readings are noisy, the lowest is the luckiest and not the best.
    best = [] if facts.goals.may_repeat else _best_so_far(facts, objective, known)
    marks = [
        *_dots([(x.place(place), y.place(value), trial, value) for place, trial, value in known]),
        *_crosses([(x.place(place), trial) for place, trial in enumerate(trials, start=1) if trial.state == "failed"]),
    ]
    entries = [("trial", "single reading" if facts.goals.may_repeat else "trial")]
    if best:
        last = (x.place(len(trials)), y.place(best[-1][1]))
        marks.append(steps([*((x.place(place), y.place(value)) for place, value in best), last], "best"))
        found, value = best[-1]
        marks.append(dot(x.place(found), y.place(value), "found", _says(trials[found - 1], value)))
        entries += [("best", "best so far"), ("found", "best")]
    if any(not trial.is_able for _, trial, _ in known):
        limits = ", or is beyond a limit" if facts.goals.limits else ""
        entries.append(("outside", f"breaks a rule as the rules are now{limits}; never best"))
    if any(trial.state == "failed" for trial in trials):
        entries.append(("failed", "failed"))
    drawn = chart(
        marks,
        _in_words(facts, best),
        x_ticks=count_ticks(x, len(trials)),
        y_ticks=y.ticks(),
        x_title="trials, in the order in which they ended",
        y_title=facts.measured_in(objective) + (", logarithmic" if y.is_log else ""),
        kind="high",
    )
    return join([drawn, legend(entries)])


def _best_so_far(
    facts: Facts, objective: str, known: Sequence[tuple[int, TrialFact, float]]
) -> list[tuple[int, float]]:
    """Return the places at which the best value changed, with the value."""
    best: list[tuple[int, float]] = []
    for place, trial, value in known:
        if trial.is_able and (not best or facts.is_better(objective, value, best[-1][1])):
            best.append((place, value))
    return best


def _in_words(facts: Facts, best: Sequence[tuple[int, float]]) -> str:
    if facts.goals.may_repeat:
        return f"The single readings of {counted(len(facts.ended), 'trial')}."
    if not best:
        return f"The values of {counted(len(facts.ended), 'trial')}; none satisfies the rules."
    (_, first), (place, last) = best[0], best[-1]
    return (
        f"The values of {counted(len(facts.ended), 'trial')}. The best value went from {readable_number(first)} "
        f"to {readable_number(last)}, in trial {facts.ended[place - 1].number}."
    )


def _says(trial: TrialFact, value: float | None = None) -> str:
    said = "failed" if value is None else readable_number(value)
    return f"trial {trial.number}: {said}"


def _dots(places: Sequence[tuple[float, float, TrialFact, float]]) -> list[Html]:
    kinds = {True: "trial", False: "outside"}
    if len(places) > _MAX_DOTS:
        return [
            dots([(x, y) for x, y, trial, _ in places if trial.is_able is is_able], kind)
            for is_able, kind in kinds.items()
        ]
    return [dot(x, y, kinds[trial.is_able], _says(trial, value)) for x, y, trial, value in places]


def _crosses(places: Sequence[tuple[float, TrialFact]]) -> list[Html]:
    """Return a mark at the foot of the chart for each failed trial, which has no height of its own."""
    if len(places) > _MAX_DOTS:
        return [dots([(x, 0.015) for x, _ in places], "failed")]
    return [dot(x, 0.015, "failed", _says(trial)) for x, trial in places]


def cost(facts: Facts) -> Html:
    """Return how long trials took, one by one and in all."""
    timed = [(trial, trial.seconds) for trial in facts.ended if trial.seconds is not None]
    if not timed:
        return section("cost", "Cost over time", note("No trial has a duration: their values were told, not measured."))
    seconds = [each for _, each in timed]
    x = count_scale(len(timed))
    y = scale_of([max(each, _SHORTEST) for each in seconds])
    spent = list(accumulate(seconds))
    total = scale_of([0.0, spent[-1] or 1.0], may_be_log=False)
    each = chart(
        _durations(timed, x, y),
        f"How long each of {counted(len(timed), 'trial')} took.",
        x_ticks=count_ticks(x, len(timed)),
        y_ticks=_in_seconds(y),
        x_title="trials",
        y_title="time per trial" + (", logarithmic" if y.is_log else ""),
    )
    cumulative = chart(
        [steps([(x.place(place), total.place(time)) for place, time in enumerate(spent, start=1)], "best")]
        if len(spent) > 1
        else [dot(x.place(1), total.place(spent[0]), "found", readable_seconds(spent[0]))],
        f"The time spent in all, up to {readable_seconds(spent[-1])}.",
        x_ticks=count_ticks(x, len(timed)),
        y_ticks=_in_seconds(total),
        x_title="trials",
        y_title="time in all",
    )
    middle = sorted(seconds)[len(seconds) // 2]
    says = (
        f"{counted(len(timed), 'trial')} took {readable_seconds(spent[-1])} in all; half of them at most "
        f"{readable_seconds(middle)}, the longest {readable_seconds(max(seconds))}."
    )
    return section("cost", "Cost over time", tag("p", says), tag("div", each, cumulative, class_="two"))


def _durations(timed: Sequence[tuple[TrialFact, float]], x: Scale, y: Scale) -> list[Html]:
    kinds = {"measured": "trial", "failed": "failed"}
    places = [
        (x.place(place), y.place(max(seconds, _SHORTEST)), trial, seconds)
        for place, (trial, seconds) in enumerate(timed, start=1)
    ]
    if len(places) > _MAX_DOTS:
        return [dots([(left, up) for left, up, _, _ in places], "trial")]
    return [
        dot(left, up, kinds[trial.state], f"trial {trial.number}: {readable_seconds(seconds)}")
        for left, up, trial, seconds in places
    ]


def _in_seconds(scale: Scale) -> list[Tick]:
    """Return ticks at round numbers of the unit that the axis is in, written with it."""
    if scale.is_log:
        inside = [number for number in _ROUND_TIMES if scale.low <= number <= scale.high]
        return [Tick(scale.place(number), readable_seconds(number)) for number in inside]
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60), ("s", 1), ("ms", 0.001)):
        if scale.high >= 2 * length or unit == "ms":
            break
    inner = Scale(scale.low / length, scale.high / length)
    return [Tick(tick.place, f"{tick.label} {unit}") for tick in inner.ticks() if not tick.label.startswith("-")]

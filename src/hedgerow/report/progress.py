"""How the study went: every trial with the best value so far, and what the trials cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from hedgerow.insight.scale import Scale, Tick, count_scale, count_ticks, scale_of
from hedgerow.report.chart import chart, dot, dots, legend, steps
from hedgerow.report.facts import Facts, TrialFact
from hedgerow.report.words import counted, note, section
from hedgerow.web import Html, tag
from hedgerow.wording import readable_number, readable_seconds

# With more trials than this, dots are drawn as one mark, without words of their own.
_MAX_DOTS = 1500
# Seconds below this are drawn as this: clocks know no better, and an axis of factors has no zero.
_SHORTEST = 0.001
# In seconds, for axes of factors: up to ten days, then in larger steps.
_ROUND_TIMES = (0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 36_000, 864_000, 8_640_000, 86_400_000)


def convergence(facts: Facts) -> Html:
    """Return all trials over their order, and the best value so far."""
    trials = facts.ended
    known = [(place, trial) for place, trial in enumerate(trials, start=1) if trial.value is not None]
    if not known:
        return section("convergence", "Convergence", note("No trial has given a value yet."))
    x = count_scale(len(trials))
    y = scale_of(trial.value for _, trial in known if trial.value is not None)
    # Where readings are noisy, the lowest is the luckiest and not the best.
    best = [] if facts.goals.may_repeat else _best_so_far(facts, known)
    marks = [
        *_dots(
            [(x.place(place), y.place(value), trial) for place, trial in known if (value := trial.value) is not None]
        ),
        *_crosses([(x.place(place), trial) for place, trial in enumerate(trials, start=1) if trial.state == "failed"]),
    ]
    entries = [("trial", "single reading" if facts.goals.may_repeat else "trial")]
    if best:
        last = (x.place(len(trials)), y.place(best[-1][1]))
        marks.append(steps([*((x.place(place), y.place(value)) for place, value in best), last], "best"))
        found, value = best[-1]
        marks.append(dot(x.place(found), y.place(value), "found", _says(trials[found - 1])))
        entries += [("best", "best so far"), ("found", "best")]
    if any(not (trial.keeps_rules and trial.is_within) for _, trial in known):
        limits = ", or is beyond a limit" if facts.goals.limits else ""
        entries.append(("outside", f"breaks a rule as the rules are now{limits}; never best"))
    if len(known) < len(trials):
        entries.append(("failed", "failed"))
    return section(
        "convergence",
        "Convergence",
        chart(
            marks,
            _in_words(facts, best),
            x_ticks=count_ticks(x, len(trials)),
            y_ticks=y.ticks(),
            x_title="trials, in the order in which they ended",
            y_title=facts.measured_in(facts.objective) + (", logarithmic" if y.is_log else ""),
            kind="high",
        ),
        legend(entries),
    )


def _best_so_far(facts: Facts, known: Sequence[tuple[int, TrialFact]]) -> list[tuple[int, float]]:
    """Return the places at which the best value changed, with the value."""
    best: list[tuple[int, float]] = []
    for place, trial in known:
        is_able = trial.keeps_rules and trial.is_within
        if is_able and trial.value is not None and (not best or facts.is_better(trial.value, best[-1][1])):
            best.append((place, trial.value))
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


def _says(trial: TrialFact) -> str:
    if trial.value is None:
        return f"trial {trial.number}: failed"
    return f"trial {trial.number}: {readable_number(trial.value)}"


def _dots(places: Sequence[tuple[float, float, TrialFact]]) -> list[Html]:
    kinds = {True: "trial", False: "outside"}
    if len(places) > _MAX_DOTS:
        return [
            dots([(x, y) for x, y, trial in places if (trial.keeps_rules and trial.is_within) is keeps], kind)
            for keeps, kind in kinds.items()
        ]
    return [dot(x, y, kinds[trial.keeps_rules and trial.is_within], _says(trial)) for x, y, trial in places]


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

"""What an agent may do with a study, as functions of plain data: check, ask, tell, explain, repair, add a rule.

An agent may have ideas of its own (`try_point`); one that breaks a rule is explained and repaired, and never becomes
a trial. Answers are what `json.dumps` takes; what cannot be done is an answer with "error".
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hedgerow.adapters.new_rule import replace_file, with_rule
from hedgerow.errors import HedgerowError, PointError, StudyError
from hedgerow.feasible import FeasibleSet
from hedgerow.observations import Prediction
from hedgerow.runs.judged import told_optimizer
from hedgerow.runs.problem import load_problem
from hedgerow.runs.serve import as_told
from hedgerow.runs.stored import Asked
from hedgerow.runs.study import Study

Answer = dict[str, Any]

# As many points at once as somebody could look at; more are asked for in several calls.
MAX_POINTS = 200


class StudyTools:
    """The study of a problem file. The file is read again when it has changed; calls come one after the other."""

    def __init__(self, path: str | Path, overrides: Mapping[str, Any] | None = None) -> None:
        self._path = Path(path)
        self._overrides = dict(overrides or {})
        self._lock = threading.RLock()
        self._text = ""
        self._study: Study | None = None

    def check(self) -> Answer:
        """Return the variables, the rules, how many points are feasible, and what is wrong with the rules, if anything.

        Counts are exact unless the answer says otherwise.
        """

        def look(study: Study) -> Answer:
            rules = {rule.name: rule.text for rule in study.sampler.feasible.rules}
            goal = {"direction": study.problem.direction, "budget": study.problem.budget}
            return {
                "variables": study.problem.space.to_dict(),
                "rules": rules,
                **goal,
                **study.sampler.feasible.doctor().to_dict(),
            }

        return self._answered(look)

    def ask(self, n: int = 1) -> Answer:
        """Return n points worth evaluating next, each with the number of its trial.

        Every point satisfies every rule, and none has been tried or given out before. A trial waits until its value
        is told, however long that takes.
        """

        def give(study: Study) -> Answer:
            if isinstance(n, bool) or not 1 <= n <= MAX_POINTS:
                raise StudyError(f"n is a whole number from 1 to {MAX_POINTS}, but {n!r} was given.")
            return {"trials": [_shown(asked) for asked in study.ask_by_hand(n)]}

        return self._answered(give)

    def try_point(self, point: Mapping[str, Any]) -> Answer:
        """Offer a point of your own for evaluation.

        If it satisfies every rule and nobody has it, it becomes a trial that waits for its value. If it breaks a rule,
        the answer explains which and why, and gives a nearest point that breaks none; there is no trial then, and the
        point must not be evaluated.
        """

        def offer(study: Study) -> Answer:
            explained = _explained(study.sampler.feasible, point)
            if not explained["feasible"]:
                return {"trial": None, **explained}
            return {**_shown(study.ask_for(point)), "feasible": True}

        return self._answered(offer)

    def tell(
        self,
        value: float | dict[str, float] | None,
        trial: int | None = None,
        point: Mapping[str, Any] | None = None,
    ) -> Answer:
        """Store what a trial gave: a number, or null if it failed. Name it by its trial number, or by its point.

        Where the problem has several objectives or limits, the value is an object of numbers by name.
        A value is stored exactly once. The value of a point that breaks a rule is kept as a fact that informs, and is
        never the best.
        """

        def store(study: Study) -> Answer:
            if (trial is None) == (point is None):
                raise StudyError("Name the trial by its number or by its point, one of the two.")
            told = study.pending_point(trial) if trial is not None else dict(point or {})
            number = study.tell(told, as_told(value))
            keeps_rules = told in study.sampler.feasible
            return {"trial": number, "keeps_rules": keeps_rules, "best": study.believed_status().to_dict()["best"]}

        return self._answered(store)

    def explain(self, point: Mapping[str, Any]) -> Answer:
        """Say whether a point satisfies the rules; if not, which it breaks, with which values, and its repair."""
        return self._answered(lambda study: _explained(study.sampler.feasible, point))

    def repair(self, point: Mapping[str, Any]) -> Answer:
        """Return a nearest point that satisfies every rule: as few variables as possible are changed."""
        return self._answered(lambda study: {"repair": study.sampler.feasible.repair(point)})

    def predict(self, points: list[dict[str, Any]]) -> Answer:
        """Return what is believed of trials at some points, tried or not, before anybody measures them.

        For each outcome the mean, the deviation and an interval of 90 %, the chance that the trial works and the chance
        that it keeps the limits. Beliefs are no measurements: a point that breaks a rule must not be evaluated, however
        good it looks; the answer says which points keep the rules.
        """

        def believe(study: Study) -> Answer:
            if not isinstance(points, list) or len(points) > MAX_POINTS:
                raise StudyError(f"points is a list of at most {MAX_POINTS} points.")
            optimizer = told_optimizer(study.problem, study.read().told)
            feasible = study.sampler.feasible
            return {"predictions": [_believed(each, each.point in feasible) for each in optimizer.predict(points)]}

        return self._answered(believe)

    def status(self) -> Answer:
        """Return how many trials there are in which state, the best feasible point, and what waits for its value."""

        def count(study: Study) -> Answer:
            waiting = [_shown(asked) for asked in study.pending_by_hand()]
            return {"budget": study.problem.budget, **study.believed_status().to_dict(), "pending": waiting}

        return self._answered(count)

    def add_rule(self, name: str, rule: str) -> Answer:
        """Add a rule to the problem file, in Python syntax over the variables, such as "x * y <= 64 or mode == 'slow'".

        From then on no suggestion breaks it; what was measured before is kept. A rule that cannot be read, or that
        leaves no feasible point, changes nothing.
        """

        def add(study: Study) -> Answer:
            text, file_says = with_rule(self._text, name, rule, self._path.name)
            before, after = study.sampler.feasible, FeasibleSet(file_says.space, file_says.rules)
            replace_file(self._path, text)
            return {"rule": name, "feasible_before": before.count, "feasible_now": after.count}

        return self._answered(add)

    def _answered(self, work: Any) -> Answer:
        with self._lock:
            try:
                answer: Answer = work(self._current())
            except HedgerowError as error:
                return {"error": str(error), "kind": type(error).__name__}
            return answer

    def _current(self) -> Study:
        """Return the study with the rules that the file has now."""
        try:
            text = self._path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            text = ""
        if self._study is None or text != self._text:
            self._study = Study(load_problem(self._path, self._overrides))
            self._text = text
        return self._study


def _believed(prediction: Prediction, is_feasible: bool) -> Answer:
    outcomes = {
        name: {"mean": estimate.mean, "sd": estimate.sd, "interval": list(estimate.interval)}
        for name, estimate in prediction.outcomes.items()
    }
    chances = {"chance": prediction.chance, "within_limits": prediction.within_limits}
    return {"point": prediction.point, "feasible": is_feasible, "outcomes": outcomes, **chances}


def _shown(asked: Asked) -> Answer:
    return {"trial": asked.number, "point": asked.point}


def _explained(feasible: FeasibleSet, point: Mapping[str, Any]) -> Answer:
    if not isinstance(point, Mapping):
        raise PointError(f"A point is an object of names and values, but {point!r} was given.")
    explanation = feasible.explain(point)
    if explanation.is_feasible:
        return {"feasible": True}
    return {"feasible": False, "why": str(explanation), **explanation.to_dict(), "repair": feasible.repair(point)}

"""What a suggestion says about itself: the reason it was chosen, and whether it is the exact maximum."""

from __future__ import annotations

import hedgerow as hr
from hedgerow.methods import Auto, CandidateSettings, CodeProblem, History, Method, Random, Reason
from hedgerow.methods.suggester import Suggester
from tests.methods.histories import told

LISTED = CodeProblem(hr.FeasibleSet(hr.Space({"x": hr.Vector(hr.Integer(0, 3), 3)}), ["sum(x) == 4"]))
SEARCHED = Auto(candidates=CandidateSettings(max_listed=0))


def reason(method: Method, history: History) -> tuple[str, bool]:
    suggestion = Suggester(LISTED, method, seed=0).suggest(history)
    return suggestion.reason, suggestion.is_exact


def test_a_draw_is_never_the_exact_maximum() -> None:
    nothing = told(LISTED, 0, lambda _: 0.0)
    assert reason(Random(), nothing) == (Reason.DRAWN, False)
    assert reason(Random(), told(LISTED, 5, lambda row: float(row @ row))) == (Reason.DRAWN, False)
    assert reason(Auto(), nothing) == (Reason.NOTHING_LEARNED, False)
    assert reason(Auto(), told(LISTED, 5, lambda _: 1.0)) == (Reason.NOTHING_LEARNED, False)


def test_of_a_listed_set_the_best_of_all_is_suggested_and_of_others_the_best_found() -> None:
    history = told(LISTED, 4, lambda row: float(row @ row))
    assert reason(Auto(), history) == (Reason.BEST_OF_ALL, True)
    assert reason(Auto(one_pass_work=0), history) == (Reason.BEST_OF_SHORTLIST, False)
    assert reason(SEARCHED, history) == (Reason.BEST_FOUND, False)
    assert reason(Auto(candidates=CandidateSettings(n_drawn=9)), history) == (Reason.BEST_OF_DRAWS, False)


def test_without_improvement_turns_are_taken() -> None:
    reasons = [reason(Auto(patience=0), told(LISTED, n, lambda row: float(row[2])))[0] for n in (3, 4, 5)]
    assert reasons == [Reason.BEST_OF_ALL, Reason.DOUBT, Reason.NEAR_BEST]


def test_a_reason_reads_as_a_sentence() -> None:
    assert all(str(each)[0].isupper() and str(each).endswith(".") for each in Reason)

"""Tables that set cells beside each other and beside the paper."""

import pytest

from research.harness.against_paper import agreement_table, agreement_text, agreements, best_agreements
from research.harness.grids import grid_table
from research.harness.rivals_table import best_train, rivals_table
from research.harness.statistics import holm, sign_test, smallest_p
from research.harness.summary import summarize
from research.harness.variants import variant_table, variant_text
from tests.research.harness.rows import row

TWO_TASKS = {"ackley-65": 0.0, "diabetes": 0.1}
TOLD, UNTOLD = (f"catd;follows=program;format=tt;rank=3;variant={variant}" for variant in "cu")


def test_rivals_stand_beside_the_train_of_the_published_best_rank() -> None:
    trains = [
        row(seed, -4.19, 50 + seed, task="gap-b", cell=f"catd;follows=program;format=tt;rank={rank};variant=c")
        for rank in (3, 4)
        for seed in range(3)
    ]
    rival = [row(seed, -4.19, 50 + 2 * seed, task="gap-b", cell="nn-milp;solver=list;variant=c") for seed in (1, 2, 7)]
    table = rivals_table(summarize([*trains, *rival]))
    (body,) = table.body
    found = dict(zip(table.head, body, strict=True))
    assert best_train(summarize(trains)) == summarize(trains)[1]
    assert found["CA-TD -c"] == "-4.19 @ 51; paper -4.19 @ 102"
    assert found["NN+MILP-c"] == "-4.19 @ 57 (2 / 0 / 0); paper -4.12 @ 191"
    assert found["GP-c"] == ""


def test_the_sign_test_and_its_smallest_p() -> None:
    assert sign_test(10, 0) == smallest_p(10) == pytest.approx(2 / 1024)
    assert sign_test(5, 5) == 1.0
    assert sign_test(9, 1) == pytest.approx(22 / 1024)
    assert sign_test(0, 0) == 1.0


def test_p_values_are_corrected_for_their_number() -> None:
    assert holm([0.01, 0.04, 0.02]) == pytest.approx([0.03, 0.04, 0.04])
    assert holm([]) == []


def test_both_variants_stand_in_one_row_beside_the_paper() -> None:
    told = [row(seed, -7.0, 5, task="ising-a", cell=TOLD) for seed in range(4)]
    untold = [row(seed, -1.0, 9, task="ising-a", cell=UNTOLD, invalid_rounds=(1, 2)) for seed in range(3)]
    summaries = summarize([*told, *untold])
    (body,) = variant_table("constraint-aware", summaries).body
    assert body[:4] == ["ising-a", "TT-3", "-7.32 @ 171.2", "-7.00 @ 5.0"]
    assert "3 / 0 / 0" in body
    assert "0.25 with 3" in variant_text(summaries)


@pytest.mark.parametrize(("first_rounds", "verdict"), [((60, 120, 180), "as printed"), ((400, 410, 420), "later")])
def test_rounds_agree_with_the_paper_within_sampling_error(first_rounds: tuple[int, ...], verdict: str) -> None:
    rows = [row(seed, -4.19, n, task="gap-b", cell=TOLD, budget=500) for seed, n in enumerate(first_rounds)]
    (found,) = agreements("best-ranks", summarize(rows))
    assert (found.paper.round, found.value_verdict, found.round_verdict) == (134.5, "as printed", verdict)
    assert found.agrees == (verdict == "as printed")
    text = agreement_text("best-ranks", summarize(rows))
    assert ("gap-b TT-3-c (later)" in text) == (not found.agrees)
    (body,) = agreement_table("best-ranks", summarize(rows)).body
    assert body[1:3] == ["TT-3-c", "-4.19 @ 134.5"]
    assert body[4] == verdict


def test_where_all_ranks_have_run_our_best_stands_beside_theirs() -> None:
    cells = [f"catd;follows=program;format=tt;rank={rank};variant=c" for rank in range(2, 7)]
    rows = [
        row(seed, -4.19, 100 + 5 * seed + 90 * abs(3 - place), task="gap-b", cell=cell, budget=500)
        for place, cell in enumerate(cells)
        for seed in range(4)
    ]
    (best,) = best_agreements("best-ranks", summarize(rows))
    assert best.at_their_rank.ours.cell.get("rank") == 4
    assert best.at_our_rank is not None
    assert best.at_our_rank.ours.cell.get("rank") == 5
    assert best.at_our_rank.paper == best.at_their_rank.paper


def test_a_grid_has_a_row_per_choice_and_a_column_per_task_and_variant() -> None:
    cells = [f"catd;beginning={start};variant={variant}" for start in ("scaled", "normal") for variant in "cu"]
    table = grid_table(summarize(row(cell=cell) for cell in cells), {"across": ["variant"]})
    assert table.head == ["beginning", "gap-a c", "gap-a u"]
    assert [line[0] for line in table.body] == ["scaled", "normal"]
    assert table.body[0][1] == "0/1 @ 20, 0 %"


def test_methods_that_share_a_setting_have_columns_of_their_own() -> None:
    cells = [f"{kind};n_offline={n};variant=c" for kind in ("gp", "tpe") for n in (0, 50)]
    table = grid_table(
        summarize(row(cell=cell) for cell in cells), {"across": ["kind"], "words": {"kind=gp": "GP", "kind=tpe": "TPE"}}
    )
    assert table.head == ["n offline", "gap-a GP", "gap-a TPE"]
    assert [line[0] for line in table.body] == ["0", "50"]


def test_cells_of_other_instances_are_shown_and_not_counted() -> None:
    cell = "catd;follows=program;format=tt;rank=3;variant=c"
    pairs = [(seed, task) for seed in range(4) for task in TWO_TASKS]
    rows = [row(seed, TWO_TASKS[task], 30 + 5 * seed, task=task, cell=cell) for seed, task in pairs]
    text = agreement_text("best-ranks", summarize(rows))
    assert "in 1 of the 1 cells" in text and "Not so: none." in text
    verdicts = {line[0]: line[4] for line in agreement_table("best-ranks", summarize(rows)).body}
    assert verdicts == {"ackley-65": "as printed", "diabetes": "other instances"}

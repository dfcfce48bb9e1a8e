"""The study of starts, weights and places: what its tables say of rows."""

from pathlib import Path

from research.harness.cell import Cell
from research.harness.starts import (
    Corner,
    corner,
    draw_predictor,
    draw_starts,
    fresh_table,
    prediction_text,
    starts_table,
)
from research.harness.summary import summarize
from tests.research.harness.rows import row

PROGRAM = "catd;{place}follows=program;format=tt;penalty={weight}"


def test_a_cell_says_where_it_begins_and_where_its_suggestions_lie() -> None:
    def of(settings: str) -> Corner:
        return corner(Cell.parse(f"catd;{settings}"))

    assert of("beginning=scaled;format=cp;penalty=0.01;restrict_to_rules=true") == (
        "cp",
        "scaled",
        0.01,
        "inside the rules",
    )
    assert of("beginning_spread=0.5;doubts_rules=true;penalty=0.0") == ("tt", "N(0, 0.5²)", 0.0, "anywhere")
    assert of("beginning_spread=1.0;doubts_rules=false;penalty=1.0")[1:] == (
        "N(0, 1)",
        1.0,
        "anywhere, no spread outside",
    )


def test_runs_with_and_without_the_penalty_are_paired_and_predicted(tmp_path: Path) -> None:
    outside = {"0.0": (2, 3, 4), "1.0": ()}
    rows = [
        row(seed, 1.0, 9 - 3 * (weight == "1.0"), cell=cell, invalid_rounds=outside[weight], stopped="optimum")
        for weight in ("0.0", "1.0")
        for seed in range(5)
        for cell in [PROGRAM.format(place="doubts_rules=false;", weight=weight)]
    ]
    fresh = [
        row(0, cell=PROGRAM.format(place="", weight=weight), measure="fresh", series={"infeasible": [0.4, share]})
        for weight, share in (("0.0", 0.5), ("1.0", 0.005))
    ]
    summaries = summarize([*rows, *fresh])
    (line,) = starts_table(summaries).body
    assert line[:3] == ["TT", "anywhere, no spread outside", "N(0, 1)"]
    assert line[3:] == ["5/5", "9", "15", "5/5", "6", "0", "5 / 0 / 0", "0.062", "1 / 5"]
    assert [body[3] for body in fresh_table(fresh).body] == ["50 %", "0.5 %"]
    assert "As a predictor" in prediction_text(fresh, summaries)
    draw_starts(tmp_path / "a.png", summaries, ["gap-a"])
    draw_predictor(tmp_path / "b.png", fresh, summaries)
    assert (tmp_path / "a.png").exists() and (tmp_path / "b.png").exists()

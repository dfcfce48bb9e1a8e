"""Tables of feasible points: exactly the rows are feasible."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow import ProblemFileError
from hedgerow.importers import load_csv, read_csv
from hedgerow.space import Boolean, Categorical, Levels
from tests.importers.models import feasible

TEXT = """block, scale,kind, fast,version
16, 0.5, "a, b", true, 007
32, 2, c, False, 7
16, 0.5, c, TRUE, 007

32, 2, c, false, 7
"""


def test_exactly_the_rows_are_feasible() -> None:
    imported = read_csv(TEXT)
    rows = {tuple(point.values()) for point in feasible(imported)}
    assert rows == {(16, 0.5, "a, b", True, "007"), (32, 2.0, "c", False, "7"), (16, 0.5, "c", True, "007")}
    kinds = [type(variable) for variable in imported.space.variables.values()]
    assert kinds == [Levels, Levels, Categorical, Boolean, Categorical]
    assert feasible(imported, through_toml=True).count == 3
    assert any("4 rows hold 3 different" in note for note in imported.notes)


def test_a_full_table_needs_no_rule() -> None:
    assert read_csv("a;b\n1;x\n2;x\n1;y\n2;y\n").rules == ()


def test_columns_that_hold_measurements_are_left_out() -> None:
    imported = read_csv("a\tb\ttime\n1\t2\t0.3\n1\t3\t0.4\n1\t2\t0.5\n", columns=["b", "a"])
    assert list(imported.space) == ["a", "b"]
    assert feasible(imported).count == 2
    assert any("not variables: the columns time" in note for note in imported.notes)


@pytest.mark.parametrize("failed", ["9.5", "failed", ""])
def test_columns_that_look_like_measurements_are_noted(failed: str) -> None:
    rows = [f"{16 * (1 + k % 2)},{k // 2},{value}" for k, value in enumerate(["1.5", "1.25", "1.5", failed, "2"])]
    table = "block,tile,time\n" + "\n".join(rows) + "\n"
    notes = [note for note in read_csv(table).notes if "look like measurements" in note]
    assert len(notes) == 1
    assert notes[0].startswith("time: ")
    assert "--columns block,tile" in notes[0]
    assert "hedgerow tell PROBLEM --from FILE" in notes[0]
    assert not any("look like" in note for note in read_csv(table, columns=["block", "tile", "time"]).notes)


def test_names_that_rules_cannot_mention_are_renamed() -> None:
    imported = read_csv("block size,block-size,class,1st\n1,2,3,4\n2,1,3,5\n")
    assert list(imported.space) == ["block_size", "block_size_2", "class_", "_1st"]
    assert "'block-size' is block_size_2" in imported.notes[0]
    point = feasible(imported)[0]
    assert imported.original(point) == dict(
        zip(("block size", "block-size", "class", "1st"), point.values(), strict=True)
    )


def test_the_published_table_of_hsqldb_has_864_configurations(data_dir: Path) -> None:
    path = data_dir / "feature_models" / "hsqldb" / "measurements.csv"
    header = path.read_text(encoding="utf-8-sig").split("\n", 1)[0].split(";")
    imported = load_csv(path, columns=header[: header.index("revision")])
    assert feasible(imported).count == 864
    assert feasible(imported, through_toml=True).count == 864


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The file is empty"),
        ("a,b\n", "lists no point"),
        ("a,\n1,2\n", "Column 2 has no name"),
        ("a,a\n1,2\n", "Two columns are named 'a'"),
        ("a,b\n1,2\n1\n", "Line 3 has 1 cells, but the first line names 2"),
        ('a,b\n1,"2\n', "is not CSV"),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ProblemFileError, match=message):
        read_csv(text)


def test_unknown_columns_are_told() -> None:
    with pytest.raises(ProblemFileError, match="There is no column 'tiem'; did you mean 'time'"):
        read_csv("a,time\n1,2\n", columns=["tiem"])

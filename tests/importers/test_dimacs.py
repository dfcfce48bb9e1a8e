"""CNF files: names, folding of choices, and errors that name the line."""

from __future__ import annotations

from itertools import product

import pytest

from hedgerow import ProblemFileError
from hedgerow.importers import read_dimacs
from tests.importers.models import feasible, selections


def solutions(n_variables: int, clauses: list[list[int]]) -> set[frozenset[str]]:
    rows = product((False, True), repeat=n_variables)
    return {
        frozenset(f"x{place}" for place, value in enumerate(row, start=1) if value)
        for row in rows
        if all(any(row[abs(literal) - 1] is (literal > 0) for literal in clause) for clause in clauses)
    }


def text_of(n_variables: int, clauses: list[list[int]]) -> str:
    return f"p cnf {n_variables} {len(clauses)}\n" + "".join(" ".join(map(str, [*c, 0])) + "\n" for c in clauses)


@pytest.mark.parametrize(
    "clauses",
    [
        [[1, 2, 3], [-1, -2], [-1, -3], [-2, -3]],
        [[-4, 1, 2], [-1, -2], [-1, 4], [-2, 4]],
        [[-4, 1, 2], [-1, -2], [-1, 4]],
        # Each of two choices below a member of the other: only one can be folded below.
        [[-1, 2, 3], [-2, -3], [-2, 1], [-3, 1], [-2, 1, 4], [-1, -4], [-1, 2], [-4, 2]],
        # A choice whose members overlap with those of another.
        [[1, 2], [-1, -2], [2, 3], [-2, -3], [3, 4], [-3, -4]],
        [[1], [-1, 2], [1, -2], [-3], [3, -3], [4, 2]],
        [[1], [-1], [2, 3]],
        [[-1, 2], [1, -2], [-2, 3], [2, -3], [-1, 3], [1, -3], [-4, 3]],
        [[2, 1], [-1, -2], [3, -1, -1]],
    ],
)
def test_points_are_the_solutions(clauses: list[list[int]]) -> None:
    imported = read_dimacs(text_of(4, clauses))
    found = selections(imported)
    assert len(found) == len(set(found))
    assert set(found) == solutions(4, clauses)
    assert feasible(imported, through_toml=True).count == len(found)


def test_a_choice_is_one_variable() -> None:
    imported = read_dimacs(text_of(4, [[-4, 1, 2, 3], [-1, -2], [-1, -3], [-2, -3], [-1, 4], [-2, 4], [-3, 4]]))
    assert list(imported.space) == ["x4"]
    assert imported.rules == ()
    assert feasible(imported).count == 4


def test_names_come_from_comments_and_clauses_may_span_lines() -> None:
    text = "c a remark\nc 1 big table\nc 2$ small\n\np cnf 3 2\n1 2\n 0 -1\n-3 0\n%\n0\n"
    imported = read_dimacs(text)
    assert set(imported.meanings) == {"big table", "small", "x3"}
    assert list(imported.space) == ["big_table", "small", "x3"]
    assert feasible(imported).count == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no line 'p cnf"),
        ("1 0\np cnf 1 1\n", "Line 1 comes before"),
        ("p cnf x 1\n", "Line 1 should be 'p cnf VARIABLES CLAUSES', but is 'p cnf x 1'"),
        ("p cnf 1 1\np cnf 1 1\n", "Line 2 is a second 'p' line"),
        ("p cnf 0 0\n", "announces 0 variables"),
        ("p cnf 99999999 0\n", "announces 99,999,999 variables"),
        ("p cnf 2 1\n1 3 0\n", "Line 2: '3' is not a literal"),
        ("p cnf 2 1\n1 b 0\n", "Line 2: 'b' is not a literal"),
        ("p cnf 2 2\n1 2 0\n", "1 clauses, but the 'p' line announces 2"),
        ("c 1 a\nc 2 a\np cnf 2 1\n1 2 0\n", "Two variables are named 'a'"),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ProblemFileError, match=message):
        read_dimacs(text)


def test_a_few_bytes_do_not_stand_for_a_million_variables() -> None:
    with pytest.raises(ProblemFileError, match="at most 1,000 may be free"):
        read_dimacs("p cnf 1000000 1\n1 0\n")
    assert len(read_dimacs("p cnf 900 1\n1 2 0\n").space) == 900

"""UVL files: arithmetic over attributes, what is listed as not represented, and errors that name the line."""

from __future__ import annotations

from itertools import product

import pytest

from hedgerow import ProblemFileError
from hedgerow.importers import read_uvl
from tests.importers.models import feasible

SHOP = """
include
    Arithmetic.aggregate-function
features
    Shop {abstract}
        optional
            Search {cost 3, "time" 1.5}
            Cart {cost 4, size {x 2, y 3}, constraint Search => Cart}
            Gifts {cost 5, constraints [Gifts => Cart, !(Gifts & Search)]}
        or
            Card {cost 1}
            Bill {cost 2}
constraints
    sum(cost) <= 9 /* over
    two lines */ & Search.time + Cart.size.y < 4.5
"""


def test_attributes_count_where_their_feature_is_selected() -> None:
    def fits(search: bool, cart: bool, gifts: bool, card: bool, bill: bool) -> bool:
        cost = 3 * search + 4 * cart + 5 * gifts + card + 2 * bill
        inner = (not search or cart) and (not gifts or cart) and not (gifts and search) and (card or bill)
        return inner and cost <= 9 and 1.5 * search + 3 * cart < 4.5

    expected = {values for values in product((False, True), repeat=5) if fits(*values)}
    imported = read_uvl(SHOP)
    names = ("Search", "Cart", "Gifts", "Card", "Bill")
    assert {tuple(point[name] for name in names) for point in feasible(imported)} == expected
    assert feasible(imported, through_toml=True).count == len(expected)
    assert imported.missing == ()


def test_what_cannot_be_represented_is_listed_and_not_dropped() -> None:
    text = (
        "features\n  a\n    optional\n      Integer n\n      b cardinality [1..3]\n      c {label 'x'}\n"
        "constraints\n  n > 3 => b\n  c.label == 'x'\n  avg(label) > 2\n  b => c\n"
    )
    imported = read_uvl(text)
    assert len(imported.rules) == 1
    listed = "\n".join(imported.missing)
    for part in ("value of 'n' (Integer, line 4)", "'b' may be selected [1..3] times", "line 8", "line 9", "line 10"):
        assert part in listed
    assert "NOT REPRESENTED" in imported.to_toml()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no section 'features'"),
        ("features\n", "no section 'features'"),
        ("imports\n  other as o\nfeatures\n  a\n", "Line 2: imports of other files"),
        ("feature\n  a\n", "Line 1: 'feature' stands where a section"),
        ("features\n  a\n  b\n", "Line 3: 'b' is a second root"),
        ("features\n  a\n    b\n", "Line 3: 'b' stands where a group"),
        ("features\n  a\n    or\n", "Line 3: the group 'or' below 'a' has no features"),
        ("features\n  a\n    optional\n      a\n", "Line 4: there are two features 'a'"),
        ("features\n  a\n    optional\n      b c\n", "Line 4: 'b c' is not a feature"),
        ("features\n  a\n    optional\n      b {cost\n", "Line 4: a bracket is opened"),
        ("features\n  a /* b\n", "Line 2: a comment is opened"),
        ("features\n  a\n    optional\n      b\nconstraints\n  b => c\n", "Line 6: there is no feature 'c'"),
        ("features\n  a\n    optional\n      b\nconstraints\n  b.cost > 1\n", "feature 'b' has no attribute 'cost'"),
        ("features\n  a\n    optional\n      b\nconstraints\n  b =>\n", "Line 6: .*cannot be read at 'the end'"),
        ("features\n  a\n    optional\n      b\nconstraints\n  sum(cost) > 1\n", "no feature has the attribute 'cost'"),
        ("features\n  a\n    optional\n      b\nconstraints\n  " + "(" * 100 + "b" + ")" * 100, "nested more than"),
        ("features\n  a\n    mandatory\n      b\n", "at least one variable"),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ProblemFileError, match=message):
        read_uvl(text)


def test_ten_thousand_features_are_read() -> None:
    text = "features\n r\n  optional\n" + "".join(f"   f{i}\n" for i in range(10_000))
    assert len(read_uvl(text).space) == 10_000

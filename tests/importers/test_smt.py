"""SMT-LIB: the feasible points are the models, and errors name the line and the word that is not understood."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import hedgerow as hr
from hedgerow import ProblemFileError
from hedgerow.importers import read_smt
from tests.importers.models import feasible

NUMBERS = "(declare-const x Int)(declare-fun y () Int)(assert (and (<= 0 x) (< x 6)))(assert (>= 3 y (- 2)))"
FLAGS = "(declare-const a Bool)(declare-const b Bool)"


@pytest.mark.parametrize(
    ("term", "holds"),
    [
        ("(<= (+ x y) 4)", lambda x, y, a, b: x + y <= 4),
        ("(= (mod y 3) 1)", lambda x, y, a, b: y % 3 == 1),
        ("(= (div y 2) (- 1))", lambda x, y, a, b: y // 2 == -1),
        ("(=> a b (> x y))", lambda x, y, a, b: not a or not b or x > y),
        ("(xor a (= x 2))", lambda x, y, a, b: a != (x == 2)),
        ("(= a b (< x 3))", lambda x, y, a, b: a == b == (x < 3)),
        ("(distinct a b)", lambda x, y, a, b: a != b),
        ("(distinct x y 2)", lambda x, y, a, b: len({x, y, 2}) == 3),
        ("(ite a (< x y) (not b))", lambda x, y, a, b: x < y if a else not b),
        ("(< (ite a x (* 2 y)) 3)", lambda x, y, a, b: (x if a else 2 * y) < 3),
        ("(let ((s (- x y))) (let ((x s)) (>= (abs (- x 1)) 2)))", lambda x, y, a, b: abs(x - y - 1) >= 2),
        ("(or a (and b (>= (- x) y)))", lambda x, y, a, b: a or (b and -x >= y)),
        ("(>= (/ x 2) 1.5)", lambda x, y, a, b: x / 2 >= 1.5),
        ("(far x y)", lambda x, y, a, b: abs(x - y) > 2),
        ("(or (= x 1) (= 4 x) (= x 5))", lambda x, y, a, b: x in (1, 4, 5)),
        ("(! (or (= x 1) (= y 1)) :named either)", lambda x, y, a, b: 1 in (x, y)),
        ("(= x 3)", lambda x, y, a, b: x == 3),
        ("(< 1 x 5)", lambda x, y, a, b: 1 < x < 5),
    ],
)
def test_points_are_the_models(term: str, holds: Callable[[int, int, bool, bool], bool]) -> None:
    far = "(define-fun far ((u Int) (v Int)) Bool (let ((d (- u v))) (or (> d 2) (< d (- 2)))))"
    imported = read_smt(f"(set-logic QF_LIA) ; what for\n{NUMBERS}{FLAGS}{far}(assert {term})(check-sat)")
    expected = {row for row in product(range(6), range(-2, 4), (False, True), (False, True)) if holds(*row)}
    found = {tuple(point[name] for name in ("x", "y", "a", "b")) for point in feasible(imported)}
    assert found == expected
    assert feasible(imported, through_toml=True).count == len(expected)


def test_enumerations_names_and_reals() -> None:
    imported = read_smt("""
        (declare-datatype Color ((red) (green) (|light blue|)))
        (declare-datatypes ((Size 0)) ((small large)))
        (declare-const |my color| Color) (declare-const s Size) (declare-const r Real)
        (assert (! (=> (= |my color| |light blue|) (= s large)) :named |blue is large|))
        (assert (< 0.5 r)) (assert (<= r 2.0))
        (minimize r)
    """)
    assert imported.space["my_color"] is not None
    assert imported.space.variables["my_color"] == hr.Categorical(["red", "green", "light blue"])
    assert imported.space.variables["r"] == hr.Real(0.5, 2.0)
    assert [rule.name for rule in imported.rules] == ["blue is large", None]
    assert imported.missing == ("line 7, 'minimize': an objective",)
    assert imported.original({"my_color": "red", "s": "small", "r": 1.0})["my color"] == "red"
    points = hr.FeasibleSet(imported.space, imported.rules)
    assert {"my_color": "light blue", "s": "small", "r": 1.0} not in points
    assert {"my_color": "red", "s": "small", "r": 0.5} not in points


def test_ranges_that_are_listed_become_levels() -> None:
    text = "(declare-const x Int)(assert (or (= x 8) (= x 16) (= x 64)))(assert (< x 64))"
    assert read_smt(text).space.variables["x"] == hr.Levels([8, 16])
    assert read_smt(text).rules == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Nothing is declared"),
        ("(declare-const x Int)", "Line 1: 'x' has no lowest value. Assert one of it alone"),
        ("(declare-const x Int)\n(assert (>= x 0))", "Line 1: 'x' has no highest value"),
        ("(declare-const x Int)(assert (<= 5 x 4))", "no value of 'x' keeps"),
        ("(declare-const x (_ BitVec 8))", "a sort of several words is no sort that is understood: 'Bool'"),
        ("(declare-const x Strng)", "'Strng' is no sort"),
        ("(declare-fun f (Int) Int)", "'f' is a function of something"),
        ("(declare-const x Bool)\n(assert (nand x x))", "Line 2: 'nand' is not understood; did you mean 'and'"),
        ("(declare-const x Bool)\n\n(assert (not y))", "Line 3: 'y' was not declared"),
        ("(declare-const x Bool)(assert (< x 2))", "Int or Real is wanted here, but this is Bool"),
        ("(declare-const x Bool)(assert (= x 2))", "compares terms of one sort, not Bool, Int"),
        ("(declare-const x Int)(assert (<= 0 x 9))(assert (= (mod 7 x) 1))", "'mod' is understood with a positive"),
        ("(declare-const x Int)(assert (<= 0 x 9))(assert (= (/ 7 x) 1))", "'/' is understood with a number other"),
        ("(declare-const x Bool)(declare-const x Bool)", "'x' is declared twice"),
        ("(declare-const x Bool)(push 1)", "the command 'push' is not understood"),
        ("(declare-const x Bool", "Line 1: a bracket is opened that does not close"),
        ("(declare-const x Bool))", "a bracket closes that was not opened"),
        ("x", "'x' stands outside of any command"),
        ("(declare-const |x Bool)", "a text or a name in bars does not end"),
        ("(" * 300, "nested more than 200 deep"),
        ("(declare-const x Bool)(assert " + "(not " * 150 + "x" + ")" * 151, "nested more than 60 deep"),
    ],
)
def test_what_is_not_understood_is_named(text: str, message: str) -> None:
    with pytest.raises(ProblemFileError) as caught:
        read_smt(text)
    assert message in str(caught.value)


def test_definitions_that_stand_for_too_much_are_refused() -> None:
    lines: list[Any] = ["(declare-const x Bool)(define-fun k ((p Bool) (q Bool)) Bool p)(define-fun f0 () Bool x)"]
    lines += [f"(define-fun f{n} () Bool (k f{n - 1} f{n - 1}))" for n in range(1, 60)]
    with pytest.raises(ProblemFileError, match="more than 1,000,000 terms"):
        read_smt("\n".join([*lines, "(assert f59)"]))

"""The kinds of spaces and of rules on which a method must work: one list, which drives all checks."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.space import Integer, Real, Space, Vector


@dataclass(frozen=True)
class Case:
    """A space with rules, and how many trials to run on it.

    Parameters
    ----------
    space_kind, rule_kind
        What is special about them, in words.
    space, rules
        The problem.
    n_trials
        How many trials a check runs; at most the number of feasible points.
    """

    space_kind: str
    rule_kind: str
    space: Space
    rules: tuple[str, ...]
    n_trials: int

    def __str__(self) -> str:
        return f"{self.space_kind}, {self.rule_kind}"


MIXED = Case(
    "numbers, names and a switch",
    "a fixed sum, an implication and a comparison",
    Space({"x": Vector(Integer(0, 3), 3), "kind": ["a", "b", "c"], "flag": bool}),
    ("sum(x) == 4", "kind != 'a' or flag", "x[0] <= x[1] or kind == 'c'"),
    25,
)
CASES = (
    MIXED,
    Case("one variable", "no rule", Space({"x": [1, 2, 3, 4, 5, 6, 7, 8]}), (), 8),
    Case("two variables", "a rule that leaves one point", Space({"x": [1, 2], "y": [1, 2]}), ("x + y == 2",), 1),
    Case(
        "a variable of one level", "different values", Space({"a": [7], "b": [1, 2, 3], "c": [1, 2, 3]}), ("b != c",), 6
    ),
    Case("200 switches", "a count", Space({"x": Vector(bool, 200)}), ("sum(x) == 3",), 6),
    Case(
        "too many points to list",
        "a fixed sum",
        Space({"x": Vector(Integer(0, 9), 12)}),
        ("sum(x) == 54", "all(x >= 1)"),
        6,
    ),
)
# Variables that take any real number: for methods that know them.
REAL_CASES = (
    Case(
        "reals, a number and names",
        "a product and a comparison",
        Space({"x": Real(0, 4), "rate": Real(1e-4, 1.0, log=True), "n": Integer(1, 5), "kind": ["a", "b"]}),
        ("x * n <= 8", "rate <= 0.1 or kind == 'b'"),
        6,
    ),
    Case(
        "a real with a condition",
        "an equality between reals",
        Space({"kind": ["a", "b"], "x": Real(0, 1), "y": Real(0, 1), "drop": Real(0.0, 0.5, when="kind == 'a'")}),
        ("x + y == 1", "drop <= x"),
        5,
    ),
)

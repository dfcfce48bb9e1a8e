"""What notebooks and prompts show: one short line, and a page in which all text stays text."""

from __future__ import annotations

import re
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.web import Html

SPACE = hr.Space({"a": hr.Integer(0, 3), "b": ["x", "y"]})
FEASIBLE = hr.FeasibleSet(SPACE, {"small": "a <= 1", "pair": "a == 0 or b == 'x'"})
HOSTILE = "<script>alert('a')</script>"
HOSTILE_SPACE = hr.Space({"a": [HOSTILE, "y", "z"], "b": [0, 1]})
HOSTILE_SET = hr.FeasibleSet(
    HOSTILE_SPACE, [hr.Rule(f"a == {HOSTILE!r} or b == 1", name=HOSTILE), hr.Rule("a != 'z'", name="<b>'\"&")]
)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (SPACE, "Space({'a': Integer(low=0, high=3, step=1), 'b': Categorical(categories=('x', 'y'))})"),
        (FEASIBLE, "<FeasibleSet: 3 of 8 points, 2 rules>"),
        (hr.FeasibleSet(SPACE, ["a <= 1"]), "<FeasibleSet: 4 of 8 points, 1 rule>"),
        (FEASIBLE.doctor(), "<Diagnosis: 3 of 8 points feasible, 1 finding>"),
        (FEASIBLE.explain({"a": 0, "b": "y"}), "<Explanation: every rule is kept>"),
        (FEASIBLE.explain({"a": 3, "b": "y"}), "<Explanation: breaks 'small' and 'pair'>"),
        (hr.Rule("a < 3"), "Rule('a < 3')"),
        (hr.Rule("a < 3", name="limit"), "Rule('a < 3', name='limit')"),
        (FEASIBLE.completions({"a": 1}), "<Completions: 1 point>"),
    ],
)
def test_one_line_says_what_it_is(shown: object, text: str) -> None:
    assert repr(shown) == text


@pytest.mark.parametrize(
    "shown",
    [
        HOSTILE_SPACE,
        HOSTILE_SET,
        hr.FeasibleSet(HOSTILE_SPACE, [f"a != {HOSTILE!r}"]).doctor(),
        HOSTILE_SET.explain({"a": "y", "b": 0}),
        hr.Rule(f"a == {HOSTILE!r}", name=HOSTILE),
        hr.Rule(HOSTILE_SPACE["a"] == HOSTILE, name=HOSTILE),
    ],
)
def test_text_stays_text(shown: Any) -> None:
    page = shown._repr_html_()
    assert isinstance(page, Html)
    assert "script" in page
    assert set(re.findall(r"</?(\w+)", page)) <= {"div", "strong", "table", "tr", "th", "td", "ul", "li", "code"}


def test_a_front_with_conditions_keeps_its_columns() -> None:
    space = hr.Space({"kind": ["a", "b"], "depth": hr.Integer(1, 3, when="kind == 'a'"), "x": [1, 2]})
    optimizer = hr.Optimizer(space, objectives={"time": "minimize", "cost": "minimize"})
    optimizer.tell({"kind": "b", "x": 2}, {"time": 1.0, "cost": 2.0})
    optimizer.tell({"kind": "a", "depth": 3, "x": 1}, {"time": 2.0, "cost": 1.0})
    page = optimizer._repr_html_()
    assert "<th>time</th><th>cost</th><th>kind</th><th>x</th><th>depth</th>" in page
    assert "<td>&#x27;b&#x27;</td><td>2</td><td></td>" in page
    assert "<td>&#x27;a&#x27;</td><td>1</td><td>3</td>" in page


def test_importance_is_a_short_table() -> None:
    optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)}), method="random")
    for point in optimizer.ask(30):
        optimizer.tell(point, 5.0 * point["x"] + point["y"])
    importance = optimizer.importance()
    assert repr(importance).startswith("Importance(value: x: 9")
    page = importance._repr_html_()
    assert "<strong>Shares of the variance of value</strong>" in page
    assert page.index("<th>x</th>") < page.index("<th>y</th>")


def test_a_page_names_what_is_broken_and_why() -> None:
    page = FEASIBLE.explain({"a": 3, "b": "y"})._repr_html_()
    assert "<th>small</th><td>it is false</td><td>a = 3</td><td></td><td><code>a &lt;= 1</code></td>" in page
    assert FEASIBLE.explain({"a": 0, "b": "y"})._repr_html_() == "<div>The point satisfies every rule.</div>"


def test_a_page_of_many_variables_is_short() -> None:
    space = hr.Space({f"v{i}": [HOSTILE * 40, "y"] for i in range(2000)})
    assert len(space._repr_html_()) < 20_000
    assert "and 1,960 more" in space._repr_html_()


def test_functions_are_shown_by_name() -> None:
    def is_small(a: int) -> bool:
        return a < 2

    assert hr.Rule(is_small)._repr_html_() == "<div><code>is_small</code></div>"


def test_the_best_point_is_shown_with_its_margins() -> None:
    space = hr.Space({"a": hr.Integer(0, 9), "b": hr.Integer(0, 9)})
    rules = {"<b>cap": "a + b <= 9", "far": "a <= 8"}
    optimizer = hr.Optimizer(space, rules, direction="maximize")
    for point in ({"a": 4, "b": 5}, {"a": 1, "b": 1}):
        optimizer.tell(point, point["a"] * point["b"])
    for page in (optimizer._repr_html_(), optimizer.result()._repr_html_()):
        assert isinstance(page, Html)
        assert "<th>&lt;b&gt;cap</th><td>9 ≤ 9</td><td>0 (binds)</td>" in page
        assert "<th>far</th><td>4 ≤ 8</td><td>4</td>" in page
        assert page.index("cap") < page.index("far")


def test_a_front_is_a_table() -> None:
    optimizer = hr.Optimizer(SPACE, objectives={"time": "minimize", "gain": "maximize"})
    assert "table" not in optimizer._repr_html_()
    for number, (a, b) in enumerate([(0, "x"), (1, "y"), (2, "x")]):
        optimizer.tell({"a": a, "b": b}, {"time": 3.0 - number, "gain": 5.0 - number})
    for page in (optimizer._repr_html_(), optimizer.result()._repr_html_()):
        assert "<th>time</th><th>gain</th><th>a</th><th>b</th>" in page
        assert page.count("<tr>") == 4


def test_the_doctor_shows_what_each_rule_keeps() -> None:
    page = FEASIBLE.doctor()._repr_html_()
    assert "<tr><th>small</th><td>0.5</td></tr><tr><th>pair</th><td>0.625</td></tr>" in page

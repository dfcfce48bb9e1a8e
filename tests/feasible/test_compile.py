"""Compilation: any order of the variables gives the same set, and the order chosen is a permutation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import Integer, Space, Vector
from hedgerow.diagram.effort import Effort
from hedgerow.diagram.walk import accepts
from hedgerow.feasible.compile import compile_rules, conjoin
from hedgerow.feasible.ordering import choose_order, profile
from hedgerow.rules import bind_rules
from tests.diagram.diagrams import all_rows, diagram_of
from tests.oracles import BruteForce
from tests.strategies import Problem, examples, problems


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@examples(120)
@given(problems(max_points=150), st.data())
def test_every_order_gives_the_same_set(problem: Problem, data: st.DataObject) -> None:
    brute = BruteForce(problem.space, problem.rules)
    order = data.draw(st.permutations(range(len(brute.domains))))
    compiled = compile_rules(problem.space, bind_rules(problem.space, problem.texts), order=order)
    rows = np.array(brute.rows)[:, order]
    assert accepts(compiled.diagram, rows).tolist() == brute.is_feasible
    assert compiled.is_exact


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@examples(80)
@given(problems(max_rules=4))
def test_the_chosen_order_holds_every_slot_once(problem: Problem) -> None:
    domains = [slot.variable.values for slot in problem.space.slots]
    rules = bind_rules(problem.space, problem.texts)
    order = choose_order(problem.space.sizes, [profile(rule.expression, domains) for rule in rules])
    assert sorted(order) == list(range(len(domains)))


def test_the_order_pulls_the_variables_of_a_rule_together() -> None:
    space = Space({"x": Vector(Integer(0, 9), 12)})
    rules = bind_rules(space, [f"x[{i}] == x[{i + 6}]" for i in range(6)])
    compiled = compile_rules(space, rules)
    assert all(abs(compiled.layer_of[i] - compiled.layer_of[i + 6]) == 1 for i in range(6))
    assert compiled.diagram.n_nodes < 100


def test_what_does_not_fit_stays_outside_in_groups() -> None:
    rows = all_rows((3, 3, 3))
    diagrams = [
        diagram_of([row for row in rows if row[0] != row[1]], (3, 3, 3)),
        diagram_of([row for row in rows if row[1] != row[2]], (3, 3, 3)),
        diagram_of([row for row in rows if sum(row) % 2], (3, 3, 3)),
    ]
    joined, outside = conjoin(diagrams, Effort())
    assert not outside
    wanted = [row[0] != row[1] != row[2] and sum(row) % 2 == 1 for row in rows]
    assert accepts(joined, np.array(rows)).tolist() == wanted
    joined, outside = conjoin(diagrams, Effort(max_edges=1))
    members = sorted(member for group in outside for member in group.members)
    assert len(members) == 2
    kept = accepts(joined, np.array(rows))
    for group in outside:
        kept &= accepts(group.diagram, np.array(rows))
    assert kept.tolist() == wanted

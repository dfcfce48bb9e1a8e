"""Every kind of expression has its place in every table: one that is forgotten somewhere fails here, not in a rule."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
import pytest

from hedgerow import FeasibleSet, Integer, Ordinal, Permutation, Space, Vector
from hedgerow import expressions as language
from hedgerow.expressions import Expression, Opaque, Scalar, Slot
from hedgerow.feasible.compile import Part
from hedgerow.feasible.engines.evaluate_rows import RowEvaluator
from hedgerow.feasible.engines.solved import RuleSet
from hedgerow.feasible.machines import Compiler
from hedgerow.feasible.ordering import profile
from hedgerow.rules import BoundRule, Rule, RuleLike, bind_rules
from hedgerow.rules.evaluate import _EVALUATORS
from hedgerow.rules.parse import parse_rule
from hedgerow.rules.resolve import _RESOLVERS
from hedgerow.rules.simplify import conjuncts, signed_terms
from hedgerow.space.encoding import slot_values
from tests.oracles import quiet_set

SPACE = Space(
    {
        "a": [0, 1, 2],
        "b": [-1, 1],
        "p": bool,
        "size": Ordinal(["s", "m", "l"]),
        "v": Vector([0, 1, 2], 3),
        "c": Integer(0, 1, when="p"),
        "o": Permutation(["x", "y"]),
    }
)
ROWS = np.array(list(itertools.product(*(range(size) for size in SPACE.sizes))))

# A rule for each kind of node. A new kind needs a line here, and then passes through everything below.
EXAMPLES: dict[type[Expression], RuleLike] = {
    language.Constant: "a == 1 or b == 1",
    language.Name: "p",
    language.Item: "v[1] == a",
    language.Position: "position(o, 'x') == a or before(o, 'y', 'x')",
    language.Listing: "a in [b, 2]",
    language.Slot: Slot(0, "a") > Slot(1, "b"),
    language.Active: "active(c) or a == 0",
    language.Rank: "size >= 'm' or a == 0",
    language.Negative: "-a <= b",
    language.Not: "not (a == b)",
    language.Absolute: "abs(a + b) == 1",
    language.Arithmetic: "a // b >= 0 and 2 % (a + b) == 0",
    language.Fold: "a + b * v[0] >= 1 and (p or a)",
    language.Reduction: "sum(v) + min(v) + count(v == 1) > max(a, b) and all(v) or increasing(v)",
    language.Comparison: "a != v[2]",
    language.Membership: "a in v",
    language.Choice: "(a if p else b) > 0",
    language.AllDifferent: "all_different(v, ignore=0)",
    language.AllowedTuples: "table([a, b, p], [(0, 1, True), (2, -1, False)])",
    language.Contains: "contains(v, [1, 2])",
    language.LongestRun: "longest_run(v) >= 2",
    language.Opaque: lambda a, v: a in v,
}

# Resolution does away with these, and a listing is read by what holds it: a membership, or a function.
UNRESOLVED = {language.Name, language.Item, language.Position, language.Reduction, language.Listing}
# Resolution makes these, so nobody writes them.
MADE = {language.Rank}
# One variable at most: the plain evaluator is asked.
BY_CODE = {language.Constant, language.Slot, language.Active}


def all_nodes(base: type[Expression] = Expression) -> Iterator[type[Expression]]:
    for node in base.__subclasses__():
        if node.__module__.startswith("hedgerow."):
            yield node
            yield from all_nodes(node)


NODES = sorted(set(all_nodes()), key=lambda node: node.__name__)


def parts(expression: Expression) -> Iterator[Expression]:
    yield expression
    for child in expression.children:
        yield from parts(child)


def bound(node: type[Expression]) -> BoundRule:
    return bind_rules(SPACE, [EXAMPLES[node]])[0]


def test_every_node_has_an_example_and_is_exported() -> None:
    assert set(EXAMPLES) == set(NODES)
    assert {node.__name__ for node in NODES} <= set(language.__all__)


@pytest.mark.parametrize("node", NODES)
def test_the_example_holds_the_node(node: type[Expression]) -> None:
    rule = bound(node)
    kinds = {type(part) for expression in (rule.written, rule.expression) for part in parts(expression)}
    assert node in kinds


def test_every_node_that_can_be_written_is_resolved() -> None:
    assert set(_RESOLVERS) == set(NODES) - MADE


def test_every_resolved_node_is_evaluated() -> None:
    assert set(_EVALUATORS) == set(NODES) - UNRESOLVED


def test_every_resolved_node_has_one_machine() -> None:
    truths, values = set(Compiler._TRUTHS), set(Compiler._VALUES)
    assert truths | values == set(NODES) - UNRESOLVED - BY_CODE
    assert not truths & values


@pytest.mark.parametrize("node", NODES)
def test_children_are_all_expressions_inside(node: type[Expression]) -> None:
    for expression in (bound(node).written, bound(node).expression):
        for part in parts(expression):
            inside: list[Expression] = []
            for field in fields(part):  # type: ignore[arg-type]
                value = getattr(part, field.name)
                inside += [item for item in (value if isinstance(value, tuple) else (value,)) if _is_node(item)]
            assert list(map(id, part.children)) == list(map(id, inside))


def _is_node(value: object) -> bool:
    return isinstance(value, Expression)


@pytest.mark.parametrize("node", [node for node in NODES if node not in (Opaque, Slot)])
def test_text_parses_back_to_the_same_rule(node: type[Expression]) -> None:
    again = bind_rules(SPACE, [parse_rule(str(bound(node).written))])[0]
    assert _verdicts(again) == _verdicts(bound(node))


@pytest.mark.parametrize("budget", [None, 1])
@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("node", NODES)
def test_compiled_and_plain_evaluation_agree(node: type[Expression], negated: bool, budget: int | None) -> None:
    written = bound(node).written
    rules = [Rule(~written if negated else written, name="example")]
    feasible = quiet_set(SPACE, rules, node_budget=budget)
    verdicts = zip(*map(_verdicts, feasible.rules), strict=True)
    assert feasible.codes.accepts(ROWS).tolist() == [all(of_rules) for of_rules in verdicts]


@pytest.mark.parametrize("node", NODES)
def test_many_rows_are_evaluated_as_one_by_one(node: type[Expression]) -> None:
    rule = bound(node)
    evaluator = RowEvaluator(rule.expression, [slot.levels for slot in SPACE.slots])
    assert evaluator.holds(lambda slot: ROWS[:, slot], ROWS.shape[0]).tolist() == _verdicts(rule)


@pytest.mark.parametrize("node", NODES)
def test_the_solver_finds_rows_that_keep_the_rule(node: type[Expression]) -> None:
    rule = bound(node)
    if not any(_verdicts(rule)):
        return
    rules = RuleSet([Part(0, rule.expression, None)], range(len(SPACE.slots)), [s.levels for s in SPACE.slots])
    found = rules.solver.find(np.random.default_rng(0)).row
    assert found is not None and rule.holds(slot_values(SPACE, found))


@pytest.mark.parametrize("node", NODES)
def test_every_node_can_be_profiled_explained_and_taken_apart(node: type[Expression]) -> None:
    rule = bound(node)
    domains = [slot.levels for slot in SPACE.slots]
    assert conjuncts(rule.expression)
    assert signed_terms(rule.expression)
    assert set(profile(rule.expression, domains).slots) == set(rule.slots)
    feasible = quiet_set(SPACE, [EXAMPLES[node]])
    explanations = [
        feasible.explain(point) for point in (feasible.sample(1, seed=0) + feasible.sample_infeasible(1, seed=0))
    ]
    assert [explanation.is_feasible for explanation in explanations] == [True, False]


@dataclass(frozen=True, eq=False, repr=False)
class Unknown(Expression):
    """A node that no table knows."""

    left: Expression
    right: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        """Both sides."""
        return (self.left, self.right)


def test_a_node_without_a_machine_is_named() -> None:
    feasible = FeasibleSet(SPACE)
    compiler = Compiler(feasible._domains, range(len(SPACE.slots)), None)  # type: ignore[arg-type]
    for compiled in (compiler.truth, compiler.value):
        with pytest.raises(NotImplementedError, match="No machine is known for Unknown"):
            compiled(Unknown(Slot(0, "a"), Slot(1, "b")))


def _assignments() -> Iterator[list[Scalar | None]]:
    return (slot_values(SPACE, row) for row in ROWS)


def _verdicts(rule: BoundRule) -> list[bool]:
    return [rule.holds(slot_values(SPACE, row)) for row in ROWS]

"""Giving names their meaning: an expression and a space in, an expression over scalar slots out.

Vectors are unrolled, comparisons of ordinal labels become comparisons of ranks, parts without variables are
computed, and what cannot make sense (an unknown name, text compared with a number) is refused with the place in the
text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NoReturn

from hedgerow.errors import RuleError
from hedgerow.expressions import (
    Absolute,
    Active,
    AllDifferent,
    AllowedTuples,
    Arithmetic,
    Choice,
    Comparison,
    Constant,
    Contains,
    Expression,
    Fold,
    Item,
    Listing,
    LongestRun,
    Membership,
    Name,
    Negative,
    Not,
    Opaque,
    Position,
    Rank,
    Reduction,
    Slot,
)
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.extent import WrittenOut, check_extent
from hedgerow.rules.parse import fail_at
from hedgerow.rules.simplify import every
from hedgerow.space.domains import Vector
from hedgerow.space.labels import Ordinal
from hedgerow.space.permutation import Permutation
from hedgerow.space.shares import Shares
from hedgerow.space.space import Space, component_names
from hedgerow.wording import suggestion

NUMBER, TEXT = "a number", "text"


def resolve(expression: Expression, space: Space, source: str) -> tuple[Expression, list[str]]:
    """Return the rule over slots, and remarks on what is legal but probably not meant."""
    check_extent(expression)
    resolver = _Resolver(space, source)
    resolved = resolver.resolve(expression)
    if isinstance(resolved, Listing):
        resolver.fail(
            expression,
            f"The rule gives {len(resolved.items)} truth values, one per component; wrap it in all(...) or count(...)",
        )
    return resolved, resolver.remarks


def slots_of(expression: Expression) -> tuple[int, ...]:
    """Return the positions of the slots that a resolved expression reads, in increasing order."""
    found: set[int] = set()
    seen: set[int] = set()
    stack = [expression]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Slot):
            found.add(node.position)
        stack.extend(node.children)
    return tuple(sorted(found))


class _Resolver:
    def __init__(self, space: Space, source: str) -> None:
        self.space = space
        self.source = source
        self.remarks: list[str] = []
        self._resolved: dict[Expression, Expression] = {}
        self._kinds: dict[Expression, frozenset[str]] = {}
        self._size = WrittenOut()

    def fail(self, node: Expression, message: str) -> NoReturn:
        fail_at(self.source, _column(node), message)

    def resolve(self, node: Expression) -> Expression:
        # Parts that are mentioned twice, as the middle of a chained comparison, stay one part.
        if node not in self._resolved:
            self._resolved[node] = self._resolve(node)
        return self._resolved[node]

    def _resolve(self, node: Expression) -> Expression:
        resolved = _RESOLVERS[type(node)](self, node)
        self._size.check(resolved)
        if not isinstance(resolved, Constant | Listing | Slot) and not slots_of(resolved):
            return self._computed(resolved, node)
        return resolved

    def _computed(self, resolved: Expression, node: Expression) -> Constant:
        try:
            return Constant(evaluate(resolved, ()))
        except ArithmeticError as error:
            self.fail(node, f"'{node}' cannot be computed: {error}")
        except RuleError as error:
            self.fail(node, str(error).rstrip("."))

    def scalar(self, node: Expression) -> Expression:
        resolved = self.resolve(node)
        if isinstance(resolved, Listing):
            self.fail(
                node,
                f"'{node}' is a whole vector or list where one value is needed; index it, or use sum(), count(), all()",
            )
        return resolved

    def number(self, node: Expression) -> Expression:
        """Resolve an operand of arithmetic."""
        return self._checked_number(self.scalar(node), node)

    def _checked_number(self, resolved: Expression, node: Expression) -> Expression:
        if TEXT in self.kinds(resolved):
            self.fail(node, f"'{node}' is text, but arithmetic needs numbers")
        return resolved

    def flat(self, nodes: tuple[Expression, ...]) -> list[Expression]:
        """Resolve several arguments, unrolling vectors and lists."""
        items: list[Expression] = []
        for node in nodes:
            resolved = self.resolve(node)
            items += resolved.items if isinstance(resolved, Listing) else [resolved]
        return items

    def kinds(self, node: Expression) -> frozenset[str]:
        """Return which kinds of value a resolved scalar can have; booleans are numbers, as in Python."""
        if node not in self._kinds:
            self._kinds[node] = self._kinds_of(node)
        return self._kinds[node]

    def _kinds_of(self, node: Expression) -> frozenset[str]:
        if isinstance(node, Constant):
            return frozenset({TEXT if isinstance(node.value, str) else NUMBER})
        if isinstance(node, Slot):
            values = self.space.slots[node.position].variable.values
            return frozenset(TEXT if isinstance(value, str) else NUMBER for value in values)
        if isinstance(node, Choice):
            return self.kinds(node.yes) | self.kinds(node.no)
        if isinstance(node, Fold) and node.operator in ("and", "or"):
            return frozenset().union(*(self.kinds(item) for item in node.items))
        return frozenset({NUMBER})

    def _hint(self, unknown: str) -> str:
        """Return what may have been meant by a name that no variable has."""
        whole = (name for name, variable in self.space.variables.items() if unknown in getattr(variable, "names", ()))
        found = next(whole, None)
        return suggestion(unknown, list(self.space)) if found is None else f"; it is a share: {found}[{unknown!r}]"

    # --- one method per kind of node ---

    def name(self, node: Name) -> Expression:
        if node.name not in self.space:
            self.fail(node, f"There is no variable '{node.name}'{self._hint(node.name)}")
        start = self.space.first_slot[node.name]
        variable = self.space.variables[node.name]
        if not isinstance(variable, Vector):
            return Slot(start, node.name)
        if isinstance(variable, Permutation):
            item = variable.items[0]
            self.fail(
                node,
                f"'{node.name}' is an order of items, which rules read by position({node.name}, {item!r}), "
                f"before({node.name}, {item!r}, {variable.items[1]!r}) and adjacent(...)",
            )
        return self._unrolled(node.name, variable)

    def _unrolled(self, name: str, variable: Vector) -> Listing:
        start, components = self.space.first_slot[name], component_names(variable)
        return Listing(tuple(Slot(start + i, f"{name}[{c!r}]") for i, c in enumerate(components)))

    def position(self, node: Position) -> Expression:
        """`position(jobs, 'wash')`: the slot of an item."""
        name = node.order.name if isinstance(node.order, Name) else None
        variable = self.space.variables.get(name) if name is not None else None
        if not isinstance(variable, Permutation):
            if name is None or name not in self.space:
                self.resolve(node.order)
            self.fail(node, f"'{node.order}' is no order of items; only hr.Permutation is")
        if node.item not in variable.items or isinstance(node.item, bool):
            near = suggestion(str(node.item), [str(item) for item in variable.items])
            self.fail(node, f"'{name}' has no item {node.item!r}{near}")
        place = self.space.first_slot[str(name)] + variable.items.index(node.item)
        return Slot(place, str(node))

    def item(self, node: Item) -> Expression:
        single = self._share(node) if isinstance(node.index, str) else self._single_item(node)
        if single is not None:
            return single
        vector = self.resolve(node.vector)
        if not isinstance(vector, Listing):
            self.fail(node, f"'{node.vector}' is not a vector, so it cannot be indexed")
        try:
            part = vector.items[node.index]  # type: ignore[index]
        except (IndexError, ValueError, TypeError):
            self.fail(node, f"'{node}' is outside the vector '{node.vector}' of length {len(vector.items)}")
        return Listing(part) if isinstance(part, tuple) else part

    def _share(self, node: Item) -> Slot:
        """`mix['wax']`: a component by its name."""
        name = node.vector.name if isinstance(node.vector, Name) else None
        variable = self.space.variables.get(name) if name is not None else None
        if not isinstance(variable, Shares):
            self.resolve(node.vector)
            self.fail(node, f"'{node.vector}' has no components with names; only hr.Shares does")
        if node.index not in variable.names:
            near = suggestion(str(node.index), variable.names)
            self.fail(node, f"'{node.vector}' has no share of {node.index!r}{near}")
        place = self.space.first_slot[str(name)] + variable.names.index(str(node.index))
        return Slot(place, str(node))

    def _single_item(self, node: Item) -> Slot | None:
        """`x[3]` without unrolling the whole vector."""
        if not isinstance(node.vector, Name) or not isinstance(node.index, int):
            return None
        variable = self.space.variables.get(node.vector.name)
        if isinstance(variable, Permutation):
            self.name(node.vector)
        if not isinstance(variable, Vector) or not -variable.length <= node.index < variable.length:
            return None
        index = node.index % variable.length
        return Slot(self.space.first_slot[node.vector.name] + index, f"{node.vector.name}[{index}]")

    def broadcast(
        self, operands: list[Expression], node: Expression, build: Callable[[list[Expression]], Expression]
    ) -> Expression:
        """Apply `build` once, or component by component where an operand is a vector."""
        lengths = {len(operand.items) for operand in operands if isinstance(operand, Listing)}
        if not lengths:
            return build(operands)
        if len(lengths) > 1:
            self.fail(
                node,
                f"'{node}' combines vectors of different lengths: {', '.join(map(str, sorted(lengths)))}",
            )
        rows = (
            [operand.items[i] if isinstance(operand, Listing) else operand for operand in operands]
            for i in range(lengths.pop())
        )
        return Listing(tuple(build(row) for row in rows))

    def elementwise(self, node: Expression) -> Expression:
        """Operators with numeric operands."""
        operands = [self.resolve(child) for child in node.children]

        def build(items: list[Expression]) -> Expression:
            for item, child in zip(items, node.children, strict=True):
                self._checked_number(item, child)
            if isinstance(node, Fold):
                return Fold(node.operator, tuple(items))
            if isinstance(node, Arithmetic):
                return Arithmetic(node.operator, items[0], items[1])
            return Negative(items[0]) if isinstance(node, Negative) else Absolute(items[0])

        return self.broadcast(operands, node, build)

    def fold(self, node: Fold) -> Expression:
        if node.operator in ("+", "*"):
            return self.elementwise(node)
        operands = [self.resolve(item) for item in node.items]
        return self.broadcast(operands, node, lambda items: Fold(node.operator, tuple(items)))

    def negation(self, node: Not) -> Expression:
        return self.broadcast([self.resolve(node.operand)], node, lambda items: Not(items[0]))

    def choice(self, node: Choice) -> Expression:
        operands = [self.resolve(child) for child in node.children]
        return self.broadcast(operands, node, lambda items: Choice(items[0], items[1], items[2]))

    def comparison(self, node: Comparison) -> Expression:
        operands = [self.resolve(node.left), self.resolve(node.right)]
        return self.broadcast(operands, node, lambda items: self.compared(node, items[0], items[1]))

    def compared(self, node: Comparison, left: Expression, right: Expression) -> Expression:
        if not self.kinds(left) & self.kinds(right):
            self._fail_kinds(node, node.left, left, node.right, right)
        if node.operator in ("==", "!="):
            self._remark_unknown(left, right)
            self._remark_unknown(right, left)
            return Comparison(node.operator, left, right)
        labels = self._ordinal_labels(left) or self._ordinal_labels(right)
        if labels is not None:
            ranked = [self._ranked(side, labels, node) for side in (left, right)]
            return Comparison(node.operator, ranked[0], ranked[1])
        if len(self.kinds(left) | self.kinds(right)) > 1:
            self._fail_kinds(node, node.left, left, node.right, right)
        if TEXT in self.kinds(left) and any(
            self._ordinal_labels(part) for part in _depth_first(Listing((left, right)))
        ):
            self.fail(node, f"'{node}' would compare ordinal labels as text; compare the variable itself with a label")
        if TEXT in self.kinds(left) and slots_of(Listing((left, right))):
            self._fail_unordered(node, left, right)
        return Comparison(node.operator, left, right)

    def _fail_unordered(self, node: Comparison, left: Expression, right: Expression) -> NoReturn:
        position = slots_of(Listing((left, right)))[0]
        slot = self.space.slots[position]
        labels = [value for value in slot.variable.values if isinstance(value, str)]
        shown = ", ".join(map(repr, labels[:4])) + (", ..." if len(labels) > 4 else "")
        self.fail(
            node,
            f"'{node}' asks for an order of labels that have none; write hr.Ordinal([{shown}]) for '{slot.owner}', "
            'lowest first (type = "ordinal" in a file), or name the labels that you mean: in [...]',
        )

    def _fail_kinds(
        self, node: Expression, left: Expression, a: Expression, right: Expression, b: Expression
    ) -> NoReturn:
        def described(side: Expression, resolved: Expression) -> str:
            return f"'{side}' is {' or '.join(sorted(self.kinds(resolved)))}"

        self.fail(node, f"'{node}' compares text with a number: {described(left, a)}, {described(right, b)}")

    def _ordinal_labels(self, node: Expression) -> tuple[str, ...] | None:
        if isinstance(node, Slot):
            variable = self.space.slots[node.position].variable
            if isinstance(variable, Ordinal):
                return variable.labels
        return None

    def _ranked(self, side: Expression, labels: tuple[str, ...], node: Comparison) -> Expression:
        if isinstance(side, Constant) and side.value not in labels:
            self.fail(
                node,
                f"{side.value!r} is not one of the ordered labels {list(labels)}{suggestion(str(side.value), labels)}",
            )
        own = self._ordinal_labels(side)
        if not isinstance(side, Constant) and own != labels:
            self.fail(
                node,
                f"'{side}' cannot be put in the order of {list(labels)}; both sides need the same ordinal labels",
            )
        return Rank(labels, side)

    def _remark_unknown(self, slot: Expression, constant: Expression) -> None:
        if not isinstance(slot, Slot) or not isinstance(constant, Constant) or not isinstance(constant.value, str):
            return
        values = self.space.slots[slot.position].variable.values
        if constant.value not in values:
            near = suggestion(constant.value, [value for value in values if isinstance(value, str)])
            self.remarks.append(f"'{slot.name}' is never {constant.value!r}{near}")

    def membership(self, node: Membership) -> Expression:
        items = [self.resolve(node.item)]
        container = self.resolve(node.container)
        if isinstance(container, Listing):
            return self.broadcast(items, node, lambda parts: self._member(node, parts[0], container))
        return self.broadcast(items, node, lambda parts: self._substring(node, parts[0], container))

    def _member(self, node: Membership, item: Expression, members: Listing) -> Expression:
        kinds = frozenset[str]().union(*(self.kinds(member) for member in members.items))
        if members.items and not self.kinds(item) & kinds:
            self.fail(
                node,
                f"'{node}' compares text with a number: '{node.item}' is {' or '.join(sorted(self.kinds(item)))}",
            )
        for member in members.items:
            self._remark_unknown(item, member)
        return Membership(item, members)

    def _substring(self, node: Membership, item: Expression, container: Expression) -> Expression:
        if self.kinds(item) != {TEXT} or self.kinds(container) != {TEXT}:
            self.fail(node, f"'{node}' needs a list, a vector or text on the right of 'in'")
        return Membership(item, container)

    def reduction(self, node: Reduction) -> Expression:
        items = self.flat(node.items)
        if node.function in ("sum", "min", "max"):
            for item in items:
                self._checked_number(item, item if isinstance(item, Slot) else node)
        if not items:
            return self._empty(node)
        if node.function in ("increasing", "strictly_increasing"):
            return self._increasing("<" if node.function == "strictly_increasing" else "<=", items)
        if node.function == "count":
            self._check_conditions(node, items)
        if node.function in ("all", "any"):
            return (
                every(items) if node.function == "all" else Comparison(">=", Fold("count", tuple(items)), Constant(1))
            )
        return Fold("+" if node.function == "sum" else node.function, tuple(items))

    def _increasing(self, operator: str, items: list[Expression]) -> Expression:
        steps = [self.compared(Comparison(operator, left, right), left, right) for left, right in pairwise(items)]
        # A single item differs from all others, and is evaluated to know it.
        return every(steps) if steps else AllDifferent(tuple(items))

    def _empty(self, node: Reduction) -> Constant:
        if node.function in ("min", "max"):
            self.fail(node, f"'{node}' has nothing to choose from")
        return Constant(node.function in ("all", "increasing", "strictly_increasing") or 0)

    def _check_conditions(self, node: Reduction, items: list[Expression]) -> None:
        for item in items:
            if isinstance(item, Constant | Slot) and TEXT in self.kinds(item):
                self.fail(node, f"count() counts conditions, but '{item}' is text; write count(x == 'value')")

    def all_different(self, node: AllDifferent) -> Expression:
        return AllDifferent(tuple(self.flat(node.items)), node.ignore)

    def table(self, node: AllowedTuples) -> Expression:
        items = tuple(self.flat(node.items))
        for row in node.tuples:
            if len(row) != len(items):
                self.fail(node, f"The table row {row!r} has {len(row)} values for {len(items)} variables")
        return AllowedTuples(items, node.tuples)

    def contains(self, node: Contains) -> Expression:
        items = tuple(self.flat(node.items))
        for element in node.motif:
            for slot in items[:1]:
                self._remark_unknown(slot, Constant(element))
        return Contains(items, node.motif)

    def longest_run(self, node: LongestRun) -> Expression:
        items = tuple(self.flat(node.items))
        if node.value is not None and items:
            self._remark_unknown(items[0], Constant(node.value))
        return LongestRun(items, node.value)

    def opaque(self, node: Opaque) -> Expression:
        return Opaque(node.function, tuple(self._argument(argument) for argument in node.arguments), node.names)

    def _argument(self, node: Expression) -> Expression:
        """Functions are given orders whole."""
        variable = self.space.variables.get(node.name) if isinstance(node, Name) else None
        if isinstance(node, Name) and isinstance(variable, Permutation):
            return self._unrolled(node.name, variable)
        return self.resolve(node)

    def active(self, node: Active) -> Expression:
        if not isinstance(node.operand, Name):
            self.fail(node, f"active() takes the name of a variable, but '{node.operand}' was given")
        resolved = self.resolve(node.operand)
        first = resolved.items[0] if isinstance(resolved, Listing) else resolved
        if not isinstance(first, Slot) or first.position not in self.space.conditional:
            return Constant(True)
        return Active(Slot(first.position, node.operand.name))

    def listing(self, node: Listing) -> Expression:
        return Listing(tuple(self.flat(node.items)))


def _column(node: Expression) -> int | None:
    """The column of the node, or of the first thing inside it that has one."""
    for inner in _depth_first(node):
        column = getattr(inner, "column", None)
        if column is not None:
            return int(column)
    return None


def _depth_first(node: Expression) -> Iterator[Expression]:
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.children))


_RESOLVERS: dict[type[Expression], Callable[[_Resolver, Any], Expression]] = {
    Constant: lambda _, node: node,
    Slot: lambda _, node: node,
    Name: _Resolver.name,
    Item: _Resolver.item,
    Position: _Resolver.position,
    Listing: _Resolver.listing,
    Active: _Resolver.active,
    Negative: _Resolver.elementwise,
    Absolute: _Resolver.elementwise,
    Arithmetic: _Resolver.elementwise,
    Not: _Resolver.negation,
    Fold: _Resolver.fold,
    Reduction: _Resolver.reduction,
    Comparison: _Resolver.comparison,
    Membership: _Resolver.membership,
    Choice: _Resolver.choice,
    AllDifferent: _Resolver.all_different,
    AllowedTuples: _Resolver.table,
    Contains: _Resolver.contains,
    LongestRun: _Resolver.longest_run,
    Opaque: _Resolver.opaque,
}

"""Lists written as Python source, such as `[1, 2, 4] + list(range(8, 65, 8))`, read without running any of it.

The text is parsed with `ast` and computed by a small evaluator that knows numbers, text, arithmetic, lists,
`range`, `list` and one comprehension at a time. Text length, nesting, size of numbers and total work are bounded,
because such files come from strangers.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from hedgerow.errors import ProblemFileError
from hedgerow.expressions import Scalar

MAX_TEXT = 20_000
MAX_DEPTH = 40
MAX_BITS = 64
# Evaluated nodes plus produced list items: far above any real parameter, far below a noticeable wait.
MAX_WORK = 500_000

Value = Scalar | list[Any]

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def read_list(text: str) -> list[Scalar]:
    """Return the plain values that the text lists, or raise a ProblemFileError that says what is not allowed."""
    if len(text) > MAX_TEXT:
        raise ProblemFileError(f"The list is {len(text):,} characters long; at most {MAX_TEXT:,} are read.")
    values = _ListReader().value(_parsed(text), {})
    if not isinstance(values, list):
        raise ProblemFileError(f"'{_shortened(text)}' is a single value; a list such as [1, 2, 4] is needed.")
    for value in values:
        if isinstance(value, list):
            raise ProblemFileError(f"'{_shortened(text)}' holds lists inside a list; only plain values can be chosen.")
    return values


def _parsed(text: str) -> ast.expr:
    try:
        with warnings.catch_warnings():
            # Python's remarks on style ("invalid decimal literal") are not for the reader of a foreign file.
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text.strip(), mode="eval").body
    except (RecursionError, MemoryError):
        raise ProblemFileError(f"'{_shortened(text)}' is nested too deeply.") from None
    except (SyntaxError, ValueError) as error:
        reason = getattr(error, "msg", error)
        raise ProblemFileError(f"'{_shortened(text)}' is not a Python list: {reason}.") from None
    stack: list[tuple[ast.AST, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise ProblemFileError(f"'{_shortened(text)}' is nested more than {MAX_DEPTH} deep.")
        stack.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
    return tree


class _ListReader:
    """Computes one syntax tree; `work_left` is what remains of the allowance."""

    def __init__(self) -> None:
        self.work_left = MAX_WORK

    def value(self, node: ast.expr, names: Mapping[str, Scalar]) -> Value:
        self._spend(1, node)
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            return names[node.id] if node.id in names else _refuse(node, "the name cannot be looked up")
        if isinstance(node, ast.List | ast.Tuple):
            return [self.value(item, names) for item in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            number = self._number(node.operand, names)
            return -number if isinstance(node.op, ast.USub) else number
        if isinstance(node, ast.BinOp):
            return self._binary(node, names)
        if isinstance(node, ast.Call):
            return self._call(node, names)
        if isinstance(node, ast.ListComp):
            return self._comprehension(node, names)
        _refuse(node, "only numbers, text, arithmetic, lists, range(), list() and a plain comprehension are read")

    def _spend(self, work: int, node: ast.expr) -> None:
        self.work_left -= work
        if self.work_left < 0:
            _refuse(node, f"the list takes more than {MAX_WORK:,} steps to compute")

    def _constant(self, node: ast.Constant) -> Scalar:
        if not isinstance(node.value, bool | int | float | str):
            _refuse(node, "a value must be a number, text, True or False")
        _check_bits(node.value, node)
        return node.value

    def _number(self, node: ast.expr, names: Mapping[str, Scalar]) -> int | float:
        return _checked_number(self.value(node, names), node)

    def _sequence(self, node: ast.expr, names: Mapping[str, Scalar]) -> list[Any]:
        values = self.value(node, names)
        return values if isinstance(values, list) else _refuse(node, "a list is needed here")

    def _binary(self, node: ast.BinOp, names: Mapping[str, Scalar]) -> Value:
        compute = _ARITHMETIC.get(type(node.op))
        if compute is None:
            _refuse(node, "only the operators + - * / // % ** are read")
        left, right = self.value(node.left, names), self.value(node.right, names)
        if isinstance(left, list) and isinstance(right, list) and isinstance(node.op, ast.Add):
            self._spend(len(left) + len(right), node)
            return left + right
        return _computed(node, compute, _checked_number(left, node.left), _checked_number(right, node.right))

    def _call(self, node: ast.Call, names: Mapping[str, Scalar]) -> list[Any]:
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in ("list", "range") or node.keywords:
            _refuse(node, "only range(...) and list(...) can be called")
        if name == "list":
            if len(node.args) != 1:
                _refuse(node, "list() takes one argument")
            return list(self._sequence(node.args[0], names))
        return self._range(node, [self._number(argument, names) for argument in node.args])

    def _range(self, node: ast.Call, limits: list[int | float]) -> list[int]:
        whole = [limit for limit in limits if isinstance(limit, int)]
        if not 1 <= len(whole) <= 3 or len(whole) < len(limits) or whole[2:] == [0]:
            _refuse(node, "range() takes one to three whole numbers, the step not zero")
        numbers = range(*whole)
        # A slice is free, while len() of a range beyond the machine's integers fails.
        if numbers[self.work_left :]:
            _refuse(node, "the range is too long")
        self._spend(len(numbers), node)
        return list(numbers)

    def _comprehension(self, node: ast.ListComp, names: Mapping[str, Scalar]) -> list[Value]:
        loop = node.generators[0]
        if names or len(node.generators) > 1:
            _refuse(node, "a comprehension may not be nested or have several loops")
        if loop.ifs or loop.is_async or not isinstance(loop.target, ast.Name):
            _refuse(node, "a comprehension is read as [expression of i for i in range(...) or a list], without 'if'")
        target = loop.target.id
        return [self.value(node.elt, {target: item}) for item in self._sequence(loop.iter, names)]


def _computed(
    node: ast.BinOp, compute: Callable[[Any, Any], Any], left: int | float, right: int | float
) -> int | float:
    if isinstance(node.op, ast.Pow) and isinstance(left, int) and left.bit_length() * right > 2 * MAX_BITS:
        _refuse(node, "the power is too large")
    try:
        result = _checked_number(compute(left, right), node)
    except ArithmeticError as error:
        _refuse(node, f"it cannot be computed: {error}")
    _check_bits(result, node)
    return result


def _checked_number(value: object, node: ast.expr) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(node, "arithmetic and range() need numbers")
    return value


def _check_bits(value: Scalar, node: ast.expr) -> None:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        _refuse(node, f"numbers of more than {MAX_BITS} bits are not read")


def _refuse(node: ast.expr, reason: str) -> NoReturn:
    raise ProblemFileError(f"'{_shortened(ast.unparse(node))}' is not allowed in a list of values: {reason}.")


def _shortened(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."

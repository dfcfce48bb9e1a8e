"""Conditions written for arrays, as NumExpr reads them, as text of the rule language.

`&`, `|` and `~` between conditions become `and`, `or` and `not`; `where` becomes `if`; the elements and places of a
permutation become components of its vector. The text is taken apart with `ast` and put together again, never run.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from typing import NoReturn

from hedgerow.errors import ProblemFileError
from hedgerow.importers.source import shortened
from hedgerow.rules.parse import MAX_DEPTH, MAX_TEXT
from hedgerow.rules.text_functions import TEXT_FUNCTIONS

# The place of an element is a sum over all places; so many terms fill a rule text.
MAX_TERMS = 2_000

_LOGIC: dict[type[ast.operator], type[ast.boolop]] = {ast.BitAnd: ast.And, ast.BitOr: ast.Or}


class NotInRuleLanguage(Exception):  # noqa: N818 - says what was found, and is always caught
    """The condition is well formed, but the rule language has no words for it."""


def rule_text(text: str, permutations: Mapping[str, int]) -> str:
    """Return the condition as rule text; `permutations` gives the length of each permutation."""
    if len(text) > MAX_TEXT:
        raise ProblemFileError(f"it is {len(text):,} characters long; at most {MAX_TEXT:,} are read.")
    tree = _parsed(text)
    return ast.unparse(_Rewriter(permutations).visit(tree))


def _parsed(text: str) -> ast.expr:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
    except (RecursionError, MemoryError):
        raise ProblemFileError(f"'{shortened(text)}' is nested too deeply.") from None
    except (SyntaxError, ValueError) as error:
        raise ProblemFileError(f"'{shortened(text)}' cannot be read: {getattr(error, 'msg', error)}.") from None
    stack: list[tuple[ast.AST, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > 2 * MAX_DEPTH:
            raise ProblemFileError(f"'{shortened(text)}' is nested more than {2 * MAX_DEPTH} deep.")
        stack.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
    return tree


class _Rewriter(ast.NodeTransformer):
    def __init__(self, permutations: Mapping[str, int]) -> None:
        self.permutations = permutations
        self.n_terms = 0

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        logic = _LOGIC.get(type(node.op))
        if logic is None:
            _check_numbers(node.left, node.right)
            self.generic_visit(node)
            return node
        # A chain of & leans to the left in the tree; it becomes one flat `and`.
        operands: list[ast.expr] = []
        current: ast.expr = node
        while isinstance(current, ast.BinOp) and type(current.op) is type(node.op):
            operands.append(current.right)
            current = current.left
        operands.append(current)
        for operand in operands:
            _check_condition(operand)
        return ast.BoolOp(logic(), [self.visit(operand) for operand in reversed(operands)])

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        _check_numbers(node.left, *node.comparators)
        self.generic_visit(node)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Invert):
            _check_condition(node.operand)
            return ast.UnaryOp(ast.Not(), self.visit(node.operand))
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
        if name == "where" and len(node.args) == 3 and not node.keywords:
            test, yes, no = (self.visit(argument) for argument in node.args)
            return ast.IfExp(test, yes, no)
        if name not in TEXT_FUNCTIONS:
            raise NotInRuleLanguage(f"there is no function '{shortened(name)}' in the rule language.")
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        match = re.fullmatch(r"(.+)_(i?)(\d{1,4})", node.id)
        length = self.permutations.get(match.group(1), 0) if match else 0
        if match is None or int(match.group(3)) >= length:
            return node
        vector, number = match.group(1), int(match.group(3))
        if not match.group(2):
            return _expression(f"{vector}[{number}]")
        self.n_terms += length
        if self.n_terms > MAX_TERMS:
            raise ProblemFileError(f"it mentions places in permutations too often: more than {MAX_TERMS:,} terms.")
        places = [f"{place} * ({vector}[{place}] == {number})" for place in range(1, length)]
        return _expression(f"({' + '.join(places) or '0'})")


def _check_condition(node: ast.expr) -> None:
    """Refuse `3 & b`, which works on the bits of numbers."""
    is_number = isinstance(node, ast.Constant) and not isinstance(node.value, bool)
    if is_number or (isinstance(node, ast.BinOp) and type(node.op) not in _LOGIC):
        _refuse_bits(node)


def _check_numbers(*sides: ast.expr) -> None:
    """Refuse `a & b < 3`, where & comes first."""
    for side in sides:
        is_inverted = isinstance(side, ast.UnaryOp) and isinstance(side.op, ast.Invert)
        if is_inverted or (isinstance(side, ast.BinOp) and type(side.op) in _LOGIC):
            _refuse_bits(side)


def _refuse_bits(node: ast.expr) -> NoReturn:
    raise ProblemFileError(
        f"'{shortened(ast.unparse(node))}' would work on the bits of numbers; '&', '|' and '~' join conditions here. "
        "Put comparisons in brackets: (a < 3) & (b < 4)."
    )


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body

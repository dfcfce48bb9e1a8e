"""Rule text in Python syntax to expressions, through `ast` and a whitelist. Nothing is ever evaluated as code."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Callable
from typing import NoReturn

from hedgerow.errors import RuleError
from hedgerow.expressions import (
    Arithmetic,
    Choice,
    Comparison,
    Constant,
    Expression,
    Fold,
    Item,
    Listing,
    Membership,
    Name,
    Negative,
    Not,
)
from hedgerow.rules.text_functions import TEXT_FUNCTIONS
from hedgerow.wording import approximate, suggestion

MAX_TEXT = 20_000
MAX_DEPTH = 60
MAX_RANGE = 10_000

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_ARITHMETIC: dict[type[ast.operator], str] = {ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**"}
_INSTEAD: dict[type[ast.operator], str] = {
    ast.BitAnd: "write 'and' instead of '&'",
    ast.BitOr: "write 'or' instead of '|'",
    ast.BitXor: "write xor(a, b) instead of '^', or '**' for powers",
}


def parse_rule(text: str) -> Expression:
    """Return the expression that `text` says; names are not looked up yet."""
    if not isinstance(text, str):
        raise RuleError(f"Rule text must be a string, but {type(text).__name__} was given.")
    if len(text) > MAX_TEXT:
        raise RuleError(
            f"The rule text is {len(text):,} characters long; at most {MAX_TEXT:,} are read. "
            "Split it into several rules, or use vectors and table rules built in Python."
        )
    line = _without_comments(text).replace("\n", " ").replace("\r", " ")
    if not line.strip():
        raise RuleError("The rule text is empty.")
    return _RuleReader(line).read()


def _without_comments(text: str) -> str:
    """Blank out comments, found by Python's own tokens, so that columns stay where they are."""
    if "#" not in text:
        return text
    lines = text.splitlines(keepends=True)
    # Inside a bracket line breaks mean nothing to the tokenizer; the bracket shifts the first line by one.
    source = io.StringIO(f"({text}\n)")
    try:
        for token in tokenize.generate_tokens(source.readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start[0] - 1, token.start[1] - (token.start[0] == 1)
                line = lines[row]
                end = column + len(token.string)
                lines[row] = line[:column] + " " * len(token.string) + line[end:]
    except (tokenize.TokenError, SyntaxError) as error:
        raise RuleError(f"The rule cannot be read: {error.args[0]}\n    {text.strip()}") from None
    return "".join(lines)


def fail_at(text: str, column: int | None, message: str) -> NoReturn:
    """Raise a RuleError that shows the text with a mark below the place."""
    if column is None:
        raise RuleError(f"{message}\n    {text.strip()}")
    start = max(0, column - 60)
    window = text[start : start + 120].rstrip()
    raise RuleError(f"{message} (column {column + 1})\n    {window}\n    {' ' * (column - start)}^")


class _RuleReader:
    """Walks one syntax tree; `text` stays at hand for messages."""

    def __init__(self, text: str) -> None:
        self.text = text

    def read(self) -> Expression:
        self._check_brackets()
        indent = len(self.text) - len(self.text.lstrip())
        try:
            with warnings.catch_warnings():
                # Odd literals make Python's parser print remarks; they are read or refused all the same.
                warnings.simplefilter("ignore", SyntaxWarning)
                warnings.simplefilter("ignore", DeprecationWarning)
                tree = ast.parse(self.text.strip(), mode="eval")
        except (RecursionError, MemoryError):
            raise RuleError("The rule is nested too deeply. Split it into several rules.") from None
        except (SyntaxError, ValueError) as error:
            self._fail_syntax(error, indent)
        self.indent = indent
        self._check_depth(tree.body)
        return self._expression(tree.body)

    def _check_brackets(self) -> None:
        depth = 0
        for column, letter in enumerate(self.text):
            depth += (letter in "([{") - (letter in ")]}")
            if depth > MAX_DEPTH:
                fail_at(self.text, column, f"Brackets are nested more than {MAX_DEPTH} deep. Split the rule")

    def _check_depth(self, root: ast.AST) -> None:
        stack = [(root, 0)]
        while stack:
            node, depth = stack.pop()
            if depth > MAX_DEPTH:
                self._fail(node, f"The rule is nested more than {MAX_DEPTH} deep. Split it into several rules")
            for child in ast.iter_child_nodes(node):
                # Chains such as a + b + c lean to the left in the tree, but are read in one loop.
                in_chain = (
                    isinstance(node, ast.BinOp)
                    and child is node.left
                    and _chain_operator(child) == _chain_operator(node)
                )
                stack.append((child, depth if in_chain else depth + 1))

    def _expression(self, node: ast.expr) -> Expression:
        reader = self._READERS.get(type(node))
        if reader is None:
            self._fail(node, f"{_described(node)} not allowed in a rule")
        return reader(self, node)

    def _constant(self, node: ast.Constant) -> Expression:
        if isinstance(node.value, bool | int | float | str):
            return Constant(node.value)
        self._fail(node, f"The constant {node.value!r} is not allowed in a rule; use numbers, text, True and False")

    def _name(self, node: ast.Name) -> Expression:
        return Name(node.id, self._column(node))

    def _listing(self, node: ast.List | ast.Tuple | ast.Set) -> Expression:
        return Listing(tuple(self._expression(item) for item in node.elts))

    def _boolean(self, node: ast.BoolOp) -> Expression:
        operator = "and" if isinstance(node.op, ast.And) else "or"
        return Fold(operator, tuple(self._expression(value) for value in node.values))

    def _unary(self, node: ast.UnaryOp) -> Expression:
        if isinstance(node.op, ast.Invert):
            self._fail(node, "'~' is not allowed in rule text; write 'not'")
        operand = self._expression(node.operand)
        if isinstance(node.op, ast.Not):
            return Not(operand)
        if isinstance(node.op, ast.UAdd):
            return operand
        if isinstance(operand, Constant) and isinstance(operand.value, int | float):
            return Constant(-operand.value)
        return Negative(operand)

    def _binary(self, node: ast.BinOp) -> Expression:
        chain = _chain_operator(node)
        if chain is None:
            operator = _ARITHMETIC.get(type(node.op))
            if operator is None:
                self._fail(
                    node,
                    f"This operator is not allowed in a rule; {_INSTEAD.get(type(node.op), 'see the rule language')}",
                )
            return Arithmetic(operator, self._expression(node.left), self._expression(node.right))
        items: list[Expression] = []
        current: ast.expr = node
        while isinstance(current, ast.BinOp) and _chain_operator(current) == chain:
            right = self._expression(current.right)
            items.append(Negative(right) if isinstance(current.op, ast.Sub) else right)
            current = current.left
        items.append(self._expression(current))
        return Fold(chain, tuple(reversed(items)))

    def _comparison(self, node: ast.Compare) -> Expression:
        sides = [self._expression(side) for side in (node.left, *node.comparators)]
        links = [
            self._link(operator, left, right, node)
            for operator, left, right in zip(node.ops, sides, sides[1:], strict=False)
        ]
        return links[0] if len(links) == 1 else Fold("and", tuple(links))

    def _link(self, operator: ast.cmpop, left: Expression, right: Expression, node: ast.Compare) -> Expression:
        if isinstance(operator, ast.In):
            return Membership(left, right)
        if isinstance(operator, ast.NotIn):
            return Not(Membership(left, right))
        if type(operator) not in _COMPARISONS:
            self._fail(node, "'is' is not allowed in a rule; write '==' or '!='")
        return Comparison(_COMPARISONS[type(operator)], left, right, self._column(node))

    def _choice(self, node: ast.IfExp) -> Expression:
        return Choice(self._expression(node.test), self._expression(node.body), self._expression(node.orelse))

    def _subscript(self, node: ast.Subscript) -> Expression:
        if not isinstance(node.value, ast.Name):
            self._fail(node, "Only a vector can be indexed, as in x[0] or x[1:3], or shares, as in mix['wax']")
        vector = self._expression(node.value)
        if isinstance(node.slice, ast.Slice):
            parts = [self._whole_number(part) for part in (node.slice.lower, node.slice.upper, node.slice.step)]
            return Item(vector, slice(*parts), self._column(node))
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return Item(vector, node.slice.value, self._column(node))
        index = self._whole_number(node.slice)
        if index is None:
            self._fail(node, "An index must be a plain whole number, as in x[0]")
        return Item(vector, index, self._column(node))

    def _whole_number(self, node: ast.expr | None) -> int | None:
        if node is None:
            return None
        expression = self._expression(node)
        if (
            isinstance(expression, Constant)
            and isinstance(expression.value, int)
            and not isinstance(expression.value, bool)
        ):
            return expression.value
        self._fail(node, "An index must be a plain whole number, as in x[0]")

    def _call(self, node: ast.Call) -> Expression:
        if not isinstance(node.func, ast.Name):
            self._fail(node, "Only the functions of the rule language can be called")
        name = node.func.id
        if name == "range":
            return self._range(node)
        if name not in TEXT_FUNCTIONS:
            self._fail(node, f"There is no function '{name}'{suggestion(name, list(TEXT_FUNCTIONS))}")
        fewest, most, keywords, build = TEXT_FUNCTIONS[name]
        if not fewest <= len(node.args) <= most:
            wanted = f"{fewest}" if fewest == most else f"at least {fewest}" if most > 100 else f"{fewest} to {most}"
            hint = "; write exactly(1, ...) for one of several" if name == "xor" else ""
            self._fail(node, f"{name}() takes {wanted} arguments, but {len(node.args)} were given{hint}")
        for keyword in node.keywords:
            if keyword.arg not in keywords:
                self._fail(node, f"{name}() has no option '{keyword.arg or '**'}'")
        arguments = [self._expression(argument) for argument in node.args]
        options = {str(keyword.arg): self._expression(keyword.value) for keyword in node.keywords}
        try:
            return build(*arguments, **options)
        except RuleError as error:
            self._fail(node, f"{name}() {str(error).removeprefix(name + '() ').rstrip('.')}")

    def _range(self, node: ast.Call) -> Expression:
        limits = [self._whole_number(argument) for argument in node.args]
        if node.keywords or not 1 <= len(limits) <= 3 or (len(limits) == 3 and limits[2] == 0):
            self._fail(node, "range() takes one to three whole numbers, the step not zero")
        numbers = range(*[limit for limit in limits if limit is not None])
        n_numbers = (numbers.stop - numbers.start) // numbers.step
        if n_numbers > MAX_RANGE:
            self._fail(node, f"range() with {approximate(n_numbers)} numbers is too long; write a comparison instead")
        return Listing(tuple(Constant(number) for number in numbers))

    def _column(self, node: ast.AST) -> int:
        offset = getattr(node, "col_offset", 0)
        stripped = self.text.strip().encode()
        return self.indent + len(stripped[:offset].decode(errors="ignore"))

    def _fail(self, node: ast.AST, message: str) -> NoReturn:
        fail_at(self.text, self._column(node), message)

    def _fail_syntax(self, error: Exception, indent: int) -> NoReturn:
        column = indent + max((getattr(error, "offset", None) or 1) - 1, 0)
        hint = ""
        if re.search(r"(?<![=<>!])=(?!=)", self.text):
            hint = "; write '==' to compare"
        elif "&&" in self.text or "||" in self.text:
            hint = "; write 'and' and 'or'"
        elif "!" in self.text.replace("!=", ""):
            hint = "; write 'not'"
        fail_at(
            self.text,
            min(column, len(self.text)),
            f"The rule cannot be read: {getattr(error, 'msg', error)}{hint}",
        )

    _READERS: dict[type[ast.expr], Callable[..., Expression]] = {  # noqa: RUF012 - a constant table of methods
        ast.Constant: _constant,
        ast.Name: _name,
        ast.List: _listing,
        ast.Tuple: _listing,
        ast.Set: _listing,
        ast.BoolOp: _boolean,
        ast.UnaryOp: _unary,
        ast.BinOp: _binary,
        ast.Compare: _comparison,
        ast.IfExp: _choice,
        ast.Subscript: _subscript,
        ast.Call: _call,
    }


def _chain_operator(node: ast.AST) -> str | None:
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Add | ast.Sub):
            return "+"
        if isinstance(node.op, ast.Mult):
            return "*"
    return None


def _described(node: ast.expr) -> str:
    names = {
        ast.Attribute: "Attribute access is",
        ast.Lambda: "A lambda is",
        ast.ListComp: "A comprehension is",
        ast.SetComp: "A comprehension is",
        ast.DictComp: "A comprehension is",
        ast.GeneratorExp: "A comprehension is",
        ast.Dict: "A dict is",
        ast.JoinedStr: "A formatted text is",
        ast.NamedExpr: "An assignment is",
        ast.Starred: "Unpacking is",
        ast.Await: "'await' is",
    }
    return names.get(type(node), "This is")

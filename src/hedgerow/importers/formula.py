"""Formulas of feature models, such as `!A | B`, `A => (B <=> C)` and `2 * size <= limit`, as expressions.

Operators from loosest to tightest: `<=>`, `=>`, `|`, `&`, `!`, comparisons, `+ -`, `* /`; chains group to the left.
Names stay as the file writes them; `meaning` gives them their place among the variables.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from hedgerow.errors import ProblemFileError
from hedgerow.expressions import Arithmetic, Comparison, Constant, Expression, Fold, Negative
from hedgerow.importers.logic import all_hold, any_holds, both_or_neither, opposite
from hedgerow.importers.source import shortened

MAX_TEXT = 20_000
MAX_DEPTH = 40

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>\d+\.\d+|\d+)(?![\w.]) |
        (?P<operator><=>|=>|<=|>=|==|!=|[!&|()<>=+\-*/,]) |
        (?P<text>'[^']*') |
        (?P<name>"[^"]*"(?:\."[^"]*"|\.[^\s!&|()<>=+\-*/,"']+)* | [^\s!&|()<>=+\-*/,"']+(?:\."[^"]*")*) )""",
    re.VERBOSE,
)
_COMPARISONS = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "=": "==", "==": "==", "!=": "!="}


class NotRepresentable(Exception):  # noqa: N818 - says what was found, and is always caught
    """The formula is well formed, but says something that the rules cannot."""


@dataclass(frozen=True)
class Vocabulary:
    """What the words of a formula mean: names, and functions of names."""

    meaning: Callable[[str], Expression]
    call: Callable[[str, list[str]], Expression]


def parse_formula(text: str, words: Vocabulary) -> Expression:
    """Return the expression that a formula says, or raise a ProblemFileError that shows the place."""
    if len(text) > MAX_TEXT:
        raise ProblemFileError(f"the formula is {len(text):,} characters long; at most {MAX_TEXT:,} are read.")
    return _Parser(text, words).parse()


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise ProblemFileError(f"the formula cannot be read from '{shortened(text[position:].strip(), 20)}' on.")
        kind = str(match.lastgroup)
        tokens.append((kind, match.group(kind)))
        position = match.end()
    return tokens


class _Parser:
    def __init__(self, text: str, words: Vocabulary) -> None:
        self.text = text
        self.words = words
        self.tokens = _tokens(text)
        self.position = 0
        self.depth = 0

    def parse(self) -> Expression:
        expression = self._equivalence()
        if self.position < len(self.tokens):
            self._fail()
        return expression

    def _fail(self) -> None:
        seen = self.tokens[self.position][1] if self.position < len(self.tokens) else "the end"
        raise ProblemFileError(f"the formula '{shortened(self.text)}' cannot be read at '{shortened(seen, 20)}'.")

    def _accept(self, *operators: str) -> str | None:
        if self.position < len(self.tokens):
            kind, token = self.tokens[self.position]
            if kind == "operator" and token in operators:
                self.position += 1
                return token
        return None

    def _expect(self, operator: str) -> None:
        if self._accept(operator) is None:
            self._fail()

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ProblemFileError(f"the formula '{shortened(self.text)}' is nested more than {MAX_DEPTH} deep.")

    def _equivalence(self) -> Expression:
        depth = self.depth
        left = self._implication()
        while self._accept("<=>"):
            self._deeper()
            left = both_or_neither(left, self._implication())
        self.depth = depth
        return left

    def _implication(self) -> Expression:
        depth = self.depth
        left = self._disjunction()
        while self._accept("=>"):
            self._deeper()
            left = any_holds([opposite(left), self._disjunction()])
        self.depth = depth
        return left

    def _disjunction(self) -> Expression:
        items = [self._conjunction()]
        while self._accept("|"):
            items.append(self._conjunction())
        return any_holds(items)

    def _conjunction(self) -> Expression:
        items = [self._negation()]
        while self._accept("&"):
            items.append(self._negation())
        return all_hold(items)

    def _negation(self) -> Expression:
        depth, is_negated = self.depth, False
        while self._accept("!"):
            is_negated = not is_negated
        found = self._comparison()
        self.depth = depth
        return opposite(found) if is_negated else found

    def _comparison(self) -> Expression:
        left = self._sum()
        operator = self._accept(*_COMPARISONS)
        return left if operator is None else Comparison(_COMPARISONS[operator], left, self._sum())

    def _sum(self) -> Expression:
        items = [self._product()]
        while operator := self._accept("+", "-"):
            term = self._product()
            items.append(Negative(term) if operator == "-" else term)
        return items[0] if len(items) == 1 else Fold("+", tuple(items))

    def _product(self) -> Expression:
        depth = self.depth
        left = self._operand()
        while operator := self._accept("*", "/"):
            self._deeper()
            right = self._operand()
            left = Fold("*", (left, right)) if operator == "*" else Arithmetic("/", left, right)
        self.depth = depth
        return left

    def _operand(self) -> Expression:
        if self._accept("("):
            self._deeper()
            inner = self._equivalence()
            self._expect(")")
            self.depth -= 1
            return inner
        if self._accept("-"):
            self._deeper()
            # SPLConqueror writes a minus for `not`, which the caller turns into `!` beforehand.
            inner = self._operand()
            self.depth -= 1
            return Negative(inner)
        if self.position == len(self.tokens) or self.tokens[self.position][0] == "operator":
            self._fail()
        kind, token = self.tokens[self.position]
        self.position += 1
        if kind == "number":
            return Constant(_number(token))
        if kind == "text":
            raise NotRepresentable(f"{shortened(token)} is text, which only features with values could equal")
        if self._accept("("):
            return self._call(token)
        return self.words.meaning(token.replace('"', ""))

    def _call(self, name: str) -> Expression:
        arguments: list[str] = []
        while True:
            if self.position == len(self.tokens) or self.tokens[self.position][0] == "operator":
                self._fail()
            arguments.append(self.tokens[self.position][1].replace('"', ""))
            self.position += 1
            if self._accept(")"):
                return self.words.call(name, arguments)
            self._expect(",")


def _number(token: str) -> int | float:
    if len(token) > 30:
        raise ProblemFileError(f"the number {shortened(token)} has too many digits.")
    return float(token) if "." in token else int(token)

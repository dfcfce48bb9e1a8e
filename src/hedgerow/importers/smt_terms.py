"""Terms of SMT-LIB as text of the rule language, each with its sort; what is not understood is named.

The whitelist: `true`, `false`, numerals and decimals, declared constants and values of enumerations; `not and or xor =>
= distinct ite let !`; `+ - * / div mod abs to_real < <= > >=`. `div` and `mod` take a positive numeral on the right,
where they mean what `//` and `%` mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hedgerow.errors import ProblemFileError
from hedgerow.rules.parse import MAX_TEXT
from hedgerow.wording import ending

BOOL, INT, REAL = "Bool", "Int", "Real"
_NUMERAL = re.compile(r"0|[1-9][0-9]*")
_DECIMAL = re.compile(r"(?:0|[1-9][0-9]*)\.[0-9]+")
# Far more than rules may be nested.
MAX_DEPTH = 200
# A few definitions can stand for more terms than anybody waits for.
MAX_TERMS = 1_000_000
_ORDER = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}


@dataclass(frozen=True)
class Word:
    """A symbol, a number or a keyword of the file."""

    line: int
    text: str


@dataclass(frozen=True)
class Bracketed:
    """What stands between two brackets."""

    line: int
    items: tuple[Any, ...]

    @property
    def head(self) -> str:
        """The word it begins with, or nothing."""
        return self.items[0].text if self.items and isinstance(self.items[0], Word) else ""


@dataclass(frozen=True)
class Term:
    """A term in the language of rules, with its sort."""

    text: str
    sort: str

    @property
    def is_number(self) -> bool:
        """Whether it stands for a number."""
        return self.sort in (INT, REAL)


@dataclass(frozen=True)
class Macro:
    """A defined function: its parameters with their sorts, and its body."""

    parameters: tuple[tuple[str, str], ...]
    body: Any


def refuse(node: Word | Bracketed, message: str) -> ProblemFileError:
    """Return the error that names a place."""
    return ProblemFileError(f"Line {node.line}: {message}")


class TermReader:
    """Translates terms over what was declared so far."""

    def __init__(self) -> None:
        self.symbols: dict[str, Term] = {}
        self.macros: dict[str, Macro] = {}
        self._depth = self._n_read = 0

    def read(self, node: Word | Bracketed, known: Mapping[str, Term] | None = None) -> Term:
        """Return a term; `known` are the names that `let` and definitions give."""
        self._depth += 1
        self._n_read += 1
        try:
            if self._n_read > MAX_TERMS:
                raise refuse(node, f"with definitions written out, the file has more than {MAX_TERMS:,} terms.")
            if self._depth > MAX_DEPTH:
                raise refuse(node, f"terms are nested more than {MAX_DEPTH} deep. Split the assertion.")
            found = self._word(node, known or {}) if isinstance(node, Word) else self._group(node, known or {})
        finally:
            self._depth -= 1
        if len(found.text) > MAX_TEXT:
            raise refuse(node, f"written out, the term has more than {MAX_TEXT:,} letters. Split the assertion.")
        return found

    def boolean(self, node: Word | Bracketed, known: Mapping[str, Term] | None = None) -> Term:
        """Return a term that must be true or false."""
        return self._of(node, known or {}, (BOOL,))

    def _word(self, node: Word, known: Mapping[str, Term]) -> Term:
        if node.text in known:
            return known[node.text]
        if node.text in self.symbols:
            return self.symbols[node.text]
        if node.text in ("true", "false"):
            return Term(node.text.capitalize(), BOOL)
        if _NUMERAL.fullmatch(node.text) and len(node.text) <= 18:
            return Term(node.text, INT)
        if _DECIMAL.fullmatch(node.text) and len(node.text) <= 40:
            return Term(repr(float(node.text)), REAL)
        if node.text in self.macros:
            return self._applied(node, node.text, (), known)
        raise refuse(node, f"'{node.text[:60]}' was not declared{ending(node.text[:60], self.symbols)}")

    def _group(self, node: Bracketed, known: Mapping[str, Term]) -> Term:
        head, parts = node.head, node.items[1:]
        if head in self.macros:
            return self._applied(node, head, parts, known)
        operator = _OPERATORS.get(head)
        if operator is None:
            shown = f"'{head[:60]}'" if head else "a term that does not begin with a name"
            raise refuse(node, f"{shown} is not understood{ending(head[:60], _OPERATORS)}")
        if not parts:
            raise refuse(node, f"'{head}' has nothing to work on.")
        return operator(self, node, parts, known)

    def _applied(self, node: Word | Bracketed, name: str, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        macro = self.macros[name]
        if len(parts) != len(macro.parameters):
            raise refuse(node, f"'{name}' takes {len(macro.parameters)} arguments, not {len(parts)}.")
        given = {
            parameter: self._of(part, known, (sort,))
            for (parameter, sort), part in zip(macro.parameters, parts, strict=True)
        }
        return self.read(macro.body, given)

    def _of(self, node: Any, known: Mapping[str, Term], sorts: Sequence[str]) -> Term:
        term = self.read(node, known)
        # A whole number is a real one wherever one is wanted.
        if term.sort not in sorts and not (term.sort == INT and REAL in sorts):
            raise refuse(node, f"{' or '.join(sorts)} is wanted here, but this is {term.sort}.")
        return term

    def _all(self, parts: Sequence[Any], known: Mapping[str, Term], *sorts: str) -> list[Term]:
        return [self._of(part, known, sorts) for part in parts]

    # --- what the words mean ---

    def _not(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        _count(node, parts, 1)
        return Term(f"(not {self._all(parts, known, BOOL)[0].text})", BOOL)

    def _joined(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        terms = self._all(parts, known, BOOL)
        return Term(f"({f' {node.head} '.join(term.text for term in terms)})", BOOL)

    def _implies(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        _count(node, parts, 2, at_least=True)
        *before, last = (term.text for term in self._all(parts, known, BOOL))
        for text in reversed(before):
            last = f"implies({text}, {last})"
        return Term(last, BOOL)

    def _xor(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        _count(node, parts, 2)
        left, right = (term.text for term in self._all(parts, known, BOOL))
        return Term(f"xor({left}, {right})", BOOL)

    def _equal(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        terms = self._alike(node, parts, known)
        if terms[0].sort == BOOL:
            pairs = [f"iff({left.text}, {right.text})" for left, right in pairwise(terms)]
            return Term(f"({' and '.join(pairs)})", BOOL)
        return Term(f"({' == '.join(term.text for term in terms)})", BOOL)

    def _distinct(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        terms = self._alike(node, parts, known)
        if terms[0].sort == BOOL:
            if len(terms) > 2:
                return Term("False", BOOL)
            return Term(f"xor({terms[0].text}, {terms[1].text})", BOOL)
        if len(terms) == 2:
            return Term(f"({terms[0].text} != {terms[1].text})", BOOL)
        return Term(f"all_different({', '.join(term.text for term in terms)})", BOOL)

    def _alike(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> list[Term]:
        """Return two terms or more of one sort."""
        _count(node, parts, 2, at_least=True)
        terms = [self.read(part, known) for part in parts]
        if len({REAL if term.is_number else term.sort for term in terms}) > 1:
            sorts = ", ".join(term.sort for term in terms)
            raise refuse(node, f"'{node.head}' compares terms of one sort, not {sorts}.")
        return terms

    def _ordered(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        _count(node, parts, 2, at_least=True)
        terms = self._all(parts, known, INT, REAL)
        return Term(f"({f' {node.head} '.join(term.text for term in terms)})", BOOL)

    def _choice(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        _count(node, parts, 3)
        condition = self._of(parts[0], known, (BOOL,))
        one, other = (self.read(part, known) for part in parts[1:])
        if one.sort != other.sort and not (one.is_number and other.is_number):
            raise refuse(node, f"both ways of 'ite' have one sort, not {one.sort} and {other.sort}.")
        if one.sort == BOOL:
            text = f"((({condition.text}) and {one.text}) or ((not ({condition.text})) and {other.text}))"
            return Term(text, BOOL)
        return Term(f"({one.text} if {condition.text} else {other.text})", _wider(one, other))

    def _let(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        _count(node, parts, 2)
        pairs = parts[0].items if isinstance(parts[0], Bracketed) else None
        if pairs is None or not all(
            isinstance(pair, Bracketed) and len(pair.items) == 2 and isinstance(pair.items[0], Word) for pair in pairs
        ):
            raise refuse(node, "'let' takes a list of names with their terms, as in (let ((s (+ x y))) ...).")
        given = {pair.items[0].text: self.read(pair.items[1], known) for pair in pairs}
        return self.read(parts[1], {**known, **given})

    def _named(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:  # noqa: ARG002
        return self.read(parts[0], known)

    def _arithmetic(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        terms = self._all(parts, known, INT, REAL)
        if len(terms) == 1:
            text = f"-{terms[0].text}" if node.head == "-" else terms[0].text
            return Term(f"({text})", terms[0].sort)
        return Term(f"({f' {node.head} '.join(term.text for term in terms)})", _wider(*terms))

    def _absolute(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        _count(node, parts, 1)
        term = self._all(parts, known, INT, REAL)[0]
        return Term(f"abs({term.text})", term.sort)

    def _whole_division(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        _count(node, parts, 2)
        divisor = parts[1]
        if not isinstance(divisor, Word) or not _NUMERAL.fullmatch(divisor.text) or divisor.text == "0":
            raise refuse(node, f"'{node.head}' is understood with a positive numeral on the right only.")
        left = self._all(parts[:1], known, INT)[0]
        return Term(f"({left.text} {'//' if node.head == 'div' else '%'} {divisor.text})", INT)

    def _division(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        _count(node, parts, 2)
        left, right = self._all(parts, known, INT, REAL)
        try:
            is_number = float(right.text.strip("()")) != 0
        except ValueError:
            is_number = False
        if not is_number:
            raise refuse(node, "'/' is understood with a number other than 0 on the right only.")
        return Term(f"({left.text} / {right.text})", REAL)

    def _to_real(self, node: Bracketed, parts: Sequence[Any], known: Mapping[str, Term]) -> Term:
        _count(node, parts, 1)
        return Term(self._all(parts, known, INT)[0].text, REAL)


def _count(node: Bracketed, parts: Sequence[Any], n: int, *, at_least: bool = False) -> None:
    if len(parts) < n or (len(parts) > n and not at_least):
        raise refuse(node, f"'{node.head}' takes {'at least ' if at_least else ''}{n} terms, not {len(parts)}.")


def _wider(*terms: Term) -> str:
    return REAL if any(term.sort == REAL for term in terms) else INT


_Operator = Callable[[TermReader, Bracketed, Sequence[Any], Mapping[str, Term]], Term]
_OPERATORS: dict[str, _Operator] = {
    "not": TermReader._not,
    "and": TermReader._joined,
    "or": TermReader._joined,
    "=>": TermReader._implies,
    "xor": TermReader._xor,
    "=": TermReader._equal,
    "distinct": TermReader._distinct,
    "ite": TermReader._choice,
    "let": TermReader._let,
    "!": TermReader._named,
    **dict.fromkeys(("+", "-", "*"), TermReader._arithmetic),
    **dict.fromkeys(_ORDER, TermReader._ordered),
    **dict.fromkeys(("div", "mod"), TermReader._whole_division),
    "/": TermReader._division,
    "abs": TermReader._absolute,
    "to_real": TermReader._to_real,
}

"""SMT-LIB 2 (what Z3, cvc5 and CPMpy write): declared constants become a space, assertions become rules.

Constants are Bool, Int, Real or enumerations (`declare-datatype` without fields). The range of a number is what the
assertions at the top say of it alone: `(<= 1 x 16)`, `(and (>= x 1) (< x 17))`, `(or (= x 8) (= x 16))`; one without a
lowest and a highest value is refused. `smt_terms` says which words terms may have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.errors import ProblemFileError, RuleError, SpaceError
from hedgerow.expressions import Name
from hedgerow.importers.imported import Imported, assembled
from hedgerow.importers.naming import legal_names, renaming_notes
from hedgerow.importers.smt_terms import BOOL, INT, MAX_DEPTH, REAL, Bracketed, Macro, Term, TermReader, Word, refuse
from hedgerow.importers.source import load_file
from hedgerow.rules import Rule
from hedgerow.rules.parse import parse_rule
from hedgerow.space import Boolean, Categorical, Integer, Levels, Real, Variable
from hedgerow.wording import ending, quoted

_TOKEN = re.compile(
    r"(?P<blank>\s+|;[^\n]*)|(?P<bracket>[()])|\|(?P<quoted>[^|\\]*)\|"
    r'|(?P<word>"(?:[^"]|"")*"|[^\s()|";]+)'
)
# Commands that say nothing about which points are feasible.
_PASSED = (
    *(
        "set-logic",
        "set-info",
        "set-option",
        "check-sat",
        "check-sat-assuming",
        "get-model",
        "get-value",
        "exit",
        "echo",
    ),
    *("get-objectives", "get-info", "get-unsat-core", "get-assignment", "get-assertions"),
)
# Commands whose meaning would be lost.
_MISSING = {"minimize": "an objective", "maximize": "an objective", "assert-soft": "a wish, not a rule"}
_TURNED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "="}


def load_smt(path: str | Path) -> Imported:
    r"""Read a file in SMT-LIB 2.

    Parameters
    ----------
    path : str or path
        Where the file is.

    Returns
    -------
    Imported
        A space, its rules, and what was changed on the way.

    Raises
    ------
    ProblemFileError
        Where the file cannot be read, or says what is not understood; the message names the line and the word.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hedgerow.importers import load_smt
    >>> text = "(declare-const x Int)\n(assert (<= 1 x 4))\n(assert (not (= x 3)))"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rules.smt2")
    ...     n_letters = path.write_text(text)
    ...     imported = load_smt(path)
    >>> imported.space.size, imported.rules[0].content
    (4, 'not x == 3')
    """
    return load_file(path, "SMT-LIB", read_smt)


def read_smt(text: str, name: str = "problem") -> Imported:
    r"""Read text in SMT-LIB 2.

    Parameters
    ----------
    text : str
        What the file holds.
    name : str, optional
        What the problem is called.

    Returns
    -------
    Imported
        A space, its rules, and what was changed on the way.

    Raises
    ------
    ProblemFileError
        Where the text says what is not understood; the message names the line and the word.

    Examples
    --------
    >>> import hedgerow as hr
    >>> from hedgerow.importers import read_smt
    >>> imported = read_smt("(declare-const a Bool)(declare-const b Bool)(assert (=> a b))")
    >>> hr.FeasibleSet(imported.space, imported.rules).count
    3
    """
    return _FileReader(list(_groups(text))).imported(name)


def _groups(text: str) -> Iterator[Bracketed]:
    """Yield the commands of a file."""
    stack: list[tuple[int, list[Any]]] = []
    place, line = 0, 1
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ProblemFileError(f"Line {line}: a text or a name in bars does not end.")
        if match["bracket"] == "(":
            stack.append((line, []))
            if len(stack) > MAX_DEPTH:
                raise ProblemFileError(f"Line {line}: brackets are nested more than {MAX_DEPTH} deep.")
        elif match["bracket"] and not stack:
            raise ProblemFileError(f"Line {line}: a bracket closes that was not opened.")
        elif match["bracket"]:
            began, items = stack.pop()
            group = Bracketed(began, tuple(items))
            if stack:
                stack[-1][1].append(group)
            else:
                yield group
        elif not match["blank"]:
            quoted_name = match["quoted"]
            word = Word(line, match["word"] if quoted_name is None else quoted_name)
            if not stack:
                raise ProblemFileError(f"Line {line}: '{word.text[:60]}' stands outside of any command.")
            stack[-1][1].append(word)
        line += match.group().count("\n")
        place = match.end()
    if stack:
        raise ProblemFileError(f"Line {stack[-1][0]}: a bracket is opened that does not close.")


@dataclass
class _Range:
    """What is known of one number from assertions about it alone."""

    low: float = -math.inf
    high: float = math.inf
    listed: set[float] | None = None

    def narrow(self, operator: str, bound: float, is_whole: bool) -> None:
        if operator in ("<", "<="):
            # A real number that must stay below an end keeps the rule, too.
            self.high = min(self.high, _below(bound) if is_whole and operator == "<" else bound)
        elif operator in (">", ">="):
            self.low = max(self.low, _above(bound) if is_whole and operator == ">" else bound)
        else:
            self.keep({bound})

    def keep(self, values: set[float]) -> None:
        self.listed = values if self.listed is None else self.listed & values


def _below(bound: float) -> float:
    return math.ceil(bound) - 1


def _above(bound: float) -> float:
    return math.floor(bound) + 1


@dataclass
class _FileReader:
    commands: Sequence[Bracketed]
    terms: TermReader = field(default_factory=TermReader)
    sorts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    declared: dict[str, tuple[Word, str]] = field(default_factory=dict)
    ranges: dict[str, _Range] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    # What each constant is called here.
    own: dict[str, str] = field(default_factory=dict)

    def imported(self, name: str) -> Imported:
        self.own = names = legal_names(word.text for word in self._declarations())
        handlers = {
            "declare-const": self._declare,
            "declare-fun": self._declare,
            "declare-datatype": self._enumerate,
            "declare-datatypes": self._enumerate,
            "define-fun": self._define,
            "define-const": self._define,
            "assert": self._assert,
        }
        for command in self.commands:
            if command.head in _MISSING:
                self.missing.append(f"line {command.line}, '{command.head}': {_MISSING[command.head]}")
            elif command.head in handlers:
                handlers[command.head](command)
            elif command.head not in _PASSED:
                known = [*handlers, *_MISSING, *_PASSED]
                shown = f"the command '{command.head[:60]}'" if command.head else "a command without a name"
                raise refuse(command, f"{shown} is not understood{ending(command.head[:60], known)}")
        if not self.declared:
            raise ProblemFileError("Nothing is declared: there is no (declare-const NAME SORT).")
        variables = {names[foreign]: self._variable(foreign) for foreign in self.declared}
        meanings = {foreign: Name(names[foreign]) for foreign in self.declared}
        return assembled(name, variables, self.rules, renaming_notes(names), self.missing, meanings)

    def _declarations(self) -> Iterator[Word]:
        for command in self.commands:
            if command.head in ("declare-const", "declare-fun"):
                yield self._name_in(command)

    def _name_in(self, command: Bracketed) -> Word:
        if len(command.items) < 3 or not isinstance(command.items[1], Word):
            raise refuse(command, f"'{command.head}' takes a name and a sort.")
        return command.items[1]

    def _declare(self, command: Bracketed) -> None:
        word = self._name_in(command)
        *takes, sort = command.items[2:]
        if command.head == "declare-fun" and not (
            len(takes) == 1 and isinstance(takes[0], Bracketed) and not takes[0].items
        ):
            raise refuse(command, f"'{word.text}' is a function of something; only constants are understood.")
        if word.text in self.terms.symbols or word.text in self.terms.macros:
            raise refuse(command, f"'{word.text}' is declared twice.")
        self.declared[word.text] = word, self._sort(command, sort)
        self.terms.symbols[word.text] = Term(self.own[word.text], self.declared[word.text][1])

    def _sort(self, command: Bracketed, sort: Any) -> str:
        known = (BOOL, INT, REAL, *self.sorts)
        if isinstance(sort, Word) and sort.text in known:
            return sort.text
        shown = f"'{sort.text[:60]}'" if isinstance(sort, Word) else "a sort of several words"
        raise refuse(command, f"{shown} is no sort that is understood: {quoted(known)} are.")

    def _enumerate(self, command: Bracketed) -> None:
        """Take up enumerations: (declare-datatype C ((red) (green))), or several as declare-datatypes has them."""
        try:
            if command.head == "declare-datatype":
                _, name, values = command.items
                pairs = [(name, values)]
            else:
                _, heads, bodies = command.items
                pairs = [(head.items[0], body) for head, body in zip(heads.items, bodies.items, strict=True)]
            for name, values in pairs:
                labels = [value if isinstance(value, Word) else _only(value) for value in values.items]
                self.sorts[name.text] = tuple(label.text for label in labels)
                for label in labels:
                    if label.text in self.terms.symbols:
                        raise refuse(command, f"'{label.text}' is declared twice.")
                    self.terms.symbols[label.text] = Term(repr(label.text), name.text)
        except (AttributeError, ValueError, IndexError):
            raise refuse(
                command, f"'{command.head}' is understood for enumerations, as in (declare-datatype C ((red) (green)))."
            ) from None

    def _define(self, command: Bracketed) -> None:
        is_function = command.head == "define-fun"
        if len(command.items) != (5 if is_function else 4) or not isinstance(command.items[1], Word):
            raise refuse(command, f"'{command.head}' takes a name, a sort and a term.")
        name, body = command.items[1].text, command.items[-1]
        if name in self.terms.symbols or name in self.terms.macros:
            raise refuse(command, f"'{name}' is declared twice.")
        listed = command.items[2].items if is_function and isinstance(command.items[2], Bracketed) else ()
        parameters = []
        for item in listed:
            if not isinstance(item, Bracketed) or len(item.items) != 2 or not isinstance(item.items[0], Word):
                raise refuse(command, f"the parameters of '{name}' are written as ((x Int) (y Int)).")
            parameters.append((item.items[0].text, self._sort(command, item.items[1])))
        self.terms.macros[name] = Macro(tuple(parameters), body)

    def _assert(self, command: Bracketed) -> None:
        if len(command.items) != 2:
            raise refuse(command, "'assert' takes one term.")
        self._state(command.items[1], "")

    def _state(self, node: Any, name: str) -> None:
        """Take up what must hold: bounds of one number become its range, all else a rule."""
        if isinstance(node, Bracketed) and node.head == "!" and len(node.items) > 1:
            words = [item.text if isinstance(item, Word) else "" for item in node.items]
            given = words[words.index(":named") + 1] if ":named" in words[:-1] else ""
            self._state(node.items[1], given or name)
        elif isinstance(node, Bracketed) and node.head == "and" and not name:
            for item in node.items[1:]:
                self._state(item, "")
        elif not self._is_range(node):
            self.rules.append(Rule(_plain(node, self.terms.boolean(node).text), name or None))

    def _is_range(self, node: Any) -> bool:
        """Take up an assertion about one number alone; False where it is something else, or must be a rule as well."""
        if not isinstance(node, Bracketed):
            return False
        if node.head == "or":
            return self._is_listing(node)
        if node.head not in _TURNED or len(node.items) < 3:
            return False
        links = list(zip(node.items[1:], node.items[2:], strict=False))
        found = [self._link(node.head, left, right) for left, right in links]
        if any(link is None for link in found):
            return False
        is_whole = True
        for link in found:
            assert link is not None
            name, operator, bound = link
            is_whole &= self.declared[name][1] == INT
            self.ranges.setdefault(name, _Range()).narrow(operator, bound, self.declared[name][1] == INT)
        return is_whole or node.head in ("<=", ">=", "=")

    def _is_listing(self, node: Bracketed) -> bool:
        """Take up (or (= x 8) (= x 16)), which lists the values of a number."""
        links = [
            self._link("=", *item.items[1:])
            if isinstance(item, Bracketed) and item.head == "=" and len(item.items) == 3
            else None
            for item in node.items[1:]
        ]
        known = [link for link in links if link is not None]
        if not known or len(known) < len(links) or len({name for name, _, _ in known}) > 1:
            return False
        self.ranges.setdefault(known[0][0], _Range()).keep({bound for _, _, bound in known})
        return True

    def _link(self, operator: str, left: Any, right: Any) -> tuple[str, str, float] | None:
        """Return a number's name, a comparison and a constant, where these two are compared."""
        for one, other, said in ((left, right, operator), (right, left, _TURNED[operator])):
            bound = _constant(other)
            if (
                isinstance(one, Word)
                and self.declared.get(one.text, (None, ""))[1] in (INT, REAL)
                and bound is not None
            ):
                return one.text, said, bound
        return None

    def _variable(self, foreign: str) -> Variable:
        word, sort = self.declared[foreign]
        try:
            if sort == BOOL:
                return Boolean()
            if sort in self.sorts:
                return Categorical(list(self.sorts[sort]))
            return self._number(word, sort, self.ranges.get(foreign, _Range()))
        except SpaceError as error:
            raise refuse(word, f"'{foreign}': {error}") from None

    def _number(self, word: Word, sort: str, known: _Range) -> Variable:
        if known.listed is not None:
            inside = sorted(value for value in known.listed if known.low <= value <= known.high)
            if not inside:
                raise refuse(word, f"no value of '{word.text}' keeps what is asserted of it.")
            whole = sort == INT and all(value == int(value) for value in inside)
            return Levels([int(value) if whole else value for value in inside])
        if math.isinf(known.low) or math.isinf(known.high):
            end = "lowest" if math.isinf(known.low) else "highest"
            raise refuse(
                word,
                f"'{word.text}' has no {end} value. Assert one of it alone, as in (assert (<= 0 {word.text} 100)).",
            )
        if known.low > known.high:
            raise refuse(word, f"no value of '{word.text}' keeps what is asserted of it.")
        if sort == INT:
            return Integer(math.ceil(known.low), math.floor(known.high))
        return Real(known.low, known.high) if known.low < known.high else Levels([known.low])


def _plain(node: Word | Bracketed, text: str) -> str:
    """Return a rule without brackets that say nothing."""
    try:
        return str(parse_rule(text))
    except RuleError as error:
        raise refuse(node, str(error)) from None


def _only(group: Bracketed) -> Word:
    (word,) = group.items
    if not isinstance(word, Word):
        raise ValueError
    return word


def _constant(node: Any) -> float | None:
    """Return the number that a node is: 5, 0.5, (- 5)."""
    if isinstance(node, Bracketed) and node.head == "-" and len(node.items) == 2:
        inner = _constant(node.items[1])
        return None if inner is None else -inner
    if not isinstance(node, Word) or not re.fullmatch(r"\d{1,15}(?:\.\d{1,20})?", node.text):
        return None
    return float(node.text)

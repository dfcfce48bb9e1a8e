"""Random well-typed rules over a space: every rule as text, and as plain Python with vectors unrolled by hand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hedgerow import Ordinal, Space, Vector
from hedgerow.expressions import Scalar
from hedgerow.space import Variable
from tests.oracles import Phrase

T = TypeVar("T")
LETTERS = ("G", "A", "T", "C", "it's")


class Picker:
    """Makes all choices, by hypothesis or by chance."""

    def __init__(self, choose: Callable[[list[Any]], Any]) -> None:
        self._choose = choose

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        chosen: T = self._choose(list(options))
        return chosen

    def toss(self, *sides: bool) -> bool:
        """A coin with these sides."""
        return self.pick(sides)

    def some(self, options: Sequence[T], fewest: int, most: int) -> list[T]:
        """Several different options, in any order."""
        left = list(options)
        return [left.pop(self.pick(range(len(left)))) for _ in range(self.pick(range(fewest, most + 1)))]


@dataclass(frozen=True)
class Row:
    """Several values side by side: a vector, a part of one, or something computed component by component."""

    text: str
    plains: tuple[str, ...]
    values: tuple[Scalar, ...] = ()


NUMBERS = ("0", "1", "2", "3", "5", "-1", "-2", "0.5", "2.0", "-0.25", "0.3", "True", "9007199254740993")
ORDERS = ("<", "<=", ">", ">=")
COMPARISONS = ("==", "!=", *ORDERS)


@dataclass(frozen=True)
class Slot:
    """One scalar that rules can mention."""

    phrase: Phrase
    variable: Variable

    @property
    def is_number(self) -> bool:
        return not any(isinstance(value, str) for value in self.variable.values)

    @property
    def is_small(self) -> bool:
        return all(not isinstance(value, str) and abs(value) < 10 for value in self.variable.values)

    @property
    def is_text(self) -> bool:
        return all(isinstance(value, str) for value in self.variable.values)


class Writer:
    """Writes phrases over one space. `depth` is how many more levels of nesting are allowed."""

    def __init__(self, picker: Picker, space: Space) -> None:
        self.pick, self.toss = picker.pick, picker.toss
        self.vectors = {name: v for name, v in space.variables.items() if isinstance(v, Vector)}
        self.slots: list[Slot] = []
        for name, variable in space.variables.items():
            if isinstance(variable, Vector):
                places = range(-variable.length, variable.length)
                self.slots += [Slot(_same(f"{name}[{i}]"), variable.element) for i in places]
            else:
                self.slots.append(Slot(_same(name), variable))

    def rule(self, depth: int) -> Phrase:
        """A whole rule; half of the time without its outer parentheses."""
        phrase = self.condition(depth)
        has_outer = phrase.text.startswith("(") and _closes_at_end(phrase.text)
        return Phrase(phrase.text[1:-1], phrase.plain) if has_outer and self.toss(True, False) else phrase

    def one_of(self, *writers: Callable[[int], Phrase], depth: int) -> Phrase:
        return self.pick(writers)(depth)

    # --- numbers ---

    def number(self, depth: int) -> Phrase:
        if depth <= 0:
            return self.atom(depth)
        return self.one_of(
            self.atom, self.chain, self.division, self.power, self.sign, self.extreme, self.total, self.count,
            self.run, self.choice, self.as_number,
            depth=depth - 1,
        )  # fmt: skip

    def atom(self, _: int) -> Phrase:
        """A variable where there is one, else a constant."""
        options = [slot.phrase for slot in self.slots if slot.is_number]
        return self.pick(options) if options and self.toss(True, True, True, False) else self.constant()

    def constant(self) -> Phrase:
        return _same(self.pick(NUMBERS))

    def variable(self) -> Phrase:
        """Something that is not constant, so that nothing can be computed (and refused) before the space is seen."""
        numbers = [slot.phrase for slot in self.slots if slot.is_number]
        if numbers:
            return self.pick(numbers)
        slot = self.pick(self.slots)
        return _shaped("({})", self._equality(slot))

    def chain(self, depth: int) -> Phrase:
        text, plain = "", ""
        for i in range(self.pick([2, 2, 3, 4])):
            operator = f" {self.pick(['+', '-', '*'])} " if i else ""
            item = self._operand(self.number(depth))
            text, plain = text + operator + item.text, plain + operator + item.plain
        return Phrase(f"({text})", f"({plain})")

    def _operand(self, phrase: Phrase) -> Phrase:
        """Sometimes without its parentheses: then the operators' own precedence decides, here and there alike."""
        bare = phrase.text.startswith("(") and phrase.text.endswith(")") and self.toss(False, False, True)
        stripped = Phrase(phrase.text[1:-1], phrase.plain[1:-1]) if bare else phrase
        return stripped if bare and _is_sum(stripped.text) and phrase.plain.startswith("(") else phrase

    def division(self, depth: int) -> Phrase:
        operator = self.pick(["/", "//", "%"])
        left, right = self.number(depth), self.number(depth)
        if self.toss(True, False):
            right = self.variable()
        else:
            left = self.variable()
        return _shaped(f"({{}} {operator} {{}})", left, right)

    def power(self, _: int) -> Phrase:
        base, exponent = self.variable(), _same(self.pick(["0", "1", "2", "3", "-1", "0.5", "True"]))
        small = [slot.phrase for slot in self.slots if slot.is_small]
        if small and self.toss(True, False):
            exponent = self.pick(small)
            base = self.constant() if self.toss(True, False) else base
        return Phrase(f"(({base.text}) ** ({exponent.text}))", f"power({base.plain}, {exponent.plain})")

    def sign(self, depth: int) -> Phrase:
        inner = self.number(depth)
        return self.pick([_shaped("(-{})", inner), _shaped("abs({})", inner), _shaped("(+{})", inner)])

    def extreme(self, depth: int) -> Phrase:
        name = self.pick(["min", "max"])
        text, plains = self.arguments(depth, self.number, self.number_row)
        return Phrase(f"{name}({text})", f"{name}([{', '.join(plains)}])")

    def total(self, depth: int) -> Phrase:
        text, plains = self.arguments(depth, self.number, self.number_row)
        return Phrase(self.pick([f"sum({text})", f"sum([{text}])"]), f"total({', '.join(plains)})")

    def count(self, depth: int) -> Phrase:
        text, plains = self.arguments(depth, self.condition, self.condition_row)
        return Phrase(f"count({text})", f"counted({', '.join(plains)})")

    def run(self, depth: int) -> Phrase:
        row = self.sequence(0)
        if row is None:
            return self.atom(depth)
        value = self.pick([None, *row.values])
        suffix = "" if value is None else f", {value!r}"
        return Phrase(f"longest_run({row.text}{suffix})", f"run_length([{', '.join(row.plains)}]{suffix})")

    def choice(self, depth: int) -> Phrase:
        return _shaped("({} if {} else {})", self.number(depth), self.condition(depth), self.number(depth))

    def as_number(self, depth: int) -> Phrase:
        return _shaped("({})", self.condition(depth))

    # --- conditions ---

    def condition(self, depth: int) -> Phrase:
        if depth <= 0:
            return self.comparison(0)
        return self.one_of(
            self.comparison, self.comparison, self.logic, self.negation, self.text_comparison, self.ordinal_comparison,
            self.membership, self.implication, self.counting, self.closeness, self.all_different, self.increasing,
            self.table, self.contains, self.quantifier, self.number, self.condition_choice,
            depth=depth - 1,
        )  # fmt: skip

    def comparison(self, depth: int) -> Phrase:
        n_links = self.pick([1, 1, 1, 2, 3])
        left = self.number(depth)
        text, plain = left.text, left.plain
        for _ in range(n_links):
            operator, right = self.pick(COMPARISONS), self.number(depth)
            text, plain = f"{text} {operator} {right.text}", f"{plain} {operator} {right.plain}"
        return Phrase(f"({text})", f"({plain})")

    def closeness(self, depth: int) -> Phrase:
        left, right, tol = self.number(depth), self.number(depth), self.pick(["1e-9", "0.1", "0.25", "0", "2"])
        return Phrase(f"isclose({left.text}, {right.text}, tol={tol})", f"(abs({left.plain} - {right.plain}) <= {tol})")

    def logic(self, depth: int) -> Phrase:
        operator = self.pick(["and", "or"])
        items = [self.condition(depth) for _ in range(self.pick([2, 2, 3]))]
        return Phrase(
            f"({f' {operator} '.join(i.text for i in items)})", f"({f' {operator} '.join(i.plain for i in items)})"
        )

    def negation(self, depth: int) -> Phrase:
        return _shaped("(not {})", self.condition(depth))

    def condition_choice(self, depth: int) -> Phrase:
        return _shaped("({} if {} else {})", self.condition(depth), self.condition(depth), self.condition(depth))

    def implication(self, depth: int) -> Phrase:
        left, right = self.condition(depth), self.condition(depth)
        a, b = left.plain, right.plain
        name, plain = self.pick(
            [
                ("implies", f"(not {a} or {b})"),
                ("iff", f"((not {a}) == (not {b}))"),
                ("xor", f"((not {a}) != (not {b}))"),
            ]
        )
        return Phrase(f"{name}({left.text}, {right.text})", plain)

    def counting(self, depth: int) -> Phrase:
        name, operator = self.pick([("at_least", ">="), ("at_most", "<="), ("exactly", "==")])
        n = self.pick([0, 1, 1, 2, 3])
        text, plains = self.arguments(depth, self.condition, self.condition_row)
        return Phrase(f"{name}({n}, {text})", f"(counted({', '.join(plains)}) {operator} {n})")

    def quantifier(self, depth: int) -> Phrase:
        name = self.pick(["all", "any"])
        text, plains = self.arguments(depth, self.condition, self.condition_row)
        return Phrase(self.pick([f"{name}({text})", f"{name}([{text}])"]), f"{name}([{', '.join(plains)}])")

    def all_different(self, depth: int) -> Phrase:
        if self.toss(True, False):
            chosen = [self.pick(self.slots) for _ in range(self.pick([2, 2, 3]))]
            text, plains = ", ".join(s.phrase.text for s in chosen), [s.phrase.plain for s in chosen]
        else:
            text, plains = self.arguments(depth, self.number, self.number_row)
        ignore = self.pick(["", "", ", ignore=0", ", ignore=True", ", ignore='G'", ", ignore=2.5"])
        return Phrase(f"all_different({text}{ignore})", f"different([{', '.join(plains)}]{ignore})")

    def increasing(self, depth: int) -> Phrase:
        is_strict, option = self.pick([(False, ""), (True, ", strict=True"), (False, ", strict=False")])
        text, plains = self.arguments(depth, self.number, self.number_row)
        operator = "<" if is_strict else "<="
        steps = [f"{a} {operator} {b}" for a, b in itertools.pairwise(plains)]
        # Every argument is evaluated, one that nothing is compared with as well.
        return Phrase(
            f"increasing({text}{option})", f"all([{', '.join(steps or ['[' + ', '.join(plains) + '] != 0'])}])"
        )

    def table(self, depth: int) -> Phrase:
        items: list[tuple[Phrase, Sequence[Scalar]]] = []
        for _ in range(self.pick([1, 2, 2, 3])):
            slot = self.pick(self.slots)
            is_computed = self.toss(True, False, False, False)
            items.append((self.number(depth), (0, 1, 2)) if is_computed else (slot.phrase, slot.variable.values))
        rows = [tuple(self.pick([*values, 1, "x"]) for _, values in items) for _ in range(self.pick(range(5)))]
        plain = f"(({''.join(item.plain + ', ' for item, _ in items)}) in {rows!r})"
        return Phrase(f"table([{', '.join(item.text for item, _ in items)}], {rows!r})", plain)

    def contains(self, depth: int) -> Phrase:
        row = self.sequence(depth)
        if row is None:
            return self.comparison(depth)
        motif = [self.pick(row.values) for _ in range(self.pick([1, 2, 2, 3]))]
        return Phrase(f"contains({row.text}, {motif!r})", f"has_motif([{', '.join(row.plains)}], {motif!r})")

    def membership(self, depth: int) -> Phrase:
        operator = self.pick(["in", "not in"])
        if self.toss(True, False):
            slot = self.pick(self.slots)
            values = [self.pick(slot.variable.values) for _ in range(self.pick([1, 2, 3]))]
            return _shaped(f"({{}} {operator} {values!r})", slot.phrase)
        whole = self.number_row(depth) if self.toss(True, False, False) else None
        if whole is not None:
            item = self.number(depth)
            return Phrase(
                f"({item.text} {operator} {whole.text})", f"({item.plain} {operator} [{', '.join(whole.plains)}])"
            )
        members = [self.number(depth) for _ in range(self.pick([1, 2, 3]))]
        brackets = self.pick(["[]", "()", "{}"])
        item = self.number(depth)
        text = f"({item.text} {operator} {brackets[0]}{''.join(m.text + ', ' for m in members)}{brackets[1]})"
        return Phrase(text, f"({item.plain} {operator} [{', '.join(m.plain for m in members)}])")

    # --- text and ordinals ---

    def text_comparison(self, depth: int) -> Phrase:
        texts = [slot for slot in self.slots if slot.is_text]
        if not texts:
            return self.comparison(depth)
        left = self.pick(texts)
        if self.toss(True, False):
            return self._equality(left)
        if isinstance(left.variable, Ordinal) or self.toss(True, False):
            right = self.pick(texts).phrase
            return _shaped(f"({{}} {self.pick(['==', '!='])} {{}})", left.phrase, right)
        return _shaped(f"({{}} {self.pick(['in', 'not in'])} {[self.pick(LETTERS)]!r})", left.phrase)

    def _equality(self, slot: Slot) -> Phrase:
        return _shaped(f"({{}} {self.pick(['==', '!='])} {self.pick(slot.variable.values)!r})", slot.phrase)

    def ordinal_comparison(self, depth: int) -> Phrase:
        ordinals_ = [slot for slot in self.slots if isinstance(slot.variable, Ordinal)]
        if not ordinals_:
            return self.comparison(depth)
        left = self.pick(ordinals_)
        labels = list(left.variable.values)
        operator = self.pick(COMPARISONS)
        others = [slot for slot in ordinals_ if slot.variable == left.variable]
        if self.toss(True, False):
            right = self.pick(others)
            plain = f"({labels!r}.index({left.phrase.plain}) {operator} {labels!r}.index({right.phrase.plain}))"
            return Phrase(f"({left.phrase.text} {operator} {right.phrase.text})", plain)
        label = self.pick(labels)
        plain = f"({labels!r}.index({left.phrase.plain}) {operator} {labels.index(label)})"
        return Phrase(f"({left.phrase.text} {operator} {label!r})", plain)

    # --- several values at once ---

    def arguments(
        self, depth: int, scalar: Callable[[int], Phrase], row: Callable[[int], Row | None]
    ) -> tuple[str, list[str]]:
        texts: list[str] = []
        plains: list[str] = []
        for _ in range(self.pick([1, 2, 2, 3])):
            whole = row(depth) if self.toss(True, False) else None
            if whole is None:
                phrase = scalar(depth)
                texts.append(phrase.text)
                plains.append(phrase.plain)
            else:
                texts.append(whole.text)
                plains += whole.plains
        return ", ".join(texts), plains

    def sequence(self, depth: int) -> Row | None:
        """Something to look for motifs and runs in: a vector, scalars side by side, or conditions on a vector."""
        kind = self.pick(["vector", "vector", "scalars", "conditions"])
        if kind == "scalars":
            chosen = [self.pick(self.slots) for _ in range(self.pick([2, 3, 4]))]
            values = tuple(value for slot in chosen for value in slot.variable.values)
            texts = [slot.phrase.text for slot in chosen]
            return Row(f"[{', '.join(texts)}]", tuple(slot.phrase.plain for slot in chosen), values)
        if not self.vectors:
            return None
        if kind == "conditions":
            row = self.condition_row(depth)
            return None if row is None else Row(row.text, row.plains, (False, True))
        part, variable = self.vector_part()
        return Row(part.text, part.plains, variable.element.values)

    def vector_part(self) -> tuple[Row, Vector]:
        """A whole vector or a slice of it that is not empty."""
        name = self.pick(list(self.vectors))
        return self._part(name), self.vectors[name]

    def _part(self, name: str) -> Row:
        places = range(self.vectors[name].length)
        part = self.pick(
            [slice(None), slice(None), slice(1, None), slice(None, -1), slice(None, None, 2), slice(-2, None)]
        )
        part = part if places[part] else slice(None)
        bounds = ":".join("" if bound is None else str(bound) for bound in (part.start, part.stop))
        suffix = "" if part == slice(None) else f"[{bounds}]" if part.step is None else f"[{bounds}:{part.step}]"
        return Row(f"{name}{suffix}", tuple(f"{name}[{i}]" for i in places[part]))

    def number_row(self, depth: int) -> Row | None:
        numeric = [
            name for name, v in self.vectors.items() if not any(isinstance(value, str) for value in v.element.values)
        ]
        if not numeric:
            return None
        row = self._part(self.pick(numeric))
        if depth <= 0 or self.toss(True, False):
            return row
        operator = self.pick(["+", "-", "*", "/", "//", "%"])
        return self._broadcast(f"({{}} {operator} {{}})", row, self._partner(row, depth))

    def condition_row(self, depth: int) -> Row | None:
        row = self.number_row(depth)
        if row is None:
            return self._label_row()
        compared = self._broadcast(f"({{}} {self.pick(COMPARISONS)} {{}})", row, self._partner(row, depth))
        if depth <= 0 or self.toss(True, False):
            return compared
        other = self.condition(depth - 1)
        return self.pick(
            [
                Row(f"(not {compared.text})", tuple(f"(not {plain})" for plain in compared.plains)),
                self._broadcast("({} and {})", compared, Row(other.text, (other.plain,) * len(row.plains))),
                self._broadcast("({} or {})", compared, Row(other.text, (other.plain,) * len(row.plains))),
            ]
        )

    def _label_row(self) -> Row | None:
        if not self.vectors:
            return None
        row, variable = self.vector_part()
        label = self.pick(variable.element.values)
        return self._broadcast("({} == {})", row, Row(repr(label), (repr(label),) * len(row.plains)))

    def _partner(self, row: Row, depth: int) -> Row:
        """Something to combine a row with: a scalar for all components, or a row of the same length."""
        if self.toss(True, False, False):
            return Row(row.text, row.plains)
        phrase = self.variable() if self.toss(True, False) else self.number(depth - 1)
        return Row(phrase.text, (phrase.plain,) * len(row.plains))

    def _broadcast(self, shape: str, left: Row, right: Row) -> Row:
        plains = (shape.format(a, b) for a, b in zip(left.plains, right.plains, strict=True))
        return Row(shape.format(left.text, right.text), tuple(plains))


def _same(text: str) -> Phrase:
    return Phrase(text, text)


def _shaped(shape: str, *parts: Phrase) -> Phrase:
    """The shape filled with the texts, and with the plain forms."""
    return Phrase(shape.format(*(part.text for part in parts)), shape.format(*(part.plain for part in parts)))


def _is_sum(text: str) -> bool:
    """Whether the text is a plain chain of names and numbers, so that it may stand without parentheses."""
    return all(letter.isalnum() or letter in "_.[]+-* " for letter in text) and " if " not in text


def _closes_at_end(text: str) -> bool:
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return place == len(text) - 1
    return False

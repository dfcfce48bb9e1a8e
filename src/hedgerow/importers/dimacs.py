"""Propositional models in DIMACS CNF, with names of variables in comments such as `c 12 bigtable`.

Each clause is a rule over booleans. Where clauses say that of several variables at most one is true, and one of them
is true (always, or where another variable is), these become one choice, as in a feature model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

from hedgerow.errors import ProblemFileError
from hedgerow.importers.feature_model import FeatureGroup, Translation
from hedgerow.importers.imported import Imported, assembled
from hedgerow.importers.logic import any_holds, is_always, opposite
from hedgerow.importers.source import load_file, shortened
from hedgerow.rules import Rule

MAX_VARIABLES = 1_000_000
# Variables that no clause and no comment mentions.
MAX_UNMENTIONED = 1_000
# A longer clause is not looked at as a choice: its pairs alone would be tens of thousands of clauses.
MAX_CHOICE = 300

Clause = frozenset[int]


def load_dimacs(path: str | Path) -> Imported:
    r"""Read a CNF file.

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
        Where the file cannot be read, is malformed or not what the format allows; the message says where.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hedgerow.importers import load_dimacs
    >>> text = "p cnf 2 1\n1 2 0\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.cnf")
    ...     n_letters = path.write_text(text)
    ...     imported = load_dimacs(path)
    >>> imported.space.size
    4
    """
    return load_file(path, "DIMACS", read_dimacs)


def read_dimacs(text: str, name: str = "problem") -> Imported:
    r"""Read the text of a CNF file.

    Parameters
    ----------
    text : str
        What the file holds.
    name : str, optional
        What the problem is called where the text does not say.

    Returns
    -------
    Imported
        A space, its rules, and what was changed on the way.

    Raises
    ------
    ProblemFileError
        Where the text is malformed or not what the format allows; the message says where.

    Examples
    --------
    >>> from hedgerow.importers import read_dimacs
    >>> text = "p cnf 2 1\n1 2 0\n"
    >>> read_dimacs(text).space.size
    4
    """
    n_variables, clauses, labels = _parsed(text)
    names = _names(n_variables, labels)
    folding = _Folding(n_variables, clauses)
    translation = Translation([_named(group, names) for group in folding.groups])
    rules = list(translation.rules)
    for number, clause in folding.remaining():
        meanings = [(literal, translation.meanings[names[abs(literal) - 1]]) for literal in sorted(clause, key=abs)]
        condition = any_holds(meaning if literal > 0 else opposite(meaning) for literal, meaning in meanings)
        if not is_always(condition):
            rules.append(Rule(condition, f"clause {number}"))
    return assembled(name, translation.variables, rules, translation.notes, (), translation.meanings)


def _parsed(text: str) -> tuple[int, list[Clause], dict[int, str]]:
    labels: dict[int, str] = {}
    counts: tuple[int, int] | None = None
    numbers: list[int] = []
    for place, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0] == "c":
            label = line.strip()[1:].split(None, 1)
            if len(label) == 2 and re.fullmatch(r"\d{1,9}\$?", label[0]):
                labels.setdefault(int(label[0].rstrip("$")), label[1])
        elif words[0] == "p":
            counts = _header(words, place, counts)
        elif words[0] == "%":
            break
        else:
            numbers += _literals(words, place, counts)
    if counts is None:
        raise ProblemFileError("There is no line 'p cnf VARIABLES CLAUSES'.")
    clauses = _clauses(numbers, counts[1])
    _check_mentioned(counts[0], clauses, labels)
    return counts[0], clauses, labels


def _check_mentioned(n_variables: int, clauses: list[Clause], labels: dict[int, str]) -> None:
    """Refuse a file whose few words stand for a space of many variables that nothing is said about."""
    mentioned = {abs(literal) for clause in clauses for literal in clause} | labels.keys()
    n_others = n_variables - len(mentioned)
    if n_others > MAX_UNMENTIONED:
        raise ProblemFileError(
            f"The 'p' line announces {n_variables:,} variables, but no clause and no comment mentions {n_others:,} of "
            f"them; at most {MAX_UNMENTIONED:,} may be free. Correct the number, or leave them out."
        )


def _header(words: list[str], place: int, earlier: tuple[int, int] | None) -> tuple[int, int]:
    if earlier is not None:
        raise ProblemFileError(f"Line {place} is a second 'p' line.")
    if len(words) != 4 or words[1] != "cnf" or not all(re.fullmatch(r"\d{1,9}", word) for word in words[2:]):
        raise ProblemFileError(
            f"Line {place} should be 'p cnf VARIABLES CLAUSES', but is '{shortened(' '.join(words))}'."
        )
    n_variables, n_clauses = int(words[2]), int(words[3])
    if not 1 <= n_variables <= MAX_VARIABLES:
        raise ProblemFileError(f"Line {place} announces {n_variables:,} variables; 1 to {MAX_VARIABLES:,} are read.")
    return n_variables, n_clauses


def _literals(words: list[str], place: int, counts: tuple[int, int] | None) -> list[int]:
    if counts is None:
        raise ProblemFileError(f"Line {place} comes before the line 'p cnf VARIABLES CLAUSES'.")
    for word in words:
        if not re.fullmatch(r"-?\d{1,9}", word) or abs(int(word)) > counts[0]:
            raise ProblemFileError(
                f"Line {place}: '{shortened(word)}' is not a literal, a whole number from -{counts[0]} to {counts[0]}."
            )
    return [int(word) for word in words]


def _clauses(numbers: list[int], announced: int) -> list[Clause]:
    clauses: list[Clause] = []
    current: list[int] = []
    for number in numbers:
        if number:
            current.append(number)
        else:
            clauses.append(frozenset(current))
            current = []
    if current:
        clauses.append(frozenset(current))
    if len(clauses) != announced:
        raise ProblemFileError(f"There are {len(clauses):,} clauses, but the 'p' line announces {announced:,}.")
    return clauses


def _named(group: FeatureGroup, names: list[str]) -> FeatureGroup:
    """The group with names in place of numbers."""
    parent = None if group.parent is None else names[int(group.parent) - 1]
    return FeatureGroup(parent, tuple(names[int(member) - 1] for member in group.members), group.low, group.high)


def _names(n_variables: int, labels: dict[int, str]) -> list[str]:
    """Return a different name per variable: its label, or x with its number."""
    names = [labels.get(number, f"x{number}") for number in range(1, n_variables + 1)]
    if len(set(names)) < len(names):
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise ProblemFileError(f"Two variables are named '{shortened(name)}'.")
            seen.add(name)
    return names


class _Folding:
    """Finds groups among clauses; features are numbers of variables, written as text, as groups have them.

    `implied` are the clauses that the groups say already.
    """

    def __init__(self, n_variables: int, clauses: list[Clause]) -> None:
        self.clauses = clauses
        self.known = set(clauses)
        self.parents: dict[int, int] = {}
        self.groups: list[FeatureGroup] = []
        self.implied: set[Clause] = {clause for clause in clauses if any(-literal in clause for literal in clause)}
        for clause in clauses:
            self._find_choice(clause)
        for clause in clauses:
            self._find_mandatory(clause)
        for number in range(1, n_variables + 1):
            if number not in self.parents:
                self._add_top(number)

    def remaining(self) -> list[tuple[int, Clause]]:
        """Return the clauses that are rules, with their numbers."""
        numbered = enumerate(self.clauses, start=1)
        return [(number, clause) for number, clause in numbered if clause not in self.implied]

    def _find_choice(self, clause: Clause) -> None:
        members = sorted(literal for literal in clause if literal > 0)
        negated = [-literal for literal in clause if literal < 0]
        if not 2 <= len(members) <= MAX_CHOICE or len(negated) > 1 or any(m in self.parents for m in members):
            return
        parent = negated[0] if negated else 0
        needs = [frozenset((-member, parent)) for member in members if parent]
        if not all(need in self.known for need in needs) or self._is_below(parent, members):
            return
        # Most clauses fail at their first pair, so the pairs are not listed beforehand.
        if all(frozenset((-one, -other)) in self.known for one, other in combinations(members, 2)):
            self._add(parent, members, 1)
            self.implied.update(needs, [clause])
            self.implied.update(frozenset((-one, -other)) for one, other in combinations(members, 2))

    def _find_mandatory(self, clause: Clause) -> None:
        """A variable that is true exactly where another is."""
        if len(clause) != 2 or sum(literal > 0 for literal in clause) != 1:
            return
        parent, child = sorted(abs(literal) for literal in clause)
        says = {frozenset((-parent, child)), frozenset((parent, -child))}
        if says <= self.known and child not in self.parents and not self._is_below(parent, [child]):
            self._add(parent, [child], 1)
            self.implied |= says

    def _add_top(self, number: int) -> None:
        is_true, is_false = (frozenset((literal,)) in self.known for literal in (number, -number))
        if is_true and not is_false:
            self.implied.add(frozenset((number,)))
        self._add(0, [number], 1 if is_true and not is_false else 0)

    def _add(self, parent: int, members: Sequence[int], low: int) -> None:
        self.groups.append(FeatureGroup(str(parent) if parent else None, tuple(map(str, members)), low, 1))
        self.parents.update((member, parent) for member in members)

    def _is_below(self, feature: int, others: Iterable[int]) -> bool:
        """Whether the feature is one of the others, or already below one of them."""
        targets = set(others)
        while feature:
            if feature in targets:
                return True
            feature = self.parents.get(feature, 0)
        return False

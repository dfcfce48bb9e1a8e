"""Random small feature models, their configurations by brute force, and the same models as UVL, XML and CNF."""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from xml.sax.saxutils import escape

from hedgerow import FeasibleSet, RuleWarning
from hedgerow.importers import Imported
from hedgerow.problem_file import parse_problem

NAMES = ("root", "a", "b", "c d", "class", "e_1", "e_2", "7up", "none", "größe", "h", "i")
Literal = tuple[str, bool]
Clause = tuple[Literal, ...]
Selection = frozenset[str]


@dataclass(frozen=True)
class Model:
    """Groups as (parent, members, low, high) in the order of a walk from the root, and clauses across the tree."""

    features: tuple[str, ...]
    groups: tuple[tuple[str, tuple[str, ...], int, int], ...]
    clauses: tuple[Clause, ...]

    def selections(self) -> set[Selection]:
        """All configurations, found by trying every one."""
        found: set[Selection] = set()
        for choice in product((False, True), repeat=len(self.features)):
            selected = frozenset(name for name, is_in in zip(self.features, choice, strict=True) if is_in)
            if self.features[0] in selected and self._fits_groups(selected) and self._fits_clauses(selected):
                found.add(selected)
        return found

    def _fits_groups(self, selected: Selection) -> bool:
        for parent, members, low, high in self.groups:
            n_selected = sum(member in selected for member in members)
            if not (low <= n_selected <= high if parent in selected else n_selected == 0):
                return False
        return True

    def _fits_clauses(self, selected: Selection) -> bool:
        return all(any((name in selected) is wanted for name, wanted in clause) for clause in self.clauses)


def random_model(seed: int, with_cardinalities: bool = True) -> Model:
    """A tree of up to ten features with groups of every kind, and up to three clauses."""
    rng = random.Random(seed)
    names = list(NAMES[1:])
    rng.shuffle(names)
    features = [NAMES[0]]
    groups: list[tuple[str, tuple[str, ...], int, int]] = []
    waiting = names[: rng.randint(2, 9)]
    while waiting:
        n_members = min(len(waiting), rng.choice((1, 1, 2, 2, 3)))
        members = tuple(waiting.pop() for _ in range(n_members))
        kinds = [(1, 1), (0, 1)] if n_members == 1 or not with_cardinalities else [(1, 1), (1, 1), (0, 1)]
        if n_members > 1 and with_cardinalities:
            kinds += [(1, n_members), (0, n_members), (2, n_members), (n_members, n_members), (0, 0)]
        if n_members > 1 and not with_cardinalities:
            kinds = [(1, 1)]
        groups.append((rng.choice(features), members, *rng.choice(kinds)))
        features += members
    clauses = [
        tuple((name, rng.random() < 0.5) for name in rng.sample(features, min(len(features), rng.choice((2, 2, 3)))))
        for _ in range(rng.choice((0, 1, 2, 3)))
    ]
    return Model(tuple(features), tuple(groups), tuple(clauses))


def as_uvl(model: Model) -> str:
    """The model in UVL, with a comment, an attribute and a blank line on the way."""
    lines = ['namespace "test"', "", "features", f"\t{_quoted(model.features[0])} {{abstract}} // the root"]
    lines += _uvl_groups(model, model.features[0], 2)
    lines += ["constraints"] if model.clauses else []
    for number, clause in enumerate(model.clauses):
        lines.append("\t" + _uvl_clause(clause, number))
    return "\n".join(lines) + "\n"


def _uvl_groups(model: Model, parent: str, depth: int) -> list[str]:
    lines: list[str] = []
    for above, members, low, high in model.groups:
        if above != parent:
            continue
        lines.append("\t" * depth + _uvl_kind(len(members), low, high))
        for member in members:
            lines.append("\t" * (depth + 1) + _quoted(member) + " {cost 3,\n   note 'a, b'}" * (member == "h"))
            lines += _uvl_groups(model, member, depth + 2)
    return lines


def _uvl_kind(n_members: int, low: int, high: int) -> str:
    if n_members == 1:
        return "mandatory" if low else "optional"
    if (low, high) == (1, 1):
        return "alternative"
    return "or" if (low, high) == (1, n_members) else f"[{low}..{high}]"


def _uvl_clause(clause: Clause, style: int) -> str:
    """One clause in one of several ways to say it."""
    (first, wanted), *others = clause
    rest = " | ".join(("" if positive else "!") + _quoted(name) for name, positive in others)
    if style % 3 == 0:
        return f"{'!' if wanted else ''}{_quoted(first)} => ({rest})"
    if style % 3 == 1:
        return f"!(({rest}) <=> true) => {'' if wanted else '!'}{_quoted(first)}"
    return f"{'' if wanted else '!'}{_quoted(first)} | {rest}"


def _quoted(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else f'"{name}"'


def as_xml(model: Model) -> str:
    """A model without cardinalities as SPLConqueror writes it; alternatives exclude each other."""
    options = [_option(model.features[0], "", False, ())]
    for parent, members, low, _ in model.groups:
        for member in members:
            rivals = [other for other in members if other != member]
            options.append(_option(member, parent, low == 0, rivals))
    clauses = [
        " | ".join(("" if positive else "!") + f'"{name}"' for name, positive in clause) for clause in model.clauses
    ]
    constraints = "".join(f"<constraint>{escape(clause)}</constraint>" for clause in clauses)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<vm name="test"><binaryOptions>{"".join(options)}</binaryOptions>'
        f"<numericOptions /><booleanConstraints>{constraints}</booleanConstraints><nonBooleanConstraints /></vm>"
    )


def _option(name: str, parent: str, is_optional: bool, rivals: Sequence[str]) -> str:
    excluded = "".join(f"<options>{escape(rival)}</options>" for rival in rivals)
    return (
        f"<configurationOption><name>{escape(name)}</name><parent>\n {escape(parent)}\n</parent>"
        f"<excludedOptions>{excluded}</excludedOptions><optional>{is_optional}</optional></configurationOption>"
    )


def as_cnf(model: Model) -> str:
    """A model of mandatory, optional, alternative and or groups as clauses, with names in comments."""
    number = {name: place for place, name in enumerate(model.features, start=1)}
    clauses = [[number[model.features[0]]]]
    for parent, members, low, high in model.groups:
        clauses += [[-number[member], number[parent]] for member in members]
        if low:
            clauses.append([-number[parent], *(number[member] for member in members)])
        if high == 1:
            clauses += [[-number[one], -number[other]] for one, other in combinations(members, 2)]
    clauses += [[number[name] if positive else -number[name] for name, positive in clause] for clause in model.clauses]
    labels = [f"c {place} {name}" for name, place in number.items()]
    body = [" ".join(map(str, clause)) + " 0" for clause in clauses]
    return "\n".join([*labels, f"p cnf {len(number)} {len(clauses)}", *body]) + "\n"


# --- what was imported --------------------------------------------------------------------------------------------


def feasible(imported: Imported, through_toml: bool = False) -> FeasibleSet:
    """The feasible set, perhaps of the problem file; generated rules may well be redundant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        if through_toml:
            problem = parse_problem(imported.to_toml())
            return FeasibleSet(problem.space, problem.rules, allow_empty=True)
        return FeasibleSet(imported.space, imported.rules, allow_empty=True)


def selections(imported: Imported) -> list[Selection]:
    """The configurations that the points stand for."""
    originals = [imported.original(point) for point in feasible(imported)]
    return [frozenset(name for name, is_selected in original.items() if is_selected) for original in originals]

"""Feature models as the three formats share them, and their translation into variables and rules.

A model is a forest of features in groups: of a group's members at least `low` and at most `high` are selected where
its parent is, and none where it is not. An optional feature is a group of one with low 0, a mandatory one with low 1.

Translation gives each feature a meaning, which is a condition on variables. A mandatory feature means what its parent
means. A group of which one or none is selected is a single variable whose values are its members. An optional
feature with such an alternative below it is selected exactly where that variable is not `none`, so it needs no
variable of its own. All other features are booleans. The points are thereby in one-to-one correspondence with the
model's configurations. Alternatives that differ only in a number, as `cache_8` and `cache_64`, are ordered by it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hedgerow.expressions import Expression, Name
from hedgerow.importers.logic import (
    ALWAYS,
    NEVER,
    all_hold,
    any_holds,
    both_or_neither,
    implication,
    is_always,
    is_never,
    opposite,
)
from hedgerow.importers.naming import legal_names, unused
from hedgerow.rules import Rule, at_least, at_most
from hedgerow.space import Boolean, Categorical, Ordinal, Variable

MAX_LISTED = 12


@dataclass(frozen=True)
class FeatureGroup:
    """Features below one parent (None: the model itself), of which `low` to `high` are selected where it is."""

    parent: str | None
    members: tuple[str, ...]
    low: int
    high: int

    @property
    def is_alternative(self) -> bool:
        """Whether exactly one of several members is selected."""
        return len(self.members) > 1 and self.low == self.high == 1

    @property
    def is_mandatory(self) -> bool:
        """Whether its one member is selected wherever the parent is."""
        return len(self.members) == 1 and self.low >= 1


class Translation:
    """The variables, rules and notes that a forest of groups comes to; `meanings` has a condition per feature.

    `reserved` are names that other variables of the problem have already.
    """

    def __init__(self, groups: Sequence[FeatureGroup], reserved: Iterable[str] = ()) -> None:
        self.variables: dict[str, Variable] = {}
        self.rules: list[Rule] = []
        self.meanings: dict[str, Expression] = {}
        self.notes: list[str] = []
        self._groups: dict[str | None, list[FeatureGroup]] = defaultdict(list)
        for group in groups:
            self._groups[group.parent].append(group)
        self._n_choices = Counter(group.parent for group in groups if len(group.members) > 1 and group.high == 1)
        self._names = legal_names(member for group in groups for member in group.members)
        self._taken = set(reserved)
        self._hosted: dict[FeatureGroup, str] = {}
        self._translate()
        self._note_meanings()

    def _translate(self) -> None:
        """From the top down, so that a parent has its meaning before its groups are looked at."""
        waiting: list[FeatureGroup] = list(reversed(self._groups[None]))
        while waiting:
            group = waiting.pop()
            self._place(group)
            for member in reversed(group.members):
                waiting.extend(reversed(self._groups[member]))

    def _place(self, group: FeatureGroup) -> None:
        parent = ALWAYS if group.parent is None else self.meanings[group.parent]
        if len(group.members) == 1 and group.high >= 1:
            (member,) = group.members
            self.meanings[member] = parent if group.low >= 1 else self._presence(member, parent)
        elif group.high < group.low or group.high == 0:
            self._place_impossible(group, parent)
        elif group.high == 1:
            self._place_choice(group, parent)
        else:
            self._place_several(group, parent)

    def _place_impossible(self, group: FeatureGroup, parent: Expression) -> None:
        self.meanings.update((member, NEVER) for member in group.members)
        if group.low > 0:
            self._add_rule(opposite(parent), f"{_listed(group.members)} below {group.parent}")

    def _place_choice(self, group: FeatureGroup, parent: Expression) -> None:
        name = self._hosted.get(group) or self._variable_name(group)
        is_hosted = group in self._hosted
        labels = list(group.members)
        none = unused("none", labels)
        if is_hosted or group.low == 0 or not is_always(parent):
            labels.insert(0, none)
        numbers = _numbers_in(labels)
        self.variables[name] = Ordinal(sorted(labels, key=numbers.__getitem__)) if numbers else Categorical(labels)
        self._taken.add(name)
        ordered = ", ordered by their numbers" if numbers else ""
        self.notes.append(f"{name} is one variable for the alternatives {_listed(group.members)}{ordered}.")
        self.meanings.update((member, Name(name) == member) for member in group.members)
        if not is_hosted and not is_always(parent):
            chosen = Name(name) != none
            below = f"{name} below {group.parent}"
            self._add_rule(both_or_neither(chosen, parent) if group.low else implication(chosen, parent), below)

    def _place_several(self, group: FeatureGroup, parent: Expression) -> None:
        selected = [self._presence(member, parent) for member in group.members]
        self.meanings.update(zip(group.members, selected, strict=True))
        bounds: list[Expression] = []
        if group.low == 1:
            bounds.append(any_holds(selected))
        elif group.low > 1:
            bounds.append(at_least(group.low, *selected))
        if group.high < len(selected):
            bounds.append(at_most(group.high, *selected))
        about = f"some of {_listed(group.members)}" if group.parent is None else f"some below {group.parent}"
        self._add_rule(implication(parent, all_hold(bounds)), about)

    def _presence(self, feature: str, parent: Expression) -> Expression:
        """Return the condition that an optional feature is selected, on a variable of its own."""
        host = self._host(feature)
        if host is None:
            name = self._unused(self._names[feature])
            self.variables[name] = Boolean()
            present: Expression = Name(name)
        else:
            name = self._variable_name(host)
            self._hosted[host] = name
            # The place in the space is kept now; the values follow when the group is placed.
            self.variables[name] = Boolean()
            present = Name(name) != unused("none", host.members)
        self._taken.add(name)
        self._add_rule(implication(present, parent), f"{feature} below another")
        return present

    def _host(self, feature: str) -> FeatureGroup | None:
        """Return the first alternative that is decided exactly where the feature is selected."""
        current: str | None = feature
        while current is not None:
            below: str | None = None
            for group in self._groups[current]:
                if group.is_alternative:
                    return group
                if group.is_mandatory and below is None:
                    below = group.members[0]
            current = below
        return None

    def _variable_name(self, group: FeatureGroup) -> str:
        """Name a choice after its parent where that has no other, else after its members."""
        if group.parent is not None and self._n_choices[group.parent] == 1:
            parent_name = self._names[group.parent]
            if parent_name not in self._taken:
                return parent_name
        first = [self._names[member] for member in group.members[:3]]
        return self._unused("_or_".join(first) + ("_or_more" if len(group.members) > 3 else ""))

    def _unused(self, name: str) -> str:
        return unused(name, self._taken)

    def _add_rule(self, condition: Expression, name: str) -> None:
        if not is_always(condition):
            self.rules.append(Rule(condition, name))

    def _note_meanings(self) -> None:
        constant = [feature for feature, meaning in self.meanings.items() if is_always(meaning)]
        if constant:
            self.notes.append(f"always selected: {_listed(constant, 1000)}.")
        dead = [feature for feature, meaning in self.meanings.items() if is_never(meaning)]
        if dead:
            self.notes.append(f"never selected: {_listed(dead, 1000)}.")
        renamed = [
            f"'{feature}' is {meaning}"
            for feature, meaning in self.meanings.items()
            if isinstance(meaning, Name) and meaning.name != feature
        ]
        if renamed:
            self.notes.append(f"other names: {'; '.join(renamed)}.")


def _numbers_in(labels: Sequence[str]) -> dict[str, int]:
    """Return the number in each label, where the labels have one each and differ in nothing else."""
    matches = [re.fullmatch(r"(\D*)(\d{1,18})(\D*)", label) for label in labels]
    around = {(match.group(1), match.group(3)) if match else None for match in matches}
    if len(around) > 1 or None in around:
        return {}
    numbers = {match.string: int(match.group(2)) for match in matches if match}
    return numbers if len(set(numbers.values())) == len(labels) else {}


def _listed(names: Sequence[str], limit: int = MAX_LISTED) -> str:
    shown = ", ".join(names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")

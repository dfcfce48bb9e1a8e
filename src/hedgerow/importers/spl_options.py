"""The options of an SPLConqueror model as the XML lists them, and the groups that they form."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass

from hedgerow.errors import ProblemFileError
from hedgerow.importers.feature_model import FeatureGroup
from hedgerow.importers.spl_numbers import MAX_ALL_VALUES, numeric_levels
from hedgerow.space import Levels
from hedgerow.wording import ending


@dataclass(frozen=True)
class Option:
    """A binary option; `implied` and `excluded` hold one tuple of names per entry of the file."""

    name: str
    parent: str | None
    is_optional: bool
    implied: tuple[tuple[str, ...], ...]
    excluded: tuple[tuple[str, ...], ...]


def _text(element: ET.Element, tag: str) -> str:
    return (element.findtext(tag) or "").strip()


def _elements(root: ET.Element, section: str) -> list[ET.Element]:
    return root.findall(f"{section}/configurationOption")


def binary_options(root: ET.Element) -> dict[str, Option]:
    """Return the binary options by name; what they mention exists, and none is its own ancestor."""
    options: dict[str, Option] = {}
    for number, element in enumerate(_elements(root, "binaryOptions"), start=1):
        name = _text(element, "name")
        if not name:
            raise ProblemFileError(f"Binary option {number} has no <name>.")
        if name in options:
            raise ProblemFileError(f"Two options are named '{name}'.")
        is_optional = _text(element, "optional").lower() == "true"
        implied, excluded = (_option_lists(element, tag) for tag in ("impliedOptions", "excludedOptions"))
        options[name] = Option(name, _text(element, "parent") or None, is_optional, implied, excluded)
    for option in options.values():
        _check_references(option, options)
    return options


def _option_lists(element: ET.Element, tag: str) -> tuple[tuple[str, ...], ...]:
    """Return one tuple per <options>; its names are separated by |."""
    lists = (entry.text or "" for section in element.findall(tag) for entry in section.iter() if entry is not section)
    split = (tuple(part.strip() for part in text.split("|") if part.strip()) for text in lists)
    return tuple(names for names in split if names)


def _check_references(option: Option, options: dict[str, Option]) -> None:
    mentioned = [name for names in option.implied + option.excluded for name in names]
    for name in [*([option.parent] if option.parent else []), *mentioned]:
        if name not in options:
            raise ProblemFileError(
                f"Option '{option.name}' mentions '{name}', which is not an option{ending(name, options)}"
            )
    above, steps = option.parent, 0
    while above is not None:
        above, steps = options[above].parent, steps + 1
        if steps > len(options):
            raise ProblemFileError(f"Option '{option.name}' is its own ancestor.")


def optional_numbers(root: ET.Element) -> list[str]:
    """Return what to say about numeric options that may be left out."""
    names = [_text(e, "name") for e in _elements(root, "numericOptions") if _text(e, "optional").lower() == "true"]
    return [f"the numeric option '{name}' may be left out; here it always has a value." for name in names]


def numeric_options(root: ET.Element, options: Mapping[str, Option]) -> dict[str, Levels]:
    """Return the levels of the numeric options by name."""
    numbers: dict[str, Levels] = {}
    n_values = 0
    for number, element in enumerate(_elements(root, "numericOptions"), start=1):
        name = _text(element, "name")
        if not name:
            raise ProblemFileError(f"Numeric option {number} has no <name>.")
        if name in numbers or name in options:
            raise ProblemFileError(f"Two options are named '{name}'.")
        try:
            low, high, step = (_text(element, tag) for tag in ("minValue", "maxValue", "stepFunction"))
            numbers[name] = numeric_levels(name, low, high, step, _text(element, "values"))
        except ProblemFileError as error:
            raise ProblemFileError(f"Numeric option '{name}': {error}") from None
        n_values += len(numbers[name].values)
        if n_values > MAX_ALL_VALUES:
            raise ProblemFileError(f"The numeric options up to '{name}' have more than {MAX_ALL_VALUES:,} values.")
    return numbers


def groups_of(options: Mapping[str, Option]) -> list[FeatureGroup]:
    """Return the forest: alternatives together, every other option by itself."""
    rivals = rivals_of(options)
    groups: list[FeatureGroup] = []
    grouped: set[str] = set()
    for option in options.values():
        if option.name in grouped:
            continue
        members = [name for name in options if name == option.name or name in rivals[option.name]]
        if len(members) > 1 and all(rivals[name] | {name} == set(members) for name in members):
            groups.append(FeatureGroup(option.parent, tuple(members), 1, 1))
            grouped.update(members)
        else:
            groups.append(
                FeatureGroup(option.parent, (option.name,), 0 if option.is_optional or option.excluded else 1, 1)
            )
    return groups


def rivals_of(options: Mapping[str, Option]) -> dict[str, set[str]]:
    """Return for each option the siblings that it excludes, where neither is optional."""
    rivals: dict[str, set[str]] = {name: set() for name in options}
    for option in options.values():
        for names in option.excluded:
            other = options[names[0]]
            is_sibling = len(names) == 1 and other is not option and other.parent == option.parent
            if is_sibling and not option.is_optional and not other.is_optional:
                rivals[option.name].add(other.name)
                rivals[other.name].add(option.name)
    return rivals

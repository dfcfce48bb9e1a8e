"""SPLConqueror's feature models (XML): binary options become choices and booleans, numeric options become levels.

Read as SPLConqueror reads them: an option needs its parent; a non-optional option without exclusions is selected
where its parent is; non-optional siblings that exclude each other are alternatives, one of which is selected where
the parent is. Constraints over numbers apply where all their options are selected.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from hedgerow.errors import ProblemFileError
from hedgerow.expressions import Expression, Name
from hedgerow.importers.feature_model import FeatureGroup, Translation
from hedgerow.importers.formula import NotRepresentable, Vocabulary, parse_formula
from hedgerow.importers.imported import Imported, assembled
from hedgerow.importers.logic import all_hold, any_holds, implication, is_always, opposite
from hedgerow.importers.naming import legal_names, renaming_notes
from hedgerow.importers.source import load_file, shortened
from hedgerow.importers.spl_options import (
    Option,
    binary_options,
    groups_of,
    numeric_options,
    optional_numbers,
    rivals_of,
)
from hedgerow.rules import Rule
from hedgerow.wording import ending


def load_spl(path: str | Path) -> Imported:
    """Read a feature model of SPLConqueror.

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
    >>> from hedgerow.importers import load_spl
    >>> text = (
    ...     '<vm><binaryOptions><configurationOption><name>radio</name><optional>'
    ...     'True</optional></configurationOption></binaryOptions></vm>'
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.xml")
    ...     n_letters = path.write_text(text)
    ...     imported = load_spl(path)
    >>> imported.space.size
    2
    """
    return load_file(path, "SPLConqueror", read_spl)


def read_spl(text: str, name: str = "problem") -> Imported:
    """Read the text of a feature model of SPLConqueror.

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
    >>> from hedgerow.importers import read_spl
    >>> text = (
    ...     '<vm><binaryOptions><configurationOption><name>radio</name><optional>'
    ...     'True</optional></configurationOption></binaryOptions></vm>'
    ... )
    >>> read_spl(text).space.size
    2
    """
    root = _parsed(text)
    options = binary_options(root)
    numbers = numeric_options(root, options)
    number_names = legal_names(numbers)
    groups = groups_of(options)
    translation = Translation(groups, number_names.values())
    meanings = {**translation.meanings, **{foreign: Name(own) for foreign, own in number_names.items()}}
    reader = _Constraints(meanings, frozenset(options))
    rules = [*translation.rules, *reader.exclusions(options, groups), *reader.implied(options), *reader.written(root)]
    variables = {**translation.variables, **{number_names[foreign]: levels for foreign, levels in numbers.items()}}
    notes = [*translation.notes, *renaming_notes(number_names)]
    return assembled(
        root.get("name") or name, variables, rules, notes, [*optional_numbers(root), *reader.missing], meanings
    )


def _parsed(text: str) -> ET.Element:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ProblemFileError("Document types and entities are not read. Remove the <!DOCTYPE ...> part.")
    try:
        root = ET.fromstring(text)
    except (ET.ParseError, ValueError, LookupError) as error:
        raise ProblemFileError(f"Not valid XML: {error}.") from None
    if root.tag != "vm":
        raise ProblemFileError(f"The outermost element should be <vm>, but is <{shortened(root.tag)}>.")
    return root


class _Constraints:
    """Turns what the file says across the tree into rules."""

    def __init__(self, meanings: dict[str, Expression], features: frozenset[str]) -> None:
        self.meanings = meanings
        self.features = features
        self.missing: list[str] = []
        self._mentioned: list[str] = []
        self._words = Vocabulary(self._meaning, self._call)

    def exclusions(self, options: dict[str, Option], groups: list[FeatureGroup]) -> list[Rule]:
        together = {name: group for group in groups if group.is_alternative for name in group.members}
        pairs = {
            tuple(dict.fromkeys(sorted((option.name, other)))): None
            for option in options.values()
            for names in option.excluded
            for other in names
        }
        rules: list[Rule] = []
        for pair in pairs:
            # The values of one choice exclude each other already.
            if pair[0] not in together or together[pair[0]] is not together.get(pair[-1]):
                excluding = any_holds(opposite(self.meanings[name]) for name in pair)
                rules += _rule(excluding, f"{' and '.join(pair)} exclude each other")
        return rules + self._incomplete_alternatives(options, together)

    def _incomplete_alternatives(self, options: dict[str, Option], together: dict[str, FeatureGroup]) -> list[Rule]:
        """Rivals that do not all exclude each other: at least one of them is selected where the parent is."""
        rules: list[Rule] = []
        for name, rivals in rivals_of(options).items():
            if rivals and name not in together:
                parent = options[name].parent
                selected = any_holds(self.meanings[other] for other in (name, *sorted(rivals)))
                condition = selected if parent is None else implication(self.meanings[parent], selected)
                rules += _rule(condition, f"{name} or a rival")
        return rules

    def implied(self, options: dict[str, Option]) -> list[Rule]:
        return [
            rule
            for option in options.values()
            for names in option.implied
            for rule in _rule(
                implication(self.meanings[option.name], any_holds(self.meanings[name] for name in names)),
                f"{option.name} implies {' or '.join(names)}",
            )
        ]

    def written(self, root: ET.Element) -> list[Rule]:
        rules: list[Rule] = []
        for section in ("booleanConstraints", "nonBooleanConstraints", "mixedConstraints"):
            for number, element in enumerate(root.findall(f"{section}/constraint"), start=1):
                text = (element.text or "").strip()
                place = f"constraint {number} in <{section}>"
                try:
                    condition = self._condition(text, element, is_boolean=section == "booleanConstraints")
                    rules += _rule(condition, f"{section} {number}")
                except NotRepresentable as reason:
                    self.missing.append(f"{place}, '{shortened(text)}': {reason}.")
                except ProblemFileError as error:
                    raise ProblemFileError(f"{place}: {error}") from None
        return rules

    def _condition(self, text: str, element: ET.Element, is_boolean: bool) -> Expression:
        if is_boolean:
            # In a clause a leading minus is another way to say `not`.
            clause = "&".join("|".join(_plain_not(term) for term in part.split("|")) for part in text.split("&"))
            return parse_formula(clause, self._words)
        self._mentioned = []
        written = parse_formula(text, self._words)
        comparison = opposite(written) if element.get("exprKind") == "neg" else written
        options = dict.fromkeys(self._mentioned)
        selected = [self.meanings[name] for name in options if name in self.features]
        requirement = (element.get("req") or "all").strip().lower()
        if requirement == "all":
            return implication(all_hold(selected), comparison)
        if requirement != "one":
            raise NotRepresentable(f"its requirement is '{requirement}', and only 'all' and 'one' are known")
        present = selected + [self.meanings[name] != 0 for name in options if name not in self.features]
        return implication(any_holds(present), all_hold([*present, comparison]))

    def _meaning(self, name: str) -> Expression:
        if name not in self.meanings:
            raise ProblemFileError(f"there is no option '{name}'{ending(name, self.meanings)}")
        self._mentioned.append(name)
        return self.meanings[name]

    def _call(self, name: str, _arguments: list[str]) -> Expression:
        raise NotRepresentable(f"'{shortened(name)}' is called like a function")


def _plain_not(term: str) -> str:
    stripped = term.strip()
    return f"!{stripped[1:]}" if stripped.startswith("-") else stripped


def _rule(condition: Expression, name: str) -> list[Rule]:
    return [] if is_always(condition) else [Rule(condition, name)]

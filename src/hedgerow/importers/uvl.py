"""Feature models in the Universal Variability Language (UVL).

Read are the tree with its groups (mandatory, optional, or, alternative, cardinalities such as [1..3]), attributes, and
constraints over features and over numeric attributes: `A.cost` and `sum(cost)` count a feature's attribute where the
feature is selected, and 0 where it is not. Listed as not represented are the values of typed features (Integer, Real,
String), which UVL leaves without bounds, features that may be selected several times, and constraints about either.
Imports of other files are refused.
"""

from __future__ import annotations

from pathlib import Path

from hedgerow.errors import ProblemFileError
from hedgerow.expressions import Choice, Constant, Expression, Fold
from hedgerow.importers.feature_model import Translation
from hedgerow.importers.formula import NotRepresentable, Vocabulary, parse_formula
from hedgerow.importers.imported import Imported, assembled
from hedgerow.importers.logic import is_always, is_never
from hedgerow.importers.source import load_file, shortened
from hedgerow.importers.uvl_tree import Tree, read_tree
from hedgerow.rules import Rule
from hedgerow.wording import ending


def load_uvl(path: str | Path) -> Imported:
    r"""Read a UVL file.

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
    >>> from hedgerow.importers import load_uvl
    >>> text = "features\n    car\n        optional\n            radio\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "car.uvl")
    ...     n_letters = path.write_text(text)
    ...     imported = load_uvl(path)
    >>> imported.space.size
    2
    """
    return load_file(path, "UVL", read_uvl)


def read_uvl(text: str, name: str = "problem") -> Imported:
    r"""Read the text of a UVL file.

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
    >>> from hedgerow.importers import read_uvl
    >>> text = "features\n    car\n        optional\n            radio\n"
    >>> read_uvl(text).space.size
    2
    """
    tree = read_tree(text)
    translation = Translation(tree.groups)
    missing = list(tree.missing)
    rules = list(translation.rules)
    words = _Words(tree, translation)
    for line, formula in tree.constraints:
        try:
            condition = parse_formula(formula, Vocabulary(words.meaning, words.call))
        except NotRepresentable as reason:
            missing.append(f"the constraint in line {line}, '{shortened(formula)}': {reason}.")
        except ProblemFileError as error:
            raise ProblemFileError(f"Line {line}: {error}") from None
        else:
            if not is_always(condition):
                rules.append(Rule(condition, f"line {line}"))
    return assembled(
        tree.namespace or name, translation.variables, rules, translation.notes, missing, translation.meanings
    )


class _Words:
    """What the names in constraints mean: features, and attributes of features."""

    def __init__(self, tree: Tree, translation: Translation) -> None:
        self.tree = tree
        self.meanings = translation.meanings
        # One sum may run over thousands of features, and a formula may mention it again and again.
        self._sums: dict[str, Expression] = {}

    def meaning(self, name: str) -> Expression:
        if name in ("true", "false") and name not in self.meanings:
            return Constant(name == "true")
        if name in self.tree.typed and name in self.meanings:
            raise NotRepresentable(f"'{name}' has a value of type {self.tree.typed[name]}")
        if name in self.meanings:
            return self.meanings[name]
        feature, _, attribute = name.partition(".")
        while feature not in self.meanings and "." in attribute:
            further, _, attribute = attribute.partition(".")
            feature = f"{feature}.{further}"
        if feature not in self.meanings or not attribute:
            raise ProblemFileError(f"there is no feature '{shortened(name)}'{ending(name, self.meanings)}")
        attributes = self.tree.attributes.get(feature, {})
        if attribute not in attributes:
            raise ProblemFileError(f"feature '{feature}' has no attribute '{attribute}'{ending(attribute, attributes)}")
        return self._term(feature, attributes[attribute], name)

    def call(self, function: str, arguments: list[str]) -> Expression:
        if function != "sum" or len(arguments) != 1:
            raise NotRepresentable(f"only sum(attribute) is known, not {shortened(function)}({', '.join(arguments)})")
        (attribute,) = arguments
        if attribute not in self._sums:
            self._sums[attribute] = self._sum(attribute)
        return self._sums[attribute]

    def _sum(self, attribute: str) -> Expression:
        terms = [
            self._term(feature, attributes[attribute], f"{feature}.{attribute}")
            for feature, attributes in self.tree.attributes.items()
            if attribute in attributes
        ]
        if not terms:
            raise ProblemFileError(f"no feature has the attribute '{shortened(attribute)}'.")
        return terms[0] if len(terms) == 1 else Fold("+", tuple(terms))

    def _term(self, feature: str, value: object, name: str) -> Expression:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise NotRepresentable(f"'{shortened(name)}' is not a number")
        selected = self.meanings[feature]
        if is_always(selected) or is_never(selected):
            return Constant(value if is_always(selected) else 0)
        return Choice(selected, Constant(value), Constant(0))

"""The feature tree of a UVL file: its groups, the attributes of features, and where the constraints stand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from hedgerow.errors import ProblemFileError
from hedgerow.importers.feature_model import FeatureGroup
from hedgerow.importers.source import shortened
from hedgerow.importers.uvl_attributes import parse_attributes
from hedgerow.importers.uvl_lines import Line, logical_lines

_SECTIONS = ("namespace", "include", "imports", "features", "constraints")
_GROUPS = {"mandatory", "optional", "or", "alternative"}
_CARDINALITY = r"\[\s*(?:(\d{1,9})\s*\.\.\s*)?(\d{1,9}|\*)\s*\]"
_FEATURE = re.compile(
    r"(?:(?P<type>Boolean|Integer|Real|String)\s+)?"
    r"(?P<name>\"[^\"]+\"|[^\s{}\[\]\"]+)"
    rf"(?:\s+cardinality\s+(?P<times>{_CARDINALITY}))?"
    r"\s*(?P<attributes>\{.*\})?",
    re.DOTALL,
)


@dataclass
class Tree:
    """What a file says, as far as it is understood; `missing` lists the rest."""

    namespace: str = ""
    groups: list[FeatureGroup] = field(default_factory=list)
    attributes: dict[str, dict[str, Any]] = field(default_factory=dict)
    typed: dict[str, str] = field(default_factory=dict)
    constraints: list[tuple[int, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def read_tree(text: str) -> Tree:
    """Read the sections of a file."""
    tree = Tree()
    sections = _sections(logical_lines(text), tree)
    if "imports" in sections:
        line = sections["imports"][0]
        raise ProblemFileError(
            f"Line {line.number}: imports of other files are not read. Put the models into one file."
        )
    if not sections.get("features"):
        raise ProblemFileError("There is no section 'features' with a root feature.")
    _Features(tree).read(sections["features"])
    tree.constraints += [(line.number, line.text) for line in sections.get("constraints", [])]
    return tree


def _sections(lines: list[Line], tree: Tree) -> dict[str, list[Line]]:
    sections: dict[str, list[Line]] = {}
    current: list[Line] | None = None
    for line in lines:
        if line.indent > 0 and current is not None:
            current.append(line)
            continue
        word, _, rest = line.text.partition(" ")
        if line.indent > 0 or word not in _SECTIONS or (rest and word != "namespace") or word in sections:
            raise ProblemFileError(
                f"Line {line.number}: '{shortened(line.text)}' stands where a section should begin: "
                f"{', '.join(_SECTIONS)}, each once and without indentation."
            )
        current = sections[word] = []
        if word == "namespace":
            tree.namespace = rest.strip().strip('"')
            current = None
    return {name: content for name, content in sections.items() if content}


class _Features:
    """Walks the indented lines; `open` holds the features (names) and groups that a line may still belong to."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        # In the order of the file.
        self.seen: dict[str, int] = {}
        self.open: list[tuple[int, _OpenGroup | str]] = []

    def read(self, lines: list[Line]) -> None:
        for line in lines:
            while self.open and self.open[-1][0] >= line.indent:
                self._close()
            self._read_line(line)
        while self.open:
            self._close()
        # Groups are finished from the inside out; readers expect them as the file has them.
        self.tree.groups.sort(key=lambda group: self.seen[group.members[0]])

    def _read_line(self, line: Line) -> None:
        above = self.open[-1][1] if self.open else None
        if isinstance(above, str):
            self.open.append((line.indent, _group(line, above)))
            return
        if above is None and self.seen:
            raise ProblemFileError(f"Line {line.number}: '{shortened(line.text)}' is a second root; a model has one.")
        name = self._feature(line)
        if above is None:
            self.tree.groups.append(FeatureGroup(None, (name,), 1, 1))
        else:
            above.members.append(name)
        self.open.append((line.indent, name))

    def _close(self) -> None:
        _, content = self.open.pop()
        if isinstance(content, _OpenGroup):
            self.tree.groups += content.finished()

    def _feature(self, line: Line) -> str:
        match = _FEATURE.fullmatch(line.text)
        if match is None:
            raise ProblemFileError(f"Line {line.number}: '{shortened(line.text)}' is not a feature.")
        name = match.group("name").strip('"')
        if name in self.seen:
            raise ProblemFileError(f"Line {line.number}: there are two features '{shortened(name)}'.")
        self.seen[name] = len(self.seen)
        if match.group("type") not in (None, "Boolean"):
            self.tree.typed[name] = match.group("type")
            self.tree.missing.append(
                f"the value of '{name}' ({match.group('type')}, line {line.number}): UVL gives it no bounds."
            )
        if match.group("times"):
            self.tree.missing.append(
                f"'{name}' may be selected {match.group('times')} times (line {line.number}); here it is at most once."
            )
        if match.group("attributes"):
            try:
                attributes, constraints = parse_attributes(match.group("attributes"))
            except ProblemFileError as error:
                raise ProblemFileError(f"Line {line.number}: {error}") from None
            self.tree.attributes[name] = attributes
            self.tree.constraints += [(line.number, constraint) for constraint in constraints]
        return name


@dataclass
class _OpenGroup:
    """A group whose members are still being read."""

    parent: str
    kind: str
    low: int
    high: int | None
    line: int
    members: list[str] = field(default_factory=list)

    def finished(self) -> list[FeatureGroup]:
        if not self.members:
            raise ProblemFileError(f"Line {self.line}: the group '{self.kind}' below '{self.parent}' has no features.")
        n_members = len(self.members)
        if self.kind in ("mandatory", "optional"):
            low = 1 if self.kind == "mandatory" else 0
            return [FeatureGroup(self.parent, (member,), low, 1) for member in self.members]
        high = n_members if self.high is None else min(self.high, n_members)
        return [FeatureGroup(self.parent, tuple(self.members), self.low, high)]


def _group(line: Line, parent: str) -> _OpenGroup:
    if line.text in _GROUPS:
        high = 1 if line.text == "alternative" else None
        return _OpenGroup(parent, line.text, 1, high, line.number)
    match = re.fullmatch(_CARDINALITY, line.text)
    if match is None:
        raise ProblemFileError(
            f"Line {line.number}: '{shortened(line.text)}' stands where a group should: mandatory, optional, or, "
            "alternative, or a cardinality such as [1..3]."
        )
    high = None if match.group(2) == "*" else int(match.group(2))
    low = int(match.group(1)) if match.group(1) else (high or 0)
    return _OpenGroup(parent, line.text, low, high, line.number)

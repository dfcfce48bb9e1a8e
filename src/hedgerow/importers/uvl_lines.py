"""The lines of a UVL file: comments gone, lines inside brackets joined, indentation measured."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hedgerow.errors import ProblemFileError

# What is not plain text: names and texts in quotes (kept as they are), comments, brackets and ends of lines.
_SPECIAL = re.compile(
    r"""(?P<quoted>"[^"\n]*"|'[^'\n]*') | (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<unclosed>/\*)
    | (?P<open>[{\[(]) | (?P<close>[}\])]) | (?P<end>\n)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Line:
    """A logical line: where it began, how far it is indented, and what it says."""

    number: int
    indent: int
    text: str


def logical_lines(text: str) -> list[Line]:
    """Return the lines that say something."""
    plain = re.sub(r"\r\n|\r|\f", "\n", text)
    lines: list[Line] = []
    parts: list[str] = []
    number, started, depth, position = 1, 1, 0, 0
    for match in _SPECIAL.finditer(plain):
        kind, found = match.lastgroup, match.group()
        parts.append(plain[position : match.start()])
        position = match.end()
        number += found.count("\n")
        if kind == "unclosed":
            raise ProblemFileError(f"Line {number}: a comment is opened and never closed.")
        if kind == "end" and depth == 0:
            _finish(lines, parts, started)
            parts, started = [], number
        elif kind != "comment":
            parts.append(" " if kind == "end" else found)
            depth = max(0, depth + (kind == "open") - (kind == "close"))
    if depth:
        raise ProblemFileError(f"Line {started}: a bracket is opened and never closed.")
    parts.append(plain[position:])
    _finish(lines, parts, started)
    return lines


def _finish(lines: list[Line], parts: list[str], number: int) -> None:
    text = "".join(parts)
    body = text.strip()
    if body:
        indent = text[: len(text) - len(text.lstrip())].expandtabs(8)
        lines.append(Line(number, len(indent), body))

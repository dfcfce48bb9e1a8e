"""The lines of a UVL file: comments gone, lines inside brackets joined, indentation measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hedgerow.errors import ProblemFileError

_TAB = 8


@dataclass(frozen=True)
class Line:
    """A logical line: where it began, how far it is indented, and what it says."""

    number: int
    indent: int
    text: str


def logical_lines(text: str) -> list[Line]:
    """Return the lines that say something."""
    lines: list[Line] = []
    letters: list[str] = []
    started, depth = 1, 0
    for number, letter, in_quotes in _without_comments(text):
        if letter == "\n" and depth == 0:
            _finish(lines, letters, started)
            letters, started = [], number + 1
            continue
        letters.append(" " if letter == "\n" else letter)
        if not in_quotes:
            depth = max(0, depth + (letter in "{[(") - (letter in "}])"))
    if depth:
        raise ProblemFileError(f"Line {started}: a bracket is opened and never closed.")
    _finish(lines, letters, started)
    return lines


def _finish(lines: list[Line], letters: list[str], number: int) -> None:
    text = "".join(letters)
    body = text.strip()
    if body:
        lines.append(Line(number, _indent(text), body))


def _indent(text: str) -> int:
    width = 0
    for letter in text:
        if letter == "\t":
            width += _TAB - width % _TAB
        elif letter.isspace():
            width += 1
        else:
            break
    return width


def _without_comments(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield (line, letter, whether inside quotes) for all letters outside comments."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    number, position, quote = 1, 0, ""
    while position < len(plain):
        letter = plain[position]
        if not quote and plain.startswith("//", position):
            end = plain.find("\n", position)
            position = len(plain) if end < 0 else end
            continue
        if not quote and plain.startswith("/*", position):
            end = plain.find("*/", position + 2)
            if end < 0:
                raise ProblemFileError(f"Line {number}: a comment is opened and never closed.")
            number += plain.count("\n", position, end)
            position = end + 2
            continue
        if letter == "\n":
            # No quoted name or text goes over the end of a line.
            quote = ""
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        yield number, letter, bool(quote)
        number += letter == "\n"
        position += 1

"""What a command printed, read: the last number, or numbers by name. What is not clear is refused, never guessed.

A number is read as a whole word. `12.5ms`, `1_000` and `0x1F` have one meaning; `1,234.5`, `5m32s` and `3.5.2` have
none or several, and half of such a word would be a wrong value that looks right. Output is read from its end, line by
line, so no length cuts a number in two.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from typing import IO, Any

_BLOCK = 1 << 16
WORD = re.compile(r"(?<![\w.])[-+]?(?:nan\b|inf(?:inity)?\b|(?:\d|\.\d)(?:[eE][-+]\d|[\w.]|,(?=\d))*)", re.IGNORECASE)
_PLAIN = re.compile(r"[-+]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][-+]?\d+)?")
_OTHER_BASE = re.compile(r"[-+]?0(?:[xX][0-9a-fA-F]+|[bB][01]+|[oO][0-7]+)")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?(?:[eE][-+]?\d+)?\w*")
_DECIMAL_COMMA = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+(?:[eE][-+]?\d+)?[^\W\d_]*")


class UnclearOutput(Exception):  # noqa: N818 - the reason of a failed trial, caught where the command is run
    """Something was printed that may mean this or that."""


def lines_from_end(file: IO[bytes]) -> Iterator[str]:
    """Return the lines of a file from the last one up, each whole; those that hold nothing are left out."""
    place = file.seek(0, os.SEEK_END)
    # The parts of the line that begins before them, the last first.
    parts: list[bytes] = []
    while place:
        size = min(_BLOCK, place)
        place -= size
        file.seek(place)
        *before, rest = file.read(size).split(b"\n")[::-1]
        for line in before:
            yield from _text_of(b"".join([line, *reversed(parts)]))
            parts = []
        parts.append(rest)
    yield from _text_of(b"".join(reversed(parts)))


def _text_of(line: bytes) -> Iterator[str]:
    if text := line.decode("utf-8", errors="replace").strip():
        yield text


def last_number(text: str) -> float | None:
    """Return the last number in a text; None where there is none, or it is not finite."""
    words = WORD.findall(text)
    if not words:
        return None
    number = number_in(words[-1])
    return number if math.isfinite(number) else None


def number_printed(file: IO[bytes]) -> float | None:
    """Return the last number in a file; of an object in JSON, `value` or its only number."""
    for place, line in enumerate(lines_from_end(file)):
        if place == 0 and line.startswith("{") and isinstance(said := read_json(line), dict):
            return _only_number(said)
        if WORD.search(line):
            return last_number(line)
    return None


def _only_number(said: dict[str, Any]) -> float | None:
    numbers = {
        name: item for name, item in said.items() if isinstance(item, int | float) and not isinstance(item, bool)
    }
    if "value" not in said and len(numbers) > 1:
        raise UnclearOutput(
            f"the command printed several numbers by name ({', '.join(numbers)}). Say in [objectives] which of them "
            "count, or call the one that does 'value'"
        )
    number = numbers.get("value") if "value" in said else next(iter(numbers.values()), None)
    return number if number is not None and math.isfinite(number) else None


def read_json(text: str) -> Any:
    """Return what a text in JSON says; None where it is none."""
    try:
        return json.loads(text, parse_float=finite)
    except (ValueError, RecursionError):
        return None


def number_in(word: str) -> float:
    """Return the number that a word stands for, which may be NaN or infinite where it says so."""
    if _OTHER_BASE.fullmatch(word):
        return _float_of(int(word, 0), word)
    if "," in word:
        if _THOUSANDS.fullmatch(word) or _DECIMAL_COMMA.fullmatch(word):
            raise UnclearOutput(
                f"the command printed '{word}', which may be one number or several. Print it without commas"
            )
        # Neither thousands nor decimals are written so: several numbers, of which the last counts.
        return number_in(word.rpartition(",")[2])
    found = _PLAIN.match(word)
    if found is None:
        return float(word)
    unit = word[found.end() :]
    if unit and (not unit.isalpha() or found.group().endswith(".")):
        raise UnclearOutput(f"the command printed '{word}', which is no number. Print the number alone, or last")
    return finite(found.group())


def finite(text: str) -> float:
    """Return a number that is written with digits, or raise where it is beyond what a float can hold."""
    return _float_of(text, text)


def _float_of(given: str | int, text: str) -> float:
    try:
        number = float(given)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise UnclearOutput(f"'{text[:40]}' is larger than a number can be here (about 1.8e308)")
    return number

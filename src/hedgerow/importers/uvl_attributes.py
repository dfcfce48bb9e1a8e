"""Attributes of a UVL feature, such as `{abstract, cost 5, size {x 1, y 2}, constraint A => B}`."""

from __future__ import annotations

import re
from typing import Any

from hedgerow.errors import ProblemFileError
from hedgerow.importers.source import shortened

_DEPTH = 20
_OPEN, _CLOSE = "{[(", "}])"


def parse_attributes(text: str) -> tuple[dict[str, Any], list[str]]:
    """Return the attributes by name (nested ones with dots) and the constraints among them."""
    attributes: dict[str, Any] = {}
    constraints: list[str] = []
    _read(text, "", attributes, constraints, 0)
    return attributes, constraints


def _read(text: str, prefix: str, attributes: dict[str, Any], constraints: list[str], depth: int) -> None:
    if depth > _DEPTH:
        raise ProblemFileError(f"attributes are nested more than {_DEPTH} deep.")
    for part in _parts(text[1:-1]):
        match = re.fullmatch(r"(\"[^\"]+\"|[^\s{}\[\]\"]+)\s*(.*)", part, re.DOTALL)
        if match is None:
            raise ProblemFileError(f"'{shortened(part)}' is not an attribute.")
        key, value = match.group(1).strip('"'), match.group(2).strip()
        if key == "constraint" and value:
            constraints.append(value)
        elif key == "constraints" and value.startswith("[") and value.endswith("]"):
            constraints += _parts(value[1:-1])
        elif value.startswith("{") and value.endswith("}"):
            _read(value, f"{prefix}{key}.", attributes, constraints, depth + 1)
        else:
            attributes[prefix + key] = _value(value)


def _value(text: str) -> Any:
    """Return a number or a truth value as such; other values are kept as text."""
    if not text or text in ("true", "false"):
        return text != "false"
    if re.fullmatch(r"-?\d{1,30}", text):
        return int(text)
    if re.fullmatch(r"-?\d{1,30}\.\d{1,30}", text):
        return float(text)
    return text


def _parts(text: str) -> list[str]:
    """Split at commas that are inside no brackets and no quotes."""
    parts: list[str] = []
    depth, quote, start = 0, "", 0
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
        else:
            depth += (letter in _OPEN) - (letter in _CLOSE)
    if depth or quote:
        raise ProblemFileError(f"a bracket or quote in '{shortened(text)}' is not closed.")
    parts.append(text[start:].strip())
    return [part for part in parts if part]

"""Writing the small part of TOML that problem files use; reading is the standard library's.

Variables are written as inline tables, one line each, as a person would; the writers on the registry spread them
over sections.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.errors import ProblemFileError

# Parts of a dotted key.
_MAX_PARTS = 1_000


def parse(text: str) -> dict[str, Any]:
    """Return the data in `text`, or raise an error that names line and column."""
    _check_keys(text)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Besides its own error, the parser lets pass what Python says of numbers with thousands of digits.
        raise ProblemFileError(f"Not valid TOML: {error}.") from None


def _check_keys(text: str) -> None:
    """Refuse keys of thousands of parts: the parser would take the square of their number."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.count(".") > _MAX_PARTS:
            unquoted = "".join(line.split('"')[::2])
            if any(part.count(".") > _MAX_PARTS for part in re.split(r"[=,\[\]{}]", unquoted)):
                raise ProblemFileError(f"Not valid TOML: line {number} has a key of more than {_MAX_PARTS:,} parts.")


def table(name: str, entries: Mapping[str, Any]) -> str:
    """Return a `[name]` table with one line per entry."""
    lines = [f"[{key(name)}]", *(f"{key(entry)} = {value(content)}" for entry, content in entries.items())]
    return "\n".join(lines) + "\n"


def key(name: str) -> str:
    """Return a bare key where TOML allows one, else a quoted key."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def value(content: object) -> str:
    """Return a scalar, list or mapping as TOML."""
    if isinstance(content, bool):
        return "true" if content else "false"
    if isinstance(content, str):
        return _text(content)
    if isinstance(content, int | float):
        return repr(content)
    if isinstance(content, Mapping):
        return "{ " + ", ".join(f"{key(name)} = {value(item)}" for name, item in content.items()) + " }"
    if isinstance(content, Sequence):
        return "[" + ", ".join(value(item) for item in content) + "]"
    raise TypeError(f"TOML has no form for {content!r}")


def _text(text: str) -> str:
    # JSON's escapes are a subset of TOML's, except that TOML also wants DEL escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

"""Reading foreign files: text with a bound on its size, JSON without surprises, and errors that name file and place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hedgerow.errors import ProblemFileError
from hedgerow.importers.imported import Imported

# Far above any file a person or a tool writes for a space, far below what fills a machine's memory when parsed.
MAX_BYTES = 64 * 2**20
MAX_NESTING = 100


def load_file(path: str | Path, kind: str, read: Callable[[str, str], Imported]) -> Imported:
    """Read a file as text and have `read` make sense of it; errors name the file."""
    path = Path(path)
    place = f"The {kind} file '{path}'"
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ProblemFileError(f"it is larger than {MAX_BYTES // 2**20} MiB; give a smaller file.")
        return read(path.read_text(encoding="utf-8-sig"), path.stem)
    except OSError as error:
        raise ProblemFileError(f"{place} cannot be opened: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise ProblemFileError(f"{place} is not text in UTF-8.") from None
    except ProblemFileError as error:
        raise ProblemFileError(f"{place}: {error}") from None


def parse_json(text: str) -> Any:
    """Return the data in `text`; a key given twice, NaN, or text that is no Unicode is refused."""
    try:
        data = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
        if re.search(r"\\u[dD][89a-fA-F]", text):
            json.dumps(data, ensure_ascii=False).encode()
    except ProblemFileError:
        raise
    except UnicodeEncodeError:
        raise ProblemFileError("A text in the file is half of a Unicode pair (\\ud800 to \\udfff).") from None
    except (ValueError, RecursionError) as error:
        raise ProblemFileError(f"Not valid JSON: {error}.") from None
    return data


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ProblemFileError(f"The key '{shortened(repeated)}' is given twice in one object.")
    return table


def _refuse_constant(name: str) -> None:
    raise ProblemFileError(f"{name} is no value that can be chosen or compared. Use finite numbers.")


def entry(table: object, key: str, kind: Any, owner: str) -> Any:
    """Return `table[key]`, or raise an error that says what `owner` lacks or has instead."""
    if not isinstance(table, dict):
        raise ProblemFileError(f"{capital(owner)} should be an object, but is {kind_of(table)}.")
    if key not in table:
        raise ProblemFileError(f"{capital(owner)} lacks the key '{key}'.")
    value = table[key]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind in (int, int | float)):
        raise ProblemFileError(f"'{key}' of {owner} should be {_KINDS[kind]}, but is {kind_of(value)}.")
    return value


def optional_entry(table: dict[str, Any], key: str, kind: Any, owner: str, default: Any) -> Any:
    """Return `table[key]` of the right kind, or the default where it is absent or null."""
    return default if table.get(key) is None else entry(table, key, kind, owner)


_KINDS: dict[Any, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a whole number",
    int | float: "a number",
    bool: "true or false",
    dict | list: "an object or a list",
    str | list: "a list, or the text of one",
    bool | int | float | str: "a number, text, true or false",
}


def kind_of(value: object) -> str:
    """Return what a value is, for messages."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return f"the number {shortened(repr(value)) if abs(value) < 10**300 else 'beyond 10**300'}"
    return _KINDS.get(type(value), type(value).__name__)


def capital(text: str) -> str:
    """Return the text with a capital first letter, to begin a sentence."""
    return text[:1].upper() + text[1:]


def shortened(text: str, limit: int = 60) -> str:
    """Return the text, or its beginning where it is long."""
    return text if len(text) <= limit else text[: limit - 3] + "..."

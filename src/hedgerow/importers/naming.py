"""Foreign names as names that rules can mention: letters, digits and underscores."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Container, Iterable, Mapping

_MAX_LISTED = 20


def legal_names(foreign: Iterable[str]) -> dict[str, str]:
    """Return a different legal name for each foreign one; those that are legal already stay as they are."""
    listed = list(dict.fromkeys(foreign))
    names = {name: name for name in listed if is_legal(name)}
    taken = set(names)
    for name in listed:
        if name not in names:
            names[name] = unused(_legal(name), taken)
            taken.add(names[name])
    return {name: names[name] for name in listed}


def is_legal(name: str) -> bool:
    """Whether a rule can mention the name as it is."""
    return name.isidentifier() and not keyword.iskeyword(name) and unicodedata.normalize("NFKC", name) == name


def unused(name: str, taken: Container[str]) -> str:
    """Return the name, or the name with the first number that makes it new."""
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def renaming_notes(names: Mapping[str, str]) -> list[str]:
    """Return one note that lists what was renamed, or none."""
    changed = [f"'{foreign}' is {name}" for foreign, name in names.items() if foreign != name]
    if not changed:
        return []
    more = f" and {len(changed) - _MAX_LISTED} more" if len(changed) > _MAX_LISTED else ""
    return [f"renamed, because rules cannot mention these names: {', '.join(changed[:_MAX_LISTED])}{more}."]


def _legal(name: str) -> str:
    plain = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name))
    plain = "".join(letter if f"x{letter}".isidentifier() else "_" for letter in plain)
    if not plain or not plain.isidentifier():
        plain = f"_{plain}"
    return f"{plain}_" if keyword.iskeyword(plain) else plain

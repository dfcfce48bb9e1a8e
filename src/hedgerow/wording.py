"""Words for messages: suggestions, lists of names, long numbers and sizes as a person would say them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_LONGEST_NAME = 100
_MOST_NAMES = 10_000


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` when a known name is near, else the known names when they are few."""
    names = [str(item) for item in known]
    near = nearest(name, names)
    if near is not None:
        return f"; did you mean '{near}'?"
    return f"; known are {', '.join(names)}" if 0 < len(names) <= 8 else ""


def nearest(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that a name may be mistyped for; None where none is near."""
    # Comparing takes the product of two lengths, so only what a person could have mistyped is compared.
    comparable = [known_name for known_name in known[:_MOST_NAMES] if len(known_name) <= _LONGEST_NAME]
    near = get_close_matches(name, comparable, n=1, cutoff=0.6) if len(name) <= _LONGEST_NAME else []
    return near[0] if near else None


def ending(name: str, known: Iterable[str]) -> str:
    """Return the suggestion as the end of a sentence."""
    text = suggestion(name, known)
    return text if text.endswith("?") else f"{text}."


def quoted(names: Iterable[str]) -> str:
    """Return `'a', 'b' and 'c'`."""
    marked = [f"'{name}'" for name in names]
    if len(marked) <= 1:
        return marked[0] if marked else "the rules"
    return f"{', '.join(marked[:-1])} and {marked[-1]}"


def counted(n: int, noun: str) -> str:
    """Return `1 rule` or `3 rules`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def approximate(number: int) -> str:
    """Return an integer with separators, or as a power of ten where it is longer than a person reads."""
    if abs(number) < 10**15:
        return f"{number:,}"
    sign = "-" if number < 0 else ""
    # Python refuses to print integers of more than 4,300 digits, so the leading ones come from a logarithm.
    shift = max(0, abs(number).bit_length() - 1000)
    digits = math.log10(abs(number) >> shift) + shift * math.log10(2)
    return f"{sign}{10 ** (digits % 1):.2f}e{int(digits)}"


def readable_bytes(n_bytes: int) -> str:
    """Return a size in the unit a person would use."""
    for unit, step in (("B", 1), ("KiB", 2**10), ("MiB", 2**20), ("GiB", 2**30), ("TiB", 2**40)):
        if n_bytes < step * 1024:
            return f"{n_bytes / step:.3g} {unit}" if n_bytes < 1000 * step else f"{n_bytes / step:,.0f} {unit}"
    return f"{approximate(n_bytes // 2**50)} PiB"


def readable_number(value: float, digits: int = 6) -> str:
    """Return a number with so many significant digits, separators, and an exponent only where it helps."""
    if isinstance(value, int):
        return approximate(value)
    if not math.isfinite(value) or value == 0:
        return "0" if value == 0 else str(value)
    if has_exponent(value):
        mantissa, exponent = f"{value:.{max(0, digits - 3)}e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    text = f"{value:,.{max(0, digits - 1 - _magnitude(value))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def has_exponent(value: float) -> bool:
    """Whether a finite number is written with an exponent, and two digits shorter for it."""
    return value != 0 and not -4 <= _magnitude(value) < 9


def _magnitude(value: float) -> int:
    return math.floor(math.log10(abs(value)))


def readable_seconds(seconds: float) -> str:
    """Return a duration in the units a person would use."""
    if seconds < 1:
        return f"{1000 * seconds:.3g} ms"
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} days {hours} h" if hours else f"{days} days"

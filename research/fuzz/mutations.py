"""Texts made from seeds: letters and words changed, parts moved, repeated and cut, JSON rearranged as data."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

from research.fuzz.seeds import SEEDS, WORDS

MAX_LENGTH = 30_000
_ODD_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        3,
        10**25,
        10**400,
        2**63,
        -0.0,
        0.5,
        1e308,
        "",
        "a",
        "x y",
        "class",
        "None",
        "\x7f",
        "ﬁ",
    ),
    *([], {}, [[1]], {"a": 1}, "x > 1", "[1, 2]", "uniform_int", "AND", "EQ", "permutation", ["a", "a"], [1, True]),
)


def mutated(name: str, rng: random.Random) -> str:
    """Return a text near one of the target's seeds."""
    text = rng.choice(SEEDS[name])
    for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3, 6))):
        is_json = text[:1] in ("{", "[") and name in ("t1", "configspace", "baco")
        text = _rearranged(text, rng) if is_json and rng.random() < 0.7 else rng.choice(_CHANGES)(text, name, rng)
    return text[:MAX_LENGTH]


def _span(text: str, rng: random.Random) -> tuple[int, int]:
    start = rng.randint(0, len(text))
    return start, min(len(text), start + rng.choice((0, 1, 1, 2, 5, 20, 100)))


def _delete(text: str, _name: str, rng: random.Random) -> str:
    start, end = _span(text, rng)
    return text[:start] + text[end:]


def _insert_word(text: str, name: str, rng: random.Random) -> str:
    own = re.findall(r"\w+|[^\w\s]+", rng.choice(SEEDS[name]))
    word = rng.choice(own) if rng.random() < 0.5 else rng.choice(WORDS)
    start, end = _span(text, rng)
    gap = rng.choice(("", " "))
    return text[:start] + gap + word + gap + text[end if rng.random() < 0.5 else start :]


def _replace_word(text: str, name: str, rng: random.Random) -> str:
    places = list(re.finditer(r"\w+|[^\w\s]", text))
    if not places:
        return _insert_word(text, name, rng)
    place = rng.choice(places)
    own = re.findall(r"\w+|[^\w\s]+", rng.choice(SEEDS[name]))
    word = rng.choice(own) if rng.random() < 0.6 else rng.choice(WORDS)
    return text[: place.start()] + word + text[place.end() :]


def _repeat(text: str, _name: str, rng: random.Random) -> str:
    start, end = _span(text, rng)
    return text[:end] + text[start:end] * rng.choice((1, 2, 3, 50, 2_000)) + text[end:]


def _move(text: str, _name: str, rng: random.Random) -> str:
    start, end = _span(text, rng)
    part, rest = text[start:end], text[:start] + text[end:]
    place = rng.randint(0, len(rest))
    return rest[:place] + part + rest[place:]


def _repeat_line(text: str, _name: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    place = rng.randrange(len(lines))
    line = lines[place]
    change: Callable[[], list[str]] = rng.choice(
        (lambda: [], lambda: [line, line], lambda: ["  " + line], lambda: [line.lstrip()], lambda: [line.strip()])
    )
    return "".join(lines[:place] + change() + lines[place + 1 :])


def _odd_letter(text: str, _name: str, rng: random.Random) -> str:
    place = rng.randint(0, len(text))
    return text[:place] + chr(rng.choice((rng.randrange(128), rng.randrange(0xD7FF)))) + text[place + 1 :]


def _long_run(text: str, _name: str, rng: random.Random) -> str:
    """Thousands of equal letters, on which a careless pattern never ends."""
    place = rng.randint(0, len(text))
    return text[:place] + rng.choice(" \t\n([{-'\"0a,.!<&#/*") * rng.choice((200, 3_000, 20_000)) + text[place:]


_CHANGES = (
    *(_insert_word, _insert_word, _replace_word, _replace_word),
    *(_delete, _repeat, _move, _repeat_line, _odd_letter, _long_run),
)


def _rearranged(text: str, rng: random.Random) -> str:
    """Change one value somewhere in JSON data."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    places = _places(data)
    if not places:
        return text
    holder, key = rng.choice(places)
    change = rng.random()
    if change < 0.45:
        holder[key] = rng.choice(_ODD_VALUES)
    elif change < 0.65:
        other, other_key = rng.choice(places)
        holder[key] = json.loads(json.dumps(other[other_key]))
    elif change < 0.8:
        del holder[key]
    elif isinstance(holder, dict):
        holder[rng.choice(("a", "name", "x y", "type", "values", "p"))] = holder[key]
    else:
        holder.extend(json.loads(json.dumps(holder)) * rng.choice((1, 1, 30)))
    return json.dumps(data)


def _places(data: Any) -> list[tuple[Any, Any]]:
    places: list[tuple[Any, Any]] = []
    stack = [data]
    while stack:
        current = stack.pop()
        if isinstance(current, dict | list):
            items = list(current.items()) if isinstance(current, dict) else list(enumerate(current))
            places += [(current, key) for key, _ in items]
            stack += [value for _, value in items]
    return places

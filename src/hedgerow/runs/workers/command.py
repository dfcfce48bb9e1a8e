"""Objectives that are commands: a template of arguments, into which the values of a point go.

No shell takes part. The template is split into arguments first and values are put into the arguments afterwards, so a
value is never anything but text inside one argument, whatever characters it holds.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from hedgerow.errors import ProblemFileError
from hedgerow.wording import ending

if TYPE_CHECKING:
    from hedgerow.space import Point, Space

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_OPERATORS = {"|", "||", "&&", "&", ";", ">", ">>", "<", "2>", "2>&1"}
# Programs that take a script as an argument, with the letters of the options that say so.
_INTERPRETERS = {
    **dict.fromkeys(("sh", "ash", "bash", "dash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "su", "script"), "c"),
    **dict.fromkeys(("pwsh", "powershell", "python", "pypy"), "c"),
    **dict.fromkeys(("perl", "ruby", "node", "Rscript", "lua", "julia"), "eE"),
    "php": "r",
}
# Options of shells that are followed by a word of their own.
_WITH_A_WORD = ("o", "O")
# The placeholder that stands for the whole point as JSON.
WHOLE = "point"


@dataclass(frozen=True)
class CommandTemplate:
    """A command with placeholders: `{x}` a variable, `{x[0]}` a component, `{mix[wax]}` a share, `{point}` the JSON."""

    arguments: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, space: Space) -> CommandTemplate:
        """Read the text of a command and check every placeholder against the space."""
        try:
            arguments = tuple(shlex.split(text))
        except ValueError as error:
            raise ProblemFileError(f"The command {text!r} cannot be split into arguments: {error}.") from None
        if not arguments:
            raise ProblemFileError("The command is empty.")
        _check_no_shell(arguments)
        known = [*space, *(slot.name for slot in space.slots if slot.index is not None), WHOLE]
        for name in (name for argument in arguments for name in _names(argument)):
            if name not in known:
                raise ProblemFileError(
                    f"The command has the placeholder '{{{name}}}', which is not in the space{ending(name, known)}"
                )
        return cls(arguments)

    @property
    def varies(self) -> bool:
        """Whether the point says which program is run."""
        return any(True for _ in _names(self.arguments[0]))

    def fill(self, point: Point) -> list[str]:
        """Return the arguments for one point.

        What is inactive is empty text, and an option such as `--drop={drop}` is left out.
        """
        values = _texts(point)

        def value(match: re.Match[str]) -> str:
            return {"{{": "{", "}}": "}"}.get(match.group(0)) or values.get(match.group(1), "")

        return [
            _PLACEHOLDER.sub(value, argument)
            for argument in self.arguments
            if not argument.startswith("-") or all(name in values for name in _names(argument))
        ]


def _names(argument: str) -> Iterator[str]:
    for match in _PLACEHOLDER.finditer(argument):
        if match.group(0) not in ("{{", "}}"):
            yield match.group(1)


def _check_no_shell(arguments: tuple[str, ...]) -> None:
    for argument in arguments:
        if argument in _OPERATORS:
            raise ProblemFileError(
                f"The command contains {argument!r}, but it runs without a shell. Put the steps into a script and call "
                "that, or write sh -c '... \"$1\" ...' sh {x}."
            )
    for place, argument in enumerate(arguments):
        script = _script(argument, arguments[place + 1 :])
        if any(name for part in script for name in _names(part)):
            raise ProblemFileError(
                "A placeholder inside a script could run as code. Values reach scripts as arguments, such as "
                "sh -c 'measure \"$1\"' sh {x}, or through the environment (HEDGEROW_POINT)."
            )


def _script(argument: str, after: tuple[str, ...]) -> tuple[str, ...]:
    """Return the arguments that an interpreter, wherever it stands in the command, would read as options and code.

    What comes after the code is for the code to read, as data. An argument of several words, such as env -S takes, is
    code as a whole where one of its words is an interpreter.
    """
    words = argument.split()
    letters = next((found for word in words if (found := _letters(word))), "")
    if not letters:
        return ()
    if len(words) > 1:
        return (argument,)
    has_code = skips = False
    for place, following in enumerate(after):
        if skips:
            skips = False
        elif following[:1] in ("-", "+") and len(following) > 1:
            cluster = following.lstrip("-+")
            has_code = has_code or any(letter in cluster for letter in letters)
            skips = following[:2] != "--" and cluster.endswith(_WITH_A_WORD)
        else:
            return after[: place + 1] if has_code else ()
    return after if has_code else ()


def _letters(word: str) -> str:
    """Return the options by which a program takes a script, if it is one that does."""
    name = PurePath(word).name.removesuffix(".exe")
    return _INTERPRETERS.get(name) or _INTERPRETERS.get(name.rstrip("0123456789."), "")


def _texts(point: Mapping[str, Any]) -> dict[str, str]:
    texts = {WHOLE: json.dumps(point)}
    for name, value in point.items():
        if isinstance(value, dict):
            texts[name] = ",".join(_text(share) for share in value.values())
            texts.update({f"{name}[{key}]": _text(share) for key, share in value.items()})
        elif isinstance(value, list):
            texts[name] = ",".join(_text(item) for item in value)
            texts.update({f"{name}[{i}]": _text(item) for i, item in enumerate(value)})
        else:
            texts[name] = _text(value)
    return texts


def _text(value: Any) -> str:
    """True and false are written as most programs read them; numbers as Python writes them."""
    return str(value).lower() if isinstance(value, bool) else str(value)

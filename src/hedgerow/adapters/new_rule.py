"""Writing a rule into a problem file that a person wrote: one line is added, and everything else stays as it is."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from hedgerow.errors import ProblemFileError, RuleError
from hedgerow.problem_file import ProblemFile, parse_problem
from hedgerow.rules import bind_rules
from hedgerow.space import toml

_HEADER = re.compile(r"^[ \t]*\[[ \t]*rules[ \t]*\][ \t]*(#.*)?$", re.MULTILINE)


def with_rule(text: str, name: str, rule: str, file: str = "problem") -> tuple[str, ProblemFile]:
    """Return a problem file's text with one more rule, and what it says; the rule must be one that can be read."""
    before = parse_problem(text, file)
    if not name or name in before.rules:
        raise RuleError(
            f"There is a rule '{name}' already: {before.rules[name]}. Choose another name."
            if name
            else "A rule needs a name."
        )
    bind_rules(before.space, {name: rule})
    line = f"{toml.key(name)} = {toml.value(rule)}"
    header = _HEADER.search(text)
    after = (
        f"{text[: header.end()]}\n{line}{text[header.end() :]}"
        if header
        else f"{text}{'' if text.endswith(chr(10)) else chr(10)}\n[rules]\n{line}\n"
    )
    try:
        read = parse_problem(after, file)
    except ProblemFileError:
        read = before
    # Where a line that looks like the header is something else, the file is left alone.
    if dict(read.rules) != {**before.rules, name: rule} or read.space != before.space:
        raise ProblemFileError(f"{file}: no place for another rule was found. Add it by hand: {line}")
    return after, read


def replace_file(path: Path, text: str) -> None:
    """Write a file as a whole, so that whoever reads it sees the old or the new one."""
    try:
        number, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(number, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(temporary).chmod(path.stat().st_mode & 0o777)
        Path(temporary).replace(path)
    except OSError as error:
        raise ProblemFileError(f"The file '{path}' cannot be written: {error.strerror or error}.") from None

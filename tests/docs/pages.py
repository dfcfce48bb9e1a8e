"""The fenced blocks of a page, and how each kind of them is run.

- `python` runs, all blocks of a page in one namespace.
- A block with `title="name"` is a file that later blocks use; one that begins with `#!` can be run.
- A block of shell commands (`sh`, or no language) runs its `hedgerow ...` lines through the command line's own entry. A
  comment after a command is for readers; `< file` gives it input.
- `text title="prints"` is what the block before it must have printed; with `title="prints, for example"` numbers and
  truth may differ, because suggestions change when a method does. `python -m tests.docs.refresh PAGE ...` writes
  both anew.
- Whatever cannot run is marked in the page, with a reason: `<!-- not run: needs PostgreSQL -->`.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.cli.main import main

ROOT = Path(__file__).parents[2]
PRINTS = "prints"
PRINTS_LIKE = "prints, for example"
# Verbs whose answer may be no.
_QUESTIONS = ("check", "explain")
_FENCE = re.compile(r"^```(?P<language>[\w-]*)(?: +title=\"(?P<title>[^\"]+)\")?\s*$")
_CHANGING = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?|true|false|True|False")
_MARK = re.compile(r"^<!-- not run: (?P<reason>.+) -->$")


@dataclass(frozen=True)
class Block:
    """A fenced block; `reason` says why it is not run, if it is not."""

    place: str
    language: str
    title: str
    text: str
    reason: str


def pages() -> list[Path]:
    """Return every page whose code is tested."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(page: Path) -> str:
    """Return what a page is called in messages."""
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page in order; a fence that is not understood is an error, so none is passed over."""
    lines = page.read_text(encoding="utf-8").splitlines()
    reason, start = "", -1
    for number, line in enumerate(lines):
        if start < 0 and line.lstrip().startswith("```"):
            start = number
        elif start >= 0 and line == "```":
            yield _block(f"{name_of(page)}:{start + 1}", lines[start], lines[start + 1 : number], reason)
            reason, start = "", -1
        elif start < 0 and line.strip():
            marked = _MARK.match(line)
            reason = marked["reason"] if marked else ""
    assert start < 0, f"{name_of(page)}:{start + 1}: the block does not end"


def _block(place: str, fence: str, lines: list[str], reason: str) -> Block:
    match = _FENCE.match(fence)
    assert match, f"{place}: the fence {fence!r} is not understood"
    return Block(place, match["language"], match["title"] or "", "\n".join([*lines, ""]), reason)


@dataclass
class PageRun:
    """A page at work in a folder of its own, which is the current one."""

    folder: Path
    namespace: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str = ""

    def run(self, block: Block) -> None:
        """Run one block, or raise."""
        if block.title == PRINTS:
            assert trimmed(self.printed) == trimmed(block.text), f"{block.place}: printed\n{self.printed}"
        elif block.title == PRINTS_LIKE:
            shown, printed = (_CHANGING.sub("#", trimmed(text)) for text in (block.text, self.printed))
            assert printed == shown, f"{block.place}: printed\n{self.printed}"
        elif block.title:
            self._write(block)
        elif block.language == "python":
            self._execute(block)
        elif block.language in ("", "sh"):
            self._command(block)
        else:
            raise AssertionError(f"{block.place}: a {block.language} block needs a title, or a reason not to run")

    def _write(self, block: Block) -> None:
        file = self.folder / block.title
        file.write_text(block.text, encoding="utf-8")
        if block.text.startswith("#!"):
            file.chmod(0o755)

    def _execute(self, block: Block) -> None:
        # Lines keep their numbers in the page.
        first_line = int(block.place.rpartition(":")[2])
        code = compile("\n" * first_line + block.text, block.place, "exec")
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(code, self.namespace)  # noqa: S102 - our own page
        self.printed = output.getvalue()

    def _command(self, block: Block) -> None:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            for line in block.text.replace("\\\n", " ").splitlines():
                if words := shlex.split(line, comments=True):
                    self._hedgerow(words, block.place)
        self.printed = output.getvalue()

    def _hedgerow(self, words: list[str], place: str) -> None:
        assert words[0] == "hedgerow", f"{place}: only hedgerow commands run, not {words[0]!r}: give a reason"
        with contextlib.ExitStack() as stack:
            if "<" in words:
                at = words.index("<")
                stack.enter_context(_input_from(self.folder / words[at + 1]))
                words = words[:at]
            code = main(words[1:])
        allowed = (0, 1) if words[1] in _QUESTIONS else (0,)
        assert code in allowed, f"{place}: {shlex.join(words)} ended with exit code {code}"


@contextlib.contextmanager
def _input_from(path: Path) -> Iterator[None]:
    before = sys.stdin
    with path.open(encoding="utf-8") as file:
        sys.stdin = file
        try:
            yield
        finally:
            sys.stdin = before


def trimmed(text: str) -> str:
    """Return the text without what nobody sees: spaces at the ends of lines, and empty lines around them."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())

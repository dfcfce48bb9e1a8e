"""Compiled code on disk is never stale: a change in another file that was compiled into a kernel is noticed."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba.core.caching import NullCache

import hedgerow
from hedgerow import compiled

PACKAGE = Path(hedgerow.__file__).parent
PART = """
from hedgerow.compiled import inlined

SHIFT = {shift}


@inlined
def part(x: float) -> float:
    return {factor} * x
"""
WHOLE = """
from hedgerow.compiled import compiled
from hedgerow.part import SHIFT, part


@compiled
def whole(x: float) -> float:
    return part(x) + SHIFT
"""


@pytest.fixture(name="copy")
def copy_fixture(tmp_path: Path) -> Path:
    """A package of the sources that are needed to compile, with a kernel of two files."""
    copy = tmp_path / "hedgerow"
    copy.mkdir()
    shutil.copy(PACKAGE / "compiled.py", copy)
    (copy / "__init__.py").touch()
    (copy / "whole.py").write_text(WHOLE)
    return copy


def answer(copy: Path) -> list[float]:
    """What the kernel says in a new process, and how often its code came from the disk."""
    program = "from hedgerow.whole import whole; print(whole(3.0), sum(whole.stats.cache_hits.values()))"
    environment = {**os.environ, "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=copy.parent, capture_output=True, text=True, check=True
    )
    return [float(word) for word in done.stdout.split()]


def test_an_edit_in_another_file_is_seen_and_what_has_not_changed_is_not_compiled_again(copy: Path) -> None:
    def edit(factor: int, shift: int) -> None:
        (copy / "part.py").write_text(PART.format(factor=factor, shift=shift))

    edit(2, 1)
    assert answer(copy) == [7.0, 0]
    assert answer(copy) == [7.0, 1]
    edit(5, 1)
    assert answer(copy) == [16.0, 0]
    edit(5, 4)
    assert answer(copy) == [19.0, 0]
    assert answer(copy) == [19.0, 1]
    # What is stale is written over.
    assert len(list(copy.rglob("*.nbc"))) == 1


def test_code_is_not_kept_where_nothing_can_be_written_or_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    def double(x: float) -> float:
        return 2.0 * x

    monkeypatch.setattr(compiled, "sources", lambda: "")
    kernel = compiled.compiled(double)
    assert isinstance(kernel._cache, NullCache)  # type: ignore[attr-defined]
    assert kernel(2.0) == 4.0

    def refuse(self: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(type(kernel), "enable_caching", refuse)
    assert compiled.compiled(double)(2.0) == 4.0


def test_compiled_functions_take_names_of_this_package_from_files_that_are_watched_alone() -> None:
    watched = compiled.compilable()
    for path, text in watched.items():
        tree = ast.parse(text)
        origins = {
            alias.asname or alias.name: Path(*node.module.split(".")[1:]).with_suffix(".py")
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("hedgerow.")
            for alias in node.names
        }
        for name in _names_in_compiled_code(tree):
            assert name not in origins or origins[name] in watched, f"{path}: {name}"


def _names_in_compiled_code(tree: ast.Module) -> Iterator[str]:
    for function in tree.body:
        marks = function.decorator_list if isinstance(function, ast.FunctionDef) else []
        if isinstance(function, ast.FunctionDef) and {"compiled", "inlined"} & {ast.unparse(mark) for mark in marks}:
            for statement in function.body:
                yield from (node.id for node in ast.walk(statement) if isinstance(node, ast.Name))


def test_the_first_compilation_is_announced_once() -> None:
    said: list[str] = []
    listener = compiled.FirstCompilation(said.append)
    listener.on_start(None)
    listener.on_end(None)
    listener.on_start(None)
    assert len(said) == 1
    assert said[0].startswith("compiling for the first time")

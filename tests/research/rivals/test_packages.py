"""What a rival says when its package is missing, and that the pages install the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hedgerow.errors import HedgerowError
from research.rivals.packages import package

_ROOT = Path(__file__).parents[3]
_PROTES = "'protes>=0.3.12,<0.4'"


def test_a_package_of_the_extra_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    # A test before this one may have loaded it.
    for name in ("botorch", "botorch.models"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(HedgerowError, match=r"botorch needs botorch, which is missing.*hedgerow\[research\]"):
        package("botorch.models", "botorch")


def test_protes_is_installed_without_its_dependencies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "protes", None)
    with pytest.raises(HedgerowError) as caught:
        package("protes", "protes")
    assert f"pip install --no-deps {_PROTES}" in str(caught.value)


def test_pages_and_makefile_install_the_same_protes() -> None:
    assert f"pip install --no-deps {_PROTES}" in (_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"PROTES := {_PROTES}" in (_ROOT / "Makefile").read_text(encoding="utf-8")
    # In the extra it would leave pip no solution.
    assert '"protes' not in (_ROOT / "pyproject.toml").read_text(encoding="utf-8")

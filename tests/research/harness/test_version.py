"""A row says what made it: the code that a suggestion passes through, and nothing else."""

from pathlib import Path

import pytest

from research.harness import version
from research.harness.version import version_of


def test_the_version_follows_the_code_that_makes_suggestions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house, laboratory = tmp_path / "src/hedgerow", tmp_path / "research"
    files = {
        "auto": house / "methods/auto/method.py",
        "random": house / "methods/random.py",
        "evolution": laboratory / "rivals/evolution.py",
        "nobody": house / "cli/show.py",
    }
    for file in files.values():
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text("before")
    monkeypatch.setattr(version, "_HOUSE", house)
    monkeypatch.setattr(version, "_LABORATORY", laboratory)

    def versions() -> list[str]:
        version_of.cache_clear()
        return [version_of(kind) for kind in ("auto", "random", "evolution")]

    try:
        before = versions()
        files["nobody"].write_text("after")
        assert versions() == before
        files["auto"].write_text("after")
        changed = versions()
        assert changed[0] != before[0]
        assert changed[1:] == before[1:]
        files["evolution"].write_text("after")
        assert versions()[2] != before[2]
    finally:
        version_of.cache_clear()

"""The one way into the laboratory, and that every page names commands that exist."""

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from research.__main__ import main
from research.harness.spec import spec_names
from research.measurements.catalog import MEASUREMENTS

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "Makefile", ROOT / "pyproject.toml"]
_COMMAND = re.compile(r"python -m\s+research\b([^`\n]*)")


def _named() -> list[tuple[str, str]]:
    """Return every command that a page names, with the page."""
    return [
        (page.name, command.strip().rstrip(".:,;")) for page in PAGES for command in _COMMAND.findall(page.read_text())
    ]


def test_help_names_every_measurement(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    printed = capsys.readouterr().out
    assert all(f"  {name} " in printed for name in MEASUREMENTS)


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_every_measurement_has_a_help_of_its_own(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    assert f"python -m research {name}" in capsys.readouterr().out


def test_pages_name_only_commands_that_exist() -> None:
    commands = _named()
    assert len(commands) > 10
    for page, command in commands:
        words = shlex.split(command) if command else []
        where = f"{page}: python -m research {command}"
        if not words or words[0] in ("...", "VERB", "NAME", "list", "run|report|list", "--help"):
            continue
        if words[0] in ("run", "report", "recheck"):
            assert len(words) > 1 and words[1] in (*spec_names(), "all", "NAME"), where
        else:
            assert words[0] in MEASUREMENTS, where
            module = import_module(MEASUREMENTS[words[0]].module)
            source = Path(module.__file__ or "").read_text()
            assert all(f'"{word}"' in source for word in words if re.fullmatch("--[a-z-]+", word)), where


def test_an_unknown_experiment_is_an_error_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "exp9"]) == 2
    assert "There is no experiment 'exp9'" in capsys.readouterr().err

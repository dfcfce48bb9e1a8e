"""The house in numbers."""

from pathlib import Path

import pytest

from hedgerow.errors import HedgerowError
from research.measurements.house.__main__ import numbers, sizes
from research.measurements.house.passed import minimized, passed


def test_files_and_lines_are_counted(tmp_path: Path) -> None:
    for name, n_lines in (("a.py", 1), ("b.py", 3), ("part/c.py", 8)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n" * n_lines)
    found = sizes(tmp_path)
    assert found["lines of Python in the wheel"] == "12"
    assert found["median file, lines"] == "3"
    assert found["longest file, lines"] == "8 (part/c.py)"


def test_files_passed_through_are_those_of_the_call() -> None:
    minimized()
    files = passed(minimized)
    assert "optimizer.py" in files
    assert not any(file.startswith(("runs", "optuna", "cli", "importers")) for file in files)


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HedgerowError, match="no checkout"):
        numbers(tmp_path)

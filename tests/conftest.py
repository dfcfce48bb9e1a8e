"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of measured data; tests that need it are skipped where there is none."""
    folder = Path(os.environ.get("HEDGEROW_DATA") or _BESIDE_THE_REPOSITORY)
    if not folder.is_dir():
        pytest.skip(f"no measured data: set HEDGEROW_DATA, or put it into {folder}")
    return folder

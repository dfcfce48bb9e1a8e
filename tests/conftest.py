"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples every time: what passes here passes everywhere. `make test-more` draws new ones, and prints how to
# see a failing one again.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("more", deadline=None, max_examples=500, print_blob=True)
settings.load_profile(os.environ.get("HEDGEROW_EXAMPLES", "same"))

_BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of measured data; tests that need it are skipped where there is none."""
    folder = Path(os.environ.get("HEDGEROW_DATA") or _BESIDE_THE_REPOSITORY)
    if not folder.is_dir():
        pytest.skip(f"no measured data: set HEDGEROW_DATA, or put it into {folder}")
    return folder

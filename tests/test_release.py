"""What is released is what is here: the recipe of conda, the check before an upload, the pictures of the pages."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import hedgerow as hr

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# What conda-forge calls a package otherwise.
ELSEWHERE = {"ortools": "ortools-python"}


def test_the_recipe_of_conda_asks_for_what_the_package_needs() -> None:
    """One package for all systems, so it needs what any of them does."""
    recipe = (ROOT / "conda" / "meta.yaml").read_text()
    listed = dict(re.findall(r"^    - (\S+) (>=\S+)$", recipe.partition("  run:")[2].partition("\ntest:")[0], re.M))
    needed = [re.fullmatch(r"([\w-]+)(>=[\d.]+)(;.*)?", item) for item in PROJECT["dependencies"]]
    wanted = {ELSEWHERE.get(item[1], item[1]): item[2] for item in needed if item is not None}
    assert len(wanted) == len(needed)
    assert listed == {"python": PROJECT["requires-python"], **wanted}
    assert f'version = "{hr.__version__}"' in recipe


def test_what_is_uploaded_is_built_checked_and_installed_first() -> None:
    check = re.search(r"^release-check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)
    assert check is not None
    steps = ["-m build", "-m twine check --strict", "pip install --quiet $(VENV)/dist", "hedgerow --version"]
    places = [check[1].find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)
    assert "make release-check" in (ROOT / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/runs.md", "docs/reports.md", "docs/gallery.md"])
def test_pages_that_show_something_have_their_pictures(page: str) -> None:
    text = (ROOT / page).read_text()
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text) + re.findall(r'<img [^>]*src="([^"]+)"', text)
    assert pictures
    for picture in pictures:
        assert ((ROOT / page).parent / picture).is_file(), picture

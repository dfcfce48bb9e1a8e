"""ARCHITECTURE.md tells the truth: the layers are those kept, every room is named, every file named is there."""

from __future__ import annotations

import re
import tomllib

from tests.docs.pages import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_the_layers_are_those_that_are_kept() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    kept = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    assert " > ".join(f"`{layer}`" for layer in kept) in TEXT


def test_every_room_is_in_the_tree() -> None:
    tree = TEXT.partition("```\n")[2].partition("```")[0]
    rooms = [path for path in sorted((ROOT / "src/hedgerow").iterdir()) if not path.name.startswith("__")]
    names = [f"{path.name}/" if path.is_dir() else path.name for path in rooms if path.name != "py.typed"]
    assert [name for name in names if name not in tree] == []


def test_everything_in_the_tree_is_there() -> None:
    tree = TEXT.partition("```\n")[2].partition("```")[0]
    named = set(re.findall(r"(?<![\w/])([a-z_]+(?:/|\.py))(?=\s|$|[;,:)])", tree))
    folders = ("", "src", "src/hedgerow", "src/hedgerow/methods", "research", "docs", "tests", "src/hedgerow/feasible")
    inner = ("src/hedgerow/methods/auto", "src/hedgerow/methods/catd", "src/hedgerow/runs")
    assert len(named) > 30
    assert [
        name for name in sorted(named) if not any((ROOT / place / name).exists() for place in folders + inner)
    ] == []


def test_every_room_of_the_laboratory_is_in_the_tree() -> None:
    rooms = [path.name for path in sorted((ROOT / "research").iterdir()) if path.is_dir() and "__" not in path.name]
    assert [name for name in rooms if f"{name}/" not in TEXT] == []


def test_every_page_that_is_linked_is_there() -> None:
    links = re.findall(r"\]\(([\w/.-]+\.md)\)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_every_file_that_is_named_is_there() -> None:
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", TEXT))
    assert len(named) > 20
    folders = (ROOT, ROOT / "src/hedgerow", ROOT / "src/hedgerow/methods/auto")
    assert [name for name in sorted(named) if not any((folder / name).is_file() for folder in folders)] == []

"""One word per thing: the glossary of ARCHITECTURE.md, kept by knowing the words that it does without."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "research", "tests", "docs", "examples")
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
ENDINGS = (".py", ".md", ".toml", ".js", ".css")

# What is not said, as a pattern over the words that identifiers and prose are made of, and what is said instead.
SECONDS = {
    r"propos(?:e|es|ed|ing|er|als?)": "suggest, suggestion",
    r"vicinit(?:y|ies)": "neighborhood",
    r"campaigns?": "study",
    r"(?:in)?valid_(?:points?|rows?)": "feasible, infeasible",
    r"colours?|coloured|neighbours?|neighbouring|neighbourhoods?|behaviours?|favours?|favoured|honoured": "American",
    r"centres?|centred|catalogues?|artefacts?|labelled|labelling|modelled|modelling|cancelled|licence": "American",
    r"(?:normal|standard|minim|maxim|penal|general|factor|local|random|regular|optim|initial|real|organ|summar|util|"
    r"visual|serial|categor|parametr|discret|parallel|priorit|emphas|recogn|memor|token|symbol|linear|quant)"
    r"i(?:se|ses|sed|sing|ser|sers|sation|sations)": "American",
    r"analyse[sd]?|analysing|whilst|towards": "American",
}
# Class names that had to be decoded.
NOUNS = ("Found", "Told", "Look", "Heart", "Fate", "Around", "Vicinity", "Campaign", "Standing", "Lines", "Marks")
# Where another word is right: names of other tools, the published paper's own words, aliases kept for old programs.
ALLOWED = {
    "src/hedgerow/feasible/feasible_set.py": ("neighbours",),
    "tests/feasible/test_moves.py": ("neighbours",),
    "src/hedgerow/result.py": ("maximised",),
    "src/hedgerow/runs/workers/executors.py": ("cancelled",),
    "src/hedgerow/importers/baybe.py": ("campaign", "campaigns"),
    "src/hedgerow/importers/load.py": ("campaign",),
    # What BayBE writes into its files.
    "research/fuzz/seeds.py": ("campaign",),
    "tests/importers/test_experiments.py": ("campaign",),
    # Made from the parser by `make docs`; it names BayBE's files.
    "docs/commands.md": ("campaign",),
    "docs/paper.md": ("proposed",),
    "docs/results/exp1.md": ("proposed", "towards"),
    "docs/results/exp2.md": ("proposes",),
    "docs/results/exp3.md": ("proposes",),
    "docs/results/violations.md": ("proposes",),
    "docs/penalty.md": ("proposes",),
    "src/hedgerow/methods/catd/method.py": ("proposals",),
    "src/hedgerow/methods/catd/trusted_rules.py": ("proposals",),
}


def files() -> Iterator[Path]:
    yield from (ROOT / page for page in PAGES)
    for folder in FOLDERS:
        found = (path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in ENDINGS)
        yield from (path for path in found if path != Path(__file__).resolve() and "__pycache__" not in path.parts)


def words_of(text: str) -> Iterator[str]:
    """Yield each word and each part of an identifier, in lower case; parts of two in a row as well."""
    for name in re.findall(r"[A-Za-z_]+", text):
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
        lower = [part.lower() for part in parts]
        yield from lower
        yield from ("_".join(pair) for pair in pairwise(lower))


@pytest.mark.parametrize(("pattern", "instead"), SECONDS.items(), ids=[*SECONDS.values()])
def test_there_is_one_word_for_each_thing(pattern: str, instead: str) -> None:
    second = re.compile(pattern)
    seen = []
    for path in files():
        name = path.relative_to(ROOT).as_posix()
        said = {word for word in words_of(path.read_text(encoding="utf-8")) if second.fullmatch(word)}
        seen += [f"{name}: {word}" for word in sorted(said - set(ALLOWED.get(name, ())))]
    assert not seen, f"write {instead} instead"


def test_no_class_has_a_name_that_must_be_decoded() -> None:
    pattern = re.compile(rf"^class ({'|'.join(NOUNS)})\b", re.MULTILINE)
    seen = [
        f"{path.relative_to(ROOT)}: {name}" for path in files() for name in pattern.findall(path.read_text("utf-8"))
    ]
    assert not seen


def test_a_class_name_stands_for_one_thing() -> None:
    owners: dict[str, list[str]] = {}
    for path in files():
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in ("src", "research"):
            for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
                owners.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: paths for name, paths in owners.items() if len(paths) > 1} == {}

"""Specifications: every one of the project loads, and a wrong one is refused in words."""

from pathlib import Path

import pytest

import hedgerow as hr
from research.harness.spec import Changes, load_spec, spec_names

PAPER = (
    "exp1",
    "exp2",
    "exp3",
    "ablation-lambda",
    "ablation-offline",
    "ablation-nnmilp",
    "ablation-protes",
    "violations",
    "minibatch",
    "highdim",
)


def test_the_paper_s_experiments_are_all_there() -> None:
    assert set(PAPER) <= set(spec_names())


@pytest.mark.parametrize("name", PAPER)
def test_every_specification_loads_and_is_smaller_when_quick(name: str) -> None:
    full, quick = load_spec(name), load_spec(name, Changes(quick=True))
    assert 0 < len(set(quick.works())) < len(set(full.works()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tasks = ['gap-a']", "nothing to run"),
        ("tasks = ['gap-z']\n[[methods]]\nkind = 'auto'", "no task 'gap-z'"),
        ("tasks = ['gap-a']\n[[methods]]\nkind = 'autos'", "no method 'autos'.*did you mean 'auto'"),
        ("tasks = ['gap-a']\n[[methods]]\nkind = 'catd'\nranks = 3", "no setting 'ranks'.*did you mean 'rank'"),
        ("tasks = ['gap-a']\nseeds = 0\n[[methods]]\nkind = 'auto'", "'seeds' is a whole number"),
        ("tasks = ['gap-a']\nbudgets = 3\n[[methods]]\nkind = 'auto'", "no key 'budgets'.*did you mean 'budget'"),
        ("tasks = ['gap-a']\n[budget]\ngap-b = 3\n[[methods]]\nkind = 'auto'", "no number for the task 'gap-a'"),
        ("tasks = ['gap-a']\n[[methods]]\nkind = 'auto'\nmeasure = 'all'", "no measure 'all'"),
        ("tasks = [", "cannot be read"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(hr.HedgerowError, match=f"(?s)wrong.toml.*{message}"):
        load_spec(str(path))


def test_an_unknown_name_is_refused_with_a_suggestion() -> None:
    with pytest.raises(hr.HedgerowError, match="did you mean 'exp2'"):
        load_spec("exp22")

"""Cells and their names."""

from hypothesis import given
from hypothesis import strategies as st

from research.harness.cell import Cell, expand

SETTINGS = st.dictionaries(
    st.sampled_from(["rank", "variant", "penalty", "follows", "wide"]),
    st.one_of(
        st.integers(0, 99), st.floats(1e-6, 1e6), st.booleans(), st.sampled_from(["c", "u", "program", "nn-milp"])
    ),
)


@given(SETTINGS)
def test_a_name_says_all_settings(settings: dict[str, object]) -> None:
    cell = Cell.of("catd", settings)  # type: ignore[arg-type]
    assert Cell.parse(cell.name) == cell


def test_lists_expand_to_all_combinations() -> None:
    cells = list(expand("catd", {"rank": [2, 3], "variant": ["c", "u"], "format": "tt"}))
    assert [cell.name for cell in cells] == [
        "catd;format=tt;rank=2;variant=c",
        "catd;format=tt;rank=2;variant=u",
        "catd;format=tt;rank=3;variant=c",
        "catd;format=tt;rank=3;variant=u",
    ]


def test_cells_are_chosen_by_kind_and_settings() -> None:
    cell = Cell.of("catd", {"rank": 2})
    assert cell.matches({"kind": ["catd", "auto"], "rank": 2})
    assert not cell.matches({"rank": [3, 4]})
    assert not cell.matches({"variant": "c"})
    assert cell.matches({"variant": ["c", ""]})

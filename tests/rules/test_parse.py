"""Rule text: what is read, and errors that point at the column and suggest the nearest name."""

from __future__ import annotations

import pytest

from hedgerow import FeasibleSet, Integer, RuleError, Space
from hedgerow.rules.parse import parse_rule
from tests.oracles import quiet_set

SPACE = Space({"block_x": Integer(0, 4), "block_y": Integer(0, 4), "kernel": ["naive", "tiled"]})


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("blok_x > 1", 1, "There is no variable 'blok_x'; did you mean 'block_x'?"),
        ("block_x + blok_y > 1", 11, "There is no variable 'blok_y'; did you mean 'block_y'?"),
        ("  blok_x > 1", 3, "There is no variable 'blok_x'"),
        ("kernel == 'größe' or zzz", 22, "There is no variable 'zzz'; known are block_x, block_y, kernel"),
        ("block_x > kernel", 1, "'block_x > kernel' compares text with a number: 'block_x' is a number"),
        ("1 + kernel > 2", 5, "'kernel' is text, but arithmetic needs numbers"),
        ("block_x.real > 1", 1, "Attribute access is not allowed in a rule"),
        ("block_x > 1 and [i for i in 2]", 17, "A comprehension is not allowed in a rule"),
        ("abss(block_x) > 1", 1, "There is no function 'abss'; did you mean 'abs'?"),
        ("block_x = 1", 9, "write '==' to compare"),
        ("block_x && block_y", 10, "write 'and' and 'or'"),
        ("!block_x", 1, "write 'not'"),
        ("block_x & 1", 1, "write 'and' instead of '&'"),
        ("block_x ^ 2 > 1", 1, "'**' for powers"),
        ("block_x is 1", 1, "write '==' or '!='"),
        ("xor(block_x, block_y, 1)", 1, "write exactly(1, ...) for one of several"),
        ("block_x == None", 12, "The constant None is not allowed in a rule"),
        ("block_x[0] > 1", 1, "'block_x' is not a vector, so it cannot be indexed"),
    ],
)
def test_errors_point_at_the_column(text: str, column: int, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        FeasibleSet(SPACE, [text])
    lines = str(caught.value).splitlines()
    assert message in lines[0]
    assert f"(column {column})" in lines[0]
    assert lines[1].strip() == text.strip()
    assert lines[2].index("^") - 4 == column - 1


def test_the_mark_stays_in_view_in_a_long_text() -> None:
    text = "block_x > 1 and " * 20 + "blok_x > 1"
    with pytest.raises(RuleError) as caught:
        FeasibleSet(SPACE, [text])
    _, shown, mark = str(caught.value).splitlines()
    assert "(column 321)" in str(caught.value)
    assert len(shown) <= 124
    assert shown[mark.index("^") :].startswith("blok_x")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("block_x\n  < block_y", "block_x < block_y"),
        ("  block_x < block_y  ", "block_x < block_y"),
        ("(block_x <\r\n block_y)", "block_x < block_y"),
        ("block_x < block_y # a remark", "block_x < block_y"),
        ("+block_x < block_y", "block_x < block_y"),
        ("block_x not in (1, 2)", "not block_x in [1, 2]"),
        ("block_x in {1, 2}", "block_x == 1 or block_x == 2"),
        ("block_x in range(1, 5, 2)", "block_x in [1, 3]"),
        ("0x2 < block_x", "2 < block_x"),
        ("1_0 > block_x * 5", "10 > block_x * 5"),
        ("-block_x ** 2 < -3", "-(block_x ** 2) < -3"),
        ("2 ** -block_x < 0.3", "2 ** (-block_x) < 0.3"),
        ("not block_x < 2", "not (block_x < 2)"),
        ("block_x or block_y and block_x > 3", "block_x or (block_y and block_x > 3)"),
        ("block_x - block_y - 1 == 0", "(block_x - block_y) - 1 == 0"),
        ("1 < block_x < 4 != block_y", "1 < block_x and block_x < 4 and 4 != block_y"),
        ("'na' in kernel", "kernel == 'naive'"),
    ],
)
def test_two_ways_to_write_the_same(text: str, same: str) -> None:
    left, right = quiet_set(SPACE, [text]), quiet_set(SPACE, [same])
    assert list(left) == list(right)
    assert 0 < left.count < SPACE.size


@pytest.mark.parametrize("text", ["block_x > 1  # more\nand block_y > 2", "block_x > 1 # more\r\nand block_y > 2"])
def test_a_remark_ends_with_its_line(text: str) -> None:
    assert quiet_set(SPACE, [text]).count == quiet_set(SPACE, ["block_x > 1 and block_y > 2"]).count


@pytest.mark.parametrize("first", ["kernel != '\\\\'", "kernel != '''it's'''", 'kernel != """a"b"""'])
def test_a_remark_after_odd_quotes_ends_with_its_line(first: str) -> None:
    feasible = quiet_set(SPACE, [f"{first}  # a remark\nand block_y > 2"])
    assert feasible.count == quiet_set(SPACE, ["block_y > 2"]).count


def test_a_hash_in_quotes_is_no_remark() -> None:
    assert quiet_set(SPACE, ["kernel != '#' and block_y > 2"]).count == quiet_set(SPACE, ["block_y > 2"]).count


def test_odd_escapes_print_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    parse_rule(r"kernel == '\d'")
    parse_rule("1if block_x else 2")
    assert not recwarn.list

"""Memory of tensors that are built and of those that are not."""

from research.measurements.memory import ball, dense, ours


def test_both_sides_are_measured() -> None:
    assert ours(4)["ms_per_step"] > 0
    assert dense(3)["mib"] >= 0


def test_the_balls_are_those_of_the_paper() -> None:
    assert ball(4).count == 425

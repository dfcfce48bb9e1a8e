"""The number of parameters of the networks of NATS-Bench, computed from their layers."""

from __future__ import annotations

from collections.abc import Sequence

_STEM_AND_HEAD = 3 * 9 + 2, 2 + 10  # per channel: convolution and normalization; normalization and classifier
_N_CELLS = 5
_N_CLASSES = 10


def topology_parameters(operations: Sequence[str]) -> int:
    """Return the parameters of a topology: six operations per cell, five cells at each of 16, 32 and 64 channels."""
    total = 16 * _STEM_AND_HEAD[0] + 64 * _STEM_AND_HEAD[1] + _N_CLASSES
    total += _residual(16, 32) + _residual(32, 64)
    sizes = {"nor_conv_3x3": 9, "nor_conv_1x1": 1}
    for channels in (16, 32, 64):
        total += _N_CELLS * sum(_convolution(channels, channels, sizes[name]) for name in operations if name in sizes)
    return total


def size_parameters(channels: Sequence[int]) -> int:
    """Return the parameters of the size space's one cell with these channels in its five stages."""
    total = channels[0] * _STEM_AND_HEAD[0] + channels[-1] * _STEM_AND_HEAD[1] + _N_CLASSES
    before = channels[0]
    for stage, after in enumerate(channels):
        total += _residual(before, after) if stage in (1, 3) else _cell(before, after)
        before = after
    return total


def _cell(before: int, after: int) -> int:
    """Two convolutions and a skip from the first node, three convolutions between the others."""
    skip = 0 if before == after else _convolution(before, after, 1)
    return 2 * _convolution(before, after, 9) + 3 * _convolution(after, after, 9) + skip


def _residual(before: int, after: int) -> int:
    return _convolution(before, after, 9) + _convolution(after, after, 9) + before * after


def _convolution(before: int, after: int, size: int) -> int:
    """A convolution without bias, and its normalization."""
    return size * before * after + 2 * after

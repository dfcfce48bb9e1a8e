"""How those who take part in the replays are called in their tables."""

from __future__ import annotations

from research.harness.cell import Cell

KERNEL_TUNER = "Kernel Tuner"
_LABELS = {
    "auto": "Hedgerow",
    "smac": "SMAC, told the rules",
    "tpe": "Optuna TPE, not told",
    "random": "random inside the rules",
    "anywhere": "random, not told",
}


def replay_label(cell: Cell) -> str:
    """Return the name of a cell; Kernel Tuner's has that of the strategy."""
    return f"{KERNEL_TUNER} {cell.get('strategy')}" if cell.kind == "kernel-tuner" else _LABELS[cell.kind]

"""The health of a set of rules: how large, what is dead or forced, what is redundant or contradictory, what it
costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hedgerow.expressions import Scalar
from hedgerow.wording import approximate, quoted, readable_bytes

# Values of a long list that are named.
_MAX_SHOWN = 10


@dataclass(frozen=True)
class Diagnosis:
    """What `FeasibleSet.doctor` found.

    `count` is None where rules outside the diagram keep it from being known; `rule_densities` is the share of the
    space that each rule keeps when it is alone.
    """

    space_size: int
    count: int | None
    density: float | None
    dead_values: dict[str, list[Scalar]]
    forced_values: dict[str, Scalar]
    always_true_rules: tuple[str, ...]
    redundant_rules: tuple[str, ...]
    undecided_rules: tuple[str, ...]
    contradiction: tuple[str, ...]
    residual_rules: tuple[str, ...]
    undefined_rules: tuple[str, ...]
    rule_densities: dict[str, float]
    n_nodes: int
    memory_bytes: int
    listing_bytes: int | None

    @property
    def is_healthy(self) -> bool:
        """Whether there is nothing that a user would want to know of."""
        findings = (
            self.dead_values,
            self.forced_values,
            self.always_true_rules,
            self.redundant_rules,
            self.contradiction,
            self.residual_rules,
            self.undefined_rules,
        )
        return not any(findings)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)

    def findings(self) -> list[str]:
        """Return one sentence for each thing worth knowing."""
        lines = [f"Nothing is feasible: {quoted(self.contradiction)} contradict." if self.contradiction else ""]
        lines += [f"{name} can never be {_first_few(values)}." for name, values in self.dead_values.items()]
        lines += [f"{name} is always {value!r}." for name, value in self.forced_values.items()]
        lines += [f"Rule '{name}' is always true." for name in self.always_true_rules]
        lines += [f"Rule '{name}' is redundant: the other rules imply it." for name in self.redundant_rules]
        lines += [
            f"Rule '{name}' may be redundant; settling it exactly would cost too much." for name in self.undecided_rules
        ]
        lines += [
            f"Rule '{name}' stays outside the diagram (node budget): it is always enforced, but the count is unknown "
            "and draws may be slower and only near uniform. Raise node_budget or simplify the rule."
            for name in self.residual_rules
        ]
        lines += [
            f"Rule '{name}' cannot be evaluated at some points (a division by zero, for instance); "
            "there it counts as broken."
            for name in self.undefined_rules
        ]
        return [line for line in lines if line]

    def __str__(self) -> str:
        size = f"{self.space_size:,} points" if self.space_size < 10**15 else f"{approximate(self.space_size)} points"
        if self.count is None:
            head = f"{size}, an unknown number of them feasible"
        else:
            feasible = f"{self.count:,}" if self.count < 10**15 else approximate(self.count)
            head = f"{size}, {feasible} feasible (density {self.density:.3g})"
        memory = f"The diagram has {self.n_nodes:,} nodes in {readable_bytes(self.memory_bytes)}"
        if self.listing_bytes is not None:
            memory += f"; listing every feasible point would take {readable_bytes(self.listing_bytes)}"
        findings = self.findings() or ["Nothing to remark."]
        return "\n".join([head, memory + ".", *(f"- {finding}" for finding in findings)])


def _first_few(values: Sequence[Scalar]) -> str:
    shown = ", ".join(map(repr, values[:_MAX_SHOWN]))
    return shown if len(values) <= _MAX_SHOWN else f"{shown} and {len(values) - _MAX_SHOWN:,} other values"

"""Draws the decision diagram of a small example as `docs/images/diagram.svg`: `python docs/draw_diagram.py`.

The picture is made from the diagram that Hedgerow compiles, so that a test can tell when the two differ. A node shows
how many feasible ways lead on from it; an edge shows the values that lead along it; edges to the dead node are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

import hedgerow as hr
from hedgerow.diagram.count import to_int

OUTPUT = Path(__file__).parent / "images" / "diagram.svg"
SPACE = hr.Space({"block_x": [16, 32, 48, 64], "block_y": [1, 2, 4, 8], "stages": [1, 2, 3], "padding": bool})
RULES = {
    "threads": "64 <= block_x * block_y <= 256",
    "banks": "not padding or block_x % 32 != 0",
    "memory": "block_x * stages <= 128",
}

WIDTH, STEP, TOP, RADIUS = 620, 104, 48, 18
LEFT, RIGHT = 160, 580
STYLE = """text { font: 14px system-ui, sans-serif; fill: #1b2b2b }
.edge { stroke: #5d9b90; fill: none; stroke-width: 1.5 }
.value { font-size: 12px; fill: #0b4f45; stroke: #fff; stroke-width: 5; stroke-linejoin: round; paint-order: stroke }
.node { fill: #e2f3ef; stroke: #00796b; stroke-width: 1.5 }
.name { font-weight: 600 }"""

Place = tuple[float, float]


def picture(feasible: hr.FeasibleSet) -> str:
    """Return the diagram of a set as SVG."""
    slots = [feasible.space.slots[slot] for slot in feasible._compiled.order]
    places = _places(feasible)
    height = TOP + STEP * len(slots) + 48
    names = (
        f'<text class="name" x="16" y="{TOP + STEP * layer + 5}">{escape(slot.name)}</text>'
        for layer, slot in enumerate(slots)
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img">',
            f"<title>Decision diagram of {feasible.count} points</title>",
            f"<style>{STYLE}</style>",
            f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#fff"/>',
            *names,
            *_edges(feasible, places, [slot.variable.values for slot in slots]),
            *_nodes(feasible, places),
            "</svg>",
            "",
        ]
    )


def _places(feasible: hr.FeasibleSet) -> list[dict[int, Place]]:
    """Return where the live nodes of each layer lie, so that few edges cross: each node above its children."""
    tables = feasible.codes.diagram.tables
    layers = [list(range(1, table.shape[0])) for table in tables] + [[1]]
    for layer in reversed(range(len(tables))):
        below = {node: place for place, node in enumerate(layers[layer + 1])}
        layers[layer].sort(key=lambda node: _mean([below[to] for to in tables[layer][node].tolist() if to]))
    return [
        {node: (LEFT + (at + 0.5) * (RIGHT - LEFT) / len(nodes), TOP + STEP * layer) for at, node in enumerate(nodes)}
        for layer, nodes in enumerate(layers)
    ]


def _mean(numbers: list[int]) -> float:
    return sum(numbers) / len(numbers)


def _edges(feasible: hr.FeasibleSet, places: list[dict[int, Place]], values: list[tuple[object, ...]]) -> Iterator[str]:
    labels = []
    for layer, table in enumerate(feasible.codes.diagram.tables):
        for node, (x, y) in places[layer].items():
            for child in sorted(set(table[node].tolist()) - {0}):
                taken = [str(value) for value, to in zip(values[layer], table[node], strict=True) if to == child]
                to_x, to_y = places[layer + 1][child]
                yield f'<path class="edge" d="M{x:.0f} {y:.0f} L{to_x:.0f} {to_y:.0f}"/>'
                # Nearer to the upper node, where edges have not met yet.
                at_x, at_y = x + 0.42 * (to_x - x), y + 0.42 * (to_y - y) + 4
                text = escape(", ".join(taken))
                labels.append(f'<text class="value" x="{at_x:.0f}" y="{at_y:.0f}" text-anchor="middle">{text}</text>')
    yield from labels


def _nodes(feasible: hr.FeasibleSet, places: list[dict[int, Place]]) -> Iterator[str]:
    for layer, nodes in enumerate(places):
        for node, (x, y) in nodes.items():
            is_end = layer == len(places) - 1
            label = "feasible" if is_end else str(to_int(feasible.codes.counts.layers[layer][node]))
            yield (
                f'<circle class="node" cx="{x:.0f}" cy="{y:.0f}" r="{RADIUS + 14 * is_end}"/>'
                f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{label}</text>'
            )


if __name__ == "__main__":
    OUTPUT.write_text(picture(hr.FeasibleSet(SPACE, RULES)), encoding="utf-8")

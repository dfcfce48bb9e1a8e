"""Following given codes: membership, and the accepted sequences that differ from one in one or two places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Codes, Mask, Places
from hedgerow.diagram.machine import Diagram
from hedgerow.diagram.reduce import compress


def accepts(diagram: Diagram, codes: Codes) -> Mask:
    """Return for each row of codes (n, n_layers) whether the diagram accepts it."""
    nodes = np.full(codes.shape[0], diagram.root)
    for k, table in enumerate(diagram.tables):
        nodes = table[nodes, codes[:, k]]
    return np.asarray(nodes == 1)


def one_change(diagram: Diagram, codes: Codes) -> Places:
    """Return all accepted sequences that differ from `codes` (n_layers,) in one place, accepted itself or not."""
    deviations = _deviations(diagram, codes)
    return _changed(codes, [(d.layer, d.code) for d in deviations if d.survives])


def two_changes(diagram: Diagram, codes: Codes) -> Places:
    """Return all accepted sequences that differ from `codes` (n_layers,) in exactly two places."""
    accepted = _AcceptedSuffixes(diagram, codes)
    firsts: list[Places] = []
    # Rows of `open_*`: sequences that have deviated once and follow the given codes since.
    open_nodes = np.zeros(0, dtype=np.int64)
    open_layers = np.zeros(0, dtype=np.int64)
    open_codes = np.zeros(0, dtype=np.int64)
    node = diagram.root
    requests: list[tuple[int, Places, Places, Places]] = []
    for k, table in enumerate(diagram.tables):
        children = table[open_nodes].astype(np.int64)
        children[:, codes[k]] = 0
        row, code = np.nonzero(children)
        requests.append((k, row, code, accepted.ask(k + 1, children[row, code])))
        firsts.append(np.stack([open_layers[row], open_codes[row]], axis=1))
        open_nodes = table[open_nodes, codes[k]].astype(np.int64)
        starts = table[node].astype(np.int64)
        starts[codes[k]] = 0
        new = np.flatnonzero(starts)
        alive = np.flatnonzero(open_nodes)
        open_nodes = np.concatenate([open_nodes[alive], starts[new]])
        open_layers = np.concatenate([open_layers[alive], np.full(new.size, k)])
        open_codes = np.concatenate([open_codes[alive], new])
        node = int(table[node, codes[k]])
    verdicts = accepted.verdicts()
    changed: list[Places] = []
    for (k, _, code, request), first in zip(requests, firsts, strict=True):
        keep = np.flatnonzero(verdicts[k + 1][request])
        rows = np.repeat(codes[None, :], keep.size, axis=0)
        index = np.arange(keep.size)
        rows[index, first[keep, 0]] = first[keep, 1]
        rows[index, k] = code[keep]
        changed.append(rows)
    return np.concatenate(changed)


class _AcceptedSuffixes:
    """Answers "from this node, are the given codes accepted to the end?" for many nodes in one sweep.

    Questions are asked layer by layer; those that meet in a node share the rest of the way.
    """

    def __init__(self, diagram: Diagram, codes: Codes) -> None:
        self._diagram = diagram
        self._codes = codes
        # Distinct nodes in question per layer, and where each of them goes in the next layer's list.
        self._nodes: list[Places] = [np.zeros(0, dtype=np.int64)]
        self._next: list[Places] = []

    def ask(self, layer: int, nodes: Places) -> Places:
        """Register nodes of a layer (layers in increasing order); return where their verdicts will stand."""
        table = self._diagram.tables[layer - 1]
        followed = table[self._nodes[layer - 1], self._codes[layer - 1]].astype(np.int64)
        upper = int(max(followed.max(initial=0), nodes.max(initial=0))) + 1
        distinct, places = compress(np.concatenate([followed, nodes]), upper)
        self._nodes.append(distinct)
        self._next.append(places[: followed.size])
        return places[followed.size :]

    def verdicts(self) -> list[Mask]:
        """Return for each layer whether each registered node accepts the rest."""
        verdicts = [self._nodes[-1] == 1]
        for following in reversed(self._next):
            verdicts.append(verdicts[-1][following])
        verdicts.reverse()
        return verdicts


@dataclass(frozen=True)
class _Deviation:
    layer: int
    code: int
    survives: bool


def _deviations(diagram: Diagram, codes: Codes) -> list[_Deviation]:
    accepted = _AcceptedSuffixes(diagram, codes)
    node = diagram.root
    asked: list[tuple[int, Places, Places]] = []
    for k, table in enumerate(diagram.tables):
        children = table[node].astype(np.int64)
        children[codes[k]] = 0
        options = np.flatnonzero(children)
        asked.append((k, options, accepted.ask(k + 1, children[options])))
        node = int(table[node, codes[k]])
    verdicts = accepted.verdicts()
    return [
        _Deviation(k, int(code), bool(verdicts[k + 1][place]))
        for k, options, places in asked
        for code, place in zip(options, places, strict=True)
    ]


def _changed(codes: Codes, changes: list[tuple[int, int]]) -> Places:
    rows = np.repeat(codes[None, :], len(changes), axis=0)
    for row, (layer, code) in zip(rows, changes, strict=True):
        row[layer] = code
    return rows

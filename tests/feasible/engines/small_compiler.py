"""A d-DNNF compiler of a few lines, in the format of d4: branching and components. It stands in where d4 is missing."""

from __future__ import annotations

from pathlib import Path

Clauses = frozenset[tuple[int, ...]]


class SmallCompiler:
    """Writes the d-DNNF of small formulas."""

    def __init__(self) -> None:
        self.nodes: list[str] = []
        self.edges: list[str] = []
        self._known: dict[Clauses, int] = {}

    def compile(self, clauses: Clauses) -> int:
        """Return the node of some clauses."""
        if clauses not in self._known:
            self._known[clauses] = self._compiled(clauses)
        return self._known[clauses]

    def _compiled(self, clauses: Clauses) -> int:
        if () in clauses:
            return self._node("f")
        if not clauses:
            return self._node("t")
        parts = _components(clauses)
        if len(parts) > 1:
            node = self._node("a")
            for part in parts:
                self.edges.append(f"{node} {self.compile(part)} 0")
            return node
        node = self._node("o")
        variable = min(abs(literal) for clause in clauses for literal in clause)
        for literal in (variable, -variable):
            rest = frozenset(
                tuple(item for item in clause if item != -literal) for clause in clauses if literal not in clause
            )
            if () not in rest:
                self.edges.append(f"{node} {self.compile(rest)} {literal} 0")
        return node

    def _node(self, kind: str) -> int:
        self.nodes.append(f"{kind} {len(self.nodes) + 1} 0")
        return len(self.nodes)


def _components(clauses: Clauses) -> list[Clauses]:
    parts: list[tuple[set[int], set[tuple[int, ...]]]] = []
    for clause in sorted(clauses):
        variables, own = {abs(literal) for literal in clause}, {clause}
        for part in [part for part in parts if part[0] & variables]:
            parts.remove(part)
            variables |= part[0]
            own |= part[1]
        parts.append((variables, own))
    return [frozenset(own) for _, own in parts]


def compile_file(source: str, target: str) -> None:
    """Compile a CNF file, as d4 would."""
    lines = Path(source).read_text(encoding="ascii").splitlines()[1:]
    compiler = SmallCompiler()
    # The root is node 1; the first node made has that number.
    compiler.nodes.append("o 1 0")
    root = compiler.compile(frozenset(tuple(map(int, line.split()[:-1])) for line in lines))
    compiler.edges.insert(0, f"1 {root} 0")
    Path(target).write_text("\n".join(compiler.nodes + compiler.edges) + "\n", encoding="ascii")

"""Writes what blocks print into pages anew: `python -m tests.docs.refresh docs/index.md ...`. Read the difference."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.docs.pages import PRINTS, PRINTS_LIKE, ROOT, PageRun, blocks_of, trimmed


def refreshed(page: Path) -> str:
    """Return the text of a page with its printed blocks as they come out now."""
    lines = page.read_text(encoding="utf-8").splitlines()
    outputs: list[tuple[int, int, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        run = PageRun(Path(folder))
        for block in blocks_of(page):
            if block.title in (PRINTS, PRINTS_LIKE):
                first = int(block.place.rpartition(":")[2])
                outputs.append((first, first + len(block.text.splitlines()), trimmed(run.printed)))
            elif not block.reason:
                run.run(block)
        os.chdir(ROOT)
        sys.path.remove(folder)
    for first, last, output in reversed(outputs):
        lines[first:last] = output.splitlines()
    return "\n".join([*lines, ""])


def main() -> None:
    """Refresh the pages named on the command line."""
    os.environ["COLUMNS"] = "100"
    os.environ["PYTHONPATH"] = str(ROOT / "src")
    for page in [Path(name).resolve() for name in sys.argv[1:]]:
        page.write_text(refreshed(page), encoding="utf-8")


if __name__ == "__main__":
    main()

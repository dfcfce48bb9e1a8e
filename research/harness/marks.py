"""What stands between two marks on a page, `<!-- NAME -->` and `<!-- end of NAME -->`, is replaced by a command."""

from __future__ import annotations

import re
from pathlib import Path


def write_between_marks(page: Path, name: str, text: str) -> None:
    """Replace what stands between the marks of that name."""
    block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    whole = page.read_text(encoding="utf-8")
    page.write_text(block.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", whole), encoding="utf-8")

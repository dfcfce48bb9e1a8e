"""Run as a process of its own: reads a CNF file, writes its d-DNNF. Nothing of this package is imported here.

The compiler cannot be told how much to do, so that processor time, memory and the size of what it writes are bounded
here; and it writes about its progress to the standard output, which nobody reads.
"""

from __future__ import annotations

import sys
from pathlib import Path

# The compiler's cache of formulas, which it asks for at once and fills slowly.
_CACHE_BYTES = 256 * 2**20
_MAX_WRITTEN = 256 * 2**20


def main(source: str, target: str, seconds: int, max_bytes: int) -> None:
    """Compile one file."""
    try:
        import resource  # noqa: PLC0415 - not on every system

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_MAX_WRITTEN, _MAX_WRITTEN))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        pass
    import py_d4  # noqa: PLC0415 - an extra

    given = py_d4.dump_options_to_dict(py_d4.OptionDpllStyleMethod())
    given["cache"]["bucket"] |= {"sizeFirstPage": str(_CACHE_BYTES), "sizeAdditionalPage": str(_CACHE_BYTES)}
    options = py_d4.load_options_from_dict(given)
    compiled = py_d4.Solver(source, options).compile()
    Path(target).write_text(compiled.getNNFString(), encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

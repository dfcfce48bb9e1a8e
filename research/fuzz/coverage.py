"""`python -m research.fuzz.coverage TARGET`: fuzzing that coverage guides, where Atheris is installed.

Atheris counts which branches a text reaches, so it must be there before the library is loaded: this module imports
nothing else at its top.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib import import_module
from pathlib import Path

# Where text is read; the compiled loops below them cannot be counted, and need not be.
READERS = ("hedgerow.importers", "hedgerow.rules", "hedgerow.expressions", "hedgerow.space", "hedgerow.problem_file")


def main() -> int:
    """Fuzz one target. Atheris ends the process itself, with code 0 where nothing failed."""
    parser = argparse.ArgumentParser(prog="python -m research.fuzz.coverage", description=__doc__)
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    try:
        atheris = import_module("atheris")
    except ImportError:
        print("Atheris is not installed: pip install atheris", file=sys.stderr)
        return 2
    with atheris.instrument_imports(include=list(READERS)):
        seeds, targets, watch = (import_module(f"research.fuzz.{name}") for name in ("seeds", "targets", "watch"))
    if options.target not in seeds.SEEDS:
        parser.error(f"there is no target '{options.target}'; known are {', '.join(seeds.SEEDS)}")
    for text in seeds.SEEDS[options.target]:
        targets.survives(options.target, text)
    guard = watch.Guard()

    def read_one(data: bytes) -> None:
        with guard.watching(watch.LIMIT_SECONDS):
            targets.survives(options.target, data.decode(errors="replace"))

    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    corpus = _written(folder, seeds.SEEDS[options.target], seeds.WORDS)
    limits = [f"-max_total_time={options.seconds}", "-max_len=4000", "-print_final_stats=1"]
    places = [f"-artifact_prefix={folder}/", f"-dict={folder / 'words'}", str(corpus)]
    atheris.Setup([sys.argv[0], *limits, *places], read_one)
    atheris.Fuzz()
    return 0


def _written(folder: Path, seeds: list[str], words: tuple[str, ...]) -> Path:
    """Write what Atheris starts from; return the folder of seeds."""
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, text in enumerate(seeds):
        (corpus / str(number)).write_text(text, encoding="utf-8")
    escaped = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in words if len(word) < 60)
    (folder / "words").write_text("".join(f'"{word}"\n' for word in escaped))
    return corpus


if __name__ == "__main__":
    sys.exit(main())

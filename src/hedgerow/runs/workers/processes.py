"""Which process is meant, and whether it still lives: a machine, a number there, and the moment of its birth."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class ProcessMark:
    """One process, not to be mistaken for a later one with its number, or for one of another machine."""

    machine: str
    process: int
    born: str

    @classmethod
    def of(cls, process: int) -> ProcessMark:
        """Return the mark of a process of this machine."""
        return cls(this_machine(), process, _born(process))

    @property
    def is_here(self) -> bool:
        """Whether it belongs to this machine, so that its end can be seen from here."""
        return self.machine == this_machine()

    @property
    def is_surely_gone(self) -> bool:
        """Whether it ended on this machine; False where that cannot be known from here."""
        # One that was gone when it was looked at has no birth.
        return self.is_here and (not self.born or _born(self.process) != self.born)

    @property
    def is_surely_alive(self) -> bool:
        """Whether it runs on this machine; False where that cannot be known from here."""
        return self.is_here and not self.is_surely_gone


@cache
def this_machine() -> str:
    """Return what distinguishes this machine, this boot and this container from others."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        container = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        import uuid  # noqa: PLC0415 - takes long to load, and is needed on few machines

        boot, container = str(uuid.getnode()), ""
    return f"{socket.gethostname()}/{boot}/{container}"


def _born(process: int) -> str:
    """Return when a process started, or nothing where it has ended."""
    try:
        # The name in parentheses may contain spaces; the start is the 22nd field, the state the third.
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return _born_elsewhere(process)
    return "" if fields[0] in "ZX" else fields[19]


def _born_by_psutil(process: int) -> str:
    """Return the same where there is no /proc; psutil knows it on Windows and macOS."""
    import psutil  # noqa: PLC0415 - a dependency of those systems alone

    try:
        found = psutil.Process(process)
        return "" if found.status() == psutil.STATUS_ZOMBIE else str(found.create_time())
    except psutil.NoSuchProcess:
        return ""
    except psutil.Error:
        return "alive"


def _born_elsewhere(process: int) -> str:
    if Path("/proc/self/stat").exists():
        return ""
    with suppress(ImportError):
        return _born_by_psutil(process)
    if os.name != "posix":
        # There the signal 0 is not a question.
        return "alive"
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return ""
    except OSError:
        return "alive"
    return "alive"

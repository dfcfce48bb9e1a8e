"""Watching what a text does: time that it takes, and anything that looks like running code or touching the machine."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# Of this process's own time, for one text: far above what any text of a few thousand letters should take.
LIMIT_SECONDS = 20.0

# `exec` is raised for every code object that runs by eval, exec or an import; parsing with `ast` raises only `compile`.
_FORBIDDEN = ("exec", "os.", "subprocess.", "socket.", "pickle.", "ctypes.", "import", "open", "shutil.", "urllib.")
# The interpreter asks for these when it formats errors, or when a module that is loaded already is mentioned again.
_ALLOWED = ("os.listdir", "os.scandir")


class CodeRan(BaseException):
    """A text made the library run code or touch the machine; no `except Exception` may hide it."""


class TooSlow(BaseException):
    """A text took longer than allowed."""


class Guard:
    """An audit hook that is armed only while a text is being read."""

    def __init__(self) -> None:
        self.is_armed = False
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.is_armed or event in _ALLOWED or not event.startswith(_FORBIDDEN):
            return
        if event == "import" and arguments[0] in sys.modules:
            return
        self.is_armed = False
        raise CodeRan(f"{event} {arguments!r}"[:300])

    @contextmanager
    def watching(self, seconds: float) -> Iterator[None]:
        """Allow so many seconds of this process's own time, and no code."""

        def stop(_signal: int, _frame: FrameType | None) -> None:
            raise TooSlow(f"more than {seconds:g} s of processor time")

        earlier = signal.signal(signal.SIGVTALRM, stop)
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        self.is_armed = True
        try:
            yield
        finally:
            self.is_armed = False
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, earlier)

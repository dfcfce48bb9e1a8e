"""Ctrl-C and SIGTERM during a run: the first is a wish to stop, the second gives up what is under way."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

# Set when a run was told to give up what is under way: from then on nobody waits for a storage to come back.
GIVEN_UP = threading.Event()


class Interrupts:
    """Turns signals into events while it is entered; outside of the main thread, which alone gets them, does nothing.

    After `stop` a run waits for the evaluations that are under way; after `abandon` it gives them up.
    """

    def __init__(self) -> None:
        self.stop, self.abandon = threading.Event(), threading.Event()
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        GIVEN_UP.clear()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._wish)
        return self

    def __exit__(self, *_: object) -> None:
        GIVEN_UP.clear()
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _wish(self, _number: int, _frame: FrameType | None) -> None:
        if self.stop.is_set():
            self.abandon.set()
            GIVEN_UP.set()
        self.stop.set()

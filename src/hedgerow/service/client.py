"""A client for workers, of the standard library alone: copy it to wherever an evaluation runs."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import Any


class Client:
    """Asks and tells a service; where that is away or busy, it comes again for `patience` seconds."""

    def __init__(self, url: str, token: str = "", patience: float = 300.0) -> None:
        self._url, self._token, self._patience = url.rstrip("/"), token, patience

    def call(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer to a request; a body makes it a POST."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        data = None if body is None else json.dumps(body).encode()
        ends = time.monotonic() + self._patience
        while True:
            request = urllib.request.Request(f"{self._url}/{path}", data, headers)
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return dict(json.load(answer))
            except urllib.error.HTTPError as error:
                if error.code not in (429, 503) or time.monotonic() > ends:
                    raise RuntimeError(error.read().decode(errors="replace")) from None
            except OSError:
                if time.monotonic() > ends:
                    raise
            time.sleep(0.5)

    def ask(self) -> dict[str, Any] | None:
        """Return a trial with its point, or None where the study is done."""
        trials = self.call("ask", {})["trials"]
        return dict(trials[0]) if trials else None

    def tell(self, trial: int, value: Any, reason: str = "") -> None:
        """Store what a trial gave: a number, or numbers by name; None says that it failed."""
        self.call("tell", {"trial": trial, "value": value, "reason": reason})

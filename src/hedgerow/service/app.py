"""The HTTP face of a study: a small ASGI application. Every answer is JSON, but for the report page.

Who may come in: with a token, whoever shows it; without one, only programs of this machine, and no page of a browser:
requests must be addressed to this machine by its own name, and bodies must say that they are JSON.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from hedgerow.errors import HedgerowError, StudyError
from hedgerow.report.page import render, report_of
from hedgerow.runs.problem import Problem
from hedgerow.runs.snapshot import read_snapshot
from hedgerow.service.desk import Desk, StorageAway
from hedgerow.service.openapi import description

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = Mapping[bytes, bytes]

_OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")
_OK, _BAD, _STRANGER, _NO_PATH, _NO_METHOD, _TOO_MUCH, _TOO_OFTEN, _NOT_YET = (
    200, 400, 401, 404, 405, 413, 429, 503
)  # fmt: skip
_JSON, _HTML = "application/json", "text/html; charset=utf-8"


@dataclass(frozen=True)
class ServiceSettings:
    """What a service allows."""

    token: str | None = None
    # Bytes of one request, requests per second, and points of one ask.
    max_bytes: int = 65_536
    max_rate: float = 5_000.0
    max_points: int = 64
    # How long an ask waits for a point before the worker is told to come again, in seconds.
    patience: float = 20.0
    # How long a report page is shown before it is made again, in seconds.
    page_age: float = 5.0
    is_shared: bool = False


@dataclass(frozen=True)
class Reply:
    """What goes back."""

    code: int
    body: bytes
    kind: str = _JSON
    headers: Mapping[str, str] = field(default_factory=dict)


def make_app(problem: Problem, problem_file: str, settings: ServiceSettings | None = None) -> Service:
    """Return the application for a study; any ASGI server runs it, in one process."""
    return Service(problem, problem_file, settings or ServiceSettings())


class Service:
    """An ASGI application: called with each request, and once for its own beginning and end."""

    def __init__(self, problem: Problem, problem_file: str, settings: ServiceSettings) -> None:
        self._problem = problem
        self._file = problem_file
        self._settings = settings
        self._desk: Desk | None = None
        self._allowance, self._counted_at = settings.max_rate, time.monotonic()
        self._page = (float("-inf"), "")
        self._page_lock = asyncio.Lock()
        # By path: the one method that it takes, and what answers.
        self._routes: dict[str, tuple[str, Callable[[dict[str, Any]], Awaitable[Reply]]]] = {
            "/": ("GET", self._hello),
            "/openapi.json": ("GET", self._openapi),
            "/ask": ("POST", self._ask),
            "/tell": ("POST", self._tell),
            "/heartbeat": ("POST", self._heartbeat),
            "/status": ("GET", self._status),
            "/best": ("GET", self._best),
            "/front": ("GET", self._front),
            "/report": ("GET", self._report),
        }

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, as ASGI says it."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            answer = await self._answered(scope, receive)
            headers = {"content-type": answer.kind, "content-length": str(len(answer.body)), **answer.headers}
            pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
            await send({"type": "http.response.start", "status": answer.code, "headers": pairs})
            body = b"" if scope["method"] == "HEAD" else answer.body
            await send({"type": "http.response.body", "body": body})

    async def _live(self, receive: Receive, send: Send) -> None:
        """Keep the desk open while the application runs."""
        await receive()
        try:
            self._desk = await asyncio.to_thread(lambda: Desk(self._problem, is_shared=self._settings.is_shared))
            self._desk.start()
        except HedgerowError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await asyncio.to_thread(self._desk.stop)
        await send({"type": "lifespan.shutdown.complete"})

    @property
    def desk(self) -> Desk:
        """The desk, while the application runs."""
        assert self._desk is not None, "the application has not started: run it with an ASGI server"
        return self._desk

    async def _answered(self, scope: Message, receive: Receive) -> Reply:
        headers: Headers = dict(scope["headers"])
        refusal = self._refusal(scope["method"], headers)
        if refusal is not None:
            return refusal
        route = self._routes.get(scope["path"])
        if route is None:
            return _refused(_NO_PATH, f"There is no {scope['path']}; / lists what there is.")
        method, handler = route
        if scope["method"] not in (method, "HEAD" if method == "GET" else method):
            return _refused(_NO_METHOD, f"{scope['path']} takes {method}.", {"allow": method})
        try:
            return await handler(await self._read(receive) if method == "POST" else {})
        except _TooMuch as error:
            return _error(_TOO_MUCH, error)
        except StorageAway as error:
            return _refused(_NOT_YET, str(error), {"retry-after": "1"})
        except HedgerowError as error:
            return _error(_BAD, error)

    def _refusal(self, method: str, headers: Headers) -> Reply | None:
        now = time.monotonic()
        passed, self._counted_at = now - self._counted_at, now
        self._allowance = min(self._settings.max_rate, self._allowance + passed * self._settings.max_rate) - 1.0
        if self._allowance < 0:
            self._allowance = 0.0
            return _refused(_TOO_OFTEN, "Too many requests; come again in a second.", {"retry-after": "1"})
        token = self._settings.token
        if token is not None:
            given = headers.get(b"authorization", b"").removeprefix(b"Bearer ")
            if not hmac.compare_digest(given, token.encode()):
                said = "The service wants its token: the header Authorization: Bearer TOKEN."
                return _refused(_STRANGER, said, {"www-authenticate": "Bearer"})
        else:
            host = headers.get(b"host", b"").decode("latin-1")
            if host not in _OWN_NAMES and host.rpartition(":")[0] not in _OWN_NAMES:
                return _refused(_STRANGER, "Without a token the service answers this machine alone.")
        if method == "POST" and not headers.get(b"content-type", b"").startswith(b"application/json"):
            return _refused(_BAD, "A request is JSON: the header Content-Type: application/json.")
        return None

    async def _read(self, receive: Receive) -> dict[str, Any]:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > self._settings.max_bytes:
                raise _TooMuch(f"A request has at most {self._settings.max_bytes:,} bytes.")
            if not message.get("more_body"):
                break
        try:
            read = json.loads(body or b"{}")
        except (ValueError, RecursionError) as error:
            raise StudyError(f"The request is not valid JSON: {error}.") from None
        if not isinstance(read, dict):
            raise StudyError("A request is a JSON object.")
        return read

    # --- what answers ---

    async def _hello(self, _request: dict[str, Any]) -> Reply:
        paths = list(description()["paths"])
        return _json({"study": self._problem.study, "paths": paths, "description": "/openapi.json"})

    async def _openapi(self, _request: dict[str, Any]) -> Reply:
        return _json(description())

    async def _ask(self, request: dict[str, Any]) -> Reply:
        n = request.get("n", 1)
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= self._settings.max_points:
            raise StudyError(f'"n" is a whole number from 1 to {self._settings.max_points}, not {n!r}.')
        asked = await self.desk.ask(n, self._settings.patience)
        if not asked and not self.desk.done:
            words = self.desk.trouble or "No point is ready yet; come again."
            return _refused(_NOT_YET, words, {"retry-after": "1"})
        trials = [{"trial": one.number, "point": one.point} for one in asked]
        return _json({"trials": trials, "done": None if asked else self.desk.done})

    async def _tell(self, request: dict[str, Any]) -> Reply:
        return _json({"trial": await self.desk.tell(request)})

    async def _heartbeat(self, request: dict[str, Any]) -> Reply:
        numbers = request.get("trials")
        if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
            raise StudyError('"trials" is a list of trial numbers.')
        return _json({"held": self.desk.beat(numbers), "lease": self._problem.lease})

    async def _status(self, _request: dict[str, Any]) -> Reply:
        status = await asyncio.to_thread(self.desk.ledger.status)
        about = {"study": self._problem.study, "budget": self._problem.budget, "trouble": self.desk.trouble}
        return _json({**about, **status.to_dict(), **self.desk.counts, "done": self.desk.done})

    async def _best(self, _request: dict[str, Any]) -> Reply:
        return _json({"best": (await asyncio.to_thread(self.desk.ledger.status)).to_dict().get("best")})

    async def _front(self, _request: dict[str, Any]) -> Reply:
        facts = (await asyncio.to_thread(self.desk.ledger.status)).to_dict()
        best = facts.get("best")
        return _json({"front": facts.get("front") or ([] if best is None else [best])})

    async def _report(self, _request: dict[str, Any]) -> Reply:
        async with self._page_lock:
            made, page = self._page
            if time.monotonic() - made > self._settings.page_age:
                page = await asyncio.to_thread(self._rendered)
                self._page = (time.monotonic(), page)
        return Reply(_OK, page.encode("utf-8", errors="replace"), _HTML)

    def _rendered(self) -> str:
        read_snapshot(self._problem)
        return render(report_of(self._problem, self._file))


class _TooMuch(HedgerowError):  # noqa: N818 - what clients know as TooMuch
    """A request that is too long."""


def _json(said: Any, code: int = _OK, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(code, json.dumps(said, allow_nan=False).encode(), _JSON, headers or {})


def _error(code: int, error: HedgerowError) -> Reply:
    return _json({"error": str(error), "kind": type(error).__name__.lstrip("_")}, code)


def _refused(code: int, words: str, headers: Mapping[str, str] | None = None) -> Reply:
    return _json({"error": words, "kind": "Refused"}, code, headers)

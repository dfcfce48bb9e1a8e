"""The HTTP face of a study: a small ASGI application. Every answer is JSON, but for the report page.

Who may come in: with a token, whoever shows it; without one, only programs of this machine, and no page of a browser:
requests must be addressed to this machine by its own name, and bodies must say that they are JSON.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from hedgerow.errors import HedgerowError, StudyError
from hedgerow.report.page import render, report_of
from hedgerow.runs.problem import Problem
from hedgerow.runs.snapshot import read_snapshot
from hedgerow.service.desk import Desk
from hedgerow.service.openapi import description

try:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, JSONResponse, Response
    from starlette.routing import Route
except ImportError as error:  # pragma: no cover - where it is not installed
    raise HedgerowError("The HTTP service needs Starlette and Uvicorn: pip install 'hedgerow[service]'.") from error

Handler = Callable[[Request], Awaitable[Response]]

_OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")
_TOO_MUCH, _NOT_YET, _STRANGER, _TOO_OFTEN, _BAD = 413, 503, 401, 429, 400


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


def make_app(problem: Problem, problem_file: str, settings: ServiceSettings | None = None) -> Starlette:
    """Return the application for a study; any ASGI server runs it, in one process."""
    service = _Service(problem, problem_file, settings or ServiceSettings())
    routes = [
        Route("/", service.guarded(service.hello)),
        Route("/openapi.json", service.guarded(service.openapi)),
        Route("/ask", service.guarded(service.ask), methods=["POST"]),
        Route("/tell", service.guarded(service.tell), methods=["POST"]),
        Route("/heartbeat", service.guarded(service.heartbeat), methods=["POST"]),
        Route("/status", service.guarded(service.status)),
        Route("/best", service.guarded(service.best)),
        Route("/front", service.guarded(service.best)),
        Route("/report", service.guarded(service.report)),
    ]
    return Starlette(routes=routes, lifespan=service.lifespan)


class _Service:
    def __init__(self, problem: Problem, problem_file: str, settings: ServiceSettings) -> None:
        self._problem = problem
        self._file = problem_file
        self._settings = settings
        self._desk: Desk | None = None
        self._allowance, self._counted_at = settings.max_rate, time.monotonic()
        self._page = (float("-inf"), "")
        self._page_lock = asyncio.Lock()

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Keep the desk open while the application runs."""
        self._desk = await asyncio.to_thread(lambda: Desk(self._problem, is_shared=self._settings.is_shared))
        self._desk.start()
        try:
            yield
        finally:
            await asyncio.to_thread(self._desk.stop)

    @property
    def desk(self) -> Desk:
        """The desk, while the application runs."""
        assert self._desk is not None, "the application has not started: run it with an ASGI server"
        return self._desk

    def guarded(self, handler: Handler) -> Handler:
        """Return a handler that lets in whom it may, and answers errors."""

        async def answer(request: Request) -> Response:
            refusal = self._refusal(request)
            if refusal is not None:
                return refusal
            try:
                return await handler(request)
            except _TooMuch as error:
                return _error(_TOO_MUCH, error)
            except HedgerowError as error:
                return _error(_BAD, error)

        return answer

    def _refusal(self, request: Request) -> Response | None:
        now = time.monotonic()
        passed, self._counted_at = now - self._counted_at, now
        self._allowance = min(self._settings.max_rate, self._allowance + passed * self._settings.max_rate) - 1.0
        if self._allowance < 0:
            self._allowance = 0.0
            return _refused(_TOO_OFTEN, "Too many requests; come again in a second.", {"Retry-After": "1"})
        token = self._settings.token
        if token is not None:
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            if not hmac.compare_digest(given.encode(), token.encode()):
                said = "The service wants its token: the header Authorization: Bearer TOKEN."
                return _refused(_STRANGER, said, {"WWW-Authenticate": "Bearer"})
        elif request.headers.get("host", "").rpartition(":")[0] not in _OWN_NAMES and (
            request.headers.get("host", "") not in _OWN_NAMES
        ):
            return _refused(_STRANGER, "Without a token the service answers this machine alone.", {})
        if request.method == "POST" and not request.headers.get("content-type", "").startswith("application/json"):
            return _refused(_BAD, "A request is JSON: the header Content-Type: application/json.", {})
        return None

    async def _read(self, request: Request) -> dict[str, Any]:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > self._settings.max_bytes:
                raise _TooMuch(f"A request has at most {self._settings.max_bytes:,} bytes.")
        try:
            read = json.loads(bytes(body) or b"{}")
        except (ValueError, RecursionError) as error:
            raise StudyError(f"The request is not valid JSON: {error}.") from None
        if not isinstance(read, dict):
            raise StudyError("A request is a JSON object.")
        return read

    async def hello(self, _request: Request) -> Response:
        """Say what this is."""
        paths = list(description()["paths"])
        return JSONResponse({"study": self._problem.study, "paths": paths, "description": "/openapi.json"})

    async def openapi(self, _request: Request) -> Response:
        """Return the description of the service."""
        return JSONResponse(description())

    async def ask(self, request: Request) -> Response:
        """Give out points."""
        n = (await self._read(request)).get("n", 1)
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= self._settings.max_points:
            raise StudyError(f'"n" is a whole number from 1 to {self._settings.max_points}, not {n!r}.')
        asked = await self.desk.ask(n, self._settings.patience)
        if not asked and not self.desk.done:
            words = self.desk.trouble or "No point is ready yet; come again."
            return _refused(_NOT_YET, words, {"Retry-After": "1"})
        trials = [{"trial": one.number, "point": one.point} for one in asked]
        return JSONResponse({"trials": trials, "done": None if asked else self.desk.done})

    async def tell(self, request: Request) -> Response:
        """Store what a trial gave."""
        return JSONResponse({"trial": await self.desk.tell(await self._read(request))})

    async def heartbeat(self, request: Request) -> Response:
        """Note who is still at work."""
        numbers = (await self._read(request)).get("trials")
        if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
            raise StudyError('"trials" is a list of trial numbers.')
        return JSONResponse({"held": self.desk.beat(numbers), "lease": self._problem.lease})

    async def status(self, _request: Request) -> Response:
        """Return counts and the best point."""
        status = await asyncio.to_thread(self.desk.study.status)
        about = {"study": self._problem.study, "budget": self._problem.budget, "trouble": self.desk.trouble}
        return JSONResponse({**about, **status.to_dict(), **self.desk.counts, "done": self.desk.done})

    async def best(self, request: Request) -> Response:
        """Return the best point, or the front."""
        facts = (await asyncio.to_thread(self.desk.study.status)).to_dict()
        wanted = request.url.path.strip("/")
        if wanted == "front":
            best = facts.get("best")
            return JSONResponse({"front": facts.get("front") or ([] if best is None else [best])})
        return JSONResponse({"best": facts.get("best")})

    async def report(self, _request: Request) -> Response:
        """Return the page of the study."""
        async with self._page_lock:
            made, page = self._page
            if time.monotonic() - made > self._settings.page_age:
                page = await asyncio.to_thread(self._rendered)
                self._page = (time.monotonic(), page)
        return HTMLResponse(page.encode("utf-8", errors="replace"))

    def _rendered(self) -> str:
        read_snapshot(self._problem)
        return render(report_of(self._problem, self._file))


class _TooMuch(HedgerowError):  # noqa: N818 - what clients know as TooMuch
    """A request that is too long."""


def _error(code: int, error: HedgerowError) -> Response:
    return JSONResponse({"error": str(error), "kind": type(error).__name__.lstrip("_")}, code)


def _refused(code: int, words: str, headers: dict[str, str]) -> Response:
    return JSONResponse({"error": words, "kind": "Refused"}, code, headers)

"""A study over HTTP, with a real server on this machine and the client that workers copy."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.cli.main import main
from hedgerow.cli.serve import address_of
from hedgerow.runs.bulk_sql import BulkSql
from hedgerow.runs.problem import load_problem
from hedgerow.runs.study import Study
from hedgerow.service.client import Client
from hedgerow.service.desk import LEAST_AHEAD, Desk
from hedgerow.service.openapi import description
from research.measurements.postgres import Postgres, binaries

uvicorn = pytest.importorskip("uvicorn", reason="the extra 'service' is not installed")

FILE = """
[space]
x = { type = "integer", low = 0, high = 9 }
k = ["a", "b"]
[rules]
cap = "k == 'a' or x <= 5"
[run]
method = "random"
budget = 12
"""


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    file = tmp_path / "problem.toml"
    file.write_text(FILE)
    return file


@contextmanager
def service(file: Path, **options: Any) -> Iterator[Client]:
    """Run a service in a thread, and give a client for it."""
    from hedgerow.service.app import ServiceSettings, make_app  # noqa: PLC0415

    overrides = options.pop("overrides", {})
    app = make_app(load_problem(file, overrides), str(file), ServiceSettings(**options))
    place = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place]}, daemon=True)
    thread.start()
    try:
        yield Client(f"http://127.0.0.1:{place.getsockname()[1]}", options.get("token") or "", patience=20.0)
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        place.close()


def raw(client: Client, path: str, data: bytes | None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    request = urllib.request.Request(f"{client._url}{path}", data, headers or {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_workers_use_up_the_budget_and_no_point_comes_twice(file: Path) -> None:
    points: list[tuple[Any, ...]] = []
    guard = threading.Lock()

    def work(client: Client) -> None:
        while (trial := client.ask()) is not None:
            with guard:
                points.append(tuple(trial["point"].items()))
            client.tell(trial["trial"], None if trial["point"]["x"] == 3 else float(trial["point"]["x"]), "three")

    with service(file) as client:
        threads = [threading.Thread(target=work, args=(client,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        status = client.call("status")
        best = client.call("best")["best"]
        assert client.call("front") == {"front": [best]}
        with urllib.request.urlopen(f"{client._url}/report", timeout=60) as page:
            assert b"Hedgerow report" in page.read()
    assert len(points) == len(set(points)) == 12
    assert all(dict(point)["k"] == "a" or dict(point)["x"] <= 5 for point in points)
    assert status["complete"] + status["failed"] == 12
    assert status["done"] == "budget"
    assert best["value"] == min(dict(point)["x"] for point in points if dict(point)["x"] != 3)


def test_a_service_that_was_ended_goes_on_with_what_is_out(file: Path) -> None:
    with service(file) as client:
        first, second = client.ask(), client.ask()
        assert first is not None
        assert second is not None
    with service(file) as client:
        assert client.call("heartbeat", {"trials": [first["trial"], 99]})["held"] == [first["trial"]]
        client.tell(first["trial"], 1.0)
        client.tell(first["trial"], 1.0)  # its answer got lost
        others = [client.ask() for _ in range(8)]
        assert all(other and other["point"] not in (first["point"], second["point"]) for other in others)
    told = Study(load_problem(file)).read().told
    assert [item.value for item in told] == [1.0]


def test_several_outcomes_are_told_and_have_a_front(file: Path) -> None:
    file.write_text(FILE + '[objectives]\ntime = "minimize"\ngain = "maximize"\n')
    with service(file) as client:
        for _ in range(3):
            trial = client.ask()
            assert trial is not None
            x = float(trial["point"]["x"])
            client.tell(trial["trial"], {"time": x, "gain": x})
            point = trial["point"]
        assert len(client.call("front")["front"]) == 3
        assert "'time'" in raw(client, "/tell", json.dumps({"point": point, "value": 5}).encode())[1]["error"]


def test_a_silent_worker_loses_its_trial(file: Path) -> None:
    with service(file, overrides={"lease": 0.3}) as client:
        silent = client.ask()
        assert silent is not None
        for _ in range(200):
            if client.call("status")["lost"] >= 1:
                break
            time.sleep(0.05)
        assert client.call("status")["lost"] >= 1
        # What comes late all the same is kept.
        client.tell(silent["trial"], 7.0)
        assert client.call("best")["best"]["value"] == 7.0


def test_workers_that_have_waited_for_long_are_not_forgotten(file: Path) -> None:
    """As many points are wanted as workers wait, though they asked more than a second ago."""

    async def wait() -> tuple[int, int]:
        desk = Desk(load_problem(file))  # whose threads do not run
        asks = [asyncio.create_task(desk.ask(1, patience=1.5)) for _ in range(30)]
        await asyncio.sleep(1.2)
        wanted = desk._wanted()
        assert [await ask for ask in asks] == [[]] * 30
        return wanted, desk._wanted()

    assert asyncio.run(wait()) == (30, LEAST_AHEAD)


def test_bad_requests_are_answered(file: Path) -> None:
    with service(file, max_bytes=1000) as client:
        for path, data, message in [
            ("/ask", b'{"n": 0}', "from 1 to 64"),
            ("/ask", b"[1", "not valid JSON"),
            ("/ask", b"[1]", "a JSON object"),
            ("/tell", b'{"trial": 0}', 'needs a "value"'),
            ("/tell", b'{"trial": 77, "value": 1}', "No trial 77 waits"),
            ("/tell", b'{"trial": true, "value": 1}', "the number of a trial"),
            ("/tell", b'{"point": {"x": 99, "k": "a"}, "value": 1}', "99"),
            ("/tell", b'{"trial": 0, "value": "much"}', "is a number"),
            ("/heartbeat", b'{"trials": "0"}', "list of trial numbers"),
        ]:
            code, answer = raw(client, path, data)
            assert (code, message in answer["error"]) == (400, True), answer
        assert raw(client, "/ask", b" " * 2000)[0] == 413
        assert raw(client, "/ask", b"{}", {"Content-Type": "text/plain"})[0] == 400
        stranger = {"Content-Type": "application/json", "Host": "example.org"}
        assert raw(client, "/ask", b"{}", stranger)[0] == 401
        assert client.call("tell", {"point": {"x": 2, "k": "b"}, "value": 5})["trial"] >= 0


def test_a_token_is_asked_for_and_rates_are_bounded(file: Path) -> None:
    with service(file, token="secret") as client:
        assert client.ask() is not None
        assert raw(client, "/status", None, {"Authorization": "Bearer other"})[0] == 401
        assert raw(client, "/status", None, {})[0] == 401
    with service(file, max_rate=3.0) as client:
        assert 429 in {raw(client, "/openapi.json", None, {})[0] for _ in range(20)}


def test_every_path_is_described(file: Path) -> None:
    with service(file) as client:
        assert set(client.call("")["paths"]) == set(description()["paths"])
        assert client.call("openapi.json") == json.loads(json.dumps(description()))


def test_the_options_are_checked(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HEDGEROW_TOKEN", raising=False)
    assert main(["serve", str(file), "--http", "0.0.0.0:8080"]) == 2
    assert "needs a token" in capsys.readouterr().err
    assert main(["serve", str(file), "--http", "none"]) == 2
    assert "HOST:PORT" in capsys.readouterr().err
    assert main(["serve", str(file), "--http", "8080", "--token-file", str(file.parent / "no")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert address_of("[::1]:80") == ("::1", 80)
    assert address_of("8080") == ("127.0.0.1", 8080)
    with pytest.raises(hr.ArgumentError):
        address_of("localhost:99999")


def test_a_storage_that_is_away_is_no_error_of_the_workers(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with service(file) as client:
        trial = client.ask()
        assert trial is not None
        away = iter([True])

        def end(self: BulkSql, endings: Any, whole: Any = BulkSql.end) -> Any:
            if next(away, False):
                raise OSError("no route to the database")
            return whole(self, endings)

        monkeypatch.setattr(BulkSql, "end", end)
        code, answer = raw(client, "/tell", json.dumps({"trial": trial["trial"], "value": 1}).encode())
        assert (code, "no route" in answer["error"]) == (503, True)
        client.tell(trial["trial"], 1.0)
        assert client.call("best")["best"]["value"] == 1.0
        assert raw(client, "/nothing", None, {})[0] == 404
        assert raw(client, "/ask", None, {})[0] == 405


@pytest.fixture(params=["sqlite", "postgresql"], name="database")
def database_fixture(request: pytest.FixtureRequest) -> Iterator[Postgres | None]:
    if request.param == "sqlite":
        yield None
    elif binaries() is None:
        pytest.skip("there is no PostgreSQL server")
    else:
        with Postgres() as server:
            yield server


def test_nothing_is_lost_and_no_point_comes_twice_when_the_service_is_killed(
    file: Path, database: Postgres | None
) -> None:
    """A service of its own, killed in the midst of asks and tells; workers come again until the new one answers.

    Where it keeps its study in PostgreSQL, that crashes as well, with the service at work.
    """
    storage = "" if database is None else f'storage = "{database.url}"\n'
    file.write_text(FILE.replace("high = 9", "high = 999").replace("budget = 12", "budget = 100000") + storage)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "hedgerow", "serve", str(file), "--http", str(port)]
    environment = {**os.environ, "HEDGEROW_TOKEN": ""}
    points: list[tuple[Any, ...]] = []
    confirmed: dict[int, float] = {}
    is_over = threading.Event()

    def work() -> None:
        client = Client(f"http://127.0.0.1:{port}", patience=60.0)
        while not is_over.is_set():
            trial = client.ask()
            assert trial is not None
            points.append(tuple(trial["point"].items()))
            client.tell(trial["trial"], float(trial["point"]["x"]))
            confirmed[trial["trial"]] = float(trial["point"]["x"])

    threads = [threading.Thread(target=work, daemon=True) for _ in range(6)]
    service_process = subprocess.Popen(command, env=environment)
    try:
        for thread in threads:
            thread.start()
        while len(confirmed) < 30:
            time.sleep(0.01)
        service_process.kill()
        service_process.wait()
        service_process = subprocess.Popen(command, env=environment)
        while len(confirmed) < 60:
            time.sleep(0.01)
        if database is not None:
            database.crash()
            n_before = len(confirmed)
            database.start()
            while len(confirmed) < n_before + 30:
                time.sleep(0.01)
        is_over.set()
        for thread in threads:
            thread.join(timeout=60)
    finally:
        service_process.kill()
        service_process.wait()
    assert len(points) == len(set(points))
    told = Study(load_problem(file)).read().told
    stored = {item.number: item.value for item in told}
    assert {number: stored.get(number) for number in confirmed} == confirmed
    assert len({item.row.tobytes() for item in told}) == len(told)

"""Load on the HTTP service: many workers on this machine ask, wait and tell, while things are killed.

    python -m research service --workers 1000 --seconds 30 --evaluation 1.0 --kill

Workers are coroutines of one process with a connection each, over the loopback interface. Counted are the milliseconds
of every ask and tell as a worker sees them, points that came twice, and values that were confirmed and are not stored.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from hedgerow import schema
from hedgerow.runs.problem import load_problem
from hedgerow.runs.study import Study
from research.measurements.postgres import Postgres

_FILE = """
[space]
a = {{ type = "integer", low = 0, high = 999 }}
b = {{ type = "integer", low = 0, high = 999 }}
c = ["x", "y", "z"]
[rules]
cap = "a + b <= 1500"
[run]
method = "{method}"
budget = 1000000
lease = {lease}
storage = "{storage}"
"""


@dataclass
class Load:
    """What the workers saw."""

    first_asks: list[float] = field(default_factory=list)
    asks: list[float] = field(default_factory=list)
    tells: list[float] = field(default_factory=list)
    given: Counter[str] = field(default_factory=Counter)
    confirmed: dict[int, float] = field(default_factory=dict)
    again: Counter[str] = field(default_factory=Counter)
    # Processor seconds of the service, the database and the workers, as far as they were alive at the end.
    seconds: dict[str, float] = field(default_factory=dict)


class _Connection:
    """One worker's connection, kept open; it comes again where the service is away or busy."""

    def __init__(self, port: int, load: Load) -> None:
        self._port, self._load = port, load
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, path: str, body: dict[str, Any], ends: float) -> dict[str, Any] | None:
        while time.monotonic() < ends:
            try:
                code, answer = await asyncio.wait_for(self._once(path, body), 60)
                if code == 200:
                    return answer
                self._load.again[str(code)] += 1
            except (OSError, EOFError, TimeoutError, ValueError, IndexError):
                self._streams = None
                self._load.again["away"] += 1
            await asyncio.sleep(random.uniform(0.2, 0.6))
        return None

    async def _once(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        data = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(data)}"
        )
        writer.write(head.encode() + b"\r\n\r\n" + data)
        await writer.drain()
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        lengths = [int(line.partition(":")[2]) for line in lines if line.lower().startswith("content-length:")]
        return int(lines[0].split()[1]), json.loads(await reader.readexactly(lengths[0]))


async def _worker(port: int, evaluation: float, ends: float, load: Load) -> None:
    connection = _Connection(port, load)
    # Not all at once: workers of a cluster start one after the other.
    await asyncio.sleep(random.uniform(0, max(1.0, evaluation)))
    is_first = True
    while time.monotonic() < ends:
        start = time.perf_counter()
        answer = await connection.call("/ask", {}, ends)
        if answer is None or not answer["trials"]:
            return
        (load.first_asks if is_first else load.asks).append(time.perf_counter() - start)
        is_first = False
        trial = answer["trials"][0]
        load.given[json.dumps(trial["point"])] += 1
        await asyncio.sleep(evaluation * random.uniform(0.8, 1.2))
        start = time.perf_counter()
        value = float(trial["point"]["a"] + trial["point"]["b"])
        if await connection.call("/tell", {"trial": trial["trial"], "value": value}, ends + 120) is not None:
            load.tells.append(time.perf_counter() - start)
            load.confirmed[trial["trial"]] = value


async def _drive(options: argparse.Namespace, file: Path, ports: Sequence[int], database: Postgres | None) -> Load:
    load = Load()
    is_shared = len(ports) > 1
    services = [_start(file, port, is_shared) for port in ports]
    try:
        for port in ports:
            await _until_it_answers(port)
        # Starting takes seconds, and is not what a trial costs; a service that is started again counts its start.
        before = _spent(services, database)
        ends = time.monotonic() + options.seconds
        workers = [
            asyncio.create_task(_worker(ports[number % len(ports)], options.evaluation, ends, load))
            for number in range(options.workers)
        ]
        if options.kill:
            await asyncio.sleep(options.seconds / 3)
            services[0].kill()
            services[0].wait()
            services[0] = _start(file, ports[0], is_shared)
            await asyncio.sleep(options.seconds / 3)
            if database is not None:
                await asyncio.to_thread(database.crash)
                await asyncio.sleep(1.0)
                await asyncio.to_thread(database.start)
        await asyncio.gather(*workers)
        load.seconds = {name: spent - before.get(name, 0.0) for name, spent in _spent(services, database).items()}
    finally:
        for service in services:
            service.terminate()
        for service in services:
            with suppress(subprocess.TimeoutExpired):
                service.wait(30)
            service.kill()
    return load


def _start(file: Path, port: int, is_shared: bool) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "hedgerow", "serve", str(file), "--http", str(port)]
    command += ["--shared"] if is_shared else []
    return subprocess.Popen(command, env={**os.environ, "HEDGEROW_TOKEN": ""}, stderr=subprocess.DEVNULL)


def _spent(services: Sequence[subprocess.Popen[bytes]], database: Postgres | None) -> dict[str, float]:
    spent = {"services": sum(_seconds(one.pid) for one in services), "workers": time.process_time()}
    return spent if database is None else {**spent, "database": _seconds(database.process)}


def _seconds(process: int) -> float:
    """Return the processor time of a process and of those that it started, also of those that have ended."""
    whole = psutil.Process(process)
    family = [whole, *whole.children(recursive=True)]
    own = sum(sum(each.cpu_times()[:2]) for each in family)
    return float(own + sum(whole.cpu_times()[2:4]))


async def _until_it_answers(port: int) -> None:
    for _ in range(300):
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(0.2)
    raise RuntimeError("The service did not start.")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _database(is_sqlite: bool) -> AbstractContextManager[Postgres | None]:
    return nullcontext() if is_sqlite else Postgres(syncs=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the load and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m research service", description=__doc__)
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--evaluation", type=float, default=1.0, help="seconds of one evaluation")
    parser.add_argument("--method", default="random")
    parser.add_argument("--services", type=int, default=1, help="services on one storage, workers spread over them")
    parser.add_argument("--sqlite", action="store_true", help="a SQLite file instead of PostgreSQL")
    parser.add_argument("--kill", action="store_true", help="kill the service, then crash the database, on the way")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, _database(options.sqlite) as database:
        file = Path(folder) / "problem.toml"
        storage = f"sqlite:///{folder}/study.db" if database is None else database.url
        file.write_text(_FILE.format(method=options.method, storage=storage, lease=max(60.0, 5 * options.evaluation)))
        load = asyncio.run(_drive(options, file, [_free_port() for _ in range(options.services)], database))
        study = Study(load_problem(file))
        stored = {item.number: item.value for item in study.read().told}
        withdrawn = sum(trial.system_attrs.get(schema.LOST) == schema.WITHDRAWN for trial in study.trials())
    lost = [number for number, value in load.confirmed.items() if stored.get(number) != value]
    twice = [point for point, n in load.given.items() if n > 1]
    print(
        f"{options.workers} workers, {options.services} services, evaluations of {options.evaluation:g} s, "
        f"{options.seconds:g} s, {options.method}"
    )
    print(f"trials confirmed: {len(load.confirmed):,}, {len(load.confirmed) / options.seconds:.0f} per second")
    for name, times in (("first ask", load.first_asks), ("ask", load.asks), ("tell", load.tells)):
        if times:
            p50, p99 = np.percentile(np.array(times) * 1000, [50, 99])
            print(f"{name}: median {p50:.0f} ms, p99 {p99:.0f} ms of {len(times):,}")
    for name, seconds in ({} if options.kill else load.seconds).items():
        print(f"{name}: {1000 * seconds / max(1, len(load.confirmed)):.2f} ms of processor time per trial")
    print(f"trials that were made and not given out: {withdrawn:,}")
    print(
        f"points that came twice: {len(twice)}; confirmed and not stored: {len(lost)}; came again: {dict(load.again)}"
    )
    return 1 if twice or lost else 0

"""A private PostgreSQL server for drills: from the installed binaries, or those of the `pgserver` package."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

_SETTINGS = "-c max_connections=100 -c shared_buffers=32MB"


def binaries() -> Path | None:
    """Return the folder with `initdb` and `pg_ctl`, or None where there is no server."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    package = importlib.util.find_spec("pgserver")
    if package is not None and package.origin is not None:
        folders.append(Path(package.origin).parent / "pginstall" / "bin")
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "pg_ctl").exists()), None)


class Postgres:
    """A server on a free local port, gone with everything it held when the context ends.

    Drills that kill processes need no disk that survives a power cut, so they do not wait for it.
    """

    def __init__(self, *, syncs: bool = False) -> None:
        self._settings = f"{_SETTINGS} -c fsync={'on' if syncs else 'off'}"
        folder = binaries()
        if folder is None:
            raise RuntimeError("There is no PostgreSQL server: install postgresql, or `pip install pgserver`.")
        self._binaries = folder
        self._folder = Path(tempfile.mkdtemp(prefix="hedgerow-postgres-"))
        self._user = _owner()
        if self._user is not None:
            shutil.chown(self._folder, self._user)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = int(probe.getsockname()[1])

    @property
    def url(self) -> str:
        """The storage URL of its database."""
        return f"postgresql+psycopg://drill@127.0.0.1:{self._port}/postgres"

    @property
    def process(self) -> int:
        """The first process of the server."""
        return int((self._data / "postmaster.pid").read_text().splitlines()[0])

    def __enter__(self) -> Postgres:
        self._call("initdb", "-D", str(self._data), "-U", "drill", "-A", "trust", "-N", "--no-locale", "-E", "UTF8")
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._call("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "stop", check=False)
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = f"-p {self._port} -k {self._folder} -c listen_addresses=127.0.0.1 {self._settings}"
        log = str(self._folder / "log")
        self._call("pg_ctl", "-D", str(self._data), "-l", log, "-o", options, "-w", "start")

    def stop(self) -> None:
        """Stop the server at once, cutting all connections."""
        self._call("pg_ctl", "-D", str(self._data), "-m", "fast", "-w", "stop")

    def crash(self) -> None:
        """Stop the server without letting it put anything in order, as a crash would."""
        self._call("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "stop")

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def _call(self, name: str, *arguments: str, check: bool = True) -> None:
        # The server would keep a captured output open, so nothing waits for its end.
        subprocess.run(
            [str(self._binaries / name), *arguments],
            check=check,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            user=self._user,
        )


def _owner() -> str | None:
    """Return whom the server runs as: it refuses to be root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in known)

"""The verb `serve`: ask and tell for programs, as lines of JSON or over HTTP."""

from __future__ import annotations

import argparse
import os
import sys
from argparse import Namespace
from pathlib import Path

from hedgerow.cli.study_options import add_study_options, problem_of, silence_optuna, study_of, with_storage
from hedgerow.errors import ArgumentError, HedgerowError

YES = 0
# Where the token of the service is looked for.
TOKEN = "HEDGEROW_TOKEN"
_OWN = ("127.0.0.1", "localhost", "::1")


def add_serve(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of the verb."""
    verb.description = serve.__doc__
    add_study_options(verb, suggests=True, prints=False)
    verb.add_argument(
        "--http", metavar="[HOST:]PORT", help="answer over HTTP instead of lines (default host: 127.0.0.1)"
    )
    verb.add_argument(
        "--token-file", metavar="FILE", help=f"a file with the token that callers must show (default: ${TOKEN})"
    )
    verb.add_argument(
        "--shared", action="store_true", help="other services give out points of the same study, and keep theirs"
    )
    verb.set_defaults(run=with_storage(serve))


def serve(options: Namespace) -> int:
    """Answer {"op": "ask"}, {"op": "tell"} and others, one JSON object per line; with --http over HTTP."""
    if options.http is not None:
        return _over_http(options)
    from hedgerow.runs.serve import serve as answer  # noqa: PLC0415

    def write(line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    answer(study_of(options), sys.stdin, write)
    return YES


def _over_http(options: Namespace) -> int:
    host, port = address_of(options.http)
    token = _token(options.token_file)
    if host not in _OWN and token is None:
        raise ArgumentError(
            f"A service on {host} is open to others, so it needs a token: put one into ${TOKEN} or a --token-file."
        )
    problem = problem_of(options)
    silence_optuna()
    from hedgerow.service.app import ServiceSettings, make_app  # noqa: PLC0415 - needs an extra

    try:
        import uvicorn  # noqa: PLC0415
    except ImportError:
        raise HedgerowError("The HTTP service needs Uvicorn: pip install 'hedgerow[service]'.") from None
    app = make_app(problem, options.file, ServiceSettings(token=token, is_shared=options.shared))
    print(f"The study '{problem.study}' on http://{host}:{port}; Ctrl-C ends the service.", file=sys.stderr)
    uvicorn.run(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=5,
        timeout_keep_alive=75,
    )
    return YES


def address_of(text: str) -> tuple[str, int]:
    """Return host and port of `HOST:PORT` or `PORT`."""
    host, _, port = text.rpartition(":")
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
        raise ArgumentError(f"--http takes HOST:PORT or PORT, such as 127.0.0.1:8080, but {text!r} was given.")
    return host.strip("[]") or "127.0.0.1", int(port)


def _token(file: str | None) -> str | None:
    if file is None:
        return os.environ.get(TOKEN) or None
    try:
        token = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"The token cannot be read from '{file}': {error}.") from None
    if not token:
        raise ArgumentError(f"The file '{file}' has no token in it.")
    return token

"""A study for agents: its tools over the Model Context Protocol, which `hedgerow mcp FILE` speaks on stdio."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hedgerow import __version__
from hedgerow.adapters.study_tools import StudyTools
from hedgerow.errors import HedgerowError

try:
    from mcp.server import MCPServer
except ImportError as error:  # pragma: no cover - where the SDK is not installed
    raise HedgerowError("The Model Context Protocol needs its SDK, version 2: pip install 'hedgerow[mcp]'.") from error

_INSTRUCTIONS = (
    "A study of black-box optimization inside rules that are known in advance. Call check first: it names the "
    "variables, their values and the rules. Then repeat: ask (or try_point with an idea of your own), evaluate the "
    "point, tell its value. Points from ask always satisfy every rule; never evaluate a point that try_point or "
    "explain calls infeasible, use its repair instead."
)
TOOLS = ("check", "ask", "try_point", "tell", "explain", "repair", "predict", "status", "add_rule")


def server(path: str | Path, overrides: Mapping[str, Any] | None = None) -> MCPServer[Any]:
    """Return a server for the study of a problem file.

    Parameters
    ----------
    path : path
        The problem file.
    overrides : mapping, optional
        What stands in for entries of the file's `[run]`, such as `{"storage": "sqlite:///other.db"}`.

    Returns
    -------
    MCPServer
        A server of the official SDK; `server(path).run("stdio")` answers until the input ends.
    """
    tools = StudyTools(path, overrides)
    made: MCPServer[Any] = MCPServer("hedgerow", instructions=_INSTRUCTIONS, version=__version__, log_level="ERROR")
    for name in TOOLS:
        made.tool()(getattr(tools, name))
    return made

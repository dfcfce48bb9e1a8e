"""What the service can be asked, as OpenAPI says it."""

from __future__ import annotations

from typing import Any

from hedgerow import __version__

_NUMBER = {
    "nullable": True,
    "oneOf": [{"type": "number"}, {"type": "object"}, {"type": "array"}],
    "description": "A number, numbers by name, readings, or null for a trial that failed.",
}
_POINT = {"type": "object", "description": "A value for every variable."}
_TRIAL = {"type": "object", "properties": {"trial": {"type": "integer"}, "point": _POINT}}
_TOLD = {"trial": {"type": "integer"}, "point": _POINT, "value": _NUMBER, "reason": {"type": "string"}}


def description() -> dict[str, Any]:
    """Return the OpenAPI description of the service."""
    numbers = {"type": "array", "items": {"type": "integer"}}
    return {
        "openapi": "3.0.3",
        "info": {"title": "Hedgerow: a study over HTTP", "version": __version__},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}, {}],
        "paths": {
            "/ask": _post(
                "Points to evaluate. Every one keeps the rules and is given to nobody else. `done` says why there is "
                "none: the budget is used, or every feasible point has been tried.",
                {"n": {"type": "integer", "minimum": 1, "default": 1}},
                {"trials": {"type": "array", "items": _TRIAL}, "done": {"type": "string", "nullable": True}},
            ),
            "/tell": _post(
                "What a trial gave; a value of null says that it failed. By the number of a trial, or by a point of "
                "one's own. The answer comes when it is stored; telling the same again changes nothing.",
                _TOLD,
                {"trial": {"type": "integer"}},
            ),
            "/heartbeat": _post(
                "Sign of life for trials that take longer than a lease, which is in the answer, in seconds.",
                {"trials": numbers},
                {"held": numbers, "lease": {"type": "number"}},
            ),
            "/status": _get("Trials by state, the best point, how many points are ready and how many are out."),
            "/best": _get("The best point with its value and trial."),
            "/front": _get("The trials that no other dominates; with one objective the best."),
            "/report": _get("The page that `hedgerow report` writes.", "text/html"),
        },
    }


def _get(words: str, kind: str = "application/json") -> dict[str, Any]:
    return {"get": {"summary": words, "responses": {"200": {"description": "OK", "content": {kind: {}}}}}}


def _post(words: str, takes: dict[str, Any], gives: dict[str, Any]) -> dict[str, Any]:
    def content(properties: dict[str, Any]) -> dict[str, Any]:
        return {"content": {"application/json": {"schema": {"type": "object", "properties": properties}}}}

    refusals = {
        code: {"description": words}
        for code, words in {
            "400": "Not understood; `error` says why.",
            "401": "No token, or a wrong one.",
            "413": "Too long.",
            "429": "Too many requests; come again.",
            "503": "No point is ready, or the storage is away; come again.",
        }.items()
    }
    return {
        "post": {
            "summary": words,
            "requestBody": {"required": True, **content(takes)},
            "responses": {"200": {"description": "OK", **content(gives)}, **refusals},
        }
    }

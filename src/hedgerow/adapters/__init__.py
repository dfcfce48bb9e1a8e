"""Hedgerow inside other tools: each module is named after its host, and is the only one that imports it."""

from importlib import import_module
from types import ModuleType

_HOSTS = ("kernel_tuner", "mcp", "ray", "sklearn")


def __getattr__(name: str) -> ModuleType:
    if name in _HOSTS:
        return import_module(f"hedgerow.adapters.{name}")
    raise AttributeError(f"module 'hedgerow.adapters' has no attribute '{name}'; it has {', '.join(_HOSTS)}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOSTS})

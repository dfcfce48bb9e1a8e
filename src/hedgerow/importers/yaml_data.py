"""YAML as plain data, by PyYAML's safe loader, which is loaded on first use. Aliases are refused: a few lines of them
can stand for more data than any memory holds.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hedgerow.errors import ProblemFileError


def parse_yaml(text: str) -> Any:
    """Return the data in `text`."""
    yaml = _module()
    try:
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            if isinstance(token, yaml.AliasToken):
                line = token.start_mark.line + 1
                raise ProblemFileError(f"Line {line}: the alias *{token.value} is not read. Write its content out.")
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ProblemFileError(f"Not valid YAML: {' '.join(str(error).split())}.") from None
    except ProblemFileError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        # PyYAML passes on what Python says of odd numbers, dates and keys.
        raise ProblemFileError(f"Not valid YAML: {type(error).__name__}, {error}.") from None


def _module() -> Any:
    try:
        return import_module("yaml")
    except ImportError:
        raise ProblemFileError(
            "Reading YAML needs PyYAML: pip install 'hedgerow[importers]'. Or save the file as JSON."
        ) from None

"""YAML as plain data, by PyYAML's safe loader, which is loaded on first use. Aliases are refused: a few lines of them
can stand for more data than any memory holds.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from hedgerow.errors import ProblemFileError
from hedgerow.importers.source import MAX_NESTING


def parse_yaml(text: str) -> Any:
    """Return the data in `text`."""
    yaml = _module()
    _check_nesting(text)
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


def _check_nesting(text: str) -> None:
    """PyYAML's time grows with the square of the open brackets, so a few thousand of them would stall it."""
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth = max(0, depth + (1 if bracket in "[{" else -1))
        if depth > MAX_NESTING:
            raise ProblemFileError(f"Not readable YAML: brackets are nested more than {MAX_NESTING} deep.")


def _module() -> Any:
    try:
        return import_module("yaml")
    except ImportError:
        raise ProblemFileError(
            "Reading YAML needs PyYAML: pip install 'hedgerow[importers]'. Or save the file as JSON."
        ) from None

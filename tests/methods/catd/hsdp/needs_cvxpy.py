"""Skips the module that imports it where CVXPY is missing; loads it as the library does, beside OR-Tools."""

import pytest

from hedgerow.errors import HedgerowError
from hedgerow.methods.catd.hsdp.solver import load_cvxpy

try:
    cvxpy = load_cvxpy()
except HedgerowError:
    pytest.skip("CVXPY is not installed", allow_module_level=True)

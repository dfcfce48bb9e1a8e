"""What every method must do, as checks that can be run on a method of your own.

`check_method(method)` runs them all. With pytest they are better seen one by one:

    @pytest.mark.parametrize("check", hedgerow.testing.checks(), ids=str)
    def test_my_method(check):
        check(MyMethod())
"""

from hedgerow.testing.cases import CASES, Case
from hedgerow.testing.contract import Check, check_method, checks

__all__ = ["CASES", "Case", "Check", "check_method", "checks"]

"""What every method must do, as checks that can be run on a method of your own.

`check_method(method)` runs them all. With pytest they are better seen one by one:

    @pytest.mark.parametrize("check", hedgerow.testing.checks(), ids=str)
    def test_my_method(check):
        check(MyMethod())

Methods that know variables without levels are looked at with `checks_on_reals()` besides.
"""

from hedgerow.testing.cases import CASES, REAL_CASES, Case
from hedgerow.testing.contract import Check, check_method, checks, checks_on_reals

__all__ = ["CASES", "REAL_CASES", "Case", "Check", "check_method", "checks", "checks_on_reals"]

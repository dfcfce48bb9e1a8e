"""What every method must do, whatever it believes: stay inside the rules, never repeat, and be a pure function."""

from collections.abc import Callable

import pytest

from hedgerow.methods import CATD, Auto, Method, Random
from hedgerow.testing import Check, checks, checks_on_reals
from research.rivals import NNMILP, Evolution, LocalSearch

METHODS: dict[str, Callable[[], Method]] = {
    "auto": Auto,
    "random": Random,
    "evolution": Evolution,
    "local search": LocalSearch,
    "nn-milp": lambda: NNMILP(n_epochs=100),
    "catd-tt": lambda: CATD("tt", 2, n_models=4, max_epochs=100),
    "catd-cp": lambda: CATD("cp", 3, n_models=4, max_epochs=100, penalty=0.0),
    "catd-tr": lambda: CATD("tr", 2, n_models=4, max_epochs=100, tnorm="product"),
    "catd-auto": lambda: CATD("auto", None, n_models=4, max_epochs=30),
    "catd-alone": lambda: CATD("cp", 2, n_models=1, max_epochs=50),
    "catd-thompson": lambda: CATD("cp", 2, n_models=4, max_epochs=50, acquisition="thompson"),
}


@pytest.fixture(params=METHODS, name="method")
def method_fixture(request: pytest.FixtureRequest) -> Method:
    if request.param == "nn-milp":
        pytest.importorskip("ortools", reason="OR-Tools is not installed: pip install 'hedgerow[research]'")
    return METHODS[request.param]()


@pytest.mark.parametrize("check", checks(), ids=str)
def test_what_every_method_must_do(method: Method, check: Check) -> None:
    check(method)


# Those that know variables without levels; of CATD those of one rank, since every rank is compiled anew.
ON_REALS = ("auto", "random", "catd-tt", "catd-tr", "catd-alone", "catd-thompson")


@pytest.mark.parametrize("name", ON_REALS)
@pytest.mark.parametrize("check", checks_on_reals(), ids=str)
def test_what_every_method_must_do_on_reals(name: str, check: Check) -> None:
    check(METHODS[name]())

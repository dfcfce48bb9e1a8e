"""Whole tensors by halves, against entries one by one."""

import itertools

import numpy as np
import pytest

from hedgerow.methods.catd.tensors import tensor_format
from hedgerow.methods.catd.tensors.tensor_format import FormatName
from hedgerow.methods.catd.tensors.whole import mean_of_all


@pytest.mark.parametrize("form", ["cp", "tr", "tt"])
@pytest.mark.parametrize("level_counts", [(4,), (2, 3), (3, 1, 2, 4), (2, 2, 2, 2, 2)])
def test_the_mean_of_all_is_that_of_the_entries(form: FormatName, level_counts: tuple[int, ...]) -> None:
    tensor = tensor_format(form, level_counts, 3)
    parameters = np.random.default_rng(0).normal(size=(tensor.n_parameters, 5))
    codes = np.array(list(itertools.product(*[range(n) for n in level_counts])))
    assert mean_of_all(tensor, parameters) == pytest.approx(tensor.entries(parameters, codes).mean(axis=1))

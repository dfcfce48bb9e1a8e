"""Plain lanes against vector ones: the same bits but where a product meets a sum, and training within rounding."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from hedgerow.compiled import PLAIN_LANES
from hedgerow.methods.catd.tensors import lanes, lanes_plain

PROGRAM = """
import json, numpy as np
from hedgerow.methods.catd.tensors import lanes
import hedgerow as hr
from hedgerow.methods import CATD
space = hr.Space({"x": hr.Vector(hr.Integer(0, 2), 3)})
optimizer = hr.Optimizer(space, ["sum(x) <= 4"], method=CATD("cp", 2, n_models=4, max_epochs=20))
for n in range(5):
    point = optimizer.ask()
    optimizer.tell(point, sum((v - i) ** 2 for i, v in enumerate(point["x"])))
model = optimizer._suggester._run.model
rows = np.array([[a, b, c] for a in range(3) for b in range(3) for c in range(3)])
points = [observation.point["x"] for observation in optimizer.observations]
print(json.dumps([lanes.USES_VECTORS, points, model.predictions(rows).tolist()]))
"""


@pytest.mark.skipif(not lanes.USES_VECTORS, reason="vectors cannot be built here")
def test_every_operation_gives_the_same_in_both_forms() -> None:
    from hedgerow.methods.catd.tensors import lanes_vector  # noqa: PLC0415

    blocks = np.random.default_rng(0).normal(size=(50, 3, 4))
    for block in blocks:
        plain, vector = block.copy(), block.copy()
        assert lanes_plain.trial(plain) == lanes_vector.trial(vector) == bool((block[1] > 0).any())
        expected = block[0] * block[1] + np.where(block[0] > 0, block[1], 0.0) + 0.5 * block[0]
        # Rounded once or twice where products meet sums: a few units in the last place of the largest part.
        np.testing.assert_allclose(plain[2], expected, rtol=0, atol=4e-15)
        np.testing.assert_allclose(vector[2], expected, rtol=0, atol=4e-15)
    exact = np.array([[1.0, -2.0, 0.0, 4.0], [-1.0, 3.0, 0.0, -0.5], [0.0] * 4])
    plain, vector = exact.copy(), exact.copy()
    assert lanes_plain.trial(plain)
    assert lanes_vector.trial(vector)
    assert plain[2].tolist() == vector[2].tolist() == [-1.5, -7.0, 0.0, -0.5]


@pytest.mark.skipif(not lanes.USES_VECTORS, reason="vectors cannot be built here")
def test_training_without_vectors_gives_the_same_suggestions_and_predictions_within_rounding() -> None:
    answers = []
    for forced in ("1", ""):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, PLAIN_LANES: forced, "NUMBA_CACHE_DIR": ""},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(json.loads(done.stdout))
    (uses_plain, plain_points, plain), (uses_vectors, vector_points, vectors) = answers
    assert (uses_plain, uses_vectors) == (False, True)
    assert plain_points == vector_points
    np.testing.assert_allclose(plain, vectors, rtol=1e-9, atol=1e-9)

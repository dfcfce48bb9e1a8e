"""A round of HSDP: bounds below, losses at the global optimum, honest reports, and refusals."""

import dataclasses
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import hedgerow as hr
from hedgerow.methods.catd.hsdp import Grid, Hsdp, fit, solver
from hedgerow.methods.catd.hsdp.extract import polish
from hedgerow.methods.catd.hsdp.program import TableProgram
from hedgerow.methods.catd.hsdp.training import train
from tests.methods.catd.hsdp.needs_cvxpy import cvxpy

NO_CELLS = np.zeros((0, 2), dtype=np.int64)
CORNERS = np.array([[0, 0], [0, 2], [2, 0], [2, 2]])
CROSS = np.array([[0, 1], [1, 0], [1, 1], [1, 2], [2, 1]])


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def all_cells(shape: tuple[int, int]) -> NDArray[np.int64]:
    return np.indices(shape).reshape(2, -1).T


def best_of_many_starts(program: TableProgram, n_starts: int = 20) -> float:
    draws = np.random.default_rng(1).normal(0.5, 0.7, (n_starts, *program.shape))
    tables = [polish(program, draw) for draw in draws]
    return min(program.loss(table) for table in tables if table is not None)


@pytest.mark.parametrize("shape", [(3, 3), (3, 4), (2, 5)])
@pytest.mark.parametrize("rank", [1, 2])
def test_a_full_table_gives_the_singular_value_optimum(shape: tuple[int, int], rank: int) -> None:
    # With every cell observed, the best table is the nearest of its rank, shrunk by the ridge (Eckart and Young). All
    # first moments vanish here: any sign of the cores is as good as the other.
    observed = rng().normal(0.0, 1.0, shape)
    ridge = 1e-2
    program = TableProgram(shape, rank, all_cells(shape), observed.ravel(), NO_CELLS, 0.0, ridge)
    table, report = train(program, Hsdp(ridge=ridge), rng())
    left, values, right = np.linalg.svd(observed)
    best = (left[:, :rank] * values[:rank]) @ right[:rank] / (1.0 + ridge)
    np.testing.assert_allclose(table, best, atol=1e-4)
    assert report.is_certified
    assert report.lower_bound <= program.loss(best) + 1e-12
    assert report.lower_bound == pytest.approx(program.loss(best), abs=1e-5)


@pytest.mark.parametrize("n_observed", [1, 3, 5])
@pytest.mark.parametrize("floor_cells", [CORNERS, NO_CELLS], ids=["c", "u"])
def test_the_loss_is_the_global_optimum_and_the_bound_below_it(n_observed: int, floor_cells: NDArray[np.int64]) -> None:
    targets = rng().random(n_observed)
    program = TableProgram((3, 3), 2, CROSS[:n_observed], targets, floor_cells, float(targets.max()), ridge=1e-3)
    table, report = train(program, Hsdp(), rng())
    optimum = best_of_many_starts(program)
    assert report.loss == program.loss(table) == pytest.approx(optimum, abs=1e-7)
    assert report.lower_bound <= optimum
    assert report.is_certified
    assert report.loss - report.lower_bound <= report.tolerance
    assert report.data_loss == program.data_loss(table) < report.loss
    assert (program.margins(table) >= -1e-6).all()
    assert np.linalg.matrix_rank(table, tol=1e-6) <= 2
    assert report.status == "optimal"
    assert (report.solver, report.n_moments > 0, report.seconds > 0) == ("clarabel", True, True)


def test_observations_below_the_floor_are_not_followed() -> None:
    program = TableProgram((3, 3), 2, CORNERS, np.array([0.0, 0.2, 0.4, 0.6]), CORNERS, 1.0, ridge=1e-3)
    table, report = train(program, Hsdp(), rng())
    np.testing.assert_allclose(table[tuple(CORNERS.T)], 1.0, atol=1e-5)
    assert report.is_certified
    assert report.data_loss == pytest.approx(np.mean(np.array([1.0, 0.8, 0.6, 0.4]) ** 2), abs=1e-5)


def test_the_wide_basis_certifies_what_the_small_one_cannot() -> None:
    draws = np.random.default_rng(11)
    cells = draws.permutation(all_cells((3, 4)))
    program = TableProgram((3, 4), 1, cells[:7], draws.random(7), cells[7:11], 1.0, ridge=1e-2)
    _, narrow = train(program, Hsdp(ridge=1e-2, widens=False), rng())
    _, wide = train(program, Hsdp(ridge=1e-2), rng())
    assert (narrow.is_wide, narrow.is_certified) == (False, False)
    assert (wide.is_wide, wide.is_certified) == (True, True)
    assert wide.lower_bound > narrow.lower_bound


def test_a_gap_is_reported_as_one() -> None:
    # Random values beside many floors: order 2 does not reach the optimum here, and the report does not claim it.
    draws = np.random.default_rng(8)
    cells = draws.permutation(all_cells((3, 4)))
    program = TableProgram((3, 4), 2, cells[:7], draws.random((2, 7))[1], cells[7:11], 1.0, ridge=1e-2)
    table, report = train(program, Hsdp(ridge=1e-2), rng())
    assert not report.is_certified
    assert report.lower_bound < report.loss == program.loss(table)
    assert report.loss == pytest.approx(best_of_many_starts(program), rel=0.05)


def test_training_is_deterministic() -> None:
    program = TableProgram((3, 3), 2, CROSS, np.array([0.1, 0.9, 0.0, 0.7, 1.0]), CORNERS, 1.0, ridge=1e-3)
    first, second = (train(program, Hsdp(), rng())[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_only_a_ridge_bounds_the_models() -> None:
    with pytest.raises(hr.HedgerowError, match="above 0"):
        TableProgram((3, 3), 2, CROSS, np.zeros(5), NO_CELLS, 1.0, ridge=0.0)


class TestRefusals:
    PROGRAM = TableProgram((3, 3), 2, CROSS, np.array([0.1, 0.9, 0.0, 0.7, 1.0]), CORNERS, 1.0, ridge=1e-3)

    @pytest.mark.parametrize("status", ["infeasible", "unbounded", "infeasible_inaccurate", "solver_error"])
    def test_no_status_but_optimal_gives_a_model(self, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
        run = solver._run

        def ends_badly(*arguments: Any) -> str:
            run(*arguments)
            return status

        monkeypatch.setattr(solver, "_run", ends_badly)
        with pytest.raises(solver.SolverFailed, match=status):
            train(self.PROGRAM, Hsdp(), rng())

    def test_a_solver_that_breaks_down_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def breaks(*_: Any, **__: Any) -> None:
            raise cvxpy.error.SolverError("Solver 'CLARABEL' failed.")

        monkeypatch.setattr(cvxpy.Problem, "solve", breaks)
        with pytest.raises(solver.SolverFailed, match="CLARABEL"):
            train(self.PROGRAM, Hsdp(), rng())

    def test_out_of_time_is_an_error(self) -> None:
        with pytest.raises(hr.EffortExceeded, match="time_limit"):
            train(self.PROGRAM, Hsdp(time_limit=1e-6), rng())

    def test_large_tables_are_refused_at_once(self) -> None:
        with pytest.raises(hr.EffortExceeded, match="40 x 40"):
            Hsdp().check((40, 40))

    def test_without_cvxpy_the_extra_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "cvxpy", None)
        with pytest.raises(hr.HedgerowError, match=r"hedgerow\[hsdp\]"):
            Hsdp().check((3, 3))

    def test_three_variables_are_refused(self) -> None:
        with pytest.raises(hr.HedgerowError, match=r"3 vary here.*degree 6"):
            Grid.of((3, 1, 3, 3))


@pytest.mark.parametrize(
    ("sizes", "slots", "shape"),
    [((5, 3), (1, 0), (3, 5)), ((3, 5), (0, 1), (3, 5)), ((1, 4, 3), (2, 1), (3, 4)), ((4,), (-1, 0), (1, 4))],
)
def test_the_side_with_fewer_levels_makes_the_rows(
    sizes: tuple[int, ...], slots: tuple[int, int], shape: tuple[int, int]
) -> None:
    grid = Grid.of(sizes)
    assert (grid.slots, grid.shape) == (slots, shape)
    assert (grid.cells(np.array([sizes]) - 1) == np.array([shape]) - 1).all()


def test_a_model_predicts_what_was_observed() -> None:
    codes = np.array([[4, 0], [0, 2], [2, 1]])
    values = np.array([10.0, 30.0, 20.0])
    infeasible = np.array([[0, 0], [4, 2]])
    model = fit(Grid.of((5, 3)), 2, codes, values, infeasible, Hsdp(), rng())
    mean, sd = model.predict(codes)
    np.testing.assert_allclose(model.scaling.restore(mean), values, atol=0.2)
    assert (sd == 0.0).all()
    assert (model.predict(infeasible)[0] >= 1.0).all()
    assert model.predictions(codes).shape == (3, 1)


def test_equal_beliefs_are_equal_numbers() -> None:
    # One observation says the same about all cells that share neither its row nor its column.
    model = fit(Grid.of((3, 3)), 2, np.array([[1, 1]]), [5.0], NO_CELLS, Hsdp(), rng())
    others = np.array([[0, 0], [0, 2], [2, 0], [2, 2]])
    assert np.unique(model.predict(others)[0]).size == 1


def test_settings_are_values() -> None:
    assert dataclasses.replace(Hsdp(), ridge=1e-2) == Hsdp(ridge=1e-2)


def test_cvxpy_leaves_room_for_the_solver_of_nn_milp() -> None:
    if importlib.util.find_spec("ortools") is None:
        pytest.skip("OR-Tools is not installed")
    program = (
        "from hedgerow.methods.catd.hsdp.solver import load_cvxpy\n"
        "from research.rivals.nn_milp.program import load_solver\n"
        "load_cvxpy(), load_solver()"
    )
    source = str(Path(hr.__file__).resolve().parent.parent)
    ended = subprocess.run([sys.executable, "-c", program], check=False, env={"PYTHONPATH": source})
    assert ended.returncode == 0

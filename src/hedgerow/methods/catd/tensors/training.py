"""The loop of PGRAD for four models, compiled as a whole: factors, loss, slopes and a step of Adam per epoch.

The total loss is the squared error on the observations, divided by `n_counted`, plus `penalty` times the violation on a
batch of infeasible rows; the slopes add a pull of every deviation toward where its model began and a decay of factors
toward zero, which the loss target does not count. Tests compare it with plain NumPy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.compiled import compiled
from hedgerow.methods.catd.tensors.adam import adam_step
from hedgerow.methods.catd.tensors.lanes import (
    N_LANES,
    Block,
    add,
    any_positive,
    multiply,
    multiply_add,
    splat,
    store,
    where_positive,
)
from hedgerow.methods.catd.tensors.losses import LUKASIEWICZ, PRODUCT, SHARPNESS, product_slope, product_violation
from hedgerow.methods.catd.tensors.prior import Mixing, mix, unmix
from hedgerow.methods.catd.tensors.rows import Layout, Workspace, backward, forward, workspace


class Shape(NamedTuple):
    """The tensor and its prior, as compiled code is told."""

    layout: Layout
    mixing: Mixing
    center: NDArray[np.float64]


class Batch(NamedTuple):
    """Infeasible rows, of which one epoch takes `size` from `first` on and around the end."""

    rows: Codes
    size: int
    first: int


class Terms(NamedTuple):
    """The terms of the loss, and when to stop."""

    # What the squared errors are divided by: their number, or more.
    n_counted: float
    penalty: float
    tnorm: int
    threshold: float
    # Weight of the pull toward the beginning, on squared deviations.
    pull: float
    # Weight of the mean square of each slot's factors.
    decay: float
    rate: float
    # For the total, or for the data alone where the penalty has a target of its own (of at least 0).
    loss_target: float
    penalty_target: float
    min_epochs: int
    max_epochs: int


class State(NamedTuple):
    """Four models in training. `ends` and `epochs` are written, and `result` is, when a model comes to rest."""

    deviations: Block
    beginning: Block
    mean: Block
    square: Block
    result: Block
    is_moving: NDArray[np.bool_]  # (4,)
    ends: NDArray[np.float64]  # (3, 4): data loss, penalty, share of batch rows below the threshold
    epochs: NDArray[np.int64]  # (4,)


@compiled
def run_epochs(
    shape: Shape,
    observed: Codes,
    values: NDArray[np.float64],
    batch: Batch,
    terms: Terms,
    state: State,
    first_epoch: int,
    n_epochs: int,
) -> bool:
    """Train for some epochs, or until all models rest; return whether any still moves.

    Every epoch takes the batch that follows that of the epoch before.
    """
    layout = shape.layout
    factors, slopes = np.empty_like(state.deviations), np.empty_like(state.deviations)
    room, losses = workspace(layout), np.zeros((3, N_LANES))
    for epoch in range(first_epoch, first_epoch + n_epochs):
        mix(layout, shape.mixing, shape.center, state.deviations, factors)
        slopes[:] = 0.0
        losses[:] = 0.0
        _fit_observations(layout, factors, observed, values, terms.n_counted, room, losses, slopes)
        if batch.size > 0:
            if terms.tnorm == LUKASIEWICZ:
                _lift(layout, factors, batch, terms, room, losses, slopes)
            elif terms.tnorm == PRODUCT:
                _lift_steeply(layout, factors, batch, terms, room, losses, slopes)
            else:
                _lift_worst(layout, factors, batch, terms, room, losses, slopes)
            batch = Batch(batch.rows, batch.size, (batch.first + batch.size) % batch.rows.shape[0])
        if not _still_moves(losses, terms, epoch, state):
            return False
        if terms.decay > 0.0:
            _decay(layout, factors, slopes, terms.decay)
        unmix(layout, shape.mixing, slopes)
        _pull(slopes.reshape(-1), state.deviations.reshape(-1), state.beginning.reshape(-1), terms.pull)
        adam_step(
            state.deviations.reshape(-1),
            slopes.reshape(-1),
            state.mean.reshape(-1),
            state.square.reshape(-1),
            terms.rate,
            epoch + 1,
        )
    return True


@compiled
def _fit_observations(
    layout: Layout,
    factors: Block,
    observed: Codes,
    values: NDArray[np.float64],
    n_counted: float,
    room: Workspace,
    losses: Block,
    slopes: Block,
) -> None:
    share = splat(2.0 / n_counted)
    loss = splat(0.0)
    for i in range(observed.shape[0]):
        residual = add(forward(layout, factors, observed, i, 0, room), splat(-values[i]))
        loss = multiply_add(residual, residual, loss)
        store(room.line, 0, multiply(share, residual))
        backward(layout, factors, observed, i, room, slopes)
    store(losses, 0, multiply(loss, splat(1.0 / n_counted)))


@compiled
def _lift(
    layout: Layout, factors: Block, batch: Batch, terms: Terms, room: Workspace, losses: Block, slopes: Block
) -> None:
    """Add the mean hinge over a batch, the penalty of the paper."""
    row, share, step = batch.first, splat(1.0 / batch.size), splat(-terms.penalty / batch.size)
    hinge, violated = splat(0.0), splat(0.0)
    for _ in range(batch.size):
        entry = forward(layout, factors, batch.rows, row, 0, room)
        gap = multiply_add(entry, splat(-1.0), splat(terms.threshold))
        if any_positive(gap):
            hinge = add(hinge, where_positive(gap, gap))
            violated = add(violated, where_positive(gap, share))
            store(room.line, 0, where_positive(gap, step))
            backward(layout, factors, batch.rows, row, room, slopes)
        row = row + 1 if row + 1 < batch.rows.shape[0] else 0
    store(losses, 1, multiply(hinge, share))
    store(losses, 2, violated)


@compiled
def _lift_steeply(
    layout: Layout, factors: Block, batch: Batch, terms: Terms, room: Workspace, losses: Block, slopes: Block
) -> None:
    """Add the mean violation by the product T-norm over a batch."""
    for i in range(batch.size):
        row = (batch.first + i) % batch.rows.shape[0]
        store(room.line, 0, forward(layout, factors, batch.rows, row, 0, room))
        for m in range(N_LANES):
            gap = terms.threshold - room.line[0, m]
            room.line[0, m] = 0.0
            if gap > 0.0:
                losses[1, m] += product_violation(gap) / batch.size
                losses[2, m] += 1.0 / batch.size
                room.line[0, m] = -terms.penalty * product_slope(gap) / batch.size
        backward(layout, factors, batch.rows, row, room, slopes)


@compiled
def _lift_worst(
    layout: Layout,
    factors: Block,
    batch: Batch,
    terms: Terms,
    room: Workspace,
    losses: Block,
    slopes: Block,
) -> None:
    """Add the softened largest violation of a batch: the share of a row depends on all the others."""
    n_rows = batch.rows.shape[0]
    shares, highest, total = np.zeros((batch.size, N_LANES)), np.zeros(N_LANES), np.zeros(N_LANES)
    for i in range(batch.size):
        store(shares, i, forward(layout, factors, batch.rows, (batch.first + i) % n_rows, 0, room))
        for m in range(N_LANES):
            shares[i, m] = SHARPNESS * (terms.threshold - shares[i, m])
            highest[m] = max(highest[m], shares[i, m])
    for i in range(batch.size):
        for m in range(N_LANES):
            is_violated = shares[i, m] > 0.0
            share = np.exp(max(shares[i, m], 0.0) - highest[m])
            total[m] += share
            losses[2, m] += is_violated / batch.size
            shares[i, m] = share if is_violated else 0.0
    for m in range(N_LANES):
        losses[1, m] = (highest[m] + np.log(total[m] / batch.size)) / SHARPNESS
    for i in range(batch.size):
        row = (batch.first + i) % n_rows
        forward(layout, factors, batch.rows, row, 0, room)
        for m in range(N_LANES):
            room.line[0, m] = -terms.penalty * shares[i, m] / total[m]
        backward(layout, factors, batch.rows, row, room, slopes)


@compiled
def _meets(data: float, penalty: float, terms: Terms) -> bool:
    if terms.penalty_target < 0.0:
        return data + penalty <= terms.loss_target
    return data <= terms.loss_target and penalty <= terms.penalty_target


@compiled
def _still_moves(losses: Block, terms: Terms, epoch: int, state: State) -> bool:
    """Let models rest that have met the target or used up their epochs; return whether any is left."""
    any_moves = False
    for m in range(N_LANES):
        if state.is_moving[m]:
            is_done = epoch >= terms.min_epochs and _meets(losses[0, m], terms.penalty * losses[1, m], terms)
            if is_done or epoch == terms.max_epochs:
                state.is_moving[m] = False
                state.epochs[m] = epoch
                state.ends[:, m] = losses[:, m]
                state.result[:, m] = state.deviations[:, m]
            else:
                any_moves = True
    return any_moves


@compiled
def _decay(layout: Layout, factors: Block, slopes: Block, weight: float) -> None:
    """Add the slopes of the sum over slots of the mean square of a slot's factors."""
    for k in range(layout.widths.size):
        start, end = layout.starts[k], layout.starts[k + 1]
        for i in range(start, end):
            for m in range(N_LANES):
                slopes[i, m] += 2.0 * weight / (end - start) * factors[i, m]


@compiled
def _pull(
    slopes: NDArray[np.float64], deviations: NDArray[np.float64], beginning: NDArray[np.float64], weight: float
) -> None:
    for i in range(slopes.size):
        slopes[i] += 2.0 * weight * (deviations[i] - beginning[i])

"""Four models side by side in one vector register: a Numba type for four doubles, and the few things done with it.

`lanes` offers these, or the same on plain numbers where this does not work: it rests on how Numba generates code.

Left to itself, the compiler does not turn a short inner loop over models into vector instructions, because the arrays
that are read and written might overlap. These say what is meant: `load` and `store` move one row of an (n, 4) array,
everything between happens in registers. On rank-3 trains that is about eight times faster than the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic, models, register_model

from hedgerow.compiled import compiled
from hedgerow.methods.catd.tensors.lanes_plain import N_LANES, Block, Lanes

_VECTOR = ir.VectorType(ir.DoubleType(), N_LANES)
# The same freedom that `compiled` gives to plain numbers.
_FASTMATH = ("contract", "reassoc", "nsz", "arcp")


class _LanesType(types.Type):
    def __init__(self) -> None:
        super().__init__(name=f"Lanes{N_LANES}")


_LANES = _LanesType()


@register_model(_LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, type_: Any) -> None:
        super().__init__(manager, type_, _VECTOR)  # type: ignore[no-untyped-call]


def _in_compiled_code(function: Callable[..., Any]) -> Callable[..., Lanes]:
    """Make a function available to compiled code, without its first argument, which is Numba's own."""
    return cast(Callable[..., Lanes], intrinsic(function))


def _address(context: Any, builder: Any, array_type: Any, array: Any, row: Any) -> Any:
    """Return the address of a row of a contiguous (n, N_LANES) array."""
    numbers = context.make_array(array_type)(context, builder, array).data
    first = builder.gep(numbers, [builder.mul(row, ir.Constant(row.type, N_LANES))])
    return builder.bitcast(first, _VECTOR.as_pointer())


@_in_compiled_code
def load(_typing: Any, array: Any, _row: Any) -> Any:
    """Return a row of a block."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], *arguments), align=8)

    return _LANES(array, types.intp), generate


@_in_compiled_code
def store(_typing: Any, array: Any, _row: Any, _lanes: Any) -> Any:
    """Write a row of a block."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_, row, lanes = arguments
        builder.store(lanes, _address(context, builder, signature.args[0], array_, row), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, _LANES), generate


@_in_compiled_code
def splat(_typing: Any, _number: Any) -> Any:
    """Return one number in all lanes."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        first = builder.insert_element(undefined, arguments[0], ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), N_LANES), None)
        return builder.shuffle_vector(first, undefined, everywhere)

    return _LANES(types.float64), generate


@_in_compiled_code
def multiply(_typing: Any, _a: Any, _b: Any) -> Any:
    """Return a * b."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fmul(*arguments, flags=_FASTMATH)

    return _LANES(_LANES, _LANES), generate


@_in_compiled_code
def multiply_add(_typing: Any, _a: Any, _b: Any, _c: Any) -> Any:
    """Return a * b + c."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        a, b, c = arguments
        return builder.fadd(builder.fmul(a, b, flags=_FASTMATH), c, flags=_FASTMATH)

    return _LANES(_LANES, _LANES, _LANES), generate


@_in_compiled_code
def add(_typing: Any, _a: Any, _b: Any) -> Any:
    """Return a + b."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fadd(*arguments, flags=_FASTMATH)

    return _LANES(_LANES, _LANES), generate


@_in_compiled_code
def where_positive(_typing: Any, _a: Any, _b: Any) -> Any:
    """Return b in lanes where a is above zero, and zero in the others."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        a, b = arguments
        zero = ir.Constant(_VECTOR, [0.0] * N_LANES)
        return builder.select(builder.fcmp_ordered(">", a, zero), b, zero)

    return _LANES(_LANES, _LANES), generate


@_in_compiled_code
def any_positive(_typing: Any, _a: Any) -> Any:
    """Return whether any lane is above zero."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        is_above = builder.fcmp_ordered(">", arguments[0], ir.Constant(_VECTOR, [0.0] * N_LANES))
        bits = builder.bitcast(is_above, ir.IntType(N_LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(N_LANES), 0))

    return types.boolean(_LANES), generate


@compiled
def trial(block: Block) -> bool:
    """Use every operation once, on a (3, 4) block whose last row is written."""
    a, b = load(block, 0), load(block, 1)
    total = add(where_positive(a, b), multiply(a, splat(0.5)))
    store(block, 2, multiply_add(a, b, total))
    return bool(any_positive(b))

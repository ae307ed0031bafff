"""Sums of rows in vector instructions, written out because the compiler does not find them.

Left to itself it adds such short rows number by number, or keeps partial sums in memory.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["LANES", "squared_sum"]

LANES = 16  # numbers of single precision: one or two registers
N_AT_ONCE = 4  # vectors whose sums stay in registers: additions overlap

_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_WORD = ir.IntType(64)


@intrinsic
def squared_sum(
    _: Any,
    rows: Any,
    starts: Any,
    begin: Any,  # noqa: ARG001 (what it is called with)
    end: Any,  # noqa: ARG001
    span: Any,  # noqa: ARG001
) -> Any:
    """Add up rows of single precision, and return the sum of the squares of the result.

    ``rows`` is one array of all rows; the rows that are added begin at its elements
    ``starts[begin:end]``, and of each the elements ``span[0]`` to ``span[1]`` are used, both
    multiples of `LANES`. Nothing is checked.
    """
    wanted = types.UniTuple(types.int64, 2)
    signature = types.float32(rows, starts, types.int64, types.int64, wanted)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows, starts, begin, end, span = arguments
        data = context.make_array(signature.args[0])(context, builder, rows).data
        places = context.make_array(signature.args[1])(context, builder, starts).data
        first, last = (builder.extract_value(span, place) for place in (0, 1))
        zero = ir.Constant(_VECTOR, [0.0] * LANES)
        total = cgutils.alloca_once_value(builder, zero)

        def add_rows(offset: Any, n_vectors: int) -> None:
            """Add the squares of the sums of so many vectors from ``offset`` on."""
            sums = [cgutils.alloca_once(builder, _VECTOR) for _ in range(n_vectors)]
            for each in sums:
                builder.store(zero, each)
            with cgutils.for_range_slice(
                builder, begin, end, ir.Constant(_WORD, 1), inc=True
            ) as (place, _):
                start = builder.load(builder.gep(places, [place]))
                if start.type != _WORD:
                    start = builder.zext(start, _WORD)
                row = builder.gep(data, [builder.add(start, offset)])
                for number, each in enumerate(sums):
                    own = builder.gep(row, [ir.Constant(_WORD, number * LANES)])
                    vector = builder.load(
                        builder.bitcast(own, _VECTOR.as_pointer()), align=4
                    )
                    builder.store(builder.fadd(builder.load(each), vector), each)
            for each in sums:
                value = builder.load(each)
                square = builder.fmul(value, value)
                builder.store(builder.fadd(builder.load(total), square), total)

        wide = ir.Constant(_WORD, N_AT_ONCE * LANES)
        narrow = ir.Constant(_WORD, LANES)
        whole = builder.udiv(builder.sub(last, first), wide)
        middle = builder.add(first, builder.mul(whole, wide))
        with cgutils.for_range_slice(builder, first, middle, wide, inc=True) as (at, _):
            add_rows(at, N_AT_ONCE)
        with cgutils.for_range_slice(builder, middle, last, narrow, inc=True) as (at, _):
            add_rows(at, 1)
        vector = builder.load(total)
        # Halves are added to halves, until one number is left.
        width = LANES
        while width > 1:
            width //= 2
            low = ir.Constant(ir.VectorType(ir.IntType(32), width), [*range(width)])
            high = ir.Constant(
                ir.VectorType(ir.IntType(32), width), [*range(width, 2 * width)]
            )
            undefined = ir.Constant(vector.type, ir.Undefined)
            vector = builder.fadd(
                builder.shuffle_vector(vector, undefined, low),
                builder.shuffle_vector(vector, undefined, high),
            )
        return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))

    return signature, generate

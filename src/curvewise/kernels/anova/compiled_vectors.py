"""Sums of rows in vector instructions, written out because the compiler does not find them.

Left to itself it adds such short rows number by number, or keeps partial sums in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LANES", "MIN_PARTS", "squared_sum", "sums_of_parts"]

LANES = 16  # numbers of single precision: one or two registers
N_AT_ONCE = 4  # vectors whose sums stay in registers: additions overlap
MIN_PARTS = 5  # of a mask, which are looked up without a loop

_FLOAT = ir.FloatType()
_DOUBLE = ir.DoubleType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_WORD = ir.IntType(64)
_ZERO = ir.Constant(_VECTOR, [0.0] * LANES)


def _added_up(builder: Any, vector: Any) -> Any:
    """Add halves of a vector to halves, until one number is left."""
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


def _in_vectors(
    builder: Any, first: Any, last: Any, add: Callable[[Any, int], None]
) -> None:
    """Go through a row from ``first`` to ``last``, several vectors at a time and then one.

    ``add`` is given where they begin and how many there are.
    """
    wide, narrow = ir.Constant(_WORD, N_AT_ONCE * LANES), ir.Constant(_WORD, LANES)
    whole = builder.udiv(builder.sub(last, first), wide)
    middle = builder.add(first, builder.mul(whole, wide))
    for begin, end, step in ((first, middle, wide), (middle, last, narrow)):
        with cgutils.for_range_slice(builder, begin, end, step, inc=True) as (at, _):
            add(at, step.constant // LANES)


def _vector_at(builder: Any, data: Any, place: Any) -> Any:
    own = builder.gep(data, [place])
    return builder.load(builder.bitcast(own, _VECTOR.as_pointer()), align=4)


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
        total = cgutils.alloca_once_value(builder, _ZERO)

        def add_rows(offset: Any, n_vectors: int) -> None:
            """Add the squares of the sums of so many vectors from ``offset`` on."""
            sums = [cgutils.alloca_once(builder, _VECTOR) for _ in range(n_vectors)]
            for each in sums:
                builder.store(_ZERO, each)
            with cgutils.for_range_slice(
                builder, begin, end, ir.Constant(_WORD, 1), inc=True
            ) as (place, _):
                start = builder.load(builder.gep(places, [place]))
                if start.type != _WORD:
                    start = builder.zext(start, _WORD)
                for number, each in enumerate(sums):
                    at = builder.add(offset, ir.Constant(_WORD, number * LANES))
                    vector = _vector_at(builder, data, builder.add(start, at))
                    builder.store(builder.fadd(builder.load(each), vector), each)
            for each in sums:
                value = builder.load(each)
                square = builder.fmul(value, value)
                builder.store(builder.fadd(builder.load(total), square), total)

        _in_vectors(builder, first, last, add_rows)
        return _added_up(builder, builder.load(total))

    return signature, generate


@intrinsic
def sums_of_parts(
    _: Any,
    rows: Any,
    numbers: Any,
    mask: Any,  # noqa: ARG001 (what it is called with)
    bits: Any,  # noqa: ARG001
    n_parts: Any,  # noqa: ARG001
    width: Any,  # noqa: ARG001
) -> Any:
    """Look up the parts of a mask; return the sum of a number each, and the squared sum of rows.

    A mask has at least `MIN_PARTS` parts of so many bits each. ``numbers`` has, part after part,
    a number of double precision for each of its values, and ``rows`` so many rows of ``width``
    numbers of single precision, a multiple of `LANES`. Nothing is checked.
    """
    word = types.uint64
    pair = types.UniTuple(types.float64, 2)
    signature = pair(rows, numbers, word, word, word, word)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows, numbers, mask, bits, n_parts, width = arguments
        data, singles = (
            context.make_array(signature.args[place])(context, builder, array).data
            for place, array in ((0, rows), (1, numbers))
        )
        zero, one = ir.Constant(_WORD, 0), ir.Constant(_WORD, 1)
        size = builder.shl(one, bits)
        lowest = builder.sub(size, one)

        def gone_through(
            start: list[Any], add: Callable[[Any, list[Any]], list[Any]]
        ) -> Any:
            """Call ``add`` with the row of each part and what it gave before; return the last."""
            left, first, found = mask, zero, start
            for _ in range(MIN_PARTS):
                found = add(builder.add(first, builder.and_(left, lowest)), found)
                left, first = builder.lshr(left, bits), builder.add(first, size)
            kept = [cgutils.alloca_once_value(builder, each) for each in found]
            kept_left = cgutils.alloca_once_value(builder, left)
            kept_first = cgutils.alloca_once_value(builder, first)
            fixed = ir.Constant(_WORD, MIN_PARTS)
            with cgutils.for_range_slice(builder, fixed, n_parts, one, inc=True):
                left, first = builder.load(kept_left), builder.load(kept_first)
                row = builder.add(first, builder.and_(left, lowest))
                for each, value in zip(
                    kept, add(row, [builder.load(each) for each in kept]), strict=True
                ):
                    builder.store(value, each)
                builder.store(builder.lshr(left, bits), kept_left)
                builder.store(builder.add(first, size), kept_first)
            return [builder.load(each) for each in kept]

        def vectors_of(row: Any, offset: Any, found: list[Any]) -> list[Any]:
            start = builder.add(builder.mul(row, width), offset)
            places = (
                builder.add(start, ir.Constant(_WORD, place * LANES))
                for place in range(len(found))
            )
            return [
                builder.fadd(each, _vector_at(builder, data, place))
                for each, place in zip(found, places, strict=True)
            ]

        def add_first(row: Any, found: list[Any]) -> list[Any]:
            number = builder.load(builder.gep(singles, [row]))
            return [builder.fadd(found[0], number), *vectors_of(row, zero, found[1:])]

        # The number and the first vector together: often there is no other.
        number, vector = gone_through([ir.Constant(_DOUBLE, 0.0), _ZERO], add_first)
        total = cgutils.alloca_once_value(builder, builder.fmul(vector, vector))

        def add_rows(offset: Any, n_vectors: int) -> None:
            def add(row: Any, found: list[Any]) -> list[Any]:
                return vectors_of(row, offset, found)

            for value in gone_through([_ZERO] * n_vectors, add):
                square = builder.fmul(value, value)
                builder.store(builder.fadd(builder.load(total), square), total)

        _in_vectors(builder, ir.Constant(_WORD, LANES), width, add_rows)
        squares = builder.fpext(_added_up(builder, builder.load(total)), _DOUBLE)
        return context.make_tuple(builder, signature.return_type, [number, squares])

    return signature, generate

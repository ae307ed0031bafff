"""Which sums of two rows of integers are negative, in vector instructions.

Written out, because the compiler itself would use half as wide instructions and keep less in
registers.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["LANES", "N_FORMS", "count_negative"]

LANES = 16  # integers of 32 bits: one or two registers
N_FORMS = 4  # rows that are added side by side

_INTEGER = ir.IntType(32)
_VECTOR = ir.VectorType(_INTEGER, LANES)
_WORD = ir.IntType(64)


def _repeated(builder: Any, value: Any) -> Any:
    """Return a vector of one number."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    vector = builder.insert_element(undefined, value, ir.Constant(_INTEGER, 0))
    return builder.shuffle_vector(vector, undefined, ir.Constant(_VECTOR, [0] * LANES))


@intrinsic
def count_negative(
    _: Any,
    rows: Any,
    others: Any,
    span: Any,  # noqa: ARG001 (what it is called with)
    bases: Any,
    width: Any,  # noqa: ARG001
    counts: Any,
) -> Any:
    """Count rows + others + base < 0 at each place, unless one of them is too small to tell.

    ``rows`` and ``others`` are `N_FORMS` rows each, one after the other; ``span`` has their length,
    and the first and the last place, between which there is at least one and which is not
    counted. Rows are read in whole vectors from the first place on, also beyond the last. Where
    a sum, which wraps around, is from 0 up to ``width``, True is returned and nothing counted.
    Else each of `LANES` numbers of ``counts`` for each form goes up by its share. All are
    integers of 32 bits, and nothing is checked.
    """
    wanted = types.UniTuple(types.int64, 3)
    signature = types.boolean(rows, others, wanted, bases, types.int32, counts)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows, others, span, bases, width, counts = arguments
        row_data, other_data, base_data, count_data = (
            context.make_array(signature.args[place])(context, builder, array).data
            for place, array in ((0, rows), (1, others), (3, bases), (5, counts))
        )
        length, first, last = (builder.extract_value(span, place) for place in range(3))
        forms = range(N_FORMS)
        starts = [builder.mul(length, ir.Constant(_WORD, form)) for form in forms]
        base = [
            _repeated(builder, builder.load(builder.gep(base_data, [_word(form)])))
            for form in forms
        ]
        zero, sign = ir.Constant(_VECTOR, [0] * LANES), ir.Constant(_VECTOR, [31] * LANES)
        negative = [cgutils.alloca_once_value(builder, zero) for _ in forms]
        # The smallest sum as an unsigned number, in which negative ones are large.
        largest = ir.Constant(_VECTOR, [-1] * LANES)
        smallest = cgutils.alloca_once_value(builder, largest)

        def vector_at(data: Any, place: Any) -> Any:
            pointer = builder.bitcast(builder.gep(data, [place]), _VECTOR.as_pointer())
            return builder.load(pointer, align=4)

        def judge(place: Any, counted: Any = None) -> None:
            """Judge a vector, or those of it that are counted: others are made large."""
            least = builder.load(smallest)
            for form in forms:
                at = builder.add(starts[form], place)
                total = builder.add(vector_at(row_data, at), base[form])
                total = builder.add(total, vector_at(other_data, at))
                if counted is not None:
                    beyond = ir.Constant(_VECTOR, [2**30] * LANES)
                    total = builder.select(counted, total, beyond)
                added = builder.add(
                    builder.load(negative[form]), builder.lshr(total, sign)
                )
                builder.store(added, negative[form])
                smaller = builder.icmp_unsigned("<", total, least)
                least = builder.select(smaller, total, least)
            builder.store(least, smallest)

        # The last vector, of which some may be beyond the end, is judged by itself.
        n_before = builder.udiv(
            builder.sub(builder.sub(last, first), _word(1)), _word(LANES)
        )
        final = builder.add(first, builder.mul(n_before, _word(LANES)))
        with cgutils.for_range_slice(builder, first, final, _word(LANES), inc=True) as (
            place,
            _,
        ):
            judge(place)
        n_left = builder.trunc(builder.sub(last, final), _INTEGER)
        lanes = ir.Constant(_VECTOR, [*range(LANES)])
        judge(final, builder.icmp_signed("<", lanes, _repeated(builder, n_left)))

        near = builder.icmp_unsigned(
            "<", builder.load(smallest), _repeated(builder, width)
        )
        mask = builder.bitcast(near, ir.IntType(LANES))
        is_near = builder.icmp_unsigned("!=", mask, ir.Constant(mask.type, 0))
        with builder.if_then(builder.not_(is_near)):
            for form in forms:
                place = _word(form * LANES)
                pointer = builder.bitcast(
                    builder.gep(count_data, [place]), _VECTOR.as_pointer()
                )
                total = builder.add(
                    builder.load(pointer, align=4), builder.load(negative[form])
                )
                builder.store(total, pointer, align=4)
        return is_near

    return signature, generate


def _word(value: int) -> Any:
    return ir.Constant(_WORD, value)

"""Softmax against noise, and pairwise ranking, for rows shorter than a vector: as many at once as one holds.

Sums and maxima over a row are taken by exchanging lanes whose numbers differ in one bit, so that each lane of the row
ends with the result.
"""

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from w2v.kernel import plain
from w2v.kernel.emit import (
    I64,
    LOWEST,
    constant,
    data_pointer,
    each_vector_of,
    emit_exp,
    load,
    shuffle,
    splat,
    store,
    vector_call,
)
from w2v.kernel.rows import emit_sigmoid, literal
from w2v.kernel.target import LANES


def over_row(builder: Any, x: Any, stride: int, combine: Callable[[Any, Any], Any]) -> Any:
    """Each lane: all lanes of its row combined; rows are `stride` lanes, a power of two."""
    distance = 1
    while distance < stride:
        x = combine(x, shuffle(builder, x, x, [lane ^ distance for lane in range(LANES)]))
        distance *= 2
    return x


def emit_columns(builder: Any, stride: int, n_positive: Any, n_out: Any) -> tuple[Any, Any, Any]:
    """Of each lane the column, whether that is of a positive, and whether it is of noise."""
    columns = ir.Constant(ir.VectorType(I64, LANES), [lane % stride for lane in range(LANES)])
    is_positive = builder.icmp_signed("<", columns, splat(builder, n_positive))
    is_column = builder.icmp_signed("<", columns, splat(builder, n_out))
    return columns, is_positive, builder.and_(is_column, builder.not_(is_positive))


@intrinsic(prefer_literal=True)
def short_rows_against_noise(typingctx, scores, weights, n, n_positive, n_out, lr, stride):
    """`softmax.against_noise_residual` of n elements, row after row; `stride` of them a row, at most LANES."""
    row_lanes = literal(stride)

    def codegen(context, builder, sig, args):
        data, weight = (data_pointer(context, builder, sig.args[i], args[i]) for i in range(2))
        _, is_positive, is_noise = emit_columns(builder, row_lanes, args[3], args[4])
        zero, rate = constant(0.0), splat(builder, args[5])

        def largest(a: Any, b: Any) -> Any:
            return vector_call(builder, "maxnum", a, b)

        with each_vector_of(builder, args[2]) as at:
            s = load(builder, data, at)
            shift = over_row(builder, builder.select(is_noise, s, constant(LOWEST)), row_lanes, largest)
            power = emit_exp(builder, builder.fsub(s, shift))
            noise = over_row(builder, builder.select(is_noise, power, zero), row_lanes, builder.fadd)
            share = builder.fdiv(load(builder, weight, at), builder.fadd(power, noise))
            share = builder.select(is_positive, share, zero)
            total = over_row(builder, share, row_lanes, builder.fadd)
            of_noise = builder.select(is_noise, builder.fneg(builder.fmul(power, total)), zero)
            step = builder.select(is_positive, builder.fmul(noise, share), of_noise)
            store(builder, builder.fmul(rate, step), data, at)
        return context.get_dummy_value()

    return types.void(scores, weights, types.int64, types.int64, types.int64, types.float32, stride), codegen


@intrinsic(prefer_literal=True)
def short_rows_pairwise(typingctx, scores, weights, n, n_positive, n_out, lr, stride):
    """The residual of pairwise ranking (`losses.bpr`) of n elements, row after row, `stride` of them a row."""
    row_lanes = literal(stride)

    def codegen(context, builder, sig, args):
        data, weight = (data_pointer(context, builder, sig.args[i], args[i]) for i in range(2))
        columns, _, is_noise = emit_columns(builder, row_lanes, args[3], args[4])
        zero, rate = constant(0.0), splat(builder, args[5])
        slot = cgutils.alloca_once(builder, zero.type)

        def one_in_all(x: Any, is_it: Any) -> Any:
            return over_row(builder, builder.select(is_it, x, zero), row_lanes, builder.fadd)

        with each_vector_of(builder, args[2]) as at:
            s, w = load(builder, data, at), load(builder, weight, at)
            builder.store(zero, slot)
            with cgutils.for_range(builder, args[3]) as positive:
                is_it = builder.icmp_signed("==", columns, splat(builder, positive.index))
                gap = builder.fsub(s, one_in_all(s, is_it))
                step = builder.fmul(rate, one_in_all(w, is_it))
                lost = builder.select(is_noise, builder.fmul(step, emit_sigmoid(builder, gap)), zero)
                won = builder.select(is_it, over_row(builder, lost, row_lanes, builder.fadd), zero)
                builder.store(builder.fadd(builder.load(slot), builder.fsub(won, lost)), slot)
            store(builder, builder.load(slot), data, at)
        return context.get_dummy_value()

    return types.void(scores, weights, types.int64, types.int64, types.int64, types.float32, stride), codegen


if numba.config.DISABLE_JIT:
    short_rows_against_noise, short_rows_pairwise = plain.short_rows_against_noise, plain.short_rows_pairwise

"""Single rows as LLVM vector code: sums of them, and their lengths."""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from w2v.kernel import plain
from w2v.kernel.emit import (
    FLOAT,
    I64,
    SMALLEST_NORM,
    ZERO,
    Rows,
    data_pointer,
    load,
    multiply_add,
    reduce_vector,
    splat,
    store,
)
from w2v.kernel.target import LANES, UNROLLED


def each_vector(builder: Any, width: int, step: Any) -> None:
    """Call step(offset) for each vector of a row, unrolled unless the row is very long."""
    if width <= UNROLLED:
        for at in range(0, width, LANES):
            step(I64(at))
    else:
        with cgutils.for_range(builder, I64(width // LANES)) as loop:
            step(builder.mul(loop.index, I64(LANES)))


def emit_norm(builder: Any, pointer: Any, width: int) -> Any:
    """Length of a row, at least SMALLEST_NORM."""
    slot = cgutils.alloca_once(builder, ZERO.type)
    builder.store(ZERO, slot)

    def add_squares(offset: Any) -> None:
        part = load(builder, pointer, offset)
        builder.store(multiply_add(builder, part, part, builder.load(slot)), slot)

    each_vector(builder, width, add_squares)
    total = reduce_vector(builder, "fadd", builder.load(slot), FLOAT(0.0))
    for name, others in (("sqrt", ()), ("maxnum", (FLOAT(SMALLEST_NORM),))):
        signature = ir.FunctionType(FLOAT, [FLOAT] * (1 + len(others)))
        function = cgutils.get_or_insert_function(builder.module, signature, f"llvm.{name}.f32")
        total = builder.call(function, [total, *others])
    return total


@intrinsic(prefer_literal=True)
def add_row(typingctx, target, i, source, k, factor, width):
    """target[i] += factor * source[k]."""
    w = width.literal_value

    def codegen(context, builder, sig, args):
        rows = [data_pointer(context, builder, sig.args[at], args[at]) for at in (0, 2)]
        ids = [builder.mul(args[at], I64(w)) for at in (1, 3)]
        to, of = (builder.gep(row, [begin]) for row, begin in zip(rows, ids, strict=True))
        factors = splat(builder, args[4])

        def add(offset: Any) -> None:
            total = multiply_add(builder, factors, load(builder, of, offset), load(builder, to, offset))
            store(builder, total, to, offset)

        each_vector(builder, w, add)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64, types.float32, width), codegen


@intrinsic(prefer_literal=True)
def inverse_norms(typingctx, matrix, ids, n, factors, width):
    """factors[i] = 1 / |matrix[ids[i]]|, i < n."""
    w = width.literal_value

    def codegen(context, builder, sig, args):
        rows = Rows(context, builder, sig.args[0:2], args[0:2], w)
        target = data_pointer(context, builder, sig.args[3], args[3])
        with cgutils.for_range(builder, args[2]) as loop:
            norm = emit_norm(builder, rows.row(loop.index), w)
            builder.store(builder.fdiv(FLOAT(1.0), norm), builder.gep(target, [loop.index]))
        return context.get_dummy_value()

    return types.void(matrix, ids, types.int64, factors, width), codegen


@intrinsic(prefer_literal=True)
def restore_norms(typingctx, matrix, ids, n, factors, width):
    """Make 1 / factors[i] the length of matrix[ids[i]] again; one row after the other, so that one may come twice."""
    w = width.literal_value

    def codegen(context, builder, sig, args):
        rows = Rows(context, builder, sig.args[0:2], args[0:2], w)
        source = data_pointer(context, builder, sig.args[3], args[3])
        with cgutils.for_range(builder, args[2]) as loop:
            pointer = rows.row(loop.index)
            inverse = builder.load(builder.gep(source, [loop.index]))
            factor = builder.fdiv(FLOAT(1.0), builder.fmul(emit_norm(builder, pointer, w), inverse))
            factors_vector = splat(builder, factor)

            def scale(offset: Any, pointer: Any = pointer, by: Any = factors_vector) -> None:
                store(builder, builder.fmul(load(builder, pointer, offset), by), pointer, offset)

            each_vector(builder, w, scale)
        return context.get_dummy_value()

    return types.void(matrix, ids, types.int64, factors, width), codegen


if numba.config.DISABLE_JIT:
    add_row, inverse_norms, restore_norms = plain.add_row, plain.inverse_norms, plain.restore_norms

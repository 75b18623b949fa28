"""The matrix steps of a window as LLVM vector code, and prefetch.

A window multiplies few rows (its context) with few rows (positives and noise).  Row width and number of outputs
are compile-time literals, so loops over outputs are unrolled and every accumulator stays in a register.  All
rows are `width` float32 wide, a multiple of LANES, and C-contiguous.  Scores of one window are float32 and flat;
score_stride(n_out) elements lie between two rows.
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
    VECTOR,
    ZERO,
    Rows,
    data_pointer,
    horizontal_sums,
    load,
    multiply_add,
    splat,
    store,
)
from w2v.kernel.memory import emit_prefetch
from w2v.kernel.target import LANES, UNROLLED, UPDATE_TILE, UPDATE_VECTORS, score_stride, tiles

CACHE_LINE = 16  # float32


def add_products(builder: Any, xs: list[Any], rows: list[Any], offset: Any, sums: list[list[Any]]) -> list[list[Any]]:
    """sums[j][k] plus the products of one vector of xs[j] with one of rows[k]."""
    x = [load(builder, pointer, offset) for pointer in xs]
    result: list[list[Any]] = [[] for _ in xs]
    for k, pointer in enumerate(rows):
        o = load(builder, pointer, offset)
        for j in range(len(xs)):
            result[j].append(multiply_add(builder, x[j], o, sums[j][k]))
    return result


def emit_dots(builder: Any, xs: list[Any], rows: list[Any], target: Any, width: int, stride: int) -> None:
    """target[j * stride + k] = xs[j] . rows[k], stored as one vector: lanes without a row become 0."""
    sums = [[ZERO] * len(rows) for _ in xs]
    if width <= UNROLLED:
        for at in range(0, width, LANES):
            sums = add_products(builder, xs, rows, I64(at), sums)
    else:
        slots = [[cgutils.alloca_once(builder, VECTOR) for _ in row] for row in sums]
        for row in slots:
            for slot in row:
                builder.store(ZERO, slot)
        with cgutils.for_range(builder, I64(width // LANES)) as loop:
            old = [[builder.load(slot) for slot in row] for row in slots]
            new = add_products(builder, xs, rows, builder.mul(loop.index, I64(LANES)), old)
            for j, row in enumerate(slots):
                for k, slot in enumerate(row):
                    builder.store(new[j][k], slot)
        sums = [[builder.load(slot) for slot in row] for row in slots]
    lanes: list[Any] = [None] * LANES
    for j, row in enumerate(sums):
        lanes[j * stride : j * stride + len(row)] = row
    store(builder, horizontal_sums(builder, lanes), target, I64(0))


@intrinsic(prefer_literal=True)
def dots(typingctx, inputs, input_ids, n_in, outputs, output_ids, scores, width, n_out):
    """scores[i * stride + k] = inputs[input_ids[i]] . outputs[output_ids[k]], i < n_in, k < n_out.

    stride = score_stride(n_out).  Whole vectors are stored: `scores` needs LANES elements to spare, and the
    elements between n_out and stride hold no scores.
    """
    w, n_columns = width.literal_value, n_out.literal_value
    stride = score_stride(n_columns)
    n_rows = max(1, min(2, LANES // stride))

    def codegen(context, builder, sig, args):
        x_rows = Rows(context, builder, sig.args[0:2], args[0:2], w)
        o_rows = Rows(context, builder, sig.args[3:5], args[3:5], w)
        target = data_pointer(context, builder, sig.args[5], args[5])
        os = [o_rows.row(I64(k)) for k in range(n_columns)]

        def block(first: Any, size: int) -> None:
            xs = [x_rows.row(builder.add(first, I64(j))) for j in range(size)]
            start = builder.gep(target, [builder.mul(first, I64(stride))])
            for begin in range(0, n_columns, LANES):
                part = builder.gep(start, [I64(begin)])
                emit_dots(builder, xs, os[begin : begin + LANES], part, w, stride)

        with cgutils.for_range(builder, builder.udiv(args[2], I64(n_rows))) as loop:
            block(builder.mul(loop.index, I64(n_rows)), n_rows)
        if n_rows == 2:
            with builder.if_then(builder.trunc(args[2], ir.IntType(1))):
                block(builder.sub(args[2], I64(1)), 1)
        return context.get_dummy_value()

    return types.void(inputs, input_ids, types.int64, outputs, output_ids, scores, width, n_out), codegen


class Update:
    """Emits the update of one window, a range of columns at a time: outputs' deltas, then inputs, then outputs.

    Both passes stream the inputs past output parts held in registers, and both see only old values: the inputs
    change after all deltas are known, the outputs after all inputs have changed.
    """

    def __init__(
        self, builder: Any, x_rows: Rows, n_in: Any, o_pointers: list[Any], residual: Any, stride: Any
    ) -> None:
        self.builder, self.x_rows, self.n_in = builder, x_rows, n_in
        self.o_pointers, self.residual, self.stride = o_pointers, residual, stride

    def columns(self, offsets: list[Any]) -> None:
        deltas: list[list[Any]] = []
        for begin, end in tiles(len(self.o_pointers), UPDATE_TILE):
            deltas += self.output_deltas(begin, end, offsets)
        for begin, end in tiles(len(self.o_pointers), UPDATE_TILE):
            self.add_to_inputs(begin, end, offsets)
        for pointer, delta in zip(self.o_pointers, deltas, strict=True):
            for offset, part in zip(offsets, delta, strict=True):
                # Loaded again, one row after the other: a row drawn twice must get both deltas.
                store(
                    self.builder,
                    self.builder.fadd(load(self.builder, pointer, offset), part),
                    pointer,
                    offset,
                )

    def _residual(self, i: Any, k: int) -> Any:
        at = self.builder.add(self.builder.mul(i, self.stride), I64(k))
        return splat(self.builder, self.builder.load(self.builder.gep(self.residual, [at])))

    def output_deltas(self, begin: int, end: int, offsets: list[Any]) -> list[list[Any]]:
        """delta[k] = sum over i of residual[i, k] * x[i]."""
        sums = [[cgutils.alloca_once(self.builder, VECTOR) for _ in offsets] for _ in range(begin, end)]
        for slot in (slot for row in sums for slot in row):
            self.builder.store(ZERO, slot)
        with cgutils.for_range(self.builder, self.n_in) as loop:
            pointer = self.x_rows.row(loop.index)
            x = [load(self.builder, pointer, offset) for offset in offsets]
            for k in range(begin, end):
                r = self._residual(loop.index, k)
                for slot, part in zip(sums[k - begin], x, strict=True):
                    self.builder.store(multiply_add(self.builder, r, part, self.builder.load(slot)), slot)
        return [[self.builder.load(slot) for slot in row] for row in sums]

    def add_to_inputs(self, begin: int, end: int, offsets: list[Any]) -> None:
        """x[i] += sum over k of residual[i, k] * o[k]."""
        o = [[load(self.builder, p, offset) for offset in offsets] for p in self.o_pointers[begin:end]]
        with cgutils.for_range(self.builder, self.n_in) as loop:
            pointer = self.x_rows.row(loop.index)
            x = [load(self.builder, pointer, offset) for offset in offsets]
            for k in range(begin, end):
                r = self._residual(loop.index, k)
                x = [multiply_add(self.builder, r, part, at) for part, at in zip(o[k - begin], x, strict=True)]
            for offset, part in zip(offsets, x, strict=True):
                store(self.builder, part, pointer, offset)


def emit_update(builder: Any, width: int, columns: Callable[[list[Any]], None]) -> None:
    """Call columns(offsets) for all vectors of a row, UPDATE_VECTORS at a time."""
    n_vectors = width // LANES
    whole, rest = divmod(n_vectors, UPDATE_VECTORS)
    with cgutils.for_range(builder, I64(whole)) as loop:
        base = builder.mul(loop.index, I64(LANES * UPDATE_VECTORS))
        columns([builder.add(base, I64(LANES * v)) for v in range(UPDATE_VECTORS)])
    if rest:
        columns([I64(LANES * v) for v in range(n_vectors - rest, n_vectors)])


@intrinsic(prefer_literal=True)
def update(typingctx, inputs, input_ids, n_in, outputs, output_ids, residual, width, n_out):
    """inputs[input_ids] += R @ outputs[output_ids] and outputs[output_ids] += R.T @ inputs[input_ids].

    R[i, k] = residual[i * score_stride(n_out) + k].  Both from the old values; an id that occurs twice gets both
    deltas.
    """
    w, n_columns = width.literal_value, n_out.literal_value

    def codegen(context, builder, sig, args):
        x_rows = Rows(context, builder, sig.args[0:2], args[0:2], w)
        o_rows = Rows(context, builder, sig.args[3:5], args[3:5], w)
        r_data = data_pointer(context, builder, sig.args[5], args[5])
        o_pointers = [o_rows.row(I64(k)) for k in range(n_columns)]
        emit = Update(builder, x_rows, args[2], o_pointers, r_data, I64(score_stride(n_columns)))
        emit_update(builder, w, emit.columns)
        return context.get_dummy_value()

    return types.void(inputs, input_ids, types.int64, outputs, output_ids, residual, width, n_out), codegen


@intrinsic(prefer_literal=True)
def prefetch(typingctx, matrix, row, width):
    """Ask for the cache lines of matrix[row], to be written soon; of a long row the first ones.

    By then the processor has seen where the reading goes.
    """
    w = width.literal_value

    def codegen(context, builder, sig, args):
        data = data_pointer(context, builder, sig.args[0], args[0])
        start = builder.gep(data, [builder.mul(args[1], I64(w))])
        for at in range(0, min(w, UNROLLED), CACHE_LINE):
            emit_prefetch(builder, builder.gep(start, [I64(at)]), write=True)
        return context.get_dummy_value()

    return types.void(matrix, types.int64, width), codegen


if numba.config.DISABLE_JIT:
    dots, update, prefetch = plain.dots, plain.update, plain.prefetch

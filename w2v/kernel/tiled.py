"""`dots` and `update` for a number of outputs known only at run time: the same vector code, a tile at a time.

The scores of a row are padded(n_out) wide.  `output_ids` names a row that exists for the padding too; the residual
there is 0.
"""

from typing import Any

import numba
from numba.core import cgutils, types
from numba.extending import intrinsic

from w2v.kernel import plain
from w2v.kernel.emit import I64, Rows, data_pointer, load, padded_to_vectors, store
from w2v.kernel.simd import Update, emit_dots, emit_update
from w2v.kernel.target import LANES, UPDATE_TILE


@intrinsic(prefer_literal=True)
def dots_tiled(typingctx, inputs, input_ids, n_in, outputs, output_ids, n_out, scores, width):
    """scores[i * padded(n_out) + k] = inputs[input_ids[i]] . outputs[output_ids[k]], the padding included."""
    w = width.literal_value

    def codegen(context, builder, sig, args):
        x_rows = Rows(context, builder, sig.args[0:2], args[0:2], w)
        o_rows = Rows(context, builder, sig.args[3:5], args[3:5], w)
        target = data_pointer(context, builder, sig.args[6], args[6])
        stride = padded_to_vectors(builder, args[5])
        with cgutils.for_range(builder, builder.udiv(stride, I64(LANES))) as tile:
            first = builder.mul(tile.index, I64(LANES))
            os = [o_rows.row(builder.add(first, I64(k))) for k in range(LANES)]
            with cgutils.for_range(builder, args[2]) as loop:
                at = builder.add(builder.mul(loop.index, stride), first)
                emit_dots(builder, [x_rows.row(loop.index)], os, builder.gep(target, [at]), w, LANES)
        return context.get_dummy_value()

    return types.void(inputs, input_ids, types.int64, outputs, output_ids, types.int64, scores, width), codegen


class TiledUpdate:
    """Emits the update: all deltas of outputs into memory, then the inputs, then the outputs."""

    def __init__(self, context: Any, builder: Any, sig: Any, args: Any, width: int) -> None:
        self.builder, self.width, self.n_in, self.n_out = builder, width, args[2], args[5]
        self.x_rows = Rows(context, builder, sig.args[0:2], args[0:2], width)
        self.o_rows = Rows(context, builder, sig.args[3:5], args[3:5], width)
        self.residual = data_pointer(context, builder, sig.args[6], args[6])
        self.deltas = data_pointer(context, builder, sig.args[7], args[7])
        self.stride = padded_to_vectors(builder, args[5])

    def tiles(self) -> Any:
        return cgutils.for_range(self.builder, self.builder.udiv(self.stride, I64(UPDATE_TILE)))

    def tile(self, index: Any) -> tuple[Any, Update]:
        """First column of a tile, and what emits its steps."""
        first = self.builder.mul(index, I64(UPDATE_TILE))
        pointers = [self.o_rows.row(self.builder.add(first, I64(k))) for k in range(UPDATE_TILE)]
        residual = self.builder.gep(self.residual, [first])
        return first, Update(self.builder, self.x_rows, self.n_in, pointers, residual, self.stride)

    def columns(self, offsets: list[Any]) -> None:
        builder = self.builder
        with self.tiles() as loop:
            first, update = self.tile(loop.index)
            for k, delta in enumerate(update.output_deltas(0, UPDATE_TILE, offsets)):
                row = builder.gep(self.deltas, [builder.mul(builder.add(first, I64(k)), I64(self.width))])
                for offset, part in zip(offsets, delta, strict=True):
                    store(builder, part, row, offset)
        with self.tiles() as loop:
            _, update = self.tile(loop.index)
            update.add_to_inputs(0, UPDATE_TILE, offsets)
        with cgutils.for_range(builder, self.n_out) as loop:
            row, pointer = builder.mul(loop.index, I64(self.width)), self.o_rows.row(loop.index)
            for offset in offsets:
                delta = load(builder, self.deltas, builder.add(row, offset))
                store(builder, builder.fadd(load(builder, pointer, offset), delta), pointer, offset)


@intrinsic(prefer_literal=True)
def update_tiled(typingctx, inputs, input_ids, n_in, outputs, output_ids, n_out, residual, deltas, width):
    """`simd.update` with R[i, k] = residual[i * padded(n_out) + k].

    `deltas` is scratch, float32, padded(n_out) * width.
    """
    w = width.literal_value

    def codegen(context, builder, sig, args):
        emit = TiledUpdate(context, builder, sig, args, w)
        emit_update(builder, w, emit.columns)
        return context.get_dummy_value()

    signature = types.void(inputs, input_ids, types.int64, outputs, output_ids, types.int64, residual, deltas, width)
    return signature, codegen


if numba.config.DISABLE_JIT:
    dots_tiled, update_tiled = plain.dots_tiled, plain.update_tiled

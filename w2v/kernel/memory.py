"""Memory as the processor sees it: eight bytes at once, and asking for what will be needed."""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from w2v.kernel import plain
from w2v.kernel.emit import I32, I64, data_pointer


@intrinsic
def load_8_bytes(typingctx, array, index):
    """array[index : index + 8] of a uint8 array as one little-endian number."""

    def codegen(context, builder, sig, args):
        start = builder.gep(data_pointer(context, builder, sig.args[0], args[0]), [args[1]])
        value = builder.load(builder.bitcast(start, I64.as_pointer()))
        value.align = 1
        return value

    return types.uint64(array, types.int64), codegen


@intrinsic
def store_8_bytes(typingctx, array, index, value):
    """array[index : index + 8] = the bytes of a uint64, lowest first."""

    def codegen(context, builder, sig, args):
        start = builder.gep(data_pointer(context, builder, sig.args[0], args[0]), [args[1]])
        builder.store(args[2], builder.bitcast(start, I64.as_pointer())).align = 1
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), codegen


@intrinsic
def trailing_zeros(typingctx, bits):
    """Number of zero bits below the lowest that is set; 64 when none is."""

    def codegen(context, builder, sig, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def prefetch_element(typingctx, array, index):
    """Ask for the cache line of array[index], to be read soon."""

    def codegen(context, builder, sig, args):
        emit_prefetch(
            builder, builder.gep(data_pointer(context, builder, sig.args[0], args[0]), [args[1]]), write=False
        )
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen


def emit_prefetch(builder: Any, pointer: Any, *, write: bool) -> None:
    """Ask for the cache line a pointer points into."""
    byte_pointer = ir.IntType(8).as_pointer()
    signature = ir.FunctionType(ir.VoidType(), [byte_pointer, I32, I32, I32])
    function = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0")
    builder.call(function, [builder.bitcast(pointer, byte_pointer), I32(int(write)), I32(2), I32(1)])


if numba.config.DISABLE_JIT:
    load_8_bytes, store_8_bytes = plain.load_8_bytes, plain.store_8_bytes
    trailing_zeros, prefetch_element = plain.trailing_zeros, plain.prefetch_element

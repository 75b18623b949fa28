"""What losses do with scores, as LLVM vector code: corrections, the logistic residual, the parts of a softmax.

For a softmax a row is read `lanes` elements at a time (known when compiling: all of a short row, LANES of a long
one), so what lies between its last column and the next row is read and written too.
"""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from w2v.kernel import plain
from w2v.kernel.emit import (
    FLOAT,
    I64,
    LOWEST,
    constant,
    data_pointer,
    each_vector_of,
    emit_exp,
    load,
    reduce_vector,
    shuffle,
    splat,
    store,
    vector_call,
)
from w2v.kernel.target import LANES


def literal(number: Any) -> int:
    """The value of an integer that must be known when compiling."""
    if not isinstance(number, types.IntegerLiteral):
        raise TypingError("the size must be known when compiling")
    value: int = number.literal_value
    return value


class Row:
    """The vectors of a row from element `begin` of an array, and which of their lanes are columns first..last - 1."""

    def __init__(self, context: Any, builder: Any, sig: Any, args: Any, lanes: int) -> None:
        self.builder, self.lanes = builder, lanes
        self.start = builder.gep(data_pointer(context, builder, sig.args[0], args[0]), [args[1]])
        self.first, self.last = (splat(builder, args[i], lanes) for i in (2, 3))
        self.n_vectors = builder.udiv(builder.add(args[3], I64(lanes - 1)), I64(lanes))
        self.numbers = ir.Constant(ir.VectorType(I64, lanes), list(range(lanes)))

    def vector(self, index: Any) -> tuple[Any, Any, Any]:
        """Offset and content of a vector, and the mask of its lanes that count."""
        offset = self.builder.mul(index, I64(self.lanes))
        column = self.builder.add(self.numbers, splat(self.builder, offset, self.lanes))
        inside = self.builder.and_(
            self.builder.icmp_signed(">=", column, self.first), self.builder.icmp_signed("<", column, self.last)
        )
        return offset, load(self.builder, self.start, offset, self.lanes), inside


@intrinsic(prefer_literal=True)
def largest(typingctx, array, begin, first, last, lanes):
    """The largest of array[begin + first : begin + last]."""
    n_lanes = literal(lanes)

    def codegen(context, builder, sig, args):
        row = Row(context, builder, sig, args, n_lanes)
        slot = cgutils.alloca_once_value(builder, constant(LOWEST, n_lanes))
        with cgutils.for_range(builder, row.n_vectors) as loop:
            _, content, inside = row.vector(loop.index)
            content = builder.select(inside, content, constant(LOWEST, n_lanes))
            builder.store(vector_call(builder, "maxnum", builder.load(slot), content), slot)
        return reduce_vector(builder, "fmax", builder.load(slot))

    return types.float32(array, types.int64, types.int64, types.int64, lanes), codegen


@intrinsic(prefer_literal=True)
def exponentiate(typingctx, array, begin, first, last, shift, lanes):
    """Whole vectors of array[begin : begin + last] = exp(them - shift); the sum of columns first..last - 1.

    The exponent is held to +-LARGEST_EXPONENT.
    """
    n_lanes = literal(lanes)

    def codegen(context, builder, sig, args):
        row = Row(context, builder, sig, args, n_lanes)
        shift_vector = splat(builder, args[4], n_lanes)
        slot = cgutils.alloca_once_value(builder, constant(0.0, n_lanes))
        with cgutils.for_range(builder, row.n_vectors) as loop:
            offset, content, inside = row.vector(loop.index)
            power = emit_exp(builder, builder.fsub(content, shift_vector))
            store(builder, power, row.start, offset)
            counted: Any = builder.select(inside, power, constant(0.0, n_lanes))
            builder.store(builder.fadd(builder.load(slot), counted), slot)
        return reduce_vector(builder, "fadd", builder.load(slot), FLOAT(0.0))

    return types.float32(array, types.int64, types.int64, types.int64, types.float32, lanes), codegen


def subtract_row(scores, shifts, n_rows, stride, lanes):
    """scores[i * stride + k] -= shifts[k] for i < n_rows and k < stride, and to the end of the last vector.

    `lanes` is the stride, or LANES where the stride is a multiple of it.  Scores of float64, by which derivatives are
    checked, take their time.
    """
    plain.subtract_row(scores, shifts, n_rows, stride, lanes)


@overload(subtract_row, prefer_literal=True)
def _choose_subtract_row(scores, shifts, n_rows, stride, lanes):
    def one_by_one(scores, shifts, n_rows, stride, lanes):
        for at in range(n_rows * stride):
            scores[at] -= shifts[at % stride]

    def by_vectors(scores, shifts, n_rows, stride, lanes):
        subtract_row_vectors(scores, shifts, n_rows, stride, lanes)

    return by_vectors if scores.dtype == types.float32 else one_by_one


@intrinsic(prefer_literal=True)
def subtract_row_vectors(typingctx, scores, shifts, n_rows, stride, lanes):
    """`subtract_row` of float32."""
    n_lanes = literal(lanes)

    def codegen(context, builder, sig, args):
        data, shift_data = (data_pointer(context, builder, sig.args[i], args[i]) for i in range(2))
        repeated = [lane % n_lanes for lane in range(LANES)]
        begin = load(builder, shift_data, I64(0), n_lanes)
        pattern = shuffle(builder, begin, begin, repeated)
        with each_vector_of(builder, builder.mul(args[2], args[3])) as at:
            part = pattern if n_lanes < LANES else load(builder, shift_data, builder.urem(at, args[3]))
            store(builder, builder.fsub(load(builder, data, at), part), data, at)
        return context.get_dummy_value()

    return types.void(scores, shifts, types.int64, types.int64, lanes), codegen


@intrinsic
def repeat_row(typingctx, array, n_rows, stride):
    """Copy the first row to the rows behind it, up to `n_rows` in all; the stride is a multiple of LANES."""

    def codegen(context, builder, sig, args):
        data = data_pointer(context, builder, sig.args[0], args[0])
        end = builder.mul(args[1], args[2])
        with cgutils.for_range_slice(builder, args[2], end, I64(LANES)) as (at, _):
            store(builder, load(builder, data, builder.urem(at, args[2])), data, at)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), codegen


@intrinsic
def multiply_all(typingctx, scores, factor, n):
    """scores *= factor for the first n elements, to the end of the last vector."""

    def codegen(context, builder, sig, args):
        data, factors = data_pointer(context, builder, sig.args[0], args[0]), splat(builder, args[1])
        with each_vector_of(builder, args[2]) as at:
            store(builder, builder.fmul(load(builder, data, at), factors), data, at)
        return context.get_dummy_value()

    return types.void(scores, types.float32, types.int64), codegen


def emit_sigmoid(builder: Any, x: Any) -> Any:
    """1 / (1 + exp(-x)) of a vector."""
    one = constant(1.0, x.type.count)
    return builder.fdiv(one, builder.fadd(one, emit_exp(builder, builder.fneg(x))))


@intrinsic(prefer_literal=True)
def sigmoids(typingctx, array, begin, first, last, shift, target, lanes):
    """Whole vectors of target[:last] = sigmoid(array[begin : begin + last] - shift); the sum of first..last - 1."""
    n_lanes = literal(lanes)

    def codegen(context, builder, sig, args):
        row = Row(context, builder, sig, args, n_lanes)
        results = data_pointer(context, builder, sig.args[5], args[5])
        shift_vector = splat(builder, args[4], n_lanes)
        slot = cgutils.alloca_once_value(builder, constant(0.0, n_lanes))
        with cgutils.for_range(builder, row.n_vectors) as loop:
            offset, content, inside = row.vector(loop.index)
            probability = emit_sigmoid(builder, builder.fsub(content, shift_vector))
            store(builder, probability, results, offset)
            counted: Any = builder.select(inside, probability, constant(0.0, n_lanes))
            builder.store(builder.fadd(builder.load(slot), counted), slot)
        return reduce_vector(builder, "fadd", builder.load(slot), FLOAT(0.0))

    return types.float32(array, types.int64, types.int64, types.int64, types.float32, target, lanes), codegen


@intrinsic
def logistic_residual(typingctx, scores, weights, labels, n, lr):
    """scores = lr * weights * (labels - sigmoid(scores)) for the first n elements, to the end of the last vector."""

    def codegen(context, builder, sig, args):
        data, weight, label = (data_pointer(context, builder, sig.args[i], args[i]) for i in range(3))
        factor = splat(builder, args[4])
        with each_vector_of(builder, args[3]) as at:
            probability = emit_sigmoid(builder, load(builder, data, at))
            step = builder.fmul(factor, load(builder, weight, at))
            store(builder, builder.fmul(step, builder.fsub(load(builder, label, at), probability)), data, at)
        return context.get_dummy_value()

    return types.void(scores, weights, labels, types.int64, types.float32), codegen


if numba.config.DISABLE_JIT:
    logistic_residual = plain.logistic_residual
    largest, exponentiate, sigmoids = plain.largest, plain.exponentiate, plain.sigmoids
    multiply_all, repeat_row = plain.multiply_all, plain.repeat_row

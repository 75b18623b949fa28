"""Building blocks of vector code: what LLVM is told for one vector of LANES float32."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba.core import cgutils

from w2v.kernel.target import LANES

FLOAT, I32, I64 = ir.FloatType(), ir.IntType(32), ir.IntType(64)
VECTOR = ir.VectorType(FLOAT, LANES)
ZERO = ir.Constant(VECTOR, [0.0] * LANES)
LOWEST = -3.0e38  # a score that no softmax sees
SMALLEST_NORM = 1e-12
LARGEST_EXPONENT = 80.0  # exp(80) and exp(-80) are normal float32
# Taylor coefficients of 2**f, |f| <= 1/2, highest first: the error is that of float32 itself.
POWERS_OF_LOG2 = [math.log(2) ** i / math.factorial(i) for i in (6, 5, 4, 3, 2, 1, 0)]


class Rows:
    """Pointers to the rows of a matrix that an array of ids names."""

    def __init__(self, context: Any, builder: Any, signature_args: Any, args: Any, width: int) -> None:
        self.builder, self.width = builder, width
        self.matrix = data_pointer(context, builder, signature_args[0], args[0])
        self.ids = data_pointer(context, builder, signature_args[1], args[1])

    def row(self, i: Any) -> Any:
        row_id = self.builder.load(self.builder.gep(self.ids, [i]))
        return self.builder.gep(
            self.matrix,
            [self.builder.mul(self.builder.sext(row_id, I64) if row_id.type.width < 64 else row_id, I64(self.width))],
        )


def data_pointer(context: Any, builder: Any, array_type: Any, value: Any) -> Any:
    return context.make_array(array_type)(context, builder, value).data


def vector_of(lanes: int) -> Any:
    """The type of a vector of float32."""
    return ir.VectorType(FLOAT, lanes)


def vector_call(builder: Any, name: str, *args: Any) -> Any:
    """An LLVM intrinsic on whole vectors."""
    kind = args[0].type
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(kind, [kind] * len(args)), f"llvm.{name}.v{kind.count}f32"
    )
    return builder.call(function, args)


def multiply_add(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c, fused where the processor can."""
    return vector_call(builder, "fmuladd", a, b, c)


def load(builder: Any, pointer: Any, offset: Any, lanes: int = LANES) -> Any:
    instruction = builder.load(builder.bitcast(builder.gep(pointer, [offset]), vector_of(lanes).as_pointer()))
    instruction.align = 4
    return instruction


def store(builder: Any, vector: Any, pointer: Any, offset: Any) -> None:
    target = builder.bitcast(builder.gep(pointer, [offset]), vector.type.as_pointer())
    builder.store(vector, target).align = 4


def padded_to_vectors(builder: Any, n: Any) -> Any:
    """n rounded up to whole vectors."""
    return builder.mul(builder.udiv(builder.add(n, I64(LANES - 1)), I64(LANES)), I64(LANES))


@contextmanager
def each_vector_of(builder: Any, n: Any) -> Iterator[Any]:
    """A loop over n elements a vector at a time, to the end of the last vector; gives the offset."""
    with cgutils.for_range_slice(builder, I64(0), padded_to_vectors(builder, n), I64(LANES)) as (at, _):
        yield at


def splat(builder: Any, scalar: Any, lanes: int = LANES) -> Any:
    undefined = ir.Constant(ir.VectorType(scalar.type, lanes), ir.Undefined)
    lane0 = builder.insert_element(undefined, scalar, I32(0))
    return builder.shuffle_vector(lane0, undefined, ir.Constant(ir.VectorType(I32, lanes), [0] * lanes))


def shuffle(builder: Any, a: Any, b: Any, lanes: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(I32, len(lanes)), lanes))


def interleavings() -> list[tuple[list[int], list[int]]]:
    """Lanes of (a, b) to take for the two halves of each step of `horizontal_sums`.

    Each step halves the parts of a sum.  They are the patterns of single instructions: unpack low and high of 4 and
    of 8 bytes inside each 16-byte group, then whole groups.
    """
    groups = LANES // 4
    first, second = [], []
    for half in (0, 2):
        first.append([lane for g in range(groups) for i in (half, half + 1) for lane in (4 * g + i, LANES + 4 * g + i)])
        second.append([4 * g + source + half + i for g in range(groups) for source in (0, LANES) for i in (0, 1)])

    def take(chosen: tuple[int, ...]) -> list[int]:
        return [source + 4 * g + i for source in (0, LANES) for g in chosen for i in range(4)]

    steps = [(first[0], first[1]), (second[0], second[1])]
    if groups == 2:
        return [*steps, (take((0,)), take((1,)))]
    return [*steps, (take((0, 1)), take((2, 3))), (take((0, 2)), take((1, 3)))]


def horizontal_sums(builder: Any, vectors: list[Any]) -> Any:
    """One vector whose lane i is the sum of vectors[i]; None stands for a vector of zeros.

    An add tree that transposes as it goes: about 3 instructions a sum, where one reduction after the other
    takes about 7.
    """
    layer = vectors
    for halves in interleavings():
        pairs = list(zip(layer[0::2], layer[1::2], strict=True))
        layer = [
            (a or b) and builder.fadd(*(shuffle(builder, a or ZERO, b or ZERO, lanes) for lanes in halves))
            for a, b in pairs
        ]
    return layer[0]


def constant(value: float, lanes: int = LANES) -> Any:
    return ir.Constant(vector_of(lanes), [value] * lanes)


def emit_exp(builder: Any, x: Any) -> Any:
    """exp of a vector: range reduction to a power of two and a polynomial.

    Relative error 2e-7 for |x| < 1, rising with |x| to 4e-6; the error of 1 / (1 + exp(-x)) stays below 1e-7.
    x is held to +-LARGEST_EXPONENT, where 1 / (1 + exp(-x)) is 0 or 1 to the last bit.
    """
    lanes = x.type.count

    def number(value: float) -> Any:
        return constant(value, lanes)

    x = vector_call(builder, "minnum", x, number(LARGEST_EXPONENT))
    x = vector_call(builder, "maxnum", x, number(-LARGEST_EXPONENT))
    y = builder.fmul(x, number(math.log2(math.e)))
    whole = vector_call(builder, "rint", y)
    f = builder.fsub(y, whole)
    power = number(POWERS_OF_LOG2[0])
    for coefficient in POWERS_OF_LOG2[1:]:
        power = multiply_add(builder, power, f, number(coefficient))
    integers = ir.VectorType(I32, lanes)
    exponent = builder.add(builder.fptosi(whole, integers), ir.Constant(integers, [127] * lanes))
    bits = builder.shl(exponent, ir.Constant(integers, [23] * lanes))
    return builder.fmul(power, builder.bitcast(bits, x.type))


def reduce_vector(builder: Any, name: str, vector: Any, *begin: Any) -> Any:
    """One number from a vector; its lanes in any order."""
    signature = ir.FunctionType(FLOAT, [FLOAT] * len(begin) + [vector.type])
    function = cgutils.get_or_insert_function(
        builder.module, signature, f"llvm.vector.reduce.{name}.v{vector.type.count}f32"
    )
    return builder.call(function, [*begin, vector], fastmath=("reassoc",))

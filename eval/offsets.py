"""Solvers of analogies: which word is to c as b is to a, by the cosines of all words with a, b and c."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

FloatMatrix = npt.NDArray[np.float32]
IntMatrix = npt.NDArray[np.int64]
# Scores of candidates x from their cosines with a, b and c, which may be overwritten: (questions, candidates) each;
# the last argument is what (b - a) gives with c itself, (questions, 1).
Solver = Callable[[FloatMatrix, FloatMatrix, FloatMatrix, FloatMatrix], FloatMatrix]

# Cosines of all words of the questions with a tile of candidates, and the scores of a block of questions on
# that tile, which stay in a processor's own cache.  Both bound the memory whatever the sizes.
COSINE_BYTES = 32 * 2**20
SCORE_BYTES = 2**18
EPSILON = 1e-3
_NARROWEST, _WIDEST = 64, 4096


def add(a: FloatMatrix, b: FloatMatrix, c: FloatMatrix, _own: FloatMatrix) -> FloatMatrix:
    """3CosAdd (Mikolov et al. 2013): cos(x, b) - cos(x, a) + cos(x, c), the order of cos(x, b - a + c)."""
    b -= a
    b += c
    return b


def mul(a: FloatMatrix, b: FloatMatrix, c: FloatMatrix, _own: FloatMatrix) -> FloatMatrix:
    """3CosMul (Levy & Goldberg 2014): cos(x, b) cos(x, c) / (cos(x, a) + eps), cosines shifted to 0..1, eps 0.001.

    Twice the shifted cosine stands for each here, and twice eps, which leaves the order as it is.
    """
    a += 1 + 2 * EPSILON
    b += 1
    c += 1
    b *= c
    b /= a
    return b


def pair_direction(a: FloatMatrix, b: FloatMatrix, c: FloatMatrix, own: FloatMatrix) -> FloatMatrix:
    """PairDirection (Mikolov et al. 2013, named by Levy & Goldberg 2014): cos(x - c, b - a)."""
    b -= a
    b -= own
    # The squared length of x - c is 2 - 2 cos(x, c); where x and c coincide there is no direction, and b is 0.
    np.subtract(1, c, out=c)
    np.maximum(c, 1e-6, out=c)
    np.sqrt(c, out=c)
    b /= c
    return b


def best_words(
    units: FloatMatrix, operands: FloatMatrix, questions: IntMatrix, excluded: IntMatrix, solver: Solver
) -> npt.NDArray[np.int64]:
    """Row of the best answer to each question.

    Parameters
    ----------
    units : float32 array, shape (words, dim)
        The candidates, vectors of length 1; a row of zeros is never an answer.
    operands : float32 array, shape (operands, dim)
        The vectors questions are made of.
    questions : int64 array, shape (questions, 3)
        Rows of `operands` that are a, b and c.
    excluded : int64 array, shape (questions, any)
        Rows of `units` that are no answer to the question; -1 is none.
    solver : function
        `add`, `mul` or `pair_direction`.

    Returns
    -------
    int64 array, shape (questions,)
        Row of the answer, the first of equals; -1 where no word is left to answer with.
    """
    answers = np.full(len(questions), -1, dtype=np.int64)
    best = np.full(len(questions), -np.inf, dtype=np.float32)
    a, b, c = questions.T
    own = np.einsum("ij,ij->i", operands[b] - operands[a], operands[c])[:, None]
    width = min(_WIDEST, max(_NARROWEST, COSINE_BYTES // (4 * max(1, len(operands)))))
    height = max(1, SCORE_BYTES // (4 * width))
    for start in range(0, len(units), width):
        tile = units[start : start + width]
        cosines = operands @ tile.T
        empty = np.flatnonzero(~tile.any(axis=1))
        for first in range(0, len(questions), height):
            block = slice(first, first + height)
            scores = solver(cosines[a[block]], cosines[b[block]], cosines[c[block]], own[block])
            scores[:, empty] = -np.inf
            columns = excluded[block] - start
            question, which = np.nonzero((columns >= 0) & (columns < len(tile)))
            scores[question, columns[question, which]] = -np.inf
            column = scores.argmax(axis=1)
            score = scores[np.arange(len(scores)), column]
            better = score > best[block]
            best[block][better] = score[better]
            answers[block][better] = column[better] + start
    return answers

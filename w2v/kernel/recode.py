"""Second half of encoding: sentences are cut, ids become final, pruned words go, blocks of sentences are marked."""

from typing import NamedTuple

from w2v.kernel.jit import jit

END = -1  # in a stream of ids: the end of a sentence


class Blocks(NamedTuple):
    """Where the marking of blocks stands between two pieces of the stream."""

    sentence_length: int
    block_tokens: int
    position: int
    longest: int
    n_sentences: int


@jit()
def cut(ids, max_sentence, length, out):
    """Cut sentences of more than `max_sentence` tokens.

    Parameters
    ----------
    ids : int32
    length : tokens of the sentence that goes on from the ids before these
    out : int32, room for 2 * ids.size

    Returns
    -------
    The number of ids in `out`, the tokens of the sentence that goes on behind them.
    """
    n_out = 0
    for word in ids:
        if word != END:
            out[n_out] = word
            n_out += 1
            length += 1
        if length == max_sentence or (word == END and length > 0):
            out[n_out] = END
            n_out += 1
            length = 0
    return n_out, length


@jit()
def recode(ids, final_ids, target, blocks, out, cuts, cut_tokens):
    """Map one piece of the stream.

    Parameters
    ----------
    ids : int32, provisional ids and END
    final_ids : int32, the final id of each provisional one, -1 for a word that was pruned
    target : tokens after which a block ends with its sentence
    out : int32, as long as `ids`
    cuts, cut_tokens : int64, room for ids.size // target + 1
        Position behind each block that ends here, in ids from the stream's start, and the block's tokens.

    Returns
    -------
    Number of ids in `out`, number of cuts, the new state.
    """
    sentence_length, block_tokens, position, longest, n_sentences = blocks
    n_out, n_cuts = 0, 0
    for word in ids:
        if word != END:
            final = final_ids[word]
            if final >= 0:
                out[n_out] = final
                n_out += 1
                sentence_length += 1
        elif sentence_length > 0:
            out[n_out] = END
            n_out += 1
            n_sentences += 1
            longest = max(longest, sentence_length)
            block_tokens += sentence_length
            sentence_length = 0
            if block_tokens >= target:
                cuts[n_cuts] = position + n_out
                cut_tokens[n_cuts] = block_tokens
                n_cuts += 1
                block_tokens = 0
    # A plain tuple: to make a NamedTuple Numba runs Python, and crashes when a signal handler raises there.
    return n_out, n_cuts, (sentence_length, block_tokens, position + n_out, longest, n_sentences)

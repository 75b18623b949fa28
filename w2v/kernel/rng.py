"""Random numbers inside kernels: xorshift64*, one 64-bit state a worker.

Marsaglia, "Xorshift RNGs" (2003), shifts 12, 25, 27; output multiplier of Vigna, "An experimental exploration
of Marsaglia's xorshift generators, scrambled" (2016).
"""

import numpy as np
from numpy.typing import NDArray

from w2v.kernel.jit import inline

MULTIPLIER = np.uint64(0x2545F4914F6CDD1D)
LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


def seed_states(seed: int, n_workers: int) -> NDArray[np.uint64]:
    """Independent non-zero states, one a worker.

    Returns
    -------
    uint64 array of shape (n_workers, 1)
    """
    children = np.random.SeedSequence(seed).spawn(n_workers)
    states = np.array([child.generate_state(1, np.uint64) for child in children])
    states[states == 0] = 1
    return states


@inline()
def next_state(state):
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    return state


@inline()
def scramble(state):
    """The random number of a state: 64 bits, of which the high ones are the better ones."""
    return state * MULTIPLIER


@inline()
def below(bits, n):
    """A number in 0..n-1 from the high half of 64 random bits, n < 2^32."""
    return np.int64(((bits >> HALF) * np.uint64(n)) >> HALF)


@inline()
def draw_alias(bits, slots):
    """A word from a table of alias slots: the high half picks the slot, the low half decides.

    A slot is threshold << 32 | alias; see `w2v.noise.alias_slots`.
    """
    own = below(bits, slots.shape[0])
    slot = slots[own]
    alias = np.int64(slot & LOW_HALF)
    return own + (alias - own) * np.int64((bits & LOW_HALF) >= (slot >> HALF))  # no branch: it would be a coin toss

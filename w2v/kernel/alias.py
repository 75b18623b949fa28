"""Walker's alias method in O(V) (Vose, "A linear algorithm for generating random numbers", 1991)."""

import numpy as np

from w2v.kernel.jit import jit


@jit()
def build_alias(scaled, threshold, alias):
    """Fill `threshold` and `alias` so that slot i yields i with probability threshold[i], else alias[i].

    Parameters
    ----------
    scaled : float64 (n,), probabilities times n; overwritten
    threshold : float64 (n,), out
    alias : int64 (n,), out
    """
    n = scaled.size
    small, large = np.empty(n, np.int64), np.empty(n, np.int64)
    n_small, n_large = 0, 0
    for i in range(n):
        threshold[i], alias[i] = 1.0, i
        if scaled[i] < 1.0:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        poor, rich = small[n_small], large[n_large - 1]
        threshold[poor], alias[poor] = scaled[poor], rich
        scaled[rich] -= 1.0 - scaled[poor]
        if scaled[rich] < 1.0:
            n_large -= 1
            small[n_small] = rich
            n_small += 1

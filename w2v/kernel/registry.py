"""The objectives by name.  To add one, write its file in `losses` and add an entry here.

Plain data, so that options and help can list the objectives without loading the compiler.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """What the options need to know of an objective.

    Attributes
    ----------
    place : module and class
    summary : a line for the help text
    negative : noise words a window by default; 0 where there is no noise to draw
    hits : `keep` or `remove`: what happens by default to noise that equals the positive
    layout : what the columns of a batch are: `windows` (centres and noise), `in_batch`, `words` (all), `paths`
    weighs_hits : whether noise can be left out for one of several centres that share it
    corrected : whether scores are corrected by the log of expected counts
    cosine : whether the similarity is a cosine by default
    lr : default of the learning rate
    temperature, margin, scale : defaults where the objective has such a parameter
    options : names of further options that make sense with it
    """

    place: str
    summary: str
    negative: int = 5
    hits: str = "keep"
    layout: str = "windows"
    weighs_hits: bool = False
    corrected: bool = False
    cosine: bool = False
    lr: float = 0.05
    temperature: float | None = None
    margin: float | None = None
    scale: float | None = None
    options: tuple[str, ...] = ()


_PLACE = "w2v.kernel.losses."
LOSSES = {
    "sgns": Entry(
        _PLACE + "sgns:SkipGramNegativeSampling", "skip-gram with negative sampling", hits="remove",
        weighs_hits=True, options=("saturate",),
    ),
    "nce": Entry(
        _PLACE + "nce:NoiseContrastiveEstimation", "noise-contrastive estimation", weighs_hits=True, corrected=True
    ),
    "sampled-softmax": Entry(
        _PLACE + "sampled_softmax:SampledSoftmax", "softmax over the word and its noise, corrected by log expected "
        "counts (logQ)", corrected=True, options=("no_logq", "allow_biased", "multi_positive"),
    ),
    "infonce": Entry(
        _PLACE + "infonce:InfoNCE", "softmax over the word and its noise, by temperature, uncorrected",
        temperature=1.0, options=("similarity", "learn_temperature", "multi_positive"),
    ),
    "bpr": Entry(
        _PLACE + "bpr:BayesianPersonalizedRanking", "pairwise ranking of the word above its noise", lr=0.025
    ),
    "margin": Entry(
        _PLACE + "margin:AdditiveMargin", "softmax of cosines with an additive margin (AM-softmax)", cosine=True,
        margin=0.1, scale=10.0,
    ),
    "in-batch": Entry(
        _PLACE + "in_batch:InBatchSoftmax", "softmax against the other pairs of a batch, corrected by their shares",
        negative=0, layout="in_batch", corrected=True, temperature=1.0,
        options=("no_logq", "similarity", "learn_temperature", "batch", "symmetric", "frequency_estimate"),
    ),
    "softmax": Entry(
        _PLACE + "softmax:Softmax", "the exact softmax, for small vocabularies", negative=0, layout="words"
    ),
    "hs": Entry(
        _PLACE + "hs:HierarchicalSoftmax", "hierarchical softmax over a Huffman tree", negative=0, layout="paths"
    ),
}  # fmt: skip

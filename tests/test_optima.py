"""Each objective's optimum, end to end: what scores become on a corpus whose probabilities are known.

The lines are of two words from a joint distribution in which every pair occurs, so that with a window of 1 the pairs
of the text are the lines, both ways round.  P(o | x) is taken from the corpus, q is the share of o.  Settings are
chosen so that training takes a second or two; the slopes come nearer to 1 with more epochs.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import spearmanr

import w2v
from w2v.model import Model

N_WORDS, N_LINES = 32, 100_000
SETTINGS = {"dim": N_WORDS, "window": 1, "sample": 0.0, "min_count": 1, "lr": 0.06, "min_lr": 0.0, "epochs": 10,
            "threads": 1}  # fmt: skip
NOISE = {"negative": 5, "noise_power": 1.0, "accidental_hits": "keep"}


class Joint(NamedTuple):
    """A corpus, and how often word k of `words` was seen as an output of word i: `cells` [i, k]."""

    path: Path
    words: list[str]
    cells: np.ndarray

    @property
    def conditional(self) -> np.ndarray:
        return self.cells / self.cells.sum(1, keepdims=True)

    @property
    def shares(self) -> np.ndarray:
        """Share of each word in the corpus: q, and p of two-word lines."""
        counts = Counter(self.path.read_text().split())
        return np.array([counts[word] for word in self.words]) / counts.total()

    @property
    def often(self) -> np.ndarray:
        return self.cells >= 30

    @property
    def ratio(self) -> np.ndarray:
        """P / q, normalised over outputs: what uncorrected softmaxes become."""
        ratio = self.conditional / self.shares
        return ratio / ratio.sum(1, keepdims=True)


class Fitted(NamedTuple):
    """A model and all its scores, float64 (inputs, outputs), words in the order of the joint."""

    model: Model
    scores: np.ndarray
    log_probabilities: Callable[[], np.ndarray]


def made_joint(path: Path, n_lines: int, length: int) -> Joint:
    """Lines in which each word follows from the one before it."""
    random = np.random.default_rng(11)
    common = np.arange(1, N_WORDS + 1) ** -0.6
    shares = np.exp(random.normal(0, 0.9, (N_WORDS, N_WORDS))) * common[:, None] * common
    sums = np.cumsum(shares / shares.sum(1, keepdims=True), axis=1)
    lines = np.zeros((n_lines, length), np.int64)
    lines[:, 0] = random.choice(N_WORDS, n_lines, p=shares.sum(1) / shares.sum())
    for i in range(1, length):
        below = random.random((n_lines, 1)) > sums[lines[:, i - 1]]
        lines[:, i] = np.minimum(below.sum(1), N_WORDS - 1)
    cells = np.zeros((N_WORDS, N_WORDS))
    np.add.at(cells, (lines[:, :-1].ravel(), lines[:, 1:].ravel()), 1)
    path.write_text("".join(" ".join(f"w{word}" for word in line) + "\n" for line in lines))
    return Joint(path, [f"w{i}" for i in range(N_WORDS)], cells)


@pytest.fixture(scope="module")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> Joint:
    """Pairs of words; the inputs are the words on the left."""
    return made_joint(tmp_path_factory.mktemp("optima") / "pairs.txt", N_LINES, 2)


@pytest.fixture(scope="module")
def joint(ordered: Joint) -> Joint:
    """The same pairs, each word being the input of the other."""
    return ordered._replace(cells=ordered.cells + ordered.cells.T)


@pytest.fixture(scope="module")
def chains(tmp_path_factory: pytest.TempPathFactory) -> Joint:
    """As many pairs in lines of six words, so that there are groups of several centres."""
    joint = made_joint(tmp_path_factory.mktemp("optima") / "chains.txt", N_LINES // 5, 6)
    return joint._replace(cells=joint.cells + joint.cells.T)


def fit(joint: Joint, **options: Any) -> Fitted:
    model = w2v.train(joint.path, **{**SETTINGS, **options})
    places = [model.vocabulary.words.index(word) for word in joint.words]
    scores = np.stack([model.scores(word)[places] for word in joint.words])
    return Fitted(model, scores, lambda: np.stack([model.log_probabilities(word)[places] for word in joint.words]))


def log_softmax(scores: np.ndarray) -> np.ndarray:
    return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)


def divergence(probabilities: np.ndarray, logarithms: np.ndarray) -> float:
    """Mean over rows of KL(P || Q), Q given by its logarithms."""
    seen = np.where(probabilities > 0, probabilities, 1)
    return float((probabilities * (np.log(seen) - logarithms)).sum(1).mean())


def line(optimum: np.ndarray, scores: np.ndarray, cells: np.ndarray) -> tuple[float, float]:
    """Correlation of the scores with their optimum, and slope."""
    x, y = optimum[cells], scores[cells]
    return float(np.corrcoef(x, y)[0, 1]), float(np.polyfit(x, y, 1)[0])


def within_rows(joint: Joint, scores: np.ndarray, correlate: Callable[..., Any]) -> np.ndarray:
    """Correlation with log P / q of each row, over the cells seen often."""
    optimum = log(joint.conditional / joint.shares)
    rows = zip(optimum, scores, joint.often, strict=True)
    return np.array([correlate(wanted[often], got[often]) for wanted, got, often in rows])


def log(values: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(values)


def report(record: Callable[[str, object], None], options: dict[str, Any], **figures: float) -> None:
    """Keep the figures with the results (`pytest --junitxml`), and show them with `pytest -rP`."""
    text = ", ".join(f"{name} {value:.4f}" for name, value in figures.items())
    record(" ".join(f"{name}={value}" for name, value in options.items()), text)
    print(options, text)


def check_sgns(joint: Joint, scores: np.ndarray) -> dict[str, float]:
    """Scores against log [P / (K q)]."""
    optimum = log(joint.conditional / (NOISE["negative"] * joint.shares))
    correlation, slope = line(optimum, scores, joint.often)
    assert correlation > 0.98
    assert 0.95 < slope < 1.05
    assert abs((scores - optimum)[joint.often].mean()) < 0.05
    return {"correlation": correlation, "slope": slope}


SGNS = [
    {"share_noise": 1},
    {"share_noise": 2, "threads": 2},
    # A window of one word is its own mean, so these are the same run to the byte:
    {"share_noise": 2},
    {"share_noise": 2, "architecture": "cbow"},
]


@pytest.mark.parametrize("options", SGNS, ids=str)
def test_sgns_is_shifted_pointwise_mutual_information(
    joint: Joint, options: dict[str, Any], record_property: Any
) -> None:
    fitted = fit(joint, loss="sgns", **NOISE, **options)
    kl = divergence(joint.conditional, fitted.log_probabilities())
    report(record_property, options, **check_sgns(joint, fitted.scores), kl=kl)
    assert kl < 0.01


@pytest.mark.parametrize("share_noise", [1, 2, 4])
def test_sgns_with_shared_noise(chains: Joint, share_noise: int, record_property: Any) -> None:
    fitted = fit(chains, loss="sgns", share_noise=share_noise, **NOISE)
    report(record_property, {"chains": share_noise}, **check_sgns(chains, fitted.scores))


@pytest.mark.parametrize("direction", ["centre-from-context", "context-from-centre"])
def test_direction(ordered: Joint, direction: str, record_property: Any) -> None:
    # The context is the word on the left alone, and the input or the output.
    options = {"direction": direction, "window_side": "left", "share_noise": 2, "epochs": 20}
    fitted = fit(ordered, loss="sgns", **NOISE, **options)
    joint = ordered if direction == "centre-from-context" else ordered._replace(cells=ordered.cells.T)
    report(record_property, options, **check_sgns(joint, fitted.scores))


def test_sgns_without_hits_is_log_odds(joint: Joint, record_property: Any) -> None:
    # Noise o meets the positives that are not o: K q (1 - P) of it to P positives.
    fitted = fit(joint, loss="sgns", share_noise=2, **NOISE | {"accidental_hits": "remove"})
    conditional = joint.conditional
    optimum = log(conditional / (NOISE["negative"] * joint.shares * (1 - conditional)))
    correlation, slope = line(optimum, fitted.scores, joint.often)
    kl = divergence(conditional, fitted.log_probabilities())
    report(record_property, {"accidental_hits": "remove"}, correlation=correlation, slope=slope, kl=kl)
    assert correlation > 0.98
    assert 0.95 < slope < 1.05
    assert kl < 0.02


def test_nce_is_log_probability_and_normalises_itself(joint: Joint, record_property: Any) -> None:
    fitted = fit(joint, loss="nce", share_noise=2, **NOISE)
    correlation, slope = line(log(joint.conditional), fitted.scores, joint.often)
    frequent = joint.shares >= np.median(joint.shares)
    sums = np.exp(fitted.scores).sum(1)[frequent]
    report(record_property, {}, correlation=correlation, slope=slope, smallest=sums.min(), largest=sums.max())
    assert correlation > 0.98
    assert 0.95 < slope < 1.05
    assert abs((fitted.scores - log(joint.conditional))[joint.often].mean()) < 0.05
    assert ((sums > 0.9) & (sums < 1.1)).all()
    assert divergence(joint.conditional, fitted.log_probabilities()) < 0.02


UNIQUE = {"negative": 5, "noise_power": 1.0, "unique": True, "accidental_hits": "remove"}
SOFTMAXES = [
    ({"loss": "softmax", "epochs": 6}, 0.02),
    ({"loss": "sampled-softmax", "share_noise": 2, **NOISE}, 0.05),
    ({"loss": "sampled-softmax", **UNIQUE}, 0.05),
    ({"loss": "in-batch"}, 0.05),
    ({"loss": "in-batch", "accidental_hits": "remove"}, 0.05),
    ({"loss": "in-batch", "symmetric": True}, 0.05),
    ({"loss": "in-batch", "frequency_estimate": "streaming"}, 0.01),
    ({"loss": "in-batch", "negative": 8, "noise_power": 1.0}, 0.05),
    ({"loss": "hs"}, 0.05),
    ({"loss": "hs", "architecture": "cbow"}, 0.05),
]


@pytest.mark.parametrize(("options", "limit"), SOFTMAXES, ids=str)
def test_probabilities(joint: Joint, options: dict[str, Any], limit: float, record_property: Any) -> None:
    fitted = fit(joint, **options)
    kl = divergence(joint.conditional, log_softmax(fitted.scores))
    report(record_property, options, kl=kl)
    assert kl < limit
    assert fitted.log_probabilities() == pytest.approx(log_softmax(fitted.scores), abs=1e-9)
    if options["loss"] == "hs":  # normalised by construction
        assert np.exp(fitted.scores).sum(1) == pytest.approx(np.ones(N_WORDS), abs=1e-9)


BIASED = [
    {"loss": "sampled-softmax", "no_logq": True, "share_noise": 2, **NOISE},
    {"loss": "in-batch", "no_logq": True},
    {"loss": "infonce", "share_noise": 2, **NOISE},
    {"loss": "infonce", "share_noise": 2, "bias": True, "temperature": 0.5, "lr": 0.03, **NOISE},
]


@pytest.mark.parametrize("options", BIASED, ids=str)
def test_without_correction_softmax_is_p_over_q(joint: Joint, options: dict[str, Any], record_property: Any) -> None:
    fitted = fit(joint, **options)
    scores = log_softmax(fitted.scores)
    correlations = within_rows(joint, fitted.scores, lambda x, y: np.corrcoef(x, y)[0, 1])
    kl_ratio, kl = divergence(joint.ratio, scores), divergence(joint.conditional, scores)
    kl_shifted = divergence(joint.conditional, fitted.log_probabilities())
    report(record_property, options, kl_ratio=kl_ratio, kl=kl, kl_shifted=kl_shifted, mean=correlations.mean(),
           smallest=correlations.min())  # fmt: skip
    assert kl_ratio < 0.02
    assert kl > 0.1
    assert kl_shifted < 0.02
    assert correlations.min() > 0.98


def test_bpr_learns_the_order_of_p_over_q(joint: Joint, record_property: Any) -> None:
    fitted = fit(joint, loss="bpr", share_noise=2, **NOISE)
    ranks = within_rows(joint, fitted.scores, lambda x, y: spearmanr(x, y).statistic)
    report(record_property, {}, mean=ranks.mean(), smallest=ranks.min())
    assert ranks.mean() > 0.95
    assert ranks.min() > 0.9

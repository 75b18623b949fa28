"""The speed of each objective beside that of skip-gram with negative sampling."""

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from w2v.config import TrainConfig
from w2v.corpus import Corpus
from w2v.events import ignore
from w2v.reading import Encoder
from w2v.stream import IdStream
from w2v.trainer import Trainer
from w2v.training import encode_corpus

# The exact softmax is left out: the vocabularies worth timing are too large for it.
FORMS: dict[str, dict[str, Any]] = {
    "sgns": {},
    "nce": {"loss": "nce"},
    "sampled-softmax": {"loss": "sampled-softmax"},
    "infonce": {"loss": "infonce"},
    "infonce, cosine": {"loss": "infonce", "similarity": "cosine"},
    "bpr": {"loss": "bpr"},
    "margin": {"loss": "margin"},
    "in-batch": {"loss": "in-batch"},
    "hs": {"loss": "hs"},
    "sgns, cbow": {"architecture": "cbow"},
}


class Speed(NamedTuple):
    """Scores and words of the text (before subsampling) a second."""

    scores: float
    words: float


def measure(corpus: Path, n_runs: int, say: Callable[[str], None], **training: Any) -> dict[str, list[Speed]]:
    """Train one epoch with each objective, `n_runs` times in turn, after one round that does not count."""
    measured: dict[str, list[Speed]] = {name: [] for name in FORMS}
    with IdStream() as stream:
        config = TrainConfig(epochs=1, **training)
        vocabulary = encode_corpus(Corpus([str(corpus)]), Encoder(config), None, stream, ignore)
        for number in range(n_runs + 1):
            for name, options in FORMS.items():
                trainer = Trainer(stream, vocabulary, TrainConfig(epochs=1, **training, **options), ignore)
                trainer.compile()
                begun = time.perf_counter()
                trainer.run()
                seconds = time.perf_counter() - begun
                if number:
                    measured[name].append(Speed(trainer.n_scores / seconds, trainer.n_tokens / seconds))
                    say(f"{name} {number}/{n_runs}: {seconds:.2f} s")
    return measured


def table(measured: dict[str, list[Speed]]) -> tuple[Sequence[str], list[Sequence[str]]]:
    """Medians, and medians of the ratios to the first objective in the same round."""
    reference, rows = next(iter(measured.values())), list[Sequence[str]]()
    for name, speeds in measured.items():
        ratios = [
            statistics.median(
                getattr(one, kind) / getattr(other, kind) for one, other in zip(speeds, reference, strict=True)
            )
            for kind in Speed._fields
        ]
        medians = [statistics.median(getattr(one, kind) for one in speeds) / 1e6 for kind in Speed._fields]
        rows.append((name, f"{medians[0]:.1f}", f"{ratios[0]:.2f}", f"{medians[1]:.2f}", f"{ratios[1]:.2f}"))
    return ("", "M scores/s", "ratio", "M words/s", "ratio"), rows

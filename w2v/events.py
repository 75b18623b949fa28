"""What a training run reports while it goes on; the caller decides what to show."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class Event:
    """Base of all events; `name` is what the log calls it."""

    name: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """The event as plain values, its name under "event"."""
        return {"event": self.name, **asdict(self)}


# What takes longer than this when it is first called is being compiled, not fetched from the cache.
SLOW_SECONDS = 1.0

Listener = Callable[[Event], None]


def ignore(_event: Event) -> None:
    """A listener that shows nothing."""


@dataclass(frozen=True)
class Counting(Event):
    """Reading the corpus; bytes as stored (compressed), `bytes_total` None when unknown."""

    name = "counting"
    bytes_read: int
    bytes_total: int | None
    tokens: int
    tokens_per_second: float


@dataclass(frozen=True)
class Replaced(Event):
    """The corpus held ill-formed UTF-8: `sequences` in all, in `sources` files, the first in `source`."""

    name = "replaced"
    source: str
    sequences: int
    first_byte: int | None
    sources: int


@dataclass(frozen=True)
class Counted(Event):
    """The vocabulary is known."""

    name = "counted"
    tokens_read: int
    distinct_words: int
    vocabulary: int
    tokens: int
    sentences: int
    longest_sentence: int


@dataclass(frozen=True)
class Compiling(Event):
    """Machine code is not in the cache and is being made."""

    name = "compiling"


@dataclass(frozen=True)
class Training(Event):
    """Progress of the training proper; `tokens_done` of `tokens_total` over all epochs."""

    name = "training"
    epoch: int
    epochs: int
    tokens_done: int
    tokens_total: int
    words_per_second: float
    lr: float
    loss: float
    eta_seconds: float


@dataclass(frozen=True)
class EpochDone(Event):
    """An epoch is over; `loss` is the mean per positive pair in it."""

    name = "epoch"
    epoch: int
    tokens: int
    pairs: int
    loss: float
    seconds: float


@dataclass(frozen=True)
class Summary(Event):
    """The run is over; `seconds` by stage, `words_per_second` in the training stage, memory in MiB."""

    name = "summary"
    tokens: int
    vocabulary: int
    pairs: int
    loss: float
    seconds: dict[str, float]
    words_per_second: float
    peak_memory_mib: float | None
    output: str | None


@contextmanager
def compilation(listener: Listener) -> Iterator[None]:
    """Tell the listener (from another thread) when what is done inside takes so long that it must be compiling."""
    notice = threading.Timer(SLOW_SECONDS, listener, [Compiling()])
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()

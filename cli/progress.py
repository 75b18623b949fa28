"""Shows the events of a training run: a bar on a terminal, lines elsewhere, JSON for programs."""

import math
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from tqdm import tqdm

from w2v.errors import OutputError
from w2v.events import Compiling, Counted, Counting, EpochDone, Event, Replaced, Summary, Training
from w2v.strict_json import dumps

LINE_SECONDS = 5.0
LOG_SECONDS = 1.0


def millions(number: float) -> str:
    """A count in a form that is read at a glance."""
    return f"{number / 1e6:.2f} M" if number >= 1e6 else f"{number:,.0f}"


def decimals(loss: float) -> str:
    """A loss, ? as long as there is none."""
    return f"{loss:.4f}" if math.isfinite(loss) else "?"


def duration(seconds: float) -> str:
    """Seconds as h:mm:ss, or with one decimal below a minute."""
    if not math.isfinite(seconds):
        return "?"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def describe(event: Event) -> str | None:
    """One line for an event, None for one that needs none."""
    match event:
        case Counting():
            share = f" of {millions(event.bytes_total)}" if event.bytes_total else ""
            return (f"counting: {millions(event.bytes_read)}{share} bytes read, {millions(event.tokens)} tokens, "
                    f"{millions(event.tokens_per_second)} tokens/s")  # fmt: skip
        case Counted():
            return (f"vocabulary: {event.vocabulary:,} of {event.distinct_words:,} words; {event.tokens:,} of "
                    f"{event.tokens_read:,} tokens in {event.sentences:,} sentences")  # fmt: skip
        case Compiling():
            return "compiling for this machine (once for these sizes; kept for the next run)"
        case Training():
            percent = 100 * event.tokens_done / event.tokens_total
            return (f"epoch {event.epoch}/{event.epochs}, {percent:.1f} %, {millions(event.words_per_second)} words/s, "
                    f"lr {event.lr:.5f}, loss {decimals(event.loss)}, {duration(event.eta_seconds)} to go")  # fmt: skip
        case EpochDone():
            return f"epoch {event.epoch}: loss {decimals(event.loss)} in {duration(event.seconds)}"
        case Replaced():
            files = f" in {event.sources:,} files" if event.sources > 1 else ""
            return (f"warning: {event.sequences:,} ill-formed UTF-8 sequences{files} replaced by U+FFFD, the first in "
                    f"{event.source} at byte {event.first_byte}")  # fmt: skip
        case Summary():
            return _summary(event)
    return None


def _summary(event: Summary) -> str:
    stages = ", ".join(f"{name} {duration(seconds)}" for name, seconds in event.seconds.items())
    memory = f"; peak memory {event.peak_memory_mib:.0f} MiB" if event.peak_memory_mib else ""
    return (
        f"trained {event.vocabulary:,} words on {event.tokens:,} tokens an epoch, {event.pairs:,} pairs in all, "
        f"{millions(event.words_per_second)} words/s, loss {decimals(event.loss)}\n"
        f"time: {stages}{memory}\n"
        f"wrote {event.output}"
    )


class Display:
    """A listener for people: a bar when stderr is a terminal, a line every few seconds when it is not."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: tqdm[Any] | None = None
        self._stage = ""
        self._last = -math.inf
        self._counting: Counting | None = None
        self._gone = sys.stderr is None
        self._is_terminal = not self._gone and sys.stderr.isatty()

    def __call__(self, event: Event) -> None:
        if self._gone or (self._quiet and not isinstance(event, Replaced)):
            return
        try:
            self._show(event)
        except OSError:  # whoever read stderr went away; that is no reason to lose the training
            self._gone = True

    def _show(self, event: Event) -> None:
        if isinstance(event, Counting | Training):
            self._counting = event if isinstance(event, Counting) else None
            if self._is_terminal:
                self._show_bar(event)
            elif time.monotonic() - self._last >= LINE_SECONDS:
                self._last = time.monotonic()
                self._line(event)
                self._counting = None  # shown
            return
        if isinstance(event, Counted | Summary):
            self.close()
        if isinstance(event, Counted) and self._counting is not None:
            self._line(self._counting)  # the last one, with all that was read
        self._line(event)

    def _line(self, event: Event) -> None:
        tqdm.write(describe(event) or "", file=sys.stderr)

    def _show_bar(self, event: Counting | Training) -> None:
        done, total = (
            (event.bytes_read, event.bytes_total)
            if isinstance(event, Counting)
            else (event.tokens_done, event.tokens_total)
        )
        if isinstance(event, Training):
            title = f"epoch {event.epoch}/{event.epochs}"
            text = f"{millions(event.words_per_second)} words/s, lr {event.lr:.4f}, loss {decimals(event.loss)}"
            text += f", {duration(event.eta_seconds)} to go"
        else:
            title, text = "counting", f"{millions(event.tokens_per_second)} tokens/s"
        if self._bar is None or self._stage != event.name:
            self.close()
            self._stage = event.name
            # tqdm puts a comma before a postfix; `unit` is shown as it is.
            bar = "{desc} {percentage:3.0f} %|{bar}| {unit}" if total else "{desc} {unit}"
            self._bar = tqdm(total=total, leave=False, dynamic_ncols=True, bar_format=bar, desc=title, unit=text)
        self._bar.n, self._bar.unit, self._bar.desc = done, text, title
        self._bar.refresh()

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class JsonLog:
    """A listener that writes one JSON object a line; progress at most once a second."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last = -math.inf
        try:
            self._file: TextIO = path.open("w", encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from error

    def __call__(self, event: Event) -> None:
        if isinstance(event, Counting | Training):
            if time.monotonic() - self._last < LOG_SECONDS:
                return
            self._last = time.monotonic()
        try:
            self._file.write(dumps(event.to_dict()) + "\n")
            self._file.flush()
        except OSError as error:
            raise OutputError(f"{self._path}: cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

"""Compressed files: told by their first bytes, never by their names."""

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable
from typing import BinaryIO, cast

import zstandard

MAGIC_BYTES = 10
# What the readers raise on damaged data; OSError (without an errno) is gzip's and bz2's.
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error, zstandard.ZstdError)
# A block of zstd is at most 128 KiB of text and at least 4 bytes: so little at a time cannot become much text.
ZSTD_BYTES = 1 << 10


class _Zstd(io.RawIOBase):
    """Reads frames of zstd.

    The reader of the zstandard package takes a file that breaks off in a frame for one that ends there.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decompressor = zstandard.ZstdDecompressor()
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._compressed = self._text = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        while not self._text:
            self._compressed = self._compressed or self._stream.read(ZSTD_BYTES)
            if not self._compressed:
                if self._frame is not None:
                    raise EOFError("the last frame is not complete")
                return 0
            self._frame = self._frame or self._decompressor.decompressobj()
            self._text = self._frame.decompress(self._compressed)
            self._compressed = self._frame.unused_data
            if self._frame.eof:
                self._frame = None
        size = min(len(buffer), len(self._text))
        buffer[:size], self._text = self._text[:size], self._text[size:]
        return size


def _buffered_zstd(stream: BinaryIO) -> io.BufferedReader:
    return io.BufferedReader(_Zstd(stream), 1 << 18)


# What a format begins with, and what reads it.  bz2's three letters could begin a text; the digits of pi do not.
# zstd has skippable frames as well, with which some of its tools begin a file.
READERS: list[tuple[re.Pattern[bytes], Callable[[BinaryIO], object]]] = [
    (re.compile(rb"\x1f\x8b"), lambda stream: gzip.GzipFile(fileobj=stream)),
    (re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), bz2.BZ2File),
    (re.compile(rb"\xfd7zXZ\x00"), lzma.LZMAFile),
    (re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), _buffered_zstd),
]


def decompressed(stream: BinaryIO, head: bytes) -> BinaryIO:
    """A reader of what `stream` holds, which is itself when it is not compressed.

    Parameters
    ----------
    stream : file object at its begin
    head : its first MAGIC_BYTES bytes
    """
    for magic, reader in READERS:
        if magic.match(head):
            return cast(BinaryIO, reader(stream))
    return stream


def is_compressed(head: bytes) -> bool:
    """Whether a file that begins with these MAGIC_BYTES bytes is in one of the formats of `READERS`."""
    return any(magic.match(head) for magic, _ in READERS)

"""A corpus as a stream of ids in a temporary file, written once, read every epoch."""

import errno
import tempfile
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from w2v.errors import CorpusError, OutputError
from w2v.kernel.recode import Blocks, recode

CHUNK = 1 << 18  # ids
ID_BYTES = 4


class IdStream:
    """Token ids (int32) on disk; -1 ends a sentence.

    First provisional ids are appended; then `recode` turns them, in place, into final ones cut into blocks of
    whole sentences; then blocks are read, as often as needed.  The file has no name, so it goes with the process,
    however that ends.

    Parameters
    ----------
    folder : where the file is made; None for the system's folder of temporary files

    Attributes
    ----------
    n_blocks, n_sentences, longest, longest_block, n_tokens : int
        Known after `recode`.

    Raises
    ------
    OutputError
        When the folder cannot be written or is full.
    """

    def __init__(self, folder: str | None = None) -> None:
        try:
            self.folder = folder or tempfile.gettempdir()
            self._file: BinaryIO = tempfile.TemporaryFile(dir=self.folder, buffering=0)  # noqa: SIM115
        except OSError as error:
            raise OutputError(
                f"{folder or 'temporary folder'}: no temporary file can be made there ({error.strerror}); "
                "name another folder with --tmp-dir"
            ) from error
        self._length = 0
        self._starts = np.zeros(1, np.int64)
        self._block_tokens = np.zeros(0, np.int64)
        self._blocks = Blocks(0, 0, 0, 0, 0)

    def __enter__(self) -> "IdStream":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def n_blocks(self) -> int:
        return len(self._block_tokens)

    @property
    def n_tokens(self) -> int:
        return int(self._block_tokens.sum())

    @property
    def n_sentences(self) -> int:
        return self._blocks.n_sentences

    @property
    def longest(self) -> int:
        return self._blocks.longest

    @property
    def longest_block(self) -> int:
        """Ids of the longest block."""
        return int(np.diff(self._starts).max(initial=0))

    def append(self, ids: NDArray[np.int32]) -> None:
        """Add ids at the end."""
        self._write(ids)
        self._length += len(ids)

    def _write(self, ids: NDArray[np.int32]) -> None:
        rest = np.ascontiguousarray(ids).view(np.uint8).data
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            problem = "no space left" if full else f"cannot be written ({error.strerror})"
            raise OutputError(
                f"{self.folder}: {problem}, for the temporary file of token ids ({self._length * ID_BYTES} bytes so "
                "far, 4 a token); free some or name another folder with --tmp-dir"
            ) from error

    def recode(self, final_ids: NDArray[np.int32], block_tokens: int) -> None:
        """Replace provisional ids by `final_ids`[id] (-1 drops the word), in blocks of about `block_tokens`."""
        starts, tokens = [np.zeros(1, np.int64)], []
        out = np.empty(CHUNK, np.int32)
        cuts, cut_tokens = np.empty((2, CHUNK // max(1, block_tokens) + 2), np.int64)
        blocks, written = Blocks(0, 0, 0, 0, 0), 0
        for ids in self._chunks():
            n_out, n_cuts, state = recode(ids, final_ids, block_tokens, blocks, out, cuts, cut_tokens)
            blocks = Blocks(*state)
            self._file.seek(written * ID_BYTES)
            self._write(out[:n_out])  # never overtakes the reading: nothing gets longer
            written += n_out
            starts.append(cuts[:n_cuts].copy())
            tokens.append(cut_tokens[:n_cuts].copy())
        if blocks.block_tokens:
            starts.append(np.array([blocks.position]))
            tokens.append(np.array([blocks.block_tokens]))
        self._file.truncate(written * ID_BYTES)
        self._length, self._blocks = written, blocks
        self._starts, self._block_tokens = (
            np.concatenate(starts),
            np.concatenate([*tokens, np.zeros(0, np.int64)]),
        )

    def _chunks(self) -> Iterator[NDArray[np.int32]]:
        for begin in range(0, self._length, CHUNK):
            yield self._read(begin, min(begin + CHUNK, self._length))

    def _read(self, begin: int, end: int) -> NDArray[np.int32]:
        ids = np.empty(end - begin, np.int32)
        rest = ids.view(np.uint8).data
        self._file.seek(begin * ID_BYTES)
        while rest:
            n_read = self._file.readinto(rest)  # type: ignore[attr-defined]
            if not n_read:
                raise CorpusError(f"{self.folder}: the temporary file of token ids has been cut short")
            rest = rest[n_read:]
        return ids

    def block(self, number: int) -> tuple[NDArray[np.int32], int]:
        """Ids of one block of whole sentences, and how many tokens are in it.  Not for several threads at once."""
        begin, end = self._starts[number : number + 2]
        return self._read(int(begin), int(end)), int(self._block_tokens[number])

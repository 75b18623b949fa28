"""Files that are not vectors but are given as such: what they are and what to do."""

import os
from pathlib import Path

from w2v.errors import VectorsError
from w2v.formats.base import HEAD_BYTES, Head
from w2v.formats.regular import open_regular
from w2v.formats.text import is_number_table

_DECOMPRESS = "a compressed file; decompress it first: "
_MAGIC = (
    (b"\x1f\x8b", _DECOMPRESS + "gzip -dk {path}"),
    (b"\xfd7zXZ\x00", _DECOMPRESS + "xz -dk {path}"),
    (b"BZh", _DECOMPRESS + "bzip2 -dk {path}"),
    (b"\x28\xb5\x2f\xfd", _DECOMPRESS + "zstd -d {path}"),
    (b"PK\x03\x04", "a zip archive; unpack it first: unzip {path}"),
    (
        b"\x93NUMPY",
        "a NumPy array, which holds no words (w2v only writes these); give the file it was made from",
    ),
    (
        b"\xba\x16\x4f\x2f",
        "a fastText model, whose subwords w2v does not know; give the .vec file that belongs to it",
    ),
)
_PICKLE = (
    "a pickle, which can run code when read; if gensim saved it, write the vectors from Python with "
    "`model.wv.save_word2vec_format('vectors.bin', binary=True)`"
)
_HTML = "a web page, not vectors; the download failed or wants a login: fetch the file itself"
_NUMBERS = "a table of numbers without words (w2v only writes these); give the file it was made from"
_OTHER = (
    "not a file of vectors: it begins neither with a header `count dimension`, nor with a word and its "
    "numbers, nor like safetensors; if it is a corpus, train on it first: w2v train {path}"
)


def open_head(path: Path) -> Head:
    """Read a file's beginning.

    Raises
    ------
    VectorsError
        When the file is missing, not readable, not a regular file, or empty.
    """
    try:
        with open_regular(path) as stream:
            data, size = stream.read(HEAD_BYTES), os.fstat(stream.fileno()).st_size
    except IsADirectoryError:
        raise VectorsError(f"{path}: is a directory; name the file of vectors in it") from None
    except FileNotFoundError:
        raise VectorsError(f"{path}: no such file; train vectors with `w2v train CORPUS` or name their file") from None
    except OSError as error:
        raise VectorsError(f"{path}: cannot be read ({error.strerror})") from None
    if not data:
        raise VectorsError(f"{path}: is empty; fetch or write it again")
    return Head(path, data, size)


def refusal(head: Head) -> VectorsError | None:
    """The error for a file known not to be vectors, or None."""
    for magic, remedy in _MAGIC:
        if head.data.startswith(magic):
            return VectorsError(f"{head.path}: {remedy.format(path=head.path)}")
    if head.data[:1] == b"\x80" and head.data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return VectorsError(f"{head.path}: {_PICKLE}")
    beginning = head.data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if beginning.startswith((b"<!doctype", b"<html", b"<head", b"<?xml", b"<!--")):
        return VectorsError(f"{head.path}: {_HTML}")
    if is_number_table(head.data):
        return VectorsError(f"{head.path}: {_NUMBERS}")
    return None


def unknown(head: Head) -> VectorsError:
    """The error for a file that no format recognises."""
    return VectorsError(f"{head.path}: {_OTHER.format(path=head.path)}")

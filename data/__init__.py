"""Benchmark sets and corpora by name: `path("men")` is a file, downloaded when it is not at hand."""

from w2v.data.catalog import find as path

__all__ = ["path"]

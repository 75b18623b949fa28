"""Benchmarks of word vectors, and the measurements the README reports."""

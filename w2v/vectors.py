"""Vectors: words and their matrix, and what one asks of them."""

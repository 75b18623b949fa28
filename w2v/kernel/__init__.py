"""Compiled code: tokeniser, sampling, the training loop."""

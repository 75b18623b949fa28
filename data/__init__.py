"""Data that ships with w2v."""

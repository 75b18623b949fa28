"""Settings of all tests."""

from hypothesis import settings

# The first call of a compiled function may compile, and machines differ: no example has a deadline.
settings.register_profile("w2v", deadline=None)
settings.load_profile("w2v")

"""Settings of all tests."""

import signal

from hypothesis import settings

# A shell's background jobs ignore SIGINT, and so would the programs that tests start and stop.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The first call of a compiled function may compile, and machines differ: no example has a deadline.
settings.register_profile("w2v", deadline=None)
settings.load_profile("w2v")

"""Settings of all tests."""

import signal

import pytest
from hypothesis import settings

# A shell's background jobs ignore SIGINT, and so would the programs that tests start and stop.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The first call of a compiled function may compile, and machines differ: no example has a deadline.
settings.register_profile("w2v", deadline=None)
settings.load_profile("w2v")

# Files go to the processes one after the other; those that compile most go first, so that none ends alone.
SLOWEST_FILES = ("test_readme.py", "test_jit.py", "test_optima.py", "test_kernel.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = {name: place for place, name in enumerate(SLOWEST_FILES)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))

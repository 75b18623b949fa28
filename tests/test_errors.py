"""Messages of errors: one line that does not steer the terminal, whatever the names in them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from w2v.errors import CorpusError, OutputError, UnknownWordError, VectorsError, W2VError, shown


@pytest.mark.parametrize("kind", [W2VError, CorpusError, OutputError, VectorsError])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.bin", "a.bin"),
        ("a\nError: b", "a\\nError: b"),
        ("a\r\tb\x00", "a\\r\\tb\\x00"),
        ("\x1b[2J\x9b31m\x7f", "\\x1b[2J\\x9b31m\\x7f"),
        ("\u202egnp.exe\u2066\u200e\ufeff", "\\u202egnp.exe\\u2066\\u200e\\ufeff"),
        ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
        ("caf\udce9", "caf\\udce9"),
        ("\U000e0041", "\\U000e0041"),
        ("naïve 日本 می\u200cخواهم क्\u200dष co\u00adop 👍", "naïve 日本 می\u200cخواهم क्\u200dष co\u00adop 👍"),
        ("C:\\new\\x", "C:\\new\\x"),
    ],
)
def test_names_in_messages(kind: type[W2VError], name: str, expected: str) -> None:
    assert str(kind(f"{name}: no such file")) == f"{expected}: no such file"


def test_unknown_words() -> None:
    error = UnknownWordError("'a\nb' is unknown", ["a\nb"])
    assert str(error) == "'a\\nb' is unknown"
    assert error.words == ["a\nb"]


@given(st.text())
def test_any_message_is_one_line(text: str) -> None:
    message = str(W2VError(text))
    assert len(message.splitlines()) == bool(text)
    message.encode()
    odd = {character for character in message if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert odd <= set("\u00ad\u200c\u200d")


def test_long_words_are_cut() -> None:
    assert shown("a" * 40) == f"'{'a' * 40}'"
    assert shown("a" * 41) == f"'{'a' * 40}'..."
    assert shown("a\n") == "'a\\n'"

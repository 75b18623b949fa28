"""How words of a set are found: letter case, Unicode forms, a restricted vocabulary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_vectors import of_words

from w2v.errors import ConfigError
from w2v.eval.lookup import CASES, Lookup
from w2v.vectors import Vectors


def found(lookup: Lookup, *words: str) -> list[int | None]:
    return [lookup.find(word) for word in words]


@pytest.mark.parametrize(
    ("words", "case"),
    [
        (("athens", "été", "ısı", "straße", "42", "中"), "lower"),
        (("athens", "Polish"), "none"),
        (("athens", "Élan"), "none"),
        (("athens", "İzmir"), "none"),
        (("athens", "ΑΘΗΝΑ"), "none"),
        (("athens", "ǅ"), "none"),  # a title-case letter is no small letter
        (("athens", "\U0001d400"), "lower"),  # a mathematical A, which has no small letter
    ],
)
def test_auto_is_lower_where_no_letter_is_a_capital(words: tuple[str, ...], case: str) -> None:
    assert Lookup(of_words(*words)).case == case


def test_auto_judges_the_whole_vocabulary_also_when_it_is_restricted() -> None:
    assert Lookup(of_words("athens", "Polish"), restrict_vocab=1).case == "none"


def test_lower_case_vocabulary_is_found_by_capitalised_words() -> None:
    lookup = Lookup(of_words("athens", "été"))
    assert found(lookup, "Athens", "athens", "ÉTÉ", "Greece") == [0, 0, 1, None]


def test_vocabulary_with_capitals_is_taken_at_its_word() -> None:
    lookup = Lookup(of_words("polish", "Polish", "athens"))
    assert found(lookup, "Polish", "polish", "Athens", "POLISH") == [1, 0, None, None]


def test_none_keeps_capitals_for_a_lower_case_vocabulary() -> None:
    vectors = of_words("athens", config={"lowercase": True, "normalize": "none"})
    assert found(Lookup(vectors, "none"), "athens", "Athens") == [0, None]
    assert found(Lookup(vectors), "athens", "Athens") == [0, 0]


def test_lower_does_not_touch_the_vocabulary() -> None:
    assert found(Lookup(of_words("Polish", "polish"), "lower"), "POLISH", "Polish") == [1, 1]
    assert found(Lookup(of_words("Polish"), "lower"), "Polish") == [None]


def test_fold_takes_the_most_frequent_variant_and_counts_collisions() -> None:
    lookup = Lookup(of_words("Us", "us", "the", "US", "The", "lone"), "fold")
    assert found(lookup, "us", "US", "uS", "THE", "Lone", "other") == [0, 0, 0, 2, 5, None]
    assert lookup.collisions == 3
    assert [lookup.variants(row) for row in (0, 2, 5)] == [(0, 1, 3), (2, 4), (5,)]


@pytest.mark.parametrize("case", ["none", "lower"])
def test_without_folding_nothing_collides(case: str) -> None:
    lookup = Lookup(of_words("Us", "us"), case)
    assert (lookup.collisions, lookup.variants(0)) == (0, (0,))


def test_turkish_i_follows_no_language() -> None:
    # Dotless i is a letter of its own; capital I is i; capital dotted i is i and a combining dot.
    words = ("ısı", "isi", "izmir", "i\u0307zmir")
    for case in ("lower", "fold"):
        lookup = Lookup(of_words(*words), case)
        assert found(lookup, "ısı", "ISI", "Isı", "İzmir", "IZMIR") == [0, 1, None, 3, 2]
    lookup = Lookup(of_words("ISI", "ısı", "İzmir", "izmir"), "fold")
    assert lookup.collisions == 0
    assert found(lookup, "isi", "İZMİR", "i\u0307zmir", "IZMIR") == [0, None, 2, 3]


def test_german_sharp_s() -> None:
    words = ("strasse", "straße", "STRASSE")
    # Lower-casing keeps ß apart from ss, folding does not.
    assert found(Lookup(of_words(*words[:2])), "Straße", "STRASSE", "STRAẞE") == [1, 0, 1]
    lookup = Lookup(of_words(*words), "fold")
    assert found(lookup, "Straße", "STRASSE", "STRAẞE") == [0, 0, 0]
    assert lookup.collisions == 2


def test_words_get_the_unicode_form_of_the_training_text() -> None:
    vectors = of_words("\xe9t\xe9", "IBM", config={"lowercase": False, "normalize": "nfc"})
    for case in CASES:
        expected = [0, None] if case == "lower" else [0, 1]
        assert found(Lookup(vectors, case), "e\u0301te\u0301", "IBM") == expected
    assert found(Lookup(vectors, "fold"), "E\u0301TE\u0301") == [0]


def test_words_behind_the_restriction_are_unknown() -> None:
    vectors = of_words("a", "b", "B", "A")
    assert found(Lookup(vectors, "none", 2), "a", "b", "B") == [0, 1, None]
    assert found(Lookup(vectors, "fold", 3), "A", "B") == [0, 1]
    assert (Lookup(vectors, "fold", 3).collisions, Lookup(vectors, "fold").collisions) == (1, 2)
    assert Lookup(vectors, restrict_vocab=9).n_words == 4
    assert Lookup(vectors, restrict_vocab=3).units.shape == (3, 4)


@pytest.mark.parametrize(("case", "restrict_vocab", "message"), [("Lower", None, "'Lower'"), ("auto", 0, "0 words")])
def test_settings_that_make_no_sense(case: str, restrict_vocab: int | None, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Lookup(of_words("a"), case, restrict_vocab)


def test_rows_of_items_and_which_are_seen() -> None:
    rows, seen = Lookup(of_words("a", "b", "c")).rows_of([("a", "c"), ("a", "x"), ("B", "b")])
    assert (rows.tolist(), seen.tolist()) == ([[0, 2], [1, 1]], [True, False, True])


@settings(deadline=None)
@given(words=st.lists(st.text(st.characters(exclude_categories=("Z", "C")), min_size=1), min_size=1, unique=True))
def test_every_word_is_found_by_its_own_spelling(words: list[str]) -> None:
    vectors = Vectors(words, np.ones((len(words), 1), np.float32))
    none, fold = Lookup(vectors, "none"), Lookup(vectors, "fold")
    assert found(none, *words) == list(range(len(words)))
    different = {word.casefold() for word in words}
    assert fold.collisions == len(words) - len(different)
    for row, word in enumerate(words):
        first = fold.find(word)
        assert first is not None
        assert first <= row
        assert row in fold.variants(first)
    if all(word == word.lower() for word in words):
        assert found(Lookup(vectors), *words) == list(range(len(words)))

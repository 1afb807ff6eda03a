"""How wide words are, before they are drawn, and what becomes of those that are too wide."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from measured import places
from property_settings import examples
from rejudge.report.drawing import Drawing, distinct_names, text_width, truncate, wrap

LETTERS = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz 0123456789.,-–_()/&%+=*#@'’ÄÖÜäöüßéñøæŁš",
    "ΑΒΓΔΘΛΞΠΣΦΨΩαβγδεζηθλμνξπρστυφχψω ",
    "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯабвгдежзиклмнопрстуфхцчшщыьэюя ",
    "系统一号机器翻译比較東京のカタナ",
    "한국어시스템번역",
    "نظامالترجمةسشصضبتثجحخدذرزعغفقكلمهوي ",
    "אבגדהוזחטיכלמנסעפצקרשת ",
)
labels = st.one_of([st.text(alphabet, min_size=1, max_size=24) for alphabet in LETTERS])


def measured(words: str, kind: str) -> float:
    drawing = Drawing("t", "s", width=2000)
    drawing.text(10, 20, words, kind=kind)
    (place,) = places(drawing.finish(40))
    return place.right - place.left


@pytest.mark.parametrize("kind", ["", "strong"])
@settings(deadline=None, max_examples=examples(60))
@given(words=labels.filter(str.strip))
def test_words_are_never_wider_than_they_were_thought(kind, words):
    kept = " ".join(words.split())
    assert measured(kept, kind) <= text_width(kept) + 1


@pytest.mark.parametrize("kind", ["", "strong"])
@settings(max_examples=examples(60))
@given(words=st.text(min_size=1, max_size=12).filter(lambda text: text.split()))
@example(words="0<ʣ")  # a screen's pixels round three letters up by more than one
def test_letters_that_no_table_knows_are_not_printed_wider_either(kind, words):
    kept = " ".join(words.split())
    drawing = Drawing("t", "s", width=2000)
    drawing.text(10, 20, kept, kind=kind)
    found = places(drawing.finish(40))
    assert all(each.right - each.left <= text_width(kept) + 1 for each in found)


@settings(deadline=None, max_examples=examples(60))
@given(
    words=st.text(LETTERS[0], min_size=8, max_size=40).filter(lambda text: len(text.strip()) > 7)
)
def test_latin_words_are_not_thought_much_wider_than_they_are(words):
    kept = " ".join(words.split())
    assert text_width(kept) <= 1.25 * measured(kept, "strong") + 6


def test_a_chinese_letter_is_a_square_of_the_size_of_the_letters():
    assert text_width("系统") == 24


def test_marks_upon_letters_take_no_room():
    assert text_width("e\u0301") == text_width("é") == text_width("e")


@given(words=labels, most=st.floats(30, 200))
def test_what_is_cut_fits_and_begins_as_before(words, most):
    short = truncate(words, most)
    assert text_width(short) <= most
    assert words.startswith(short.removesuffix("…").rstrip())


def test_what_fits_is_not_cut():
    assert truncate("VAE", 40) == "VAE"


@given(words=labels, most=st.floats(30, 200), lines=st.integers(1, 4))
def test_lines_fit_are_few_and_lose_nothing_but_the_end(words, most, lines):
    found = wrap(words, most, lines)
    assert len(found) <= lines
    assert all(text_width(line) <= most for line in found)
    whole = "".join("".join(found).split()).removesuffix("…")
    assert "".join(words.split()).startswith(whole)


def test_lines_break_between_words_where_they_can():
    assert wrap("van der Berg and Popović", 110) == ["van der Berg", "and Popović"]


def test_long_names_that_begin_alike_stay_distinct():
    names = ["System number 1 with a name", "System number 2 with a name", "VAE"]
    assert distinct_names(names, 100) == ["…1 with a name", "…2 with a name", "VAE"]


def test_names_that_can_be_told_apart_stay_as_they_are():
    names = ["Separator of old", "LBoW", "Separator"]
    assert distinct_names(names, 400) == names


def test_the_same_name_twice_is_nobodys_fault():
    assert distinct_names(["Separator of old"] * 2, 40) == ["Separator of old"] * 2

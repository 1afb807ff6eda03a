"""Words that pages are searched for, by language."""

from __future__ import annotations

from rejudge.lint.page_text import has_word, language_words


def test_words_are_known_for_a_language_whatever_its_script_or_region():
    assert language_words("zh-Hant") is language_words("zh")
    assert language_words("fi") is None


def test_a_word_is_found_by_its_beginning_but_not_inside_another():
    assert has_word("You may withdraw.", ("withdr",))
    assert not has_word("a notwithdrawn case", ("withdr",))
    assert has_word("您可以随时退出", ("退出",))


def test_a_denied_rejection_is_no_threat():
    english = language_words("en")
    assert english is not None
    assert english.threatens("Your submission will be rejected if you fail.")
    assert not english.threatens("No submission will be rejected.")

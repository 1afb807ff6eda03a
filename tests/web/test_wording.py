"""The words of the interface: whole in every language, and a study's own where it gives some."""

from __future__ import annotations

import json

import pytest

from participants import PAIRWISE, made_study
from rejudge.errors import StudyError
from rejudge.web.wording import LANGUAGES, Words, catalogue, placeholders, read_interface


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_catalogue_has_every_text_with_the_same_placeholders(language):
    english, other = catalogue("en"), catalogue(language)
    assert set(other) == set(english)
    for key, text in other.items():
        assert placeholders(text) == placeholders(english[key]), key
        assert text.strip()


def test_the_language_of_the_interface_is_that_of_the_study_or_the_one_asked_for(opened):
    german = opened(made_study(PAIRWISE, language="de-AT")).person()
    german.arrive()
    assert '<html lang="de-AT" dir="ltr">' in german.page.text
    assert "Ich stimme zu" in german.text
    arabic = opened(made_study(PAIRWISE, site={"language": "ar"})).person()
    arabic.arrive()
    assert '<html lang="ar" dir="rtl">' in arabic.page.text
    assert '<div class="card prose" lang="en" dir="auto">' in arabic.page.text


def test_a_language_without_a_catalogue_falls_back_to_english_unless_the_study_has_texts():
    assert Words("fr").language == "en"
    french = Words("fr", {"next": "Suivant"})
    assert (french.language, french("next"), french("back")) == ("fr", "Suivant", "Back")


def test_own_words_replace_those_of_the_catalogue(opened):
    person = opened(interface=read_interface(b'{"input": "Question"}')).person()
    person.to_tasks()
    assert "Question" in person.text
    assert "Original" not in person.text


@pytest.mark.parametrize(
    ("own", "what"),
    [
        ({"nxt": "Go"}, "there is no text with this name"),
        ({"next": ""}, "this is not text"),
        ({"next": 3}, "this is not text"),
        ({"next": "Go {where}"}, "there is no value for where"),
        ({"task_of": "{number!x} of {all}"}, "there is no value for number!x"),
        ({"task_of": "{number:x} of {all}"}, "there is no value for number:x"),
        ({"next": "Go {"}, "a brace is not closed"),
        (["next"], "a list"),
    ],
)
def test_what_is_wrong_with_own_words_is_said(own, what):
    with pytest.raises(StudyError, match=what):
        read_interface(json.dumps(own).encode())


def test_own_words_that_are_no_json_are_refused():
    with pytest.raises(StudyError, match=r'not JSON.*Write, for example, \{"next": "Continue"\}'):
        read_interface(b"{next: Go}")

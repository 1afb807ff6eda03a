"""Invitations are written in every language of the site, and say the same."""

from __future__ import annotations

import pytest

from rejudge.collect.invitation_texts import invitation_texts
from rejudge.collect.invitations import refuse_unknown_placeholders, write_text
from rejudge.study.model import placeholders
from rejudge.web.wording import LANGUAGES

ENGLISH = invitation_texts("en")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("which", ["invitation", "briefing"])
def test_every_language_of_the_site_has_texts_that_can_be_filled(language, which):
    template = getattr(invitation_texts(language), which)
    refuse_unknown_placeholders(template, file="x")
    assert sorted(placeholders(template)) == sorted(placeholders(getattr(ENGLISH, which)))
    assert "{" not in write_text(template, dict.fromkeys(placeholders(template), "X"))


def test_languages_differ():
    assert len({invitation_texts(each).invitation for each in LANGUAGES}) == len(LANGUAGES)


@pytest.mark.parametrize(("given", "like"), [("zh-Hant", "zh"), ("de-AT", "de"), ("sw", "en")])
def test_a_region_follows_its_language_and_others_are_english(given, like):
    assert invitation_texts(given) is invitation_texts(like)

"""The sentence on how long data are kept."""

from __future__ import annotations

from datetime import date

import pytest

from rejudge.design.retention_phrases import retention_sentence
from rejudge.study import Retention
from rejudge.web.wording import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_of_the_site_has_it(language):
    day = Retention(until=date(2031, 6, 30), delete=("platform-ids", "times", "free-text"))
    said = {
        retention_sentence(each, language)
        for each in (
            day,
            Retention(days=1),
            Retention(days=2),
            Retention(days=2, delete=("everything",)),
        )
    }
    assert len(said) == 4
    assert "2031-06-30" in (retention_sentence(day, language) or "")
    assert not [each for each in said if each is None or "{" in each]


def test_it_reads_well_in_english():
    kept = Retention(days=30, delete=("free-text", "platform-ids", "times"))
    assert retention_sentence(kept, "en-GB") == (
        "30 days after the last answer in this study we delete your platform id, all times and "
        "technical data and what you wrote in your own words."
    )


def test_other_languages_have_none():
    assert retention_sentence(Retention(days=1), "fr") is None

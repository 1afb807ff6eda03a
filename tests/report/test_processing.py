"""The record of processing: only what the study says, and what it does not say is marked."""

from __future__ import annotations

from datetime import date

from judged_study import PAIRWISE, small_study
from rejudge.report.blocks import to_html
from rejudge.report.processing import StoredAmounts, processing_record, record_markdown
from rejudge.study.model import Study
from valid_html import faults

ON = date(2026, 5, 4)


def pages_of(study: Study, stored: StoredAmounts | None = None) -> tuple[str, str]:
    record = processing_record(study, stored, on=ON)
    return record_markdown(record), to_html(record)


def test_what_is_not_stated_names_the_key_that_states_it():
    text, html = pages_of(small_study(PAIRWISE))
    for key in ("contact", "ethics", "retention", "processing.controller", "processing.purpose"):
        assert f"not stated (\\`{key.replace('_', chr(92) + '_')}\\` in study.yaml)" in text
    assert "not legal advice" in text
    assert faults(html) == []


def test_what_is_stated_and_stored_is_on_the_page():
    study = small_study(
        PAIRWISE,
        recruitment={"platform": "prolific"},
        contact={"name": "Ada Example", "email": "ada@example.org"},
        retention={"until": date(2030, 1, 2), "delete": ("platform-ids", "free-text")},
        processing={"controller": "University of Example", "legal_basis": "consent"},
    )
    stored = StoredAmounts(3, 2, 40, 17, 1, 1, ("age",))
    text, html = pages_of(study, stored)
    for words in (
        "University of Example",
        "2030-01-02",
        "3 participants stored",
        "1 person stored",
    ):
        assert words in text
        assert words in html
    assert "Demographics from the platform | age" in text
    assert "processing.controller" not in text


def test_hostile_words_stay_words():
    study = small_study(
        PAIRWISE,
        title="<script>alert(1)</script> | *x*",
        processing={"controller": "a | b\n\n# c <img src=x>"},
    )
    text, html = pages_of(study)
    assert "<script>alert(1)" not in html
    assert "<img" not in html.replace("&lt;img", "")
    assert "a \\| b \\# c \\<img src=x\\>" in text
    assert faults(html) == []


def test_screening_questions_are_named():
    asked = {
        "id": "fluent",
        "prompt": "Are you fluent?",
        "options": ["yes", "no"],
        "admit": ["yes"],
    }
    screened = {"platform": "prolific", "screening": {"questions": [asked]}}
    text, _ = pages_of(small_study(PAIRWISE, recruitment=screened))
    assert "Are you fluent?" in text
    assert "Screening questions" not in pages_of(small_study(PAIRWISE))[0]

"""The participants' site: what it asks at the end, its statements and its layout."""

from __future__ import annotations

import pytest

from rejudge.study.site import ExitQuestion, LayoutField, Site, SiteLayout


def test_a_choice_at_the_end_needs_two_options():
    with pytest.raises(ValueError, match="a choice needs two options or more"):
        ExitQuestion(id="x", prompt="Which?", options=("one",))
    assert ExitQuestion(id="x", prompt="Why?", kind="text").options == ()


def test_statements_of_the_consent_page_have_their_own_ids():
    statement = {"id": "adult", "text": "I am at least 18 years old."}
    with pytest.raises(ValueError, match="the id 'adult' is used twice"):
        Site.model_validate({"consent_statements": [statement, statement]})


def test_values_of_a_field_may_be_written_as_numbers():
    field = LayoutField.model_validate(
        {"name": "score", "question": "q", "answers": {1: 5, 2.5: "b"}}
    )
    assert field.answers == {"1": "5", "2.5": "b"}


def test_names_in_a_layout_end_in_the_number_of_the_item_unless_they_do_not():
    fields = [{"name": "meaning", "question": "q"}]
    layout = SiteLayout.model_validate({"outputs": ["a", "b"], "input": "text", "fields": fields})
    assert layout.texts == ("a", "b", "text")
    assert layout.split("meaning2") == ("meaning", 2)
    plain = layout.model_copy(update={"numbered": False})
    assert plain.split("meaning2") == ("meaning2", None)

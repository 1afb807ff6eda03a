"""Elements of layouts: what each of them asks for, and what never reaches a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rejudge.exchange.mturk_elements import (
    ATTRIBUTES,
    CROWD,
    INPUT_TYPES,
    LEFT_OUT,
    LOADED,
    PLAIN,
    VOID,
    classifier_html,
    control_of,
    input_type,
)


@pytest.mark.parametrize(
    ("tag", "given_attributes", "kind", "values"),
    [
        ("input", {"type": "radio", "value": "A"}, "choice", ("A",)),
        ("input", {"type": "RADIO"}, "choice", ("on",)),
        ("input", {"type": "checkbox", "value": "yes"}, "choices", ("yes",)),
        ("input", {}, "text", ()),
        ("select", {}, "choice", ()),
        ("select", {"multiple": ""}, "choices", ()),
        ("crowd-checkbox", {}, "choices", ("true",)),
        ("crowd-classifier", {"categories": '["x", 2]'}, "choice", ("x", "2")),
        ("crowd-classifier", {"categories": "x, y"}, "choice", ()),
        ("crowd-classifier", {"categories": '{"x": 1}'}, "choice", ()),
    ],
)
def test_a_tag_asks_for_its_kind_of_answer(tag, given_attributes, kind, values):
    control = control_of(tag, {"name": " q ", **given_attributes}, "How?")
    assert control is not None
    assert (control.name, control.kind, control.values) == ("q", kind, values)


@pytest.mark.parametrize("kind", ["file", "password", "hidden", "submit", "image"])
def test_fields_that_nobody_answers_are_no_controls_and_never_shown(kind):
    assert control_of("input", {"type": kind}, "") is None
    assert input_type("input", "input", {"type": kind}) == "text"


@pytest.mark.parametrize(
    ("ends", "bounds"),
    [
        ({"min": "0", "max": "10"}, (0.0, 10.0)),
        ({"min": "-1.5", "max": "2"}, (-1.5, 2.0)),
        ({"min": "0"}, None),
        ({"min": "low", "max": "high"}, None),
    ],
)
def test_a_slider_has_bounds_where_both_are_numbers(ends, bounds):
    control = control_of("crowd-slider", ends, "")
    assert control is not None
    assert control.bounds == bounds


def test_nothing_that_loads_or_runs_is_plain():
    assert not PLAIN & (LEFT_OUT | LOADED)
    assert set(CROWD.values()) <= PLAIN
    assert VOID <= PLAIN
    assert not {name for name in ATTRIBUTES if name.startswith("on")}
    assert not ATTRIBUTES & {"src", "href", "action", "formaction", "srcdoc"}


def test_no_button_submits():
    assert input_type("button", "button", {"type": "submit"}) == "button"
    assert input_type("crowd-button", "button", {}) == "button"


@given(st.sampled_from(["input", *CROWD]), st.text(max_size=10))
def test_an_input_is_always_of_a_harmless_type(tag, kind):
    assert input_type(tag, "input", {"type": kind}) in INPUT_TYPES


def test_categories_of_a_classifier_are_escaped():
    html = classifier_html({"name": 'a"b', "header": "<i>", "categories": '["<b>\\" onclick=x"]'})
    assert "<i>" not in html
    assert "<b>" not in html
    assert html.count('"') == 6  # type, name and value of one input

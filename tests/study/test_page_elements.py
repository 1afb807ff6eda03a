"""What the elements of a layout ask for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.study.page_elements import (
    ATTRIBUTES,
    CROWD,
    DATA_IMAGE,
    INPUT_TYPES,
    LEFT_OUT,
    LOADED,
    PLAIN,
    VOID,
    categories,
    control_of,
    input_type,
)


@pytest.mark.parametrize(
    ("tag", "given", "kind"),
    [
        ("input", {"name": "q"}, "text"),
        ("input", {"name": "q", "type": "EMAIL"}, "text"),
        ("input", {"name": "q", "type": "radio", "value": "1"}, "choice"),
        ("input", {"name": "q", "type": "range", "min": "1", "max": "5"}, "number"),
        ("select", {"name": "q", "multiple": ""}, "choices"),
        ("crowd-slider", {"name": "q"}, "number"),
    ],
)
def test_controls_are_told_apart(tag: str, given: dict[str, str], kind: str) -> None:
    found = control_of(tag, given, "words")
    assert found is not None
    assert (found.kind, found.prompt) == (kind, "words")


@pytest.mark.parametrize("given", ["", "[", "7", '{"a": 1}', "null"])
def test_broken_categories_are_none(given: str) -> None:
    assert categories({"categories": given}) == ()


def test_unknown_inputs_are_text_and_buttons_do_not_send() -> None:
    assert input_type("input", "input", {"type": "color"}) == "text"
    assert input_type("button", "button", {"type": "submit"}) == "button"


@pytest.mark.parametrize("source", ["data:image/svg+xml;base64,AA==", "data:text/html,x", "//e/x"])
def test_only_plain_pictures_in_the_layout_are_shown(source: str) -> None:
    assert DATA_IMAGE.fullmatch(source) is None


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

"""What the elements of a layout ask for."""

from __future__ import annotations

import pytest

from rejudge.study.page_elements import DATA_IMAGE, categories, control_of, input_type


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


@pytest.mark.parametrize("kind", ["hidden", "submit", "file", "password", "image"])
def test_what_asks_for_nothing_is_no_control(kind: str) -> None:
    assert control_of("input", {"name": "q", "type": kind}, "") is None


@pytest.mark.parametrize("given", ["", "[", "7", '{"a": 1}', "null"])
def test_broken_categories_are_none(given: str) -> None:
    assert categories({"categories": given}) == ()


def test_unknown_inputs_are_text_and_buttons_do_not_send() -> None:
    assert input_type("input", "input", {"type": "color"}) == "text"
    assert input_type("button", "button", {"type": "submit"}) == "button"


@pytest.mark.parametrize("source", ["data:image/svg+xml;base64,AA==", "data:text/html,x", "//e/x"])
def test_only_plain_pictures_in_the_layout_are_shown(source: str) -> None:
    assert DATA_IMAGE.fullmatch(source) is None

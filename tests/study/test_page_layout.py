"""Layouts of Mechanical Turk are read, and shown safely."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mturk_files as files
from rejudge.errors import FileError
from rejudge.study.page_elements import ATTRIBUTES, PLAIN
from rejudge.study.page_layout import frame_layout, parse_layout, render_layout


class _Tags(HTMLParser):
    """Every element and attribute of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def seen(page: str) -> _Tags:
    body = page.partition("<body>")[2]
    tags = _Tags()
    tags.feed(body)
    tags.close()
    return tags


def shown(html: str, **values: str) -> _Tags:
    return seen(render_layout(parse_layout(html), values))


def test_placeholders_and_controls_are_found() -> None:
    layout = parse_layout(files.layout(2, ("meaning",)))
    assert layout.placeholders == (
        "input0",
        "outputa0",
        "outputb0",
        "input1",
        "outputa1",
        "outputb1",
    )
    controls = {control.name: control for control in layout.controls}
    assert controls["meaning0"].values == ("A", "B")
    assert controls["meaning0"].is_required
    assert controls["meaning0"].prompt == "Most meaning version"
    assert controls["consent"].kind == "choices"
    assert layout.left_out == ("link", "script")
    assert layout.introduction == ("Instructions", "Read {all} sentences & choose. I consent")


def test_crowd_elements_become_plain_controls() -> None:
    layout = parse_layout(
        '<crowd-form><crowd-input name="a" required></crowd-input>'
        '<crowd-text-area name="b"></crowd-text-area>'
        '<crowd-checkbox name="c">yes</crowd-checkbox>'
        '<crowd-radio-group><crowd-radio-button name="d" value="1">one</crowd-radio-button>'
        '<crowd-radio-button name="d" value="2">two</crowd-radio-button></crowd-radio-group>'
        '<crowd-slider name="e" min="0" max="10"></crowd-slider>'
        """<crowd-classifier name="f" categories='["x", "y"]' header="Which?"></crowd-classifier>"""
        '<select name="g"><option value="3">three</option><option value="4">four</option></select>'
        '<crowd-bounding-box name="h"></crowd-bounding-box></crowd-form>'
    )
    found = {c.name: (c.kind, c.values, c.bounds) for c in layout.controls}
    assert found == {
        "a": ("text", (), None),
        "b": ("text", (), None),
        "c": ("choices", ("true",), None),
        "d": ("choice", ("1", "2"), None),
        "e": ("number", (), (0.0, 10.0)),
        "f": ("choice", ("x", "y"), None),
        "g": ("choice", ("3", "4"), None),
    }
    assert layout.untranslated == ("crowd-bounding-box",)
    page = seen(render_layout(layout, {}))
    kinds = [value for tag, name, value in page.attributes if (tag, name) == ("input", "type")]
    assert kinds == ["text", "checkbox", "radio", "radio", "range", "radio", "radio"]
    assert not any(tag.startswith("crowd-") for tag in page.tags)


@pytest.mark.parametrize(
    "value",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</textarea><script>",
        "${other}",
        "{{ 7 * 7 }}",
        "&lt;b&gt;",
        "\u202eright to left",
    ],
)
def test_a_value_is_shown_as_it_is_and_nothing_else(value: str) -> None:
    page = shown("<p>${x}</p><input name='q' value='${x}'>", x=value, other="hidden")
    assert page.text.strip() == value
    assert page.tags == ["p", "input"]
    assert ("input", "value", value) in page.attributes
    assert "hidden" not in page.text


def test_columns_with_markup_are_cleaned_and_not_filled_again() -> None:
    layout = parse_layout("<p>${x}</p>")
    value = '<b>bold</b><script>alert(1)</script>${x}<img src="http://e.org/x.png">'
    page = seen(render_layout(layout, {"x": value}, html_columns=["x"]))
    assert page.tags == ["p", "b", "span"]
    assert page.text.strip().startswith("bold${x}[image: ")


def test_scripts_links_and_everything_that_loads_are_left_out() -> None:
    page = shown(
        '<base href="//e.org"><link href="x.css"><script>1</script><style>@import url(x)</style>'
        '<iframe src="x"></iframe><a href="javascript:alert(1)" onclick="x()">here</a>'
        '<div style="background: URL (http://e.org)" onmouseover="x()" class="c">t</div>'
        '<form action="https://e.org"><button formaction="x" type="submit">go</button></form>'
        '<input type="file" name="f"><object data="x"><embed src="x"></object><svg onload="x">'
        "<script>2</script></svg>"
    )
    assert page.tags == ["div", "form", "button"]
    assert page.attributes == [("div", "class", "c"), ("button", "type", "button")]


def test_a_missing_column_is_an_error() -> None:
    with pytest.raises(FileError, match="input0"):
        render_layout(parse_layout("${input0}"), {})


def test_the_page_allows_nothing_and_the_frame_is_sandboxed() -> None:
    page = render_layout(parse_layout("<p>hello</p>"), {})
    framed = frame_layout(page, title='A "title" <b>')
    assert "default-src &#x27;none&#x27;" in page
    assert '<iframe sandbox="" ' in framed
    assert "allow-" not in framed
    assert "<p>" not in framed
    assert "&lt;p&gt;hello" in framed


_PIECES = [*"<>/\"'=& ab${}x-!", "script", "onclick", "crowd-", "style", "textarea", "\n"]
_MARKUP = st.lists(st.sampled_from(_PIECES), max_size=60).map("".join)


@given(_MARKUP, _MARKUP)
def test_no_layout_and_no_value_can_do_anything(html: str, value: str) -> None:
    layout = parse_layout(html + "${x}")
    written = render_layout(layout, dict.fromkeys(layout.placeholders, value))
    page = seen(written)
    assert set(page.tags) <= PLAIN | {"style"}
    assert {name for _, name, _ in page.attributes} <= ATTRIBUTES
    assert not re.search(r"<\s*script", written)


def test_the_page_of_a_whole_hit_has_every_text() -> None:
    row = files.hits(1, 6)[0]
    page = seen(render_layout(parse_layout(files.layout(8)), row))
    assert all(row[f"outputa{i}"] in page.text for i in range(8))
    assert page.tags.count("input") == 8 * 3 * 2 + 2


def test_a_hostile_layout_runs_and_loads_nothing_in_a_browser(
    tmp_path: Path, open_page: Callable[..., Any]
) -> None:
    hostile = (
        "<script>document.title = 'changed'</script><img src='https://e.example/x.png' "
        "onerror='alert(1)'><p onclick='alert(1)'>${x}</p><style>@import url(//e.example)</style>"
    )
    page = render_layout(parse_layout(hostile), {"x": "<script>alert(2)</script>"})
    file = tmp_path / "preview.html"
    file.write_text(frame_layout(page, title="preview"))
    tab = open_page()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(file.as_uri())
    frame = tab.frames[1]
    assert frame.locator("p").inner_text() == "<script>alert(2)</script>"
    assert asked == [file.as_uri()]
    assert tab.title() == "preview"

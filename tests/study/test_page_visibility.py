"""Nothing of a layout stays hidden because its script does not run."""

from __future__ import annotations

import pytest

from rejudge.errors import StudyError
from rejudge.study.page_layout import parse_layout, render_layout, rewrite_layout
from rejudge.study.page_rewriter import FieldTarget, Filling
from rejudge.study.page_visibility import HidingStyles, visible_sheet, visible_style

FIELD = '<input type="radio" name="q" value="1">'


@pytest.mark.parametrize(
    ("style", "kept"),
    [
        ("display: none", ""),
        ("color: red; DISPLAY:none !important", "color: red"),
        ("visibility: hidden; color: red", "color: red"),
        ("opacity: 0; position: absolute; height: 0; width: 0", ""),
        ("position: absolute; left: -9999px", ""),
        ("max-height: 0; overflow: hidden", "overflow: hidden"),
        ("clip: rect(0 0 0 0)", ""),
        ("display: none; position: fixed; top: 0; width: 100%", "top: 0; width: 100%"),
        ("display: var(--step)", ""),
    ],
)
def test_what_hides_is_left_out_of_a_style(style: str, kept: str) -> None:
    assert visible_style(style) == kept


@pytest.mark.parametrize(
    "style",
    ["color: red", "display: inline-block", "opacity: 0.8", "width: 0; border-top: 8px solid"],
)
def test_other_styles_stay_as_they_are(style: str) -> None:
    assert visible_style(style) == style


def test_a_style_sheet_hides_nothing_but_empty_marks() -> None:
    sheet = "/* steps */ .a, .b > p { display: none } .c:after { content: '.'; visibility: hidden }"
    shown = visible_sheet(sheet)
    assert "display" not in shown
    assert ".c:after { content: '.'; visibility: hidden }" in shown


STEP = {"class": "step wide", "id": "two", "data-part": "a"}


@pytest.mark.parametrize(
    "rule",
    [
        ".step { display: none }",
        "form > div.step:not(.active) { display: none }",
        "#one, #two { visibility: hidden }",
        "div[data-part=a] { display: none }",
    ],
)
def test_an_element_is_hidden_by_a_rule_about_it(rule: str) -> None:
    assert HidingStyles(f"<style>{rule}</style>").hides("div", STEP)


@pytest.mark.parametrize(
    "rule",
    [
        "div.step.active { display: none }",
        ".step:hover { display: none }",
        "@media print { .step { display: none } }",
        ".step { color: red }",
    ],
)
def test_an_element_is_not_hidden_by_other_rules(rule: str) -> None:
    assert not HidingStyles(f"<style>{rule}</style>").hides("div", STEP)


@pytest.mark.parametrize(
    "layout",
    [
        f"<style>.step {{ display: none }}</style><div class='step'>{FIELD}</div>",
        f"<div style='visibility: hidden'>{FIELD}</div>",
        f"<div hidden>{FIELD}</div>",
        f"<details><summary>More</summary>{FIELD}</details>",
        f"<style>input {{ opacity: 0 }}</style>{FIELD}",
    ],
)
def test_a_field_that_the_page_hides_is_known_and_shown(layout: str) -> None:
    found = parse_layout(layout)
    assert found.controls[0].is_hidden
    shown = rewrite_layout(found, Filling({}, fields={"q": FieldTarget("0:q")}))
    kept = HidingStyles(shown)
    assert not kept.hides("div", {"class": "step"})
    assert not kept.hides("input", {})
    assert "hidden" not in shown
    assert "<details" not in shown or '<details open="">' in shown


def test_the_preview_shows_what_the_page_hides() -> None:
    page = render_layout(parse_layout(f"<div style='display:none'>{FIELD}</div>"), {})
    assert f"<div>{FIELD}" in page


def test_a_hidden_part_that_only_asks_what_nobody_is_asked_stays_hidden() -> None:
    other = FIELD.replace('"q"', '"other"')
    layout = parse_layout(f"<div hidden>Other? {other}</div><div hidden>This? {FIELD}</div>")
    shown = rewrite_layout(layout, Filling({}, fields={"q": FieldTarget("0:q")}))
    assert '<div hidden="">Other?' in shown
    assert "<div>This?" in shown


def test_a_field_too_deep_in_the_page_to_be_shown_is_missing() -> None:
    assert parse_layout("<div>" * 500 + FIELD).controls == ()


@pytest.mark.parametrize(
    "layout",
    [
        "<style>" * 20_000,
        "<style>a{" * 20_000,
        f"<style>{'a,' * 50_000}</style>",
        f"<style>{'/*' * 50_000}</style>",
        f"<style>{'a ' * 50_000}{{display: none}}</style>",
        f"<style>{'url(' * 30_000}</style>",
        "<style>" + "a { display: none }" * 5_000 + "</style>" + "<i>x</i>" * 5_000,
    ],
    ids=["sheets", "rules", "commas", "comments", "spaces", "addresses", "repetitions"],
)
def test_long_style_sheets_are_read_in_one_go(layout: str) -> None:
    assert parse_layout(f"{FIELD}{layout}").controls[0].name == "q"


def test_styles_that_hide_too_many_kinds_of_elements_are_refused() -> None:
    sheet = "".join(f".c{n} {{ display: none }}" for n in range(501))
    with pytest.raises(StudyError, match="hide more than 500 kinds") as refused:
        parse_layout(f"<style>{sheet}</style>{FIELD}", file="layout.html")
    assert refused.value.problems[0].file == "layout.html"

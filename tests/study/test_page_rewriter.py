"""Layouts are rewritten from allowed parts, for pictures of them and for pages to answer on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import StudyError
from rejudge.study.page_layout import markup_faults, parse_layout, rewrite_layout
from rejudge.study.page_rewriter import FieldTarget, Filling

RADIO = '<label><input type="radio" name="q0" value="A" checked required> A</label>'


def served(html: str, **filling: object) -> str:
    given = {"values": {}, "fields": {"q0": FieldTarget("3:q", {"A": "a"})}, **filling}
    return rewrite_layout(parse_layout(html), Filling(**given))  # type: ignore[arg-type]


def test_a_field_gets_the_name_of_its_question_and_no_answer() -> None:
    page = served(RADIO)
    assert 'name="3:q"' in page
    assert 'data-answers="{&quot;A&quot;: &quot;a&quot;}"' in page
    assert "checked" not in page
    assert "required" not in page


def test_fields_that_ask_nothing_are_hidden() -> None:
    page = served('<input name="age"><select name="sex"><option>x</option></select><button>Go')
    assert page.count(" hidden=") == 3
    assert page.count(" disabled=") == 3


def test_forms_do_not_remain_forms_where_people_answer() -> None:
    assert served(f'<form action="//e.example" class="f">{RADIO}</form>').startswith(
        '<div class="f">'
    )


def test_items_that_are_not_there_are_marked() -> None:
    page = served('<p>${input0}</p><input name="q1">', empty={"input0": 4, "q1": 5})
    assert '<span data-empty="4"></span>' in page
    assert 'data-empty="5"' in page


def test_own_style_sheets_are_kept_without_what_they_load() -> None:
    layout = parse_layout(
        "<style><!-- @import url(//e.example/x); .a { color: red; background: url(x.png) } -->"
        "</style><p class='a'>t</p>"
    )
    page = rewrite_layout(layout, Filling({}))
    assert ".a { color: red; background:  }" in page
    assert "example" not in page
    assert "x.png" not in page
    assert layout.left_out == ("style that loads",)


@pytest.mark.parametrize("sheet", ["a < b", "</styl", "<script>", "<!-"])
def test_a_style_sheet_that_could_end_early_is_left_out(sheet: str) -> None:
    layout = parse_layout(f"<style>{sheet}</style><p>t</p>")
    assert "style" in layout.left_out
    assert rewrite_layout(layout, Filling({})) == "<p>t</p>"


def test_pictures_in_the_layout_itself_are_kept() -> None:
    own = "data:image/png;base64,iVBORw0KGgo="
    html = f'<img src="{own}" onload="x()" alt="d"><img src="data:text/html,x"><img src="//e/p">'
    layout = parse_layout(html)
    page = rewrite_layout(layout, Filling({}))
    assert page.startswith(f'<img src="{own}" alt="d">')
    assert page.count("<img") == 1
    assert layout.left_out == ("img",)


def test_hidden_fields_and_buttons_that_send_are_not_shown() -> None:
    html = '<input type="hidden" name="h"><input type="submit"><input type="password" name="p">'
    layout = parse_layout(html)
    assert rewrite_layout(layout, Filling({})) == ""
    assert layout.left_out == ("input type=password",)


def test_options_without_a_value_have_their_text() -> None:
    layout = parse_layout(
        '<select name="q"><option>1<option> 2 </option><option value="">-</select>'
    )
    assert layout.controls[0].values == ("1", "2")


@pytest.mark.parametrize(
    "html",
    [
        "<![if !mso]>x<![endif]>",
        "<![foo[x]]>",
        "<![",
        "<!DOCTYPE [",
        "<?php ?>",
        "<!--",
        "</",
        "<a b",
    ],
)
def test_odd_markup_is_no_fault(html: str) -> None:
    assert "mso" not in rewrite_layout(parse_layout(html), Filling({}))


@pytest.mark.parametrize(
    "html", ["<b>" * 9_000 + "</i>" * 9_000, "<div>" * 20_000, "${x}" * 20_000]
)
def test_large_and_deep_layouts_are_read_at_once(html: str) -> None:
    page = rewrite_layout(parse_layout(html), Filling({"x": "y"}))
    assert page.count("<div>") <= 500


@pytest.mark.parametrize("begun", ["<a ", "<!--", "<?", "</", "</a ", "<a b=", "<!", "<!["])
def test_a_page_of_elements_that_are_never_closed_is_refused(begun: str) -> None:
    with pytest.raises(StudyError, match="never closed") as refused:
        parse_layout("<p>Words</p>" + begun * 1_000, file="layout.html")
    assert refused.value.problems[0].file == "layout.html"


def test_a_few_angle_brackets_in_texts_are_read() -> None:
    assert parse_layout("<p>a <b and c <d</p>" * 5).controls == ()


def test_a_layout_of_more_than_a_million_characters_is_refused() -> None:
    with pytest.raises(StudyError, match="1,000,001 characters"):
        parse_layout("x" * 1_000_001)


@pytest.mark.parametrize(
    "field",
    [
        '<select name="q">' + "".join(f"<option>{n}</option>" for n in range(1_001)),
        "".join(f'<input type="radio" name="q" value="{n}">' for n in range(1_001)),
    ],
    ids=["select", "radio"],
)
def test_a_field_with_more_than_a_thousand_values_is_refused(field: str) -> None:
    with pytest.raises(StudyError, match="more than 1,000 values"):
        parse_layout(field)


def test_a_value_whose_markup_is_never_closed_is_shown_as_text() -> None:
    page = served("<p>${x}</p>", values={"x": "<a " * 1_000}, html_columns=("x",))
    assert page == "<p>" + "&lt;a " * 1_000 + "</p>"
    assert markup_faults("<a " * 1_000) == (
        "1,000 elements or comments are begun with < and never closed, so it is shown as text",
    )


_TEXTS = st.text(alphabet="ab<>&\"'${}x/=! -", max_size=40)


@given(_TEXTS, _TEXTS)
def test_texts_never_become_markup(value: str, attribute: str) -> None:
    layout = parse_layout('<p title="${t}">${x}</p>')
    page = rewrite_layout(layout, Filling({"x": value, "t": attribute}))
    assert page.count("<") == 2
    assert page.count('"') == 2


def test_categories_of_a_classifier_are_escaped() -> None:
    offered = "[&quot;<b>\\&quot; onclick=x&quot;]"
    page = served(
        f'<crowd-classifier name="q0" header="<i>" categories="{offered}"></crowd-classifier>'
    )
    assert "<i>" not in page
    assert "<b>" not in page
    assert "&lt;b&gt;&quot; onclick=x" in page
    assert page.count("<input") == 1

"""A field's words are those of its own part of the page."""

from __future__ import annotations

import pytest

from rejudge.study.page_layout import parse_layout


def radios(name: str, *, low: int = 1, high: int = 3) -> str:
    return "".join(
        f'<label><input type="radio" name="{name}" value="{n}"> {n}</label>'
        for n in range(low, high + 1)
    )


def group(name: str, below: str) -> str:
    """A field with its heading and ends in labels, and its question below."""
    return (
        f'<div class="form-group"><label>{name}</label><div class="radio">'
        f"<label><strong>bad</strong></label>{radios(name)}"
        f"<label><strong>good</strong></label></div><span>{below}</span></div><br>"
    )


def prompts(html: str) -> dict[str, str]:
    return {control.name: control.prompt for control in parse_layout(html).controls}


def test_a_question_below_its_field_is_not_taken_for_the_next_one() -> None:
    page = (
        "<p>${text}</p>" + group("grammar", "Is it grammatical?") + group("clear", "Is it clear?")
    )
    assert prompts(page) == {"grammar": "Is it grammatical?", "clear": "Is it clear?"}


@pytest.mark.parametrize(
    ("page", "prompt"),
    [
        ("<h4>Text</h4><div><p>How fluent?</p>{q}</div>", "How fluent?"),
        ("<h4>Text</h4><div>Is the <b>text</b> fluent? {q}</div>", "Is the text fluent?"),
        ("<h4>Text</h4><div><label>Fluency</label><div>{q}</div></div>", "Fluency"),
        ("<p>Which is best?</p><div><p>${{x}}</p>{q}</div><div>{other}</div>", "Which is best?"),
        ("<table><tr><td>Fluency<td>{q}<tr><td>Sense<td>{other}</table>", "Fluency"),
        ("<table><tr><td>Sense<td>{other}<tr><td>Fluency<td>{q}</table>", "Fluency"),
        ("{q}", ""),
    ],
)
def test_the_words_nearest_to_a_field_ask_it(page: str, prompt: str) -> None:
    assert prompts(page.format(q=radios("q"), other=radios("other")))["q"] == prompt


@pytest.mark.parametrize(
    "page",
    [
        group("q", "Is it clear?"),
        "<div>bad {q} good</div>",
        "<table><tr><td>Clarity<td>bad<td>{q}<td>good<tr><td>Other<td>{other}</table>",
    ],
)
def test_words_at_both_ends_of_a_scale_are_its_labels(page: str) -> None:
    control = parse_layout(page.format(q=radios("q"), other=radios("o"))).controls[0]
    assert control.labels == {"1": "bad", "3": "good"}


def test_words_in_the_label_of_a_point_are_its_label() -> None:
    page = (
        '<p>Clear?</p><label for="a">unclear</label><input id="a" type="radio" name="q" value="1">'
        '<label><input type="radio" name="q" value="2"> clear</label>'
    )
    assert parse_layout(page).controls[0].labels == {"1": "unclear", "2": "clear"}


def test_a_paragraph_beside_a_scale_is_not_a_label() -> None:
    page = f"<p>Fluency</p>{radios('q')}<p>Thank you</p>"
    assert parse_layout(page).controls[0].labels == {}


@pytest.mark.parametrize(
    ("field", "chosen"),
    [
        (
            '<input type="radio" name="q"><input type="radio" name="q" value="2" checked>',
            "2",
        ),
        ('<select name="q"><option>one</option><option selected>two</option></select>', "two"),
        ('<select name="q"><option value="1" selected>one</select>', "1"),
        ('<input type="range" name="q" min="0" max="9" value="5">', "5"),
        ('<input type="checkbox" name="q" value="yes" checked>', "yes"),
    ],
)
def test_what_the_page_chose_in_advance_is_known(field: str, chosen: str) -> None:
    assert parse_layout(field).controls[0].chosen == (chosen,)


def test_faults_of_the_markup_are_listed() -> None:
    layout = parse_layout("<p>one<p>two<div><span class='x'/>three<b>four</div>")
    assert layout.repaired == ("<span/> closes nothing", "<b> is never closed")


@pytest.mark.parametrize(
    "page",
    [
        '<div><input name="q" value="1">' * 10_000,
        '<textarea name="q">' * 10_000,
        '<input name="q">' + "".join(f'<input name="f{n}x">' for n in range(5_000)),
        '<input name="q">' + "<div hidden>x</div>" * 10_000,
        "<div>" * 350 + '<input name="q">' + "<p>x</p>" * 10_000,
        "<label>" + "<p>word</p>" * 5_000 + '<input type="radio" name="q" value="1">' * 5_000,
    ],
    ids=["nested", "open", "fields", "hidden", "deep", "label"],
)
def test_the_words_around_very_many_elements_are_found_in_one_go(page: str) -> None:
    assert parse_layout(page).controls[0].name == "q"

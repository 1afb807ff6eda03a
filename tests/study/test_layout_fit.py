"""A layout that does not fit its study is refused before anybody sees it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from layout_sites import page
from rejudge.errors import StudyError
from rejudge.study.layout_fit import layout_slots
from rejudge.study.model import Study
from rejudge.study.parse import parse

ITEMS = "id,input,ash,beech\n1,Why?,A?,B?\n"
FIELD = {"name": "meaning", "question": "meaning", "answers": {"A": "a", "B": "b"}}
LAYOUT: dict[str, Any] = {
    "file": "layout.html",
    "outputs": ["outputa", "outputb"],
    "input": "input",
    "fields": [FIELD],
}


def read(html: str | bytes = "", question: Any = None, site: Any = None, **layout: Any) -> Study:
    asked = {"kind": "pairwise", "id": "meaning", "prompt": "Which?", **(question or {})}
    described = {**LAYOUT, **layout}
    spec = {
        "id": "s",
        "title": "S",
        "systems": ["ash", "beech"],
        "questions": [asked],
        "design": {"seed": 1, "batch": {"inputs": 1}},
        "site": {"show": "list", "layout": described, **(site or {})},
    }
    content = html.encode() if isinstance(html, str) else html
    files = {"items.csv": ITEMS.encode(), "layout.html": content or page([0, 1]).encode()}

    def open_file(name: str) -> bytes:
        if name not in files:
            raise FileNotFoundError(name)
        return files[name]

    return parse(yaml.safe_dump(spec, sort_keys=False), open_file)


def test_a_fitting_layout_is_part_of_the_study() -> None:
    study = read()
    assert study.layout is not None
    described = study.spec.site.layout
    assert described is not None
    assert layout_slots(described, study.layout) == (0, 1)
    assert read(page([0, 1]) + " ").fingerprint != study.fingerprint
    assert read(page([0, 1]) + " ").design_fingerprint == study.design_fingerprint


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"site": {"show": "one"}}, "show: list"),
        ({"file": "gone.html"}, "there is no file 'gone.html'"),
        ({"file": "../layout.html"}, "not a file in the study's folder"),
        ({"html_": b"\xff\xfe<\0p\0>\0"}, "UTF-16"),
        ({"html_": "caf\xe9".encode("cp1252")}, "not UTF-8"),
        ({"outputs": ["outputa"]}, r"it is not stated what \$\{outputb0\}"),
        ({"outputs": ["outputa", "outputb", "outputc"]}, "does not show the output outputc0"),
        ({"input": None}, r"it is not stated what \$\{input0\}"),
        ({"fields": [{**FIELD, "name": "m"}]}, "has no field m"),
        ({"fields": [{**FIELD, "question": "sense"}]}, "'sense' is not a question"),
        ({"fields": [FIELD, {**FIELD, "answers": {"A": "a", "B": "b"}}]}, "asked by two fields"),
        ({"fields": [{**FIELD, "answers": {}}]}, "'A' in the field 'meaning0' is not an answer"),
        ({"question": {"tie": True}}, "does not offer the answer tie"),
        ({"html_": page([0]).replace("radio", "checkbox")}, "several choices"),
        ({"html_": "<p>no fields</p>"}, "no fields at all"),
        ({"html_": page([0, 2]).replace("outputb2", "outputb9")}, "outputb9"),
    ],
)
def test_what_does_not_fit_is_named(given: dict[str, Any], said: str) -> None:
    html = given.pop("html_", "")
    with pytest.raises(StudyError, match=said):
        read(html, **given)


def test_scales_need_every_point() -> None:
    html = "".join(
        f'<p>${{text}}</p><input type="radio" name="q" value="{point}">' for point in (1, 2, 4)
    )
    rating = {"kind": "rating", "points": 4}
    fields = [{"name": "q", "question": "meaning"}]
    with pytest.raises(StudyError, match="does not offer the answer 3"):
        read(html, rating, numbered=False, outputs=["text"], input=None, fields=fields)


def test_answers_may_be_written_as_numbers() -> None:
    html = "".join(f'${{text}}<input type="radio" name="q" value="{n}">' for n in (0, 1))
    rating = {"kind": "rating", "points": 2}
    fields = [{"name": "q", "question": "meaning", "answers": {0: 1, 1: 2}}]
    study = read(html, rating, numbered=False, outputs=["text"], input=None, fields=fields)
    assert study.spec.site.layout is not None
    assert study.spec.site.layout.fields[0].answers == {"0": "1", "1": "2"}

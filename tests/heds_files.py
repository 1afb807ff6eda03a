"""Datasheets for tests: small ones, and those that Hypothesis draws."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from rejudge.heds.schema import Version, schema
from rejudge.heds.sheet import Sheet, SheetAnswer, add_criterion, blank_sheet

FILLED = "Measured."


def filled_sheet(version: Version = "3.0", *criteria: str) -> Sheet:
    """A sheet in which every question has an answer that neither form complains about."""
    sheet = blank_sheet(version)
    for name in criteria or ("Fluency",):
        sheet = add_criterion(sheet, name)
    for cell in tuple(sheet.cells()):
        answer = _plain_answer(cell.question)
        sheet = sheet.with_answer(cell.question, answer, criterion=cell.criterion)
    return sheet


def _plain_answer(question: Any) -> SheetAnswer:
    if question.kind == "integer":
        return SheetAnswer("24")
    if not question.options:
        return SheetAnswer(FILLED)
    easy = [each.key for each in question.options if not each.takes_text and not each.exclusive]
    return SheetAnswer(options=(easy[0],)) if easy else SheetAnswer(FILLED, (1,))


def entry(value: Any, **members: Any) -> dict[str, Any]:
    """An entry of the file with one answer outside section 4."""
    return {"data": {"": value}, "control": {}, **members}


def as_bytes(entries: Any, **options: Any) -> bytes:
    """A file as the form writes it."""
    settings = {"indent": 4, "ensure_ascii": False, **options}
    return json.dumps(entries, **settings).encode("utf-8", "surrogatepass")


_SCRIPTS = 'aé Ω漢ע\u0650\u202e😀"\\\n\t&<>'
texts = st.text(alphabet=st.sampled_from(_SCRIPTS), max_size=12)
scalars = st.one_of(
    texts, st.booleans(), st.integers(), st.none(), st.just("true"), st.just("false")
)
names = st.sampled_from(("Fluency", "流暢さ", "طلاقة", "2", "Q&A", "__proto__", " x "))


@st.composite
def files(draw: st.DrawFn) -> dict[str, Any]:
    """The entries of a file: known ids and others, odd values, many criteria, unknown members."""
    version: Version = draw(st.sampled_from(("2.x", "3.0")))
    known = schema(version).storage_ids
    listed = draw(st.lists(names, unique=True, max_size=4))
    made: dict[str, Any] = {
        "heds-criteria-criterion": {"data": {}, "control": dict.fromkeys(listed, False), "text": {}}
    }
    for id_ in draw(st.lists(st.sampled_from(known[1:]), unique=True, max_size=8)):
        data = draw(st.dictionaries(st.one_of(names, st.just("")), scalars, max_size=4))
        made[id_] = {"data": data, "control": {}, **draw(_members)}
    made.update(draw(st.dictionaries(texts.map(lambda text: f"z{text}"), scalars, max_size=3)))
    return made


_members = st.sampled_from(
    ({}, {"text": {"": ""}}, {"text": {}, "number": "3.2.1"}, {"number": None}, {"odd": [1, {}]})
)

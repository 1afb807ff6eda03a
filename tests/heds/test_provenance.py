"""Where answers come from is recorded in the sheet, and hand edits are noticed."""

from __future__ import annotations

import pytest

from heds_files import as_bytes, entry
from rejudge.errors import DataError
from rejudge.heds.sheet import (
    Provenance,
    Sheet,
    blank_sheet,
    find_provenance,
    forget_answer,
    is_edited,
    provenance_of,
    read,
    record_answer,
)

_TIME = "2026-11-17T10:00:00Z"
_RECORD = {
    "question": "3.2.1", "criterion": None, "class": "auto", "source": "", "value": "", "time": "",
}  # fmt: skip


def _recorded() -> Sheet:
    sheet = blank_sheet("3.0").with_answer("3.2.1", "24")
    return record_answer(sheet, "3.2.1", source="judgments", time=_TIME)


def test_a_record_survives_writing_and_reading():
    sheet = read(_recorded().write())
    record = find_provenance(sheet, "3.2.1")
    assert record == Provenance("3.2.1", None, "auto", "judgments", record.value, _TIME)
    assert len(record.value) == 16
    assert not is_edited(sheet, record)


def test_a_hand_edit_is_noticed():
    sheet = _recorded().with_answer("3.2.1", "25")
    assert is_edited(sheet, find_provenance(sheet, "3.2.1"))


def test_recording_again_replaces_the_record():
    sheet = record_answer(_recorded().with_answer("3.2.1", "25"), "3.2.1", source="b", time=_TIME)
    assert [record.source for record in provenance_of(sheet)] == ["b"]
    assert not is_edited(sheet, provenance_of(sheet)[0])


def test_a_text_that_is_not_a_time_is_refused():
    with pytest.raises(DataError, match=r"'time' is 'x'\. Give a time in UTC, such as '2026"):
        record_answer(blank_sheet("3.0"), "3.2.1", source="judgments", time="x")


def test_a_confirmed_answer_has_no_record_whether_named_by_number_or_id():
    sheet = _recorded()
    question = sheet.schema.question("3.2.1")
    assert provenance_of(forget_answer(sheet, question.id)) == ()
    assert provenance_of(forget_answer(sheet, question.number)) == ()


@pytest.mark.parametrize(
    ("question", "criterion", "message"),
    [
        ("9.9.9", None, r"has no question '9\.9\.9'\. Its questions: 1\.1\.1, "),
        ("4.1.1", "x", r"has no criterion 'x'\. Its criteria: none yet\."),
    ],
)
def test_records_of_unknown_questions_and_criteria_are_refused(question, criterion, message):
    with pytest.raises(DataError, match=message):
        forget_answer(_recorded(), question, criterion)
    with pytest.raises(DataError, match=message):
        record_answer(_recorded(), question, criterion=criterion, source="s", time=_TIME)


def test_an_answer_with_a_lone_surrogate_can_be_recorded():
    sheet = blank_sheet("3.0").with_answer("1.1.2", "a\ud800")
    sheet = read(record_answer(sheet, "1.1.2", source="s", time=_TIME).write())
    assert not is_edited(sheet, find_provenance(sheet, "1.1.2"))


@pytest.mark.parametrize(
    "extra",
    [
        None,
        7,
        {"answers": "none"},
        {"answers": [1, {}, {"question": "3.2.1"}]},
        {"answers": [{**_RECORD, "criterion": 1}]},
        {"answers": [{**_RECORD, "class": "magic"}]},
        {"answers": [{**_RECORD, "time": 12}]},
    ],
)
def test_records_that_cannot_be_read_are_left_out(extra):
    content = as_bytes({"heds-ethics-review_body": entry("No"), "x-rejudge": extra})
    assert provenance_of(read(content)) == ()
    assert read(content).write() == content

"""prolific.json: which study on the platform belongs to a folder, and what was done to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import FileError
from rejudge.prolific.study import (
    ProlificRecord,
    read_record,
    require_record,
    study_of,
    write_record,
)

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CREATED = ProlificRecord("abc", NOW, "https://x", {"name": "A study"}, study="s1", created_at=NOW)


def test_an_edited_record_is_refused(tmp_path):
    write_record(tmp_path, CREATED)
    path = tmp_path / "prolific.json"
    path.write_text(path.read_text(encoding="utf-8").replace("abc", "xyz"), encoding="utf-8")
    with pytest.raises(FileError, match="edited"):
        read_record(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{}", b"[", b"\xff\xfe", b"null"])
def test_a_damaged_record_is_refused(tmp_path, content):
    (tmp_path / "prolific.json").write_bytes(content)
    with pytest.raises(FileError):
        read_record(tmp_path)


BODIES = st.dictionaries(st.text(), st.text() | st.integers(-(2**53), 2**53) | st.booleans())


@given(BODIES, st.text(min_size=1))
def test_a_record_survives_being_written_and_read(tmp_path_factory, body, mark):
    folder = tmp_path_factory.mktemp("record")
    record = ProlificRecord(mark, NOW, "https://x", body).with_action("CREATE", "ACTIVE", now=NOW)
    write_record(folder, record)
    assert read_record(folder) == record


def test_actions_are_kept_in_their_order():
    later = NOW + timedelta(hours=1)
    record = CREATED.with_action("PUBLISH", "ACTIVE", now=NOW).with_action(
        "PAUSE", "PAUSED", now=later
    )
    assert [(each.action, each.status, each.at) for each in record.actions] == [
        ("PUBLISH", "ACTIVE", NOW),
        ("PAUSE", "PAUSED", later),
    ]


def test_a_folder_without_a_study_says_what_to_do(tmp_path):
    assert read_record(tmp_path) is None
    with pytest.raises(FileError, match="rejudge prolific create"):
        require_record(tmp_path)
    write_record(tmp_path, ProlificRecord("abc", NOW, "https://x", {}))  # no answer came
    with pytest.raises(FileError, match="rejudge prolific create"):
        require_record(tmp_path)
    write_record(tmp_path, CREATED)
    assert study_of(require_record(tmp_path)) == "s1"


def test_a_study_that_was_not_created_has_no_id():
    with pytest.raises(FileError, match="not created yet"):
        study_of(ProlificRecord("abc", NOW, "https://x", {}))

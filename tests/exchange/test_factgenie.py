"""factgenie: sliders, flags and options of each example, by setup."""

from __future__ import annotations

import json

import pytest

from rejudge.errors import FileError
from tool_exports import read, rows


def record(**about: object):
    return {
        "dataset": "weather", "split": "test", "example_idx": 0, "setup_id": "alpha", "output": "x",
        "annotations": [], "flags": [], "options": [], "text_fields": [],
        "sliders": [{"label": "Fluency", "value": "4", "min": "1", "max": "5"}],
        "metadata": {"annotator_id": "jane@example.org", "annotator_group": 0,
                     "start_timestamp": 1700000000, "end_timestamp": 1700000900},
    } | about  # fmt: skip


def write(folder, *records: object, name="0-0-jane@example.org-1700000900.jsonl"):
    path = folder / name
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def campaign():
    return read("factgenie", "factgenie.zip")


def test_sliders_are_ratings_of_the_setup(campaign):
    found = rows(campaign, "Fluency")
    assert len(found) == 12
    assert {row.system for row in found} == {"alpha", "beta"}
    assert {row.item for row in found} == {f"weather/test/{n}" for n in range(3)}
    assert {row.dataset for row in found} == {"weather"}


def test_flags_are_read_as_0_and_1_and_a_note_says_so(campaign):
    assert {row.value for row in rows(campaign, "Incoherent text.")} == {0.0, 1.0}
    assert any("Flags were read as ratings" in note for note in campaign.notes)


def test_spans_are_counted_by_the_name_of_their_category(campaign):
    assert set(campaign.unmapped) == {
        "options of `Verdict`: 12 (good 12)",
        "texts written for `comments`: 3",
        "examples annotated by a model: 1 (llama 1)",
    }
    assert sum(row.value for row in rows(campaign, "spans.category.number")) == 6
    assert {row.value for row in rows(campaign, "spans.count")} == {0.0, 1.0}


def test_participants_are_pseudonyms_and_file_names_do_not_give_them_away(campaign):
    assert set(campaign.judgments.participant.labels) == {"p0001", "p0002"}
    assert "worker" not in repr((campaign.rejected, campaign.notes, campaign.unmapped))


def test_seconds_are_those_of_the_last_visit(campaign):
    assert {row.seconds for row in rows(campaign, "Fluency")} == {
        float(20 + n) for n in range(1, 13)
    }


def test_the_end_of_the_batch_stands_in_for_a_missing_time(tmp_path):
    (row,) = read("factgenie", write(tmp_path, record())).judgments.rows()
    assert row.seconds is None
    assert row.submitted_at is not None
    assert row.submitted_at.timestamp() == 1700000900


def test_an_option_that_is_a_number_is_a_rating(tmp_path):
    options = [{"label": "Meaning", "index": "1", "value": "3", "optionList": ["2", "3"]}]
    found = read("factgenie", write(tmp_path, record(options=options)))
    assert {row.question: row.value for row in found.judgments.rows()} == {
        "Fluency": 4,
        "Meaning": 3,
    }


def test_a_batch_that_was_saved_twice_counts_once(tmp_path):
    first = record(time_last_saved=1700000100)
    second = record(time_last_saved=1700000200, sliders=[{"label": "Fluency", "value": "2"}])
    found = read("factgenie", write(tmp_path, second, first)).judgments
    assert found.of_kind("real").value.tolist() == [2.0]
    assert found.of_kind("dropped").value.tolist() == [4.0]


def test_what_the_researcher_did_in_the_preview_is_left_out(tmp_path):
    shown = record(metadata={"annotator_id": "factgenie_preview"})
    with pytest.raises(FileError, match="annotated in the preview: 1"):
        read("factgenie", write(tmp_path, shown))


def test_lines_of_another_shape_are_rejected_without_the_name_of_the_file(tmp_path):
    found = read("factgenie", write(tmp_path, record(), {"dataset": "weather"}, 4))
    assert [each.row for each in found.rejected] == [2, 3]
    assert "jane" not in repr(found.rejected)

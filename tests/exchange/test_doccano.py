"""doccano: labels that are numbers or sides, one file for each participant."""

from __future__ import annotations

import json
import zipfile

import pytest

from rejudge.errors import FileError
from tool_exports import read, rows


def write(folder, name, *examples: object):
    path = folder / name
    path.write_text("".join(f"{json.dumps(each)}\n" for each in examples), encoding="utf-8")
    return path


def example(label, number=1, **about: object):
    return {"id": number, "text": "x", "label": label, "Comments": [], "model": "alpha", **about}


def test_a_label_that_is_a_number_is_a_rating_by_the_person_of_the_file():
    found = read("doccano", "doccano.zip")
    first = [row for row in found.judgments.rows() if row.item == "s1"]
    assert [(row.participant, row.system, row.value) for row in first] == [
        ("p0001", "alpha", 3.0), ("p0001", "beta", 4.0),
        ("p0002", "alpha", 4.0), ("p0002", "beta", 5.0),
    ]  # fmt: skip
    assert {row.question for row in found.judgments.rows()} == {"label"}


def test_what_has_no_place_is_counted():
    assert read("doccano", "doccano.zip").unmapped == (
        "comments: 2",
        "examples without a label: 2",
        "labels, several of one example: 4 (2 2, 1 2)",
    )


def test_an_export_of_spans_alone_gives_their_counts():
    found = read("doccano", "doccano-all.jsonl", columns={"system": ""})
    assert sum(row.value for row in rows(found, "spans.category.ORG")) == 2
    assert sum(row.value for row in rows(found, "spans.count")) == 3
    assert any("texts without any may be missing" in note for note in found.notes)


def test_participants_who_share_their_labels_are_not_known(tmp_path):
    found = read("doccano", write(tmp_path, "all.jsonl", example(["4"])))
    assert found.judgments.participant.labels == ()
    assert "The files do not say who judged." in found.notes


def test_a_participant_is_never_named(tmp_path):
    path = write(tmp_path, "jane.doe@example.org.jsonl", example(["4"]), {"no": "example"})
    found = read("doccano", path)
    assert "jane" not in repr((found.rejected, found.notes))
    assert found.rejected[0].file == "the file"
    assert found.rejected[0].row == 2


def test_a_label_can_say_which_of_two_systems_is_better(tmp_path):
    about = {"model": None, "system_a": "alpha", "system_b": "beta"}
    examples = [example([word], number, **about) for number, word in enumerate(["A", "B", "tie"])]
    found = read("doccano", write(tmp_path, "max.jsonl", *examples))
    assert [row.value for row in found.judgments.rows()] == ["a", "b", "tie"]


def test_entities_with_relations_are_counted_as_spans(tmp_path):
    spans = [{"id": 1, "label": "ORG", "start_offset": 0, "end_offset": 1}]
    about = {"entities": spans, "relations": [{"id": 2, "type": "of", "from_id": 1, "to_id": 1}]}
    one = {**example([], 1), **about}
    found = read("doccano", write(tmp_path, "max.jsonl", one, example(["4"], 2)))
    assert found.unmapped == ("relations, which are not labels of texts: 1 (of 1)",)
    assert [row.value for row in rows(found, "spans.count")] == [1.0]


def test_an_archive_without_lines_of_json_is_refused(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("labels.txt", "__label__4 x")
    with pytest.raises(FileError, match=r"no file that ends in \.jsonl or \.json"):
        read("doccano", path)

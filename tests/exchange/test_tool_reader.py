"""Several files of one tool: the good ones are read, the others are listed; and who is who."""

from __future__ import annotations

import json

import pytest

from rejudge.errors import FileError
from rejudge.exchange.pseudonyms import KEY_VARIABLE
from tool_exports import EXPORTS, read

GOOD = EXPORTS / "label-studio.json"


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rated(folder, name, *people: object):
    result = [{"from_name": "q", "type": "rating", "value": {"rating": 4}}]
    tasks = [
        {"id": n, "data": {"model": "a"}, "annotations": [{"completed_by": who, "result": result}]}
        for n, who in enumerate(people)
    ]
    return put(folder, name, json.dumps(tasks))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (GOOD.read_bytes()[:-400], "cut off"),
        (GOOD.read_text("utf-8").encode("utf-16"), "UTF-16, not UTF-8"),
        (b'[{"data": "\xff"}]', "not UTF-8"),
        (b"PK\x03\x04 broken", "not a valid zip archive"),
    ],
)
def test_a_bad_file_among_good_ones_is_listed_and_the_good_ones_are_read(tmp_path, content, said):
    bad = put(tmp_path, "bad.json", content)
    alone = read("label-studio", GOOD)
    found = read("label-studio", bad, GOOD)
    assert len(found.judgments) == len(alone.judgments)
    assert said in str(found.rejected[0])
    assert found.rejected[0].file == str(bad)
    assert len(found.rejected) == len(alone.rejected) + 1


def test_bad_files_alone_are_all_named_and_give_nothing(tmp_path):
    bad = [put(tmp_path, f"{name}.json", "[{") for name in ("one", "two")]
    with pytest.raises(FileError) as caught:
        read("label-studio", *bad)
    assert [each.file for each in caught.value.problems] == [str(path) for path in bad]


def test_a_file_that_is_given_twice_is_read_once():
    assert len(read("label-studio", GOOD, GOOD).judgments) == len(
        read("label-studio", GOOD).judgments
    )


def test_with_a_key_a_person_has_the_same_pseudonym_in_every_import(tmp_path, monkeypatch):
    one = rated(tmp_path, "one.json", "jane@example.org", "joe@example.org")
    two = rated(tmp_path, "two.json", "joe@example.org", "jane@example.org")
    without = [read("label-studio", path).judgments.participant.words() for path in (one, two)]
    assert without[0] == without[1] == ["p0001", "p0002"]
    monkeypatch.setenv(KEY_VARIABLE, "a key of our own")
    keyed = [read("label-studio", path).judgments.participant.words() for path in (one, two)]
    assert keyed[0] == keyed[1][::-1]
    assert len(set(keyed[0])) == 2


def test_the_notes_say_how_people_are_called(tmp_path, monkeypatch):
    path = rated(tmp_path, "one.json", "jane")
    assert any(KEY_VARIABLE in note for note in read("label-studio", path).notes)
    monkeypatch.setenv(KEY_VARIABLE, "a key of our own")
    assert any("keyed hashes" in note for note in read("label-studio", path).notes)


def test_the_first_user_of_two_tools_is_not_one_person(tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "a key of our own")
    here = read("label-studio", rated(tmp_path, "one.json", 1)).judgments
    line = {"instance_id": "i", "user_id": "1", "labels": {"q": {"4": "4"}}, "spans": {}}
    there = read("potato", put(tmp_path, "two.jsonl", json.dumps(line)), columns={"system": ""})
    assert here.participant.labels != there.judgments.participant.labels


def test_a_name_in_two_normal_forms_is_one_person(tmp_path):
    path = rated(tmp_path, "one.json", "Jos\u00e9", "Jose\u0301")
    assert read("label-studio", path).judgments.participant.labels == ("p0001",)

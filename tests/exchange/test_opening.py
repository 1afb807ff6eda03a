"""Files of other tools are opened safely, and what is wrong with them is said with the line."""

from __future__ import annotations

import json
import zipfile

import pytest

from rejudge.errors import FileError
from rejudge.exchange.opening import Beginning, Document, look_at, open_documents


def document(content: str | bytes) -> Document:
    return Document("file.json", content.encode() if isinstance(content, str) else content)


def test_an_array_and_lines_of_json_are_numbered_from_1():
    assert document('[{"a": 1}, 2]').records() == [(1, {"a": 1}), (2, 2)]
    assert document('{"a": 1}\n\n{"b": 2}\n').records() == [(1, {"a": 1}), (3, {"b": 2})]
    assert document('{"a":\n 1}').records() == [(1, {"a": 1})]


def test_a_line_separator_inside_a_text_does_not_end_the_line():
    line = json.dumps({"text": "a\u2028b"}, ensure_ascii=False)
    assert len(document(f"{line}\n{line}\n").records()) == 2


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [('{"a": 1}\n{"b"', 2, "not valid JSON"), ("[1,\n2,", 2, "not valid JSON"),
     ('[{"a": 1', 1, "not valid JSON"), ("[" + "9" * 5000 + "]", 1, "too long"),
     ("[" * 100_000, 1, "nested too deeply"), (b'{"a": "\xe9"}', 1, "not UTF-8"),
     (b'{"a": 1}\n{"b": "\xff"}', 2, "not UTF-8")],
)  # fmt: skip
def test_damaged_json_is_refused_with_its_line(content, line, said):
    with pytest.raises(FileError, match=said) as caught:
        document(content).records()
    assert caught.value.problems[0].line == line


def test_a_label_stands_in_for_a_name_that_is_private():
    with pytest.raises(FileError) as caught:
        Document("jane@example.org.jsonl", b"\xff", label="file 2 of 3").text()
    assert "jane" not in str(caught.value)
    assert "file 2 of 3:1" in str(caught.value)


def test_tables_are_separated_by_commas_or_tabs():
    for text in ('a,b\n\n"x, y",2\n', "a\tb\n\nx, y\t2\n"):
        assert document(text).table() == (["a", "b"], [(3, ["x, y", "2"], "")])
    with pytest.raises(FileError, match="null characters"):
        document("a,b\n\0,2").rows()


def test_only_wanted_files_of_an_archive_are_unpacked_in_order(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("b.jsonl", "a/A.JSONL", "notes.txt", "folder/"):
            archive.writestr(name, name)
    names = [each.name for each in open_documents([path], (".jsonl",))]
    assert names == [f"{path}/a/A.JSONL", f"{path}/b.jsonl"]


def test_an_encrypted_archive_is_refused(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.jsonl", "{}")
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(content))
    with pytest.raises(FileError, match="encrypted"):
        open_documents([path], (".jsonl",))


def test_an_archive_with_too_many_files_is_refused(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(10_001):
            archive.writestr(f"{number}.jsonl", "")
    with pytest.raises(FileError, match="10,001 files"):
        open_documents([path], (".jsonl",))


@pytest.mark.parametrize(
    ("content", "beginning"),
    [(b'[{"a": 1}, {"b', Beginning({"a": 1}, is_list=True)),
     (b'{"a": 1}\n{"b"', Beginning({"a": 1})),
     (b"  \n[ ]", Beginning()), (b"[1]", Beginning()), (b'"x"', Beginning(rows=(("x",),))),
     (b"a,b\n1,2\n", Beginning(rows=(("a", "b"), ("1", "2")))), (b"", Beginning()),
     (b"\x00\x01", Beginning()), ("a,b".encode("utf-16"), Beginning()), (b"{", Beginning())],
)  # fmt: skip
def test_the_beginning_is_seen_however_the_file_goes_on(tmp_path, content, beginning):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert look_at(path) == beginning


def test_a_file_that_changes_is_looked_at_again(tmp_path):
    path = tmp_path / "file"
    path.write_text("a,b\n")
    assert look_at(path).rows
    path.write_text('{"a": 1}')
    assert look_at(path).record == {"a": 1}


def test_looking_at_what_is_not_there_finds_nothing(tmp_path):
    assert look_at(tmp_path / "missing") == Beginning()
    assert look_at(tmp_path) == Beginning()

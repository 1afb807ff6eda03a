"""Files are written as they were read, and refused with one clear message."""

from __future__ import annotations

import json

import pytest

from heds_files import as_bytes
from rejudge.errors import FileError
from rejudge.heds.document import parse_document, write_document


def _rewrite(content: bytes, **changed: object) -> bytes:
    source = parse_document(content)
    entries = {key: entry.value for key, entry in source.entries.items()}
    return write_document({**entries, **changed}, source)


@pytest.mark.parametrize(
    "content",
    [
        b"{}",
        b"{ \n }\n",
        b'{"a":1.0,"b":[1,2],"c":"\\u00e9"}',
        b'\xef\xbb\xbf{\r\n  "a": 1e0\r\n}\r\n',
        b'{"a": {"a": 1} , "b" : true}',
        '{"ключ": "قيمة"}'.encode(),
        b'{"lone": "\\ud800"}',
    ],
)
def test_an_unedited_file_is_the_same_byte_for_byte(content):
    assert _rewrite(content) == content


def test_an_edit_keeps_the_text_of_all_other_entries():
    content = b'{"a": 1.0 ,\n   "b" :  [1,2],\n "c": "\\u00e9"\n}\n'
    assert _rewrite(content, b=3) == b'{"a": 1.0 ,\n   "b" :  3,\n "c": "\\u00e9"\n}\n'


def test_a_change_between_equal_numbers_is_written():
    assert _rewrite(b'{"a": 1}', a=True) == b'{"a": true}'


@pytest.mark.parametrize("indent", [None, 1, 2, 4, "\t"])
def test_a_new_entry_follows_the_layout_of_the_file(indent):
    old = {"a": {"data": {}}}
    new = {"a": {"data": {}}, "b": {"data": {"": "x"}, "control": {}}}
    content = as_bytes(old, indent=indent)
    assert _rewrite(content, b=new["b"]) == as_bytes(new, indent=indent)


def test_line_ends_of_windows_are_kept():
    content = as_bytes({"a": {"b": 1}}).replace(b"\n", b"\r\n")
    expected = as_bytes({"a": {"b": 2}}).replace(b"\n", b"\r\n")
    assert _rewrite(content, a={"b": 2}) == expected


def test_a_lone_surrogate_is_escaped_as_browsers_do():
    written = _rewrite(b'{"a": ""}', a="\ud800")
    assert written == b'{"a": "\\ud800"}'


def test_entries_can_be_added_to_an_empty_file():
    assert _rewrite(b"{}\n", a=1) == b'{\n    "a": 1\n}\n'


def test_a_file_without_source_is_laid_out_as_the_form_does_it():
    entries = {"a": {"data": {}, "text": {"": "é"}}}
    assert write_document(entries, None) == as_bytes(entries)


def test_of_a_repeated_key_the_last_one_counts_and_the_key_is_reported():
    source = parse_document(b'{"a": 1, "b": 2, "a": 3}')
    assert source.repeated == ("a",)
    assert source.entries["a"].value == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\t", "the file is empty"),
        (b"[]", "this is a list"),
        (b'"x"', "this is a text"),
        (b"<!DOCTYPE html>", "a page, not JSON"),
        (b"12", "not an object"),
        (b"{", "a key in double quotes is missing"),
        (b"{'a': 1}", "a key in double quotes is missing"),
        (b'{"a" 1}', "a colon is missing"),
        (b'{"a": }', "expecting value"),
        (b'{"a": 1', "the file ends early"),
        (b'{"a": 1 "b": 2}', "a comma is missing"),
        (b'{"a": 1,}', "a key in double quotes is missing"),
        (b'{"a": 1} {"b": 2}', "more after the end"),
        (b'{"a": NaN}', "NaN is not a JSON value"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b'{"a": ' + b"[" * 100_000, "not valid JSON"),
        (b'{"a": "tab\there"}', "invalid control character"),
        ("{}".encode("utf-16"), "not UTF-8 text"),
        (b'{"a": "\xe9"}', "not UTF-8 text"),
    ],
)
def test_what_is_not_a_json_object_is_refused_with_the_reason(content, message):
    with pytest.raises(FileError) as refused:
        parse_document(content, file="card.json")
    assert message in str(refused.value)
    assert str(refused.value).startswith("card.json")
    assert len(refused.value.problems) == 1


def test_the_message_names_the_line():
    with pytest.raises(FileError, match=r"^card\.json:3: "):
        parse_document(b'{\n"a": 1,\n"b": x}', file="card.json")


def test_a_truncated_file_never_passes():
    content = as_bytes({"heds-a": {"data": {"": "text"}, "control": {}}})
    for length in range(len(content)):
        with pytest.raises(FileError):
            parse_document(content[:length])
    assert json.loads(content)

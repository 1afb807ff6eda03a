"""Files as text and as tables."""

from __future__ import annotations

import codecs

import pytest

from rejudge.errors import StudyError
from rejudge.study import decode


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_text_is_unchanged_but_for_one_byte_order_mark(mark):
    text = "a\r\nb\rc\n\ufeffé e\u0301 👩\u200d🔬 العربية 中文\u2028end "
    assert decode(mark + text.encode(), file="f") == text


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("a\nb\ncafé".encode("latin-1"), 3, "byte 4 of this line (0xE9)"),
        (codecs.BOM_UTF8 + b"a\n\xff", 2, "byte 1 of this line (0xFF)"),
        ("a".encode("utf-16"), 1, "is UTF-16"),
        (codecs.BOM_UTF16_BE + b"\0a", 1, "is UTF-16"),
        ("plain words".encode("utf-16-le"), 1, "looks like UTF-16"),
        (b"a\nb\n" + b"long enough" * 3 + b"\0", 3, "NUL"),
        (b"cut off \xe4\xb8", 1, "byte 9 of this line (0xE4)"),
    ],
)
def test_other_bytes_are_told_with_their_line_and_how_to_save_them(content, line, words):
    with pytest.raises(StudyError) as caught:
        decode(content, file="items.csv")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("items.csv", line)
    assert words in problem.what
    assert problem.remedy

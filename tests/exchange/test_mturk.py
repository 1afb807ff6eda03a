"""Which files are those of Mechanical Turk, and what happens to bad ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import FileError
from rejudge.exchange.formats import Reader, Writer
from rejudge.exchange.mturk import FORMAT


def test_the_format_can_be_read_but_not_written() -> None:
    assert isinstance(FORMAT, Reader)
    assert not isinstance(FORMAT, Writer)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", b""),
        ("x.csv", b"\xff\xfe\x00\x00broken"),
        ("x.csv", b"PK\x03\x04truncated"),
        ("x.csv", b"systema,systemb,outputa,outputb\n"),
        ("x.csv", b"HITId,AssignmentId,WorkerId,AssignmentStatus\n"),
        (
            "x.csv",
            b"HITId,AssignmentId,WorkerId,AssignmentStatus,Input.text,Answer.q\n1,,A,x,y,z\n",
        ),
        ("x.csv", b"HITId,AssignmentId,WorkerId,AssignmentStatus,Input.text\n1,2,A,x,y\n"),
        ("x.html", b"<p>${input}</p>"),
        ("x.html", b"\xff\xfe<\x00p\x00>\x00"),
        ("x.yaml", b"a: ["),
    ],
)
def test_files_that_cannot_be_used_give_one_clear_message(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError):
        FORMAT.read([path], study=None, plan=None)


@given(st.binary(max_size=300), st.sampled_from(["x.csv", "x.html", "x.bin"]))
def test_recognising_never_raises(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str
) -> None:
    file = tmp_path_factory.mktemp("any") / name
    file.write_bytes(content)
    assert FORMAT.recognises(file) in {True, False}

"""What a format is: any object with the attributes of a reader or a writer."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rejudge.exchange.formats import ItemReader, Reader, Rejected, Writer
from rejudge.exchange.registry import readers, writers


@pytest.mark.parametrize(
    ("rejected", "said"),
    [
        (Rejected("not a number."), "not a number."),
        (
            Rejected("not a number.", "Correct it.", "a.csv", 3, "E"),
            "a.csv, row 3, E: not a number. Correct it.",
        ),
        (Rejected("empty.", file="a.csv"), "a.csv: empty."),
        (Rejected("empty.", row=1, value="x", participant="p0001"), "row 1: empty."),
    ],
)
def test_a_rejected_cell_says_where_it_is_and_what_to_do(rejected, said):
    assert str(rejected) == said


@pytest.mark.parametrize("name", list(readers()))
def test_every_reader_is_one_by_its_attributes(name):
    reader = readers()[name]
    assert isinstance(reader, Reader)
    assert reader.name == name
    assert reader.title


@pytest.mark.parametrize("name", list(writers()))
def test_every_writer_is_one_by_its_attributes(name):
    writer = writers()[name]
    assert isinstance(writer, Writer)
    assert writer.name == name


def test_an_object_without_a_method_is_no_format():
    @dataclass
    class Half:
        name: str = "half"
        title: str = "Half"

    assert not isinstance(Half(), Reader | Writer | ItemReader)

"""Differences as a table whose reasons people write and rejudge keeps."""

from __future__ import annotations

import pytest

from heds_files import filled_sheet
from rejudge.errors import FileError
from rejudge.heds import SheetDiff, diff, difference_table, read_reasons
from rejudge.layout import to_csv, to_markdown


def _found() -> SheetDiff:
    one = filled_sheet("3.0").with_answer("1.3.1.1", "Ada")
    two = one.with_answer("3.2.1", "9").with_answer("1.3.1.1", "=Bo")
    return diff(
        one.with_answer("3.2.1", "8"), two.with_answer("4.3.7", "Good?", criterion="Fluency")
    )


def test_reasons_in_the_table_are_read_back():
    text = to_csv(difference_table(_found()))
    head, *lines = text.splitlines()
    edited = [f"{line}Fewer “volunteered”." if line.startswith("3.2.1") else line for line in lines]
    reasons = read_reasons("\n".join([head, *edited]).encode("utf-8-sig"), file="x.csv")
    assert reasons == {("3.2.1", ""): "Fewer “volunteered”."}


def test_a_reason_for_what_no_longer_differs_is_not_lost():
    table = difference_table(_found(), {("2.1", ""): "Other data."})
    assert read_reasons(to_csv(table).encode(), file="x") == {("2.1", ""): "Other data."}
    assert "Other data." not in to_markdown(table)


def test_papers_print_deviations_only():
    assert "Ada" in to_csv(difference_table(_found()))
    printed = to_markdown(difference_table(_found()))
    assert "Ada" not in printed
    assert "3.2.1 Number of evaluators" in printed
    assert "4.3.7 Question asked (Fluency)" in printed


def test_no_cell_is_a_formula():
    assert ",'=Bo," in to_csv(difference_table(_found()))


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\xff\xfe", b"question,criterion\n"])
def test_another_table_is_refused(content):
    with pytest.raises(FileError, match="not a table of differences"):
        read_reasons(content, file="heds-diff.csv")


def test_rows_that_were_cut_short_are_passed_over():
    assert read_reasons(b"question,criterion,reason\n3.2.1\n", file="x") == {}

"""CSV for spreadsheets: no text is a formula, numbers stay numbers, and all of it comes back."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.judgments.exclusions import ExclusionRules, exclude_rows, excluded_csv
from rejudge.judgments.judgments_csv import fingerprint_of, read_csv, to_csv
from rejudge.judgments.read import read_judgments
from rejudge.judgments.table import Judgment, Judgments
from rejudge.layout.table import Column, Table
from rejudge.layout.table import to_csv as sheet_csv
from rejudge.spreadsheet import csv_rows, csv_text, escape, unescape

FORMULAS = (
    "=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "-1+cmd|' /C calc'!A0", "=",
    "--1",
)  # fmt: skip
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
NUMBERS = ("-1.5", "+3", "-.5", "1e-5", "-1E+300", "0", "-0", "12.")

texts = st.text(st.characters(codec="utf-8")) | st.text(st.sampled_from("'=+-@\t\r\n\"a1., "))


def raw_cells(text: str) -> list[str]:
    """The cells as a spreadsheet sees them."""
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would run a cell; it takes a number for a number."""
    try:
        float(cell)
    except ValueError:
        return cell.startswith(STARTS)
    return False


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_gets_an_apostrophe(text: str) -> None:
    assert escape(text) == f"'{text}"


@pytest.mark.parametrize("text", [*NUMBERS, "a=b", " =1", "−1", "", "'a", "it's"])
def test_numbers_and_other_texts_stay_as_they_are(text: str) -> None:
    assert escape(text) == text


@given(texts)
def test_every_text_comes_back(text: str) -> None:
    assert unescape(escape(text)) == text
    assert not is_formula(escape(text))


@given(st.lists(st.lists(texts, min_size=1), min_size=1))
def test_every_table_comes_back(rows: list[list[str]]) -> None:
    text = csv_text(rows)
    assert csv_rows(text) == rows
    assert not any(map(is_formula, raw_cells(text)))


def test_numbers_are_written_as_numbers() -> None:
    assert csv_text([[-1.5, 3, None, True, "-2.5"]]) == "-1.5,3,,True,-2.5\n"


@pytest.mark.parametrize("name", FORMULAS)
def test_sheets_of_a_report_hold_no_formula(name: str) -> None:
    sheet = Table("s", "c", (Column(name), Column("n", 1)), ((name, -1.5), (name, None)))
    assert not any(map(is_formula, raw_cells(sheet_csv(sheet))))
    assert csv_rows(sheet_csv(sheet)) == [[name, "n"], [name, "-1.5"], [name, ""]]


# Judgments

labels = texts.filter(lambda text: text.strip() and "\0" not in text)


def judged(participant: str, item: str, system: str) -> Judgments:
    rows = [Judgment(participant, item, "q", -1.5, system=system)]
    return Judgments.from_rows(rows)


@given(labels, labels, labels)
def test_judgments_come_back_from_their_file(participant: str, item: str, system: str) -> None:
    judgments = judged(participant, item, system)
    text = to_csv(judgments)
    assert not any(map(is_formula, raw_cells(text)))
    assert read_csv(text).rows() == judgments.rows()


def test_judgments_come_back_as_a_table_of_anybody(tmp_path) -> None:
    judgments = judged("=p", "@i", "'-s")
    (tmp_path / "t.csv").write_text(to_csv(judgments), "utf-8", newline="")
    found = read_judgments(tmp_path / "t.csv")
    assert found.participant.labels == ("=p",)
    assert found.item.labels == ("@i",)
    assert found.system.labels == ("'-s",)


def test_a_label_that_was_written_both_ways_is_one(tmp_path) -> None:
    text = "participant,item,system,value\n=p,i1,s,1\n'=p,i2,s,2\np2,i1,s,2\n"
    (tmp_path / "t.csv").write_text(text, "utf-8")
    assert read_judgments(tmp_path / "t.csv").participant.words() == ["=p", "=p", "p2"]


def test_a_file_of_an_earlier_version_is_read_as_before() -> None:
    text = "participant,item,question,value,system\n=p,-i,q,1,@s\n"
    assert read_csv(text).rows() == (Judgment("=p", "-i", "q", 1.0, system="@s"),)


def test_faults_are_found_behind_an_apostrophe_too() -> None:
    text = "participant,item,question,value,system\n'=p,i,q,1,s\n,i,q,1,s\n"
    with pytest.raises(Exception, match=r"judgments\.csv:3"):
        read_csv(text)


def test_what_was_left_out_holds_no_formula() -> None:
    rules = ExclusionRules(participants=("=p",))
    text = excluded_csv(exclude_rows(judged("=p", "-i", "@s"), rules))
    assert not any(map(is_formula, raw_cells(text)))
    assert csv_rows(text)[1][1:3] == ["=p", "-i"]


def test_the_fingerprint_is_of_what_is_said_and_not_of_how_it_is_written() -> None:
    """Computed by the version before texts were escaped."""
    assert fingerprint_of(judged("=p", "-i", "@s")) == "58107d5fd842dd01"

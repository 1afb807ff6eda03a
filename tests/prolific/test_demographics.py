"""Demographics joined to pseudonyms, without any id of the platform."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import FileError
from rejudge.platforms import read_demographics
from rejudge.prolific.submissions import NOT_GIVEN, join_demographics

HEAD = "Submission id,Participant id,Status,Started at,Age,Country of residence,Language"
EXPORT = (
    "\ufeff" + HEAD + "\r\n"
    "s1,aaaa,APPROVED,2026-01-01T10:00:00.000000Z,31,United Kingdom,English\r\n"
    's2,bbbb,RETURNED,,DATA_EXPIRED,"Korea, Republic of",\r\n'
    "s3,cccc,APPROVED,,44,United Kingdom,English\r\n"
    "s9,dddd,APPROVED,,19,Canada,French\r\n"
).encode()
PSEUDONYMS = {"s1": "p0002", "s2": "p0001", "s3": "p0003", "s4": "p0004"}


def test_rows_are_joined_by_submission_and_ids_are_gone():
    found = join_demographics(EXPORT, pseudonyms=PSEUDONYMS)
    assert found.columns == ("Age", "Country of residence", "Language")
    assert found.rows["p0001"] == (None, "Korea, Republic of", None)
    assert (found.unknown, found.missing) == (1, ("p0004",))
    written = found.to_csv().decode()
    assert written.splitlines()[0] == "participant,Age,Country of residence,Language"
    assert not any(hidden in written for hidden in ("aaaa", "s1", "s9", "dddd", "Canada"))


def test_ages_are_kept_as_groups():
    found = join_demographics(EXPORT, pseudonyms=PSEUDONYMS)
    assert found.distribution("Age") == (("25–34", 1), ("35–44", 1), (NOT_GIVEN, 1))


def test_distributions_are_ordered_and_name_what_was_not_given():
    found = join_demographics(EXPORT, pseudonyms=PSEUDONYMS)
    assert found.distribution("Country of residence") == (
        ("United Kingdom", 2),
        ("Korea, Republic of", 1),
    )
    assert found.distribution("Language") == (("English", 2), (NOT_GIVEN, 1))


def test_the_table_can_be_read_again(tmp_path):
    path = tmp_path / "demographics.csv"
    path.write_bytes(join_demographics(EXPORT, pseudonyms=PSEUDONYMS).to_csv())
    assert read_demographics(path)["p0001"] == {
        "Age": None,
        "Country of residence": "Korea, Republic of",
        "Language": None,
    }
    path.write_text("something,else\n")
    with pytest.raises(FileError, match="was changed"):
        read_demographics(path)


@pytest.mark.parametrize(
    "content", [b"", b"Age\n31\n", "Größe".encode("latin-1"), b"\xff\xfeS\x00"]
)
def test_another_file_is_refused(content):
    with pytest.raises(FileError):
        join_demographics(content, pseudonyms=PSEUDONYMS)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=12))
def test_a_spreadsheet_never_sees_a_formula(answers):
    raw = io.StringIO(newline="")
    writer = csv.writer(raw, quoting=csv.QUOTE_ALL)
    writer.writerow(["Submission id", "Sex"])
    writer.writerows([f"s{n}", answer.replace("\0", "")] for n, answer in enumerate(answers))
    names = {f"s{n}": f"p{n:04}" for n in range(len(answers))}
    found = join_demographics(raw.getvalue().encode(), pseudonyms=names)
    assert len(found.rows) == len(answers)
    for line in csv.reader(io.StringIO(found.to_csv().decode(), newline="")):
        assert not line[-1].startswith(("=", "@", "\t"))


def test_ages_are_counted_from_the_youngest_to_the_oldest():
    ages = [17, 18, 24, 25, 64, 65, 90, 65]
    rows = [f"s{number},{age}" for number, age in enumerate(ages)]
    content = "\n".join(["Submission id,Age", *rows]).encode()
    pseudonyms = {f"s{number}": f"p{number}" for number in range(len(ages))}
    found = join_demographics(content, pseudonyms=pseudonyms)
    assert found.distribution("Age") == (
        ("under 18", 1),
        ("18–24", 2),
        ("25–34", 1),
        ("35–44", 0),
        ("45–54", 0),
        ("55–64", 1),
        ("65 or more", 3),
    )

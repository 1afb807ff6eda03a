"""A table of people is read whole or not at all, and texts say what their templates say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.collect.invitations import (
    read_people,
    refuse_unknown_placeholders,
    reveals,
    same_names,
    write_text,
)
from rejudge.errors import DataError, RejudgeError
from rejudge.tables_in import NamedFile

LISTS = {"r1": ("b1", "b2"), "r2": ("b3",)}


def problems(text: str, lists=None) -> list[str]:
    with pytest.raises(RejudgeError) as caught:
        read_people(NamedFile("people.csv", (text).encode()), lists)
    return [str(problem) for problem in caught.value.problems]


def test_people_are_read_in_order_with_names_of_any_script():
    text = "name,email\nZoë Ángel,zoe@example.org\nمريم,maryam@example.org\n李,li@例え.jp\n"
    people = read_people(NamedFile("people.csv", (text).encode()), None)
    assert [person.name for person in people] == ["Zoë Ángel", "مريم", "李"]
    assert [person.participant for person in people] == [None, None, None]


def test_columns_may_have_capitals_and_other_names():
    people = read_people(
        NamedFile("p.csv", ("Name;E-Mail\n".replace(";", ",") + "Ann,ann@x.org\n").encode()), None
    )
    assert people[0].email == "ann@x.org"


@pytest.mark.parametrize(
    "address",
    [
        "", "ann", "ann@", "@x.org", "ann@x", "ann@@x.org", "ann lee@x.org", "ann@x..org",
        ".ann@x.org", "ann.@x.org", "ann@x.org;bob@x.org", f"{'a' * 250}@x.org", "ann@.org",
    ],
)  # fmt: skip
def test_a_bad_address_is_found_with_its_line(address):
    found = problems(f"name,email\nBob,bob@x.org\nAnn,{address}\n")
    assert len(found) == 1
    assert found[0].startswith("people.csv:3: ")


@pytest.mark.parametrize("address", ["a.b+c@sub.example.co.uk", "o'neil@x.org", "ü@exämple.de"])
def test_ordinary_addresses_are_accepted(address):
    assert (
        read_people(NamedFile("p.csv", (f"name,email\nAnn,{address}\n").encode()), None)[0].email
        == address
    )


def test_an_address_with_a_name_around_it_says_what_to_keep():
    assert "between < and >" in problems('name,email\nAnn,"Ann <ann@x.org>"\n')[0]


def test_all_problems_are_reported_and_no_address_is_repeated():
    text = "name,email\n,ann@x.org\nBob,bob\nCem,ANN@x.org\n"
    found = problems(text)
    assert [each.partition(": ")[0] for each in found] == [f"people.csv:{n}" for n in (2, 3, 4)]
    assert "the same as on line 2" in found[2]
    assert not any("x.org" in each for each in found)


def test_people_with_lists_need_their_participant():
    assert "no column 'participant'" in problems("name,email\nAnn,ann@x.org\n", LISTS)[0]
    text = "name,email,participant\nAnn,ann@x.org,r3\nBob,bob@x.org,\nCem,cem@x.org,r1\n"
    found = problems(text + "Dia,dia@x.org,R1\n", LISTS)
    assert "does not name 'r3'" in found[0]
    assert "the participant is empty" in found[1]
    assert "already on line 4" in found[2]


def test_a_code_that_names_the_person_is_refused():
    found = problems("name,email,participant\nAnn Lee,al@x.org,lee-1\n")
    assert "gives away who the person is" in found[0]
    assert not reveals("r01", "Ann Lee", "al@x.org")
    assert reveals("ANNLEE", "ann lee", "x@x.org")
    assert reveals("smith7", "", "j.smith@x.org")


def test_a_line_break_in_a_name_is_refused():
    assert "one line" in problems('name,email\n"Ann\nBcc: all",ann@x.org\n')[0]


def test_namesakes_are_listed():
    text = "name,email\nAnn Lee,a@x.org\nann  lee,b@x.org\nBob,c@x.org\n"
    assert same_names(read_people(NamedFile("p.csv", (text).encode()), None)) == ("Ann Lee",)


def test_a_thousand_bad_rows_are_counted():
    found = problems("name,email\n" + "Ann,ann\n" * 1000)
    assert len(found) == 21
    assert "980 more" in found[-1]


def test_a_misspelt_placeholder_and_a_missing_link_are_found():
    with pytest.raises(DataError) as caught:
        refuse_unknown_placeholders("Hello {nam}\n", file="mine.txt")
    said = [str(problem) for problem in caught.value.problems]
    assert "{nam} is not a placeholder. Did you mean 'name'?" in said[0]
    assert "no {link}" in said[1]


@given(st.text())
def test_what_a_name_contains_is_never_filled_again(name):
    assert write_text("<{name}> {link}", {"name": name, "link": "L"}).endswith("> L")
    assert "L" not in write_text("{name}", {"name": "{link}", "link": "L"})

"""What must not leave the lab is found, told without being repeated, and false alarms are rare."""

from __future__ import annotations

import pytest

from rejudge.bundle.privacy import KnownPrivacy, find_private

HOME = "{}anna/trees".format("/home/")  # as on somebody's machine
NOTHING = KnownPrivacy()
PROLIFIC = "5f3c0e2b9a1d4c7e8b6f0a12"
MTURK = "A2B3C4D5E6F7G8"


def found(text: str, known: KnownPrivacy = NOTHING, file: str = "judgments.csv", **more: object):
    written = ("study.yaml", "items.csv")
    return find_private({file: text.encode()}, known, written_by_people=written, **more)


@pytest.mark.parametrize(
    ("word", "what"),
    [
        ("anna.b+c@uni-city.ac.uk", "an e-mail address"),
        ("Anna@UNI.DE", "an e-mail address"),
        (PROLIFIC, "an id that looks like Prolific's"),
        (MTURK, "an id that looks like Amazon Mechanical Turk's"),
        ("192.168.178.20", "a network address"),
        ("2001:db8:0:1::17", "a network address"),
        ("fe80::1ff:fe23:4567:890a", "a network address"),
        (HOME, "a path on somebody's machine"),
        ("C:\\Users\\anna\\trees", "a path on somebody's machine"),
        ("C:\\\\Users\\\\anna", "a path on somebody's machine"),
        ("file:///data/anna", "a path on somebody's machine"),
    ],
)
def test_what_is_private_is_found_with_its_line_and_not_repeated(word, what):
    (problem,) = found(f"participant,value\np1,2\n{word},3\n")
    assert problem.what == f"{what} is here."
    assert (problem.file, problem.line) == ("judgments.csv", 3)
    assert word not in str(problem)


def test_a_very_long_word_is_searched_in_one_pass():
    (problem,) = found("_" * 300_000 + "\nanna@uni.de\n")
    assert (problem.what, problem.line) == ("an e-mail address is here.", 2)


@pytest.mark.parametrize(
    "text",
    [
        "p0001,i7,2026-03-01T09:30:00+00:00,12.5,real",
        "study 3f8ffca2bab981ce · plan ae91dcfb1c1353db",
        "sha256 a6f0851df547649d495e9a53a623474bdd4699985495933f2b28c57131e5785e",
        "Which one? @reference:i7 and @text:check-1",
        "name@example.org, you@lab.example, me@site.test",
        "version 1.2.3 of 10.11.12, at 9:30:15, ratio 1:2:3",
        "numpy==2.4.6, 2026.11.16.5, 300.1.1.1, 127.0.0.1, ::1",
        "ACKNOWLEDGEMENTS A1 ABCDEFGHIJKLM A1B2C3",
        "either/home/or elsewhere, pages/home/x.md, and http://city.de/home/anna",
    ],
)
def test_what_only_looks_alike_is_left_alone(text):
    assert found(text) == ()


def test_platform_ids_that_the_database_knows_are_found_whatever_their_form():
    known = KnownPrivacy(identities={"kursteilnehmer-17"})
    (problem,) = found("kursteilnehmer-17,i1,2\nkursteilnehmer-170,i1,2\n", known)
    assert problem.what == "a platform id of a participant is here."


def test_a_short_platform_id_is_not_looked_for_in_texts():
    assert found("Joanna said that Anna left.", KnownPrivacy(identities={"anna", "Anna"})) == ()


def test_the_folder_of_the_study_is_found_wherever_it_lies():
    (problem,) = found(
        "made in /vol7/trees, not in /vol7/trees2\n", KnownPrivacy(paths=("/vol7/trees",))
    )
    assert "path" in problem.what


def test_the_contact_of_the_study_may_stand_in_what_people_wrote_and_nowhere_else():
    known = KnownPrivacy(contact="robin@lab.de")
    assert found("contact: Robin@lab.de\n", known, "study.yaml") == ()
    assert found("contact: sam@lab.de\n", known, "study.yaml")
    assert found("robin@lab.de,i1,2\n", known)


def test_what_was_looked_at_may_stay_in_a_file_of_ones_own_but_not_in_judgments():
    assert found("write to info@shop.com", file="items.csv")
    assert found("write to info@shop.com", file="items.csv", accepted=("items.csv",)) == ()
    assert found("info@shop.com", accepted=("judgments.csv",))


def test_the_remedy_fits_the_file():
    assert "--accept items.csv" in found("info@shop.com", file="items.csv")[0].remedy
    assert "pseudonym" in found("info@shop.com")[0].remedy


def test_the_name_of_a_file_is_looked_at_too():
    (problem,) = found("", file="anna@uni.de.csv")
    assert "in the name of the file" in problem.what


def test_many_of_a_kind_are_counted():
    problems = found("\n".join(f"p{n}@uni.de" for n in range(50)))
    assert len(problems) == 4
    assert "47 more times" in problems[-1].what

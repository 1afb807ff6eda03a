"""Who gets which workbook, and what its hidden sheet says."""

from __future__ import annotations

import pytest

from filled_workbooks import layouts
from judged_study import (
    RATING,
    drawn,
    small_study,
)
from rejudge.errors import UsageError
from rejudge.exchange.workbooks.format import FORMAT


def test_people_are_named_in_a_private_list_and_in_file_names_only():
    study = small_study(RATING)
    plan = drawn(study)
    names = ["Ada/Lovelace", "ada-lovelace", "李雷", "../../etc"]
    exported = FORMAT.write(study, plan, people=names)
    assert list(exported.files) == [
        "Ada-Lovelace.xlsx", "ada-lovelace-2.xlsx", "李雷.xlsx", "etc.xlsx", "codes.csv",
    ]  # fmt: skip
    assert exported.files["codes.csv"].decode().splitlines()[:2] == [
        "name,participant,file",
        "Ada/Lovelace,p0001,Ada-Lovelace.xlsx",
    ]
    assert any("cover 4 of 12 places" in note for note in exported.notes)


def test_whoever_is_listed_by_number_keeps_it():
    study = small_study(RATING)
    plan = drawn(study)
    books = layouts(study, plan, ["Ada", "p0001", "p0009"])
    assert [(b.recipient.number, b.recipient.name) for b in books] == [(2, "Ada"), (1, ""), (9, "")]
    alone = FORMAT.write(study, plan, people=["p0009"]).files
    every = FORMAT.write(study, plan, people=()).files
    assert alone == {"p0009.xlsx": every["p0009.xlsx"]}


def test_more_people_than_needed_share_the_batches():
    study = small_study(RATING, design={"batches_per_participant": 4})
    plan = drawn(study)
    names = [f"n{n}" for n in range(plan.places)]
    assert plan.people < len(names)
    books = layouts(study, plan, names)
    assert [len(book.sheets) for book in books] == [1] * plan.places


def test_more_people_than_places_are_refused():
    study = small_study(RATING)
    plan = drawn(study)
    with pytest.raises(UsageError, match=r"13 people were given, but the plan has places for 12"):
        FORMAT.write(study, plan, people=[f"n{n}" for n in range(13)])


def test_every_place_of_the_plan_is_given_once():
    study = small_study(RATING, design={"batches_per_participant": 2, "participants_per_batch": 2})
    plan = drawn(study)
    given = [seat for book in layouts(study, plan) for seat in book.recipient.seats]
    wanted = [(b.id, seat) for b in plan.batches for seat in range(b.participants)]
    assert sorted(given) == sorted(wanted)

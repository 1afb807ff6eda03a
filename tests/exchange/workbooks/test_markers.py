"""Whose workbook a file is: another study, another plan, a changed marker, an edited copy."""

from __future__ import annotations

import json
from dataclasses import replace

import openpyxl
import pytest

from filled_workbooks import opened, read
from judged_study import (
    RATING,
    drawn,
    small_study,
)
from rejudge.errors import FileError
from rejudge.exchange.workbooks.files import open_workbook
from rejudge.exchange.workbooks.layout import Recipient
from rejudge.exchange.workbooks.markers import (
    consent_text,
    marker,
    owner_of,
    parse_marker,
    recipient_of,
)
from rejudge.study import Study


def test_a_workbook_of_another_study_is_refused(exported):
    study, _, paths = exported
    other = Study(spec=study.spec.model_copy(update={"id": "other"}), items=study.items, pages={})
    with pytest.raises(FileError, match=r"a workbook of the study 'small', not 'other'"):
        read(other, drawn(other), paths[0])


def test_a_workbook_of_another_plan_is_refused(exported):
    study, _, paths = exported
    with pytest.raises(FileError, match="exported for another plan of this study"):
        read(study, drawn(small_study(RATING, design={"seed": 6})), paths[0])


def test_a_workbook_from_before_a_change_of_the_items_is_refused(exported):
    study, plan, paths = exported
    changed = Study(spec=study.spec, items=study.items[:-1], pages={})
    with pytest.raises(FileError, match="items or questions were changed after"):
        read(changed, plan, paths[0])


def test_a_corrected_page_does_not_matter(exported):
    study, plan, paths = exported
    corrected = Study(spec=study.spec, items=study.items, pages={"thanks": "Thanks!"})
    assert read(corrected, plan, paths[0]).rejected == ()


@pytest.mark.parametrize(
    "change",
    [lambda said: {**said, "number": 7}, lambda said: {**said, "seats": [["b01", 9]]}],
    ids=["number", "seats"],
)
def test_a_changed_marker_is_refused(exported, tmp_path, change):
    study, plan, paths = exported
    book = openpyxl.load_workbook(paths[0])
    said = json.loads(book["rejudge"]["A2"].value)
    book["rejudge"]["A2"] = json.dumps(change(said))
    book.save(tmp_path / "changed.xlsx")
    with pytest.raises(FileError, match="the hidden sheet of the workbook was changed"):
        read(study, plan, tmp_path / "changed.xlsx")


@pytest.mark.parametrize("said", ["", "[]", "7", "{", '{"study": "small"}', "null"])
def test_a_broken_marker_is_refused(exported, tmp_path, said):
    study, plan, paths = exported
    book = openpyxl.load_workbook(paths[0])
    book["rejudge"]["A2"] = said
    book.save(tmp_path / "changed.xlsx")
    with pytest.raises(FileError):
        read(study, plan, tmp_path / "changed.xlsx")


def test_the_marker_says_nothing_but_whose_workbook_it_is():
    book, _, _ = opened(small_study(RATING))
    said = json.loads(book["rejudge"]["A2"].value)
    assert set(said) == {"study", "plan", "design", "number", "seats", "name", "consent"}


def test_a_marker_that_says_more_than_it_was_signed_for_is_refused(exported):
    """Whoever knows only what a workbook says cannot sign another one."""
    study, plan, paths = exported
    mine = open_workbook(paths[0])
    said, signature = mine.marker
    assert recipient_of(mine, study, plan).code == "p0001"
    assert plan.fingerprint not in said
    forged = replace(mine, marker=(said.replace('"number": 1,', '"number": 2,'), signature))
    assert forged.marker != mine.marker
    with pytest.raises(FileError, match="the hidden sheet of the workbook was changed"):
        recipient_of(forged, study, plan)


def test_a_name_in_any_script_comes_back_from_the_marker():
    study = small_study(RATING)
    plan = drawn(study)
    recipient = Recipient(3, (("b01", 0), ("b02", 1)), "أدا “李雷” \N{PILE OF POO}")
    _, said, signature = marker(study, plan, recipient)
    assert said.isascii()
    assert marker(study, plan, recipient) == marker(study, plan, recipient)
    assert marker(study, plan, replace(recipient, number=4))[2] != signature
    assert parse_marker(said)["name"] == recipient.name


@pytest.mark.parametrize("said", ["", "[]", "7", "{", "null", "\ud800", "é" * 9])
def test_what_is_not_an_object_is_no_marker(said):
    assert parse_marker(said) is None


def test_the_consent_has_a_fingerprint_where_people_are_asked():
    study = small_study(RATING)
    asked = [
        replace(study, pages={"consent": text}) for text in ("I agree.", " I agree.\n", "Yes.")
    ]
    same, trimmed, other = map(consent_text, asked)
    assert same == trimmed != other
    assert consent_text(replace(study, pages={"consent": " \n"})) == consent_text(study) == ""


def test_only_an_untouched_copy_has_an_owner(exported, tmp_path):
    _, _, (filled, untouched, *_) = exported
    assert owner_of(untouched) == "p0002"
    assert owner_of(filled) is None  # somebody saved it since
    text = tmp_path / "text.xlsx"
    text.write_bytes(b"participant,score\n")
    assert owner_of(text) is None

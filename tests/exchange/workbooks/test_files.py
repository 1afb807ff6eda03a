"""Files that are not workbooks of this study: one clear message each, nothing is imported."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filled_workbooks import export, opened, read, rows_of
from judged_study import (
    RATING,
    SLIDER,
    drawn,
    small_study,
)
from property_settings import examples
from rejudge.errors import FileError, UsageError
from rejudge.exchange.registry import find_reader, readers, writers
from rejudge.exchange.workbooks.files import (
    consent_text,
    marker,
    open_workbook,
    owner_of,
    parse_marker,
    recipient_of,
)
from rejudge.exchange.workbooks.format import FORMAT
from rejudge.exchange.workbooks.layout import Recipient
from rejudge.study.model import Study

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def bomb() -> bytes:
    """A workbook that would fill the memory."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", b"rejudge workbook" + bytes(50 << 20))
    return out.getvalue()


def open_document() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", "<a/>")
    return out.getvalue()


def plain_workbook() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["participant", "score"])
    book.save(out)
    return out.getvalue()


BAD_FILES = {
    "empty": (b"", "this is not a workbook."),
    "text": (b"participant,score\na,1\n", "this is not a workbook."),
    "old Excel": (OLE + bytes(2000), "this is an old .xls workbook."),
    "password": (
        OLE + bytes(1000) + "EncryptedPackage".encode("utf-16-le"),
        "the workbook has a password.",
    ),
    "bomb": (bomb(), "unpacked, the workbook would have 50 MB."),
    "OpenDocument": (open_document(), "this is an OpenDocument spreadsheet (.ods)."),
    "zip": (b"PK\x05\x06" + bytes(18), "the workbook is damaged or was not saved completely."),
    "another workbook": (
        plain_workbook(),
        "this workbook was not written by `rejudge export --to xlsx`.",
    ),
}


@pytest.mark.parametrize(("content", "what"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_named_with_a_remedy_and_good_ones_beside_it_are_kept(
    exported, tmp_path, content, what
):
    study, plan, paths = exported
    bad = tmp_path / "bad.xlsx"
    bad.write_bytes(content)
    with pytest.raises(FileError) as caught:
        read(study, plan, bad)
    (problem,) = caught.value.problems
    assert (problem.what, problem.file) == (what, "bad.xlsx")
    assert problem.remedy
    found = read(study, plan, bad, paths[0])
    assert rows_of(found.judgments) == rows_of(read(study, plan, paths[0]).judgments)
    (rejected, *_) = found.rejected
    assert (rejected.reason, rejected.remedy, rejected.file) == (what, problem.remedy, "bad.xlsx")


def test_entities_that_multiply_do_not_fill_the_memory(exported, tmp_path):
    study, plan, paths = exported
    laughs = "".join(f'<!ENTITY {b} "{10 * f"&{a};"}">' for a, b in pairwise("abcdefghij"))
    head = f'<!DOCTYPE z [<!ENTITY a "ha">{laughs}]>'
    bad = tmp_path / "laughs.xlsx"
    with zipfile.ZipFile(paths[0]) as old, zipfile.ZipFile(bad, "w") as new:
        for entry in old.infolist():
            part = old.read(entry).decode()
            if entry.filename == "xl/worksheets/sheet2.xml":
                part = head + part.replace("<t>", "<t>&j;", 1)
            new.writestr(entry.filename, part)
    with pytest.raises(FileError, match="damaged"):
        read(study, plan, bad)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_damaged(exported, tmp_path, share):
    study, plan, paths = exported
    whole = paths[0].read_bytes()
    cut = tmp_path / "cut.xlsx"
    cut.write_bytes(whole[: int(share * len(whole))])
    assert FORMAT.recognises(cut)
    with pytest.raises(FileError, match="damaged or was not saved completely"):
        read(study, plan, cut)


@given(data=st.data())
@settings(max_examples=examples(60))
def test_damaged_bytes_give_a_message_or_the_same_answers(exported, data):
    study, plan, paths = exported
    content = bytearray(paths[0].read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = paths[0].with_name("damaged.xlsx")
    path.write_bytes(content)
    FORMAT.recognises(path)
    try:
        people = read(study, plan, path).judgments.participant.used()
    except FileError:
        people = ("p0001",)
    assert people == ("p0001",)


def test_all_bad_files_are_listed_at_once(exported, tmp_path):
    study, plan, _ = exported
    for name in ("a.xlsx", "b.xlsx"):
        (tmp_path / name).write_bytes(b"nothing")
    with pytest.raises(FileError) as caught:
        read(study, plan, tmp_path / "a.xlsx", tmp_path / "b.xlsx")
    assert [problem.file for problem in caught.value.problems] == ["a.xlsx", "b.xlsx"]


def test_workbooks_of_two_lists_of_people_are_told_apart(tmp_path):
    study = small_study(SLIDER)
    plan = drawn(study)
    first = export(tmp_path / "first", study, plan, ["Ada"])
    second = export(tmp_path / "second", study, plan, ["Bob"])
    with pytest.raises(FileError, match=r"and Ada\.xlsx have the same participant number"):
        read(study, plan, *first, *second)


def test_a_study_is_needed(exported):
    with pytest.raises(UsageError, match="workbooks belong to a study"):
        FORMAT.read(exported[2], study=None, plan=None)


# ── recognised ───────────────────────────────────────────────────────────────────────────────────


def test_the_format_is_known_by_name_and_found_by_its_marker(exported):
    assert readers()["xlsx"] is FORMAT
    assert writers()["xlsx"] is FORMAT
    assert find_reader(exported[2]) is FORMAT


def test_a_workbook_is_known_by_its_marker_and_not_by_its_name(exported, tmp_path):
    renamed = tmp_path / "answers.dat"
    renamed.write_bytes(exported[2][0].read_bytes())
    assert FORMAT.recognises(renamed)
    other = tmp_path / "table.xlsx"
    other.write_bytes(plain_workbook())
    assert not FORMAT.recognises(other)


def test_what_cannot_be_read_is_not_recognised(tmp_path):
    assert not FORMAT.recognises(tmp_path / "absent.xlsx")
    assert not FORMAT.recognises(tmp_path)
    assert not FORMAT.recognises(Path("/dev/zero"))
    (tmp_path / "text.xlsx").write_bytes(b"a,b\n")
    assert not FORMAT.recognises(tmp_path / "text.xlsx")


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

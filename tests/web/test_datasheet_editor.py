"""The page that completes a datasheet: what it saves, what it refuses, and that nothing is lost."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from rejudge.heds.sheet import (
    SheetAnswer,
    add_criterion,
    blank_sheet,
    find_provenance,
    read_sheet,
    record_answer,
)
from rejudge.web.datasheet_editor import DatasheetEditor, open_sheet_file
from rejudge.web.serving import run_site

SCRIPT = {"x-script": "1"}


@pytest.fixture
def path(tmp_path):
    sheet = add_criterion(blank_sheet("3.0"), "Fluency").with_answer(
        "3.2.3", "By <b>link</b> & co."
    )
    sheet = record_answer(sheet, "3.2.3", source="study.yaml", time="2026-11-17T10:00:00Z")
    file = tmp_path / "sheet.json"
    file.write_bytes(sheet.write())
    return file


@pytest.fixture
def editor(path):
    return DatasheetEditor(open_sheet_file(path), token="secret-token")  # noqa: S106 - of a test


@pytest.fixture
def page(editor):
    with run_site(editor.app) as address, httpx.Client(base_url=address) as client:
        yield client


def save(page: httpx.Client, **fields: Any) -> httpx.Response:
    form = {name.replace("__", ":").replace("_", "."): value for name, value in fields.items()}
    return page.post("/secret-token/save", data=form, headers=SCRIPT)


def test_without_the_token_there_is_nothing(page):
    for address in ("/", "/1", "/wrong/1", "/secret-toke/1"):
        assert page.get(address).status_code == 404
    assert page.post("/save", data={"questions": "3.2.1"}).status_code in (404, 405)


@pytest.mark.parametrize("section", "12345")
def test_every_section_has_a_page(page, section):
    reply = page.get(f"/secret-token/{section}")
    assert reply.status_code == 200
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert not re.search(r'(src|href)="https?:', reply.text)


def test_answers_are_escaped_and_their_source_is_shown(page):
    text = page.get("/secret-token/3").text
    assert "By &lt;b&gt;link&lt;/b&gt; &amp; co." in text
    assert "Filled in from study.yaml." in text


def test_an_answer_is_saved_at_once(page, path):
    reply = save(page, questions="3.2.1", text__3_2_1="24").json()
    assert reply["outcome"] == "saved"
    assert (reply["done"], reply["total"]) == (2, 62)
    assert read_sheet(path).answer("3.2.1").text == "24"


def test_options_are_saved_and_an_explanation_only_where_one_is_asked_for(page, path):
    fields = {"questions": "3.3.1", "option:3.3.1": "1", "text:3.3.1": "https://osf.io/x"}
    page.post("/secret-token/save", data=fields, headers=SCRIPT)
    assert read_sheet(path).answer("3.3.1") == SheetAnswer("https://osf.io/x", (1,))
    page.post("/secret-token/save", data={**fields, "option:3.3.1": "2"}, headers=SCRIPT)
    assert read_sheet(path).answer("3.3.1") == SheetAnswer("", (2,))
    several = {"questions": "2.1", "option:2.1:5": "5", "option:2.1:7": "7"}
    page.post("/secret-token/save", data=several, headers=SCRIPT)
    assert read_sheet(path).answer("2.1").options == (5, 7)


def test_a_criterion_has_its_own_answers(page, path):
    fields = {"questions": "4.3.7", "criterion": "Fluency", "text:4.3.7": "Is it fluent?"}
    page.post("/secret-token/save", data=fields, headers=SCRIPT)
    assert read_sheet(path).answer("4.3.7", "Fluency").text == "Is it fluent?"


def test_what_the_form_would_object_to_is_said(page):
    reply = save(page, questions="3.2.1", text__3_2_1="about ten").json()
    assert "neither a number" in reply["findings"]["3.2.1"][0]


def test_without_scripts_a_whole_section_is_saved(page, path):
    fields = {
        "section": "5",
        "questions": "5.1 5.4",
        "text:5.1": "Board 7",
        "text:5.4": "no\r\none",
    }
    reply = page.post("/secret-token/save", data=fields)
    assert (reply.status_code, reply.headers["location"]) == (303, "/secret-token/5")
    assert read_sheet(path).answer("5.1").text == "Board 7"
    assert read_sheet(path).answer("5.4").text == "no\none"


def test_saving_a_page_as_it_is_changes_no_byte(page, path):
    before = path.read_bytes()
    fields = {"section": "3", "questions": "3.2.3", "text:3.2.3": "By <b>link</b> & co."}
    page.post("/secret-token/save", data=fields)
    assert path.read_bytes() == before


def test_a_draft_that_is_confirmed_is_no_longer_one(page, path):
    fields = {"questions": "3.2.3", "text:3.2.3": "By <b>link</b> & co.", "confirm": "3.2.3"}
    page.post("/secret-token/save", data=fields, headers=SCRIPT)
    assert find_provenance(read_sheet(path), "3.2.3") is None
    assert "draft" not in page.get("/secret-token/3").text


def test_undo_goes_back_step_by_step(page, path):
    before = path.read_bytes()
    save(page, questions="3.2.1", text__3_2_1="24")
    save(page, questions="3.2.1", text__3_2_1="25")
    page.post("/secret-token/undo", data={"section": "3"})
    assert read_sheet(path).answer("3.2.1").text == "24"
    page.post("/secret-token/undo", data={"section": "3"})
    page.post("/secret-token/undo", data={"section": "3"})
    assert path.read_bytes() == before


def test_a_file_that_somebody_else_changed_is_not_overwritten(page, path):
    other = read_sheet(path).with_answer("5.1", "Board 9")
    path.write_bytes(other.write())
    reply = save(page, questions="3.2.1", text__3_2_1="24")
    assert (reply.status_code, reply.json()["outcome"]) == (409, "changed")
    assert path.read_bytes() == other.write()
    assert "Board 9" in page.get("/secret-token/5").text
    assert save(page, questions="3.2.1", text__3_2_1="24").json()["outcome"] == "saved"


def test_a_file_that_was_deleted_is_not_made_again(page, path):
    path.unlink()
    assert page.get("/secret-token/5").status_code == 200
    assert save(page, questions="3.2.1", text__3_2_1="24").status_code == 409
    assert not path.exists()


def test_a_folder_in_place_of_the_file_is_told_like_a_change(page, path):
    path.unlink()
    path.mkdir()
    assert page.get("/secret-token/1").status_code == 200
    reply = page.post("/secret-token/save", data={"questions": "1.1.1", "text:1.1.1": "x"})
    assert reply.status_code == 409


def test_criteria_are_added_renamed_copied_and_removed(page, path):
    def post(**fields: Any) -> httpx.Response:
        return page.post("/secret-token/criteria", data=fields)

    assert post(action="add", new="Sinn & Form").status_code == 422
    reply = post(action="add", new="意味")
    assert reply.headers["location"].endswith("/4?criterion=%E6%84%8F%E5%91%B3")
    assert post(action="rename", criterion="Fluency", new="Grammar").status_code == 303
    assert post(action="copy", criterion="Grammar", new="Style").status_code == 303
    assert post(action="remove", criterion="意味").status_code == 303
    assert read_sheet(path).criteria == ("Grammar", "Style")
    assert post(action="explode").status_code == 400
    assert post(action="rename", criterion="nobody", new="X").status_code == 422


@pytest.mark.parametrize(
    "fields",
    [
        {"questions": "9.9"},
        {"questions": "4.3.7"},
        {"questions": "4.3.7", "criterion": "nobody", "text:4.3.7": "x"},
        {"questions": "3.3.1", "option:3.3.1": "77"},
        {"questions": "3.3.1", "option:3.3.1": "²"},
        {"questions": "3.3.1", "option:3.3.1": "1" * 5000},
    ],
)
def test_a_forged_form_is_refused_and_changes_nothing(page, path, fields):
    before = path.read_bytes()
    assert page.post("/secret-token/save", data=fields, headers=SCRIPT).status_code == 422
    assert path.read_bytes() == before


def test_too_much_is_refused(page, path):
    before = path.read_bytes()
    reply = page.post("/secret-token/save", data={"text:5.1": "x" * (2 << 20)}, headers=SCRIPT)
    assert reply.status_code == 413
    assert path.read_bytes() == before


def test_a_sheet_without_criteria_asks_for_one(tmp_path):
    path = tmp_path / "blank.json"
    path.write_bytes(blank_sheet("2.x").write())
    editor = DatasheetEditor(open_sheet_file(path), token="t")  # noqa: S106 - of a test
    with run_site(editor.app) as address:
        assert "There is no quality criterion yet" in httpx.get(f"{address}/t/4").text

"""The datasheet editor in a real browser: by keyboard, on a phone, accessible."""

from __future__ import annotations

import pytest

from rejudge.heds.sheet import add_criterion, blank_sheet, read_sheet, record_answer
from rejudge.web.datasheet_editor import DatasheetEditor, open_sheet_file
from rejudge.web.serving import run_site
from visitor import DESKTOP, PHONE, axe

pytestmark = pytest.mark.browser


@pytest.fixture
def path(tmp_path):
    sheet = add_criterion(blank_sheet("3.0"), "Fluency").with_answer("3.2.3", "By link.")
    sheet = record_answer(sheet, "3.2.3", source="study.yaml", time="2026-11-17T10:00:00Z")
    file = tmp_path / "sheet.json"
    file.write_bytes(sheet.write())
    return file


@pytest.fixture
def address(path):
    editor = DatasheetEditor(open_sheet_file(path))
    with run_site(editor.app) as place:
        yield f"{place}/{editor.token}"


def wait_saved(page):
    page.get_by_text("Saved.", exact=True).wait_for()


def test_a_sheet_is_completed_with_the_keyboard_alone(open_page, path, address):
    page = open_page(**DESKTOP)
    page.goto(f"{address}/3")
    page.focus("input[name='text:3.2.1']")
    page.keyboard.type("24")
    page.keyboard.press("Tab")
    wait_saved(page)
    assert read_sheet(path).answer("3.2.1").text == "24"
    assert page.text_content("#count") == "2 of 62"
    page.focus("#q3-2-2-1 input")
    page.keyboard.press("Space")
    page.get_by_text("3 of 62", exact=True).wait_for()
    assert read_sheet(path).answer("3.2.2.1").options == (1,)
    page.focus("button[name='confirm']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#q3-2-3 .origin", state="detached")
    page.focus("#undo")
    page.keyboard.press("Enter")
    page.wait_for_selector("#q3-2-3 .origin")
    assert read_sheet(path).answer("3.2.2.1").options == (1,)


def test_languages_are_found_by_typing(open_page, path, address):
    page = open_page(**DESKTOP)
    page.goto(f"{address}/2")
    page.fill("#q2-4-filter", "georg")
    assert page.locator("#q2-4-options li:visible").count() == 1
    page.check("#q2-4-options li:visible input")
    wait_saved(page)
    (key,) = read_sheet(path).answer("2.4").options
    assert read_sheet(path).schema.question("2.4").option(key).name == "Georgian"


def test_a_criterion_is_renamed_and_copied_on_a_phone(open_page, path, address):
    page = open_page(**PHONE)
    page.goto(f"{address}/4")
    page.fill("textarea[name='text:4.3.7']", "هل النص سلس؟")
    wait_saved(page)
    page.click("summary")
    page.fill("#new", "Grammar")
    page.click("button[value=rename]")
    page.wait_for_url("**criterion=Grammar")
    page.click("summary")
    page.fill("#new", "Style")
    page.click("button[value=copy]")
    page.wait_for_url("**criterion=Style")
    sheet = read_sheet(path)
    assert sheet.criteria == ("Grammar", "Style")
    assert sheet.answer("4.3.7", "Style").text == "هل النص سلس؟"
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["viewport"]["width"]


def test_a_change_by_another_program_is_not_overwritten(open_page, path, address):
    page = open_page(**DESKTOP)
    page.goto(f"{address}/5")
    other = read_sheet(path).with_answer("5.4", "Board 9")
    path.write_bytes(other.write())
    page.fill("textarea[name='text:5.1']", "Board 7")
    page.wait_for_selector("#saved.bad")
    assert path.read_bytes() == other.write()


@pytest.mark.parametrize(
    "size",
    [pytest.param(DESKTOP, id="desktop", marks=pytest.mark.slow), pytest.param(PHONE, id="phone")],
)
def test_the_pages_are_accessible(open_page, address, size):
    page = open_page(**size)
    for section in "14":
        page.goto(f"{address}/{section}")
        assert axe(page) == []

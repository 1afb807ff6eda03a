"""Statements of the consent page in a real browser: by keys, on phones, without scripts."""

from __future__ import annotations

import pytest

from participants import PAIRWISE, made_study
from visitor import DESKTOP, PHONE, axe

pytestmark = pytest.mark.browser
STATEMENTS = [
    {"id": "adult", "text": "I am at least 18 years old."},
    {
        "id": "stop",
        "text": "I know that I can stop at any time, and withdraw my answers afterwards, without "
        "giving a reason.",
    },
    {"id": "later", "text": "You may write to me about later studies.", "required": False},
]
ROOMY = {"order": "listed", "participants_per_batch": 40}
STUDY = made_study(PAIRWISE, design=ROOMY, site={"consent_statements": STATEMENTS})
ARABIC = made_study(
    PAIRWISE,
    design=ROOMY,
    language="ar",
    site={"consent_statements": [{"id": "adult", "text": "عمري 18 عاما أو أكثر."}]},
)


@pytest.mark.parametrize(
    ("study", "window"),
    [
        pytest.param(STUDY, DESKTOP, id="en-desktop"),
        pytest.param(ARABIC, PHONE, id="ar-phone"),
        pytest.param(STUDY, PHONE, id="en-phone", marks=pytest.mark.slow),
        pytest.param(ARABIC, DESKTOP, id="ar-desktop", marks=pytest.mark.slow),
    ],
)
def test_it_is_accessible_before_and_after_a_missing_tick(visit, study, window):
    visitor = visit(study, **window)
    visitor.arrive()
    page = visitor.page
    assert axe(page) == []
    page.click("button[value=yes]")
    page.locator(".notice.bad").wait_for()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    sizes = page.locator(".statements .choice").evaluate_all(
        "boxes => boxes.map((box) => box.getBoundingClientRect().height)"
    )
    assert min(sizes) >= 44


@pytest.mark.parametrize("script", [True, False], ids=["scripts", "no scripts"])
def test_what_is_missing_is_named_and_what_was_ticked_stays(visit, script):
    visitor = visit(STUDY, **DESKTOP, java_script_enabled=script)
    visitor.arrive()
    page = visitor.page
    page.get_by_label("I am at least 18").check()
    page.click("button[value=yes]")
    page.locator(".notice.bad").wait_for()
    assert page.get_by_label("I am at least 18").is_checked()
    assert page.locator(".statements .fault").count() == 1
    page.locator(".notice.bad a").click()  # leads to the box
    page.get_by_label("I know that I can stop").check()
    page.click("button[value=yes]")
    page.wait_for_url("**/instructions")


def test_it_can_be_done_by_keys_alone(visit):
    visitor = visit(STUDY, **DESKTOP)
    visitor.arrive()
    page = visitor.page
    page.locator("input[type=checkbox]").first.focus()
    for _ in STATEMENTS[:2]:
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")  # past the optional one
    page.keyboard.press("Enter")
    page.wait_for_url("**/instructions")
    rows = [row for row in visitor.site.opened.store.answer_rows() if row.task == "@consent"]
    assert {row.question: row.raw for row in rows[-3:]} == {
        "adult": "yes", "stop": "yes", "later": "no",
    }  # fmt: skip


def test_the_summary_has_the_focus(visit):
    visitor = visit(STUDY, **PHONE)
    visitor.arrive()
    visitor.page.click("button[value=yes]")
    visitor.page.locator(".notice.bad").wait_for()
    assert visitor.page.evaluate("document.activeElement.className") == "notice bad"

"""The gold batch in a real browser: passing, a second attempt, not passing; mouse and keys."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from participants import RATING, TIE, made_study
from visitor import DESKTOP, PHONE, Visitor

pytestmark = pytest.mark.browser
SHOTS = os.environ.get("REJUDGE_SHOTS", "")  # a folder for pictures of the pages
TEXTS = (
    ("How far is the moon from the earth?", "What is the distance to the moon?", "Is it far?", "a"),
    ("Who wrote this book?", "When was it written?", "Who is the author of this book?", "b"),
    ("Where can I buy a ticket?", "Where are tickets sold?", "I bought a ticket there.", "a"),
)


def study_with_test(language: str = "en", **asked: Any):
    pairs = [
        {"input": source, "outputs": [one, two], "answers": {"meaning": right}}
        for source, one, two, right in TEXTS
    ]
    score = {"input": "Ein Text.", "outputs": ["A fluent text."], "answers": {"fluency": 5}}
    return made_study(
        TIE,
        RATING,
        qualification={"pass_mark": 3, "tasks": [*pairs, score], "within": 1, **asked},
        payment={"reward": 2, "minutes": 5, "hourly": 12},
        site={"language": language, "comment": False},
    )


def shoot(visitor: Visitor, name: str) -> None:
    if SHOTS:
        visitor.page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)


def to_test(visitor: Visitor) -> None:
    visitor.arrive()
    visitor.page.locator("button[value=yes]").click()
    visitor.page.locator("main button.primary").click()
    visitor.page.wait_for_url("**/qualification")


def attempt(visitor: Visitor, pair: str, point: str, name: str = "") -> None:
    """Answer each pair and the score with one answer."""
    visitor.page.locator("main a.primary").click()
    for place in range(1, 5):
        visitor.page.wait_for_url(f"**/qualification/{place}")
        value = pair if visitor.page.locator("[name='0:meaning']").count() else point
        visitor.page.locator(f"label:has(input[value='{value}'])").first.click()
        if name:
            shoot(visitor, f"{name}-{place}")
        visitor.page.locator("button.next").click()


@pytest.mark.parametrize(
    ("language", "window"),
    [
        pytest.param("ar", PHONE, id="ar-phone"),
        pytest.param("ar", DESKTOP, id="ar-desktop", marks=pytest.mark.slow),
        pytest.param("en", PHONE, id="en-phone", marks=pytest.mark.slow),
        pytest.param("en", DESKTOP, id="en-desktop", marks=pytest.mark.slow),
    ],
)
def test_not_passing_and_passing(visit, window, language):
    name = f"{language}-{'phone' if window is PHONE else 'desktop'}"
    visitor = visit(study_with_test(language), **window)
    to_test(visitor)
    shoot(visitor, f"{name}-start")
    attempt(visitor, "tie", "1", name)
    visitor.page.wait_for_url("**/qualification")
    shoot(visitor, f"{name}-again")
    attempt(visitor, "tie", "1")
    visitor.page.wait_for_url("**/not-qualified")
    shoot(visitor, f"{name}-failed")
    code = visitor.site.opened.store.codes.not_qualified
    assert visitor.page.locator("#code").inner_text() == code
    other = visit(study_with_test(language), **window)
    to_test(other)
    attempt(other, "a", "5")
    other.page.wait_for_url("**/qualified")
    shoot(other, f"{name}-passed")
    other.page.locator("main a.primary").click()
    other.page.wait_for_url("**/task/1")
    assert visitor.complaints == other.complaints == []


def test_by_keyboard_only_and_with_the_back_button(visit):
    visitor = visit(study_with_test(), **DESKTOP)
    to_test(visitor)
    keys = visitor.page.keyboard
    visitor.page.locator("main a.primary").focus()
    keys.press("Enter")
    for place, key in enumerate("1214", start=1):
        visitor.page.wait_for_url(f"**/qualification/{place}")
        keys.press(key)
        keys.press("Enter")
    visitor.page.wait_for_url("**/qualified")
    visitor.page.go_back()
    visitor.page.goto(f"{visitor.site.address}/qualification/2")
    visitor.page.wait_for_url("**/task/1")
    assert visitor.complaints == []


def test_without_a_script(visit):
    visitor = visit(study_with_test(attempts=1), java_script_enabled=False, **PHONE)
    to_test(visitor)
    attempt(visitor, "b", "1")
    visitor.page.wait_for_url("**/not-qualified")
    assert visitor.complaints == []

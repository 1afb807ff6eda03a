"""From consent to thanks through every kind of question, in a real browser."""

from __future__ import annotations

import pytest

from visitor import DESKTOP, PHONE, RIGHT, every_kind

pytestmark = pytest.mark.browser
ARABIC = every_kind(site={"language": "ar"}, texts=lambda n, name: f"النص {n} من {name}. هو طويل.")


def check_stored(visitor):
    """All seven tasks: three pairs, three single texts with three questions, one of all three."""
    stored = visitor.site.answers(visitor.participant)
    assert len(stored) == 3 + 3 * 3 + 2
    assert {q: raw for (_, q), raw in stored.items() if q != "ease"} == RIGHT
    near = {float(raw) for (_, q), raw in stored.items() if q == "ease"}
    assert all(65 <= value <= 75 for value in near)


@pytest.mark.parametrize(
    ("window", "has_script"),
    [  # with a script, by mouse on a phone and by keys on a desktop: see below
        pytest.param(PHONE, False, id="plain-phone"),
        pytest.param(PHONE, True, id="script-phone", marks=pytest.mark.slow),
        pytest.param(DESKTOP, False, id="plain-desktop", marks=pytest.mark.slow),
        pytest.param(DESKTOP, True, id="script-desktop", marks=pytest.mark.slow),
    ],
)
def test_by_mouse(visit, window, has_script):
    visitor = visit(every_kind(), java_script_enabled=has_script, **window)
    visitor.to_tasks()
    walk = visitor.walk if has_script else visitor.walk_plain
    assert len(walk()) == 7
    assert visitor.path == "/exit"
    visitor.finish()
    check_stored(visitor)
    code = visitor.site.opened.store.codes.completed
    assert visitor.page.locator("#code").inner_text() == code
    assert visitor.complaints == []


def test_by_keyboard_only(visit):
    visitor = visit(every_kind(), **DESKTOP)
    keys = visitor.page.keyboard
    visitor.arrive()
    tab_to(visitor, "button[value=yes]")
    keys.press("Enter")
    visitor.page.wait_for_url("**/instructions")
    tab_to(visitor, "main button.primary")
    keys.press("Enter")
    visitor.page.wait_for_url("**/practice")
    keys.press("1")
    keys.press("Enter")
    visitor.page.locator(".notice.ok").wait_for()
    keys.press("Enter")
    visitor.page.wait_for_url("**/task/1")
    visitor.wait_for_all_tasks()
    for place in range(1, 8):
        visitor.page.wait_for_url(f"**/task/{place}")
        answer_by_keys(visitor)
        keys.press("Enter")
    visitor.page.wait_for_url("**/exit")
    tab_to(visitor, "main button.primary")
    keys.press("Enter")
    visitor.page.wait_for_url("**/thanks")
    stored = visitor.site.answers(visitor.participant)
    said = {q: raw for (_, q), raw in stored.items()}
    assert said == {
        "meaning": "tie", "fluency": "4", "ease": "52", "facts": "2,0", "best": "b,c",
        "rank": "b,a,c",
    }  # fmt: skip
    assert len(stored) == 14
    assert visitor.complaints == []


def answer_by_keys(visitor) -> None:
    keys = visitor.page.keyboard
    kinds = [q.get_attribute("data-kind") for q in visitor.page.locator(".question").all()]
    if kinds == ["pairwise"]:
        keys.press("0")
    elif "rating" in kinds:
        keys.press("4")  # focus goes on to the slider, which keys move from the middle
        keys.press("ArrowRight")
        keys.press("ArrowRight")
        tab_to(visitor, ".segments input")
        keys.press("2")
        keys.press("0")
    else:
        keys.press("2")
        keys.press("3")
        for place in "213":  # of the first text, the second and the third
            keys.press(place)


def tab_to(visitor, selector: str) -> None:
    wanted = f"document.activeElement?.matches({selector!r})"
    for _ in range(40):
        if visitor.page.evaluate(wanted):
            return
        visitor.page.keyboard.press("Tab")
    pytest.fail(f"no way by keys to {selector}")


@pytest.mark.parametrize(
    "window",
    [
        pytest.param(DESKTOP, id="desktop", marks=pytest.mark.slow),
        pytest.param(PHONE, id="phone"),
    ],
)
def test_from_right_to_left(visit, window):
    visitor = visit(ARABIC, **window)
    visitor.to_practice()
    assert visitor.page.evaluate("getComputedStyle(document.body).direction") == "rtl"
    boxes = [tile.bounding_box() for tile in visitor.page.locator(".tile").all()]
    assert boxes[0]["x"] > boxes[1]["x"] or boxes[0]["y"] < boxes[1]["y"]
    page_width = visitor.page.evaluate("document.documentElement.scrollWidth")
    assert page_width <= window["viewport"]["width"]
    visitor.practise()
    visitor.walk()
    visitor.finish()
    stored = visitor.site.answers(visitor.participant)
    assert {q: raw for (_, q), raw in stored.items() if q != "ease"} == RIGHT
    assert all(25 <= float(raw) <= 35 for (_, q), raw in stored.items() if q == "ease")
    assert visitor.complaints == []

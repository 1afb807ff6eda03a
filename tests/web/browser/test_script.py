"""What the script adds: saving at once, going on without a network, controls that explain."""

from __future__ import annotations

import pytest

from participants import BEST_WORST, PAIRWISE, RANKING, SEGMENTS, SLIDER, made_study
from visitor import DESKTOP, PHONE, axe, every_kind

pytestmark = pytest.mark.browser
MANY = {"order": "listed", "participants_per_batch": 40, "batch": {"inputs": 3}}
PAIRS = made_study(PAIRWISE, design=MANY)


def at_first_task(visitor):
    visitor.start()
    return visitor


def at_tasks(visitor):
    at_first_task(visitor)
    visitor.wait_for_all_tasks()
    return visitor


def test_a_crash_in_the_middle_loses_nothing_and_another_browser_goes_on(visit):
    first = at_tasks(visit(PAIRS, name="crasher", **DESKTOP))
    for _ in range(2):
        first.page.locator(".tile").nth(1).click()
        first.wait_saved()
        first.next()
    first.page.locator(".tile").first.click()
    first.wait_saved()
    first.page.context.close()
    second = visit(PAIRS, name="crasher", **PHONE)
    second.arrive()
    assert second.path == "/task/4"
    second.page.locator(".back").click()
    assert second.page.locator(".tile input").first.is_checked()


def test_with_the_network_cut_people_go_on_and_everything_arrives_once(visit):
    visitor = at_tasks(visit(PAIRS, **DESKTOP))
    context = visitor.page.context
    context.set_offline(True)
    for _ in range(8):
        visitor.page.locator(".tile").first.click()
        visitor.next()
    assert "Not saved yet" in visitor.page.locator(".status").inner_text()
    visitor.page.locator(".tile").first.click()
    visitor.next()
    assert visitor.path == "/task/9"
    context.set_offline(False)
    visitor.page.wait_for_url("**/exit")
    visitor.page.click("main button.primary")
    visitor.page.wait_for_url("**/thanks")
    rows = [r for r in visitor.new_rows() if r.participant == visitor.participant]
    assert len(rows) == len({row.task for row in rows}) == 9
    assert visitor.complaints == []


def test_the_browser_asks_before_leaving_only_while_an_answer_waits(visit):
    """A page that always listens is never kept by the browser, and Chromium may never end a window
    that is closed while such a page is being left."""
    visitor = at_tasks(visit(PAIRS, **DESKTOP))
    asks = "!window.dispatchEvent(new Event('beforeunload', {cancelable: true}))"
    before = visitor.page.evaluate(asks)
    visitor.page.route("**/save", lambda route: route.abort())
    visitor.page.locator(".tile").first.click()
    visitor.page.locator(".status.is-late").wait_for()
    waiting = visitor.page.evaluate(asks)
    visitor.page.unroute("**/save")
    visitor.wait_saved()
    assert (before, waiting, visitor.page.evaluate(asks)) == (False, True, False)


def test_answers_that_wait_survive_a_reload(visit):
    visitor = at_tasks(visit(PAIRS, **DESKTOP))
    visitor.page.route("**/save", lambda route: route.abort())
    visitor.page.locator(".tile").nth(1).click()
    visitor.page.locator(".status.is-late").wait_for()
    visitor.page.unroute("**/save")
    visitor.page.reload()
    visitor.wait_saved()
    assert visitor.page.locator(".tile input").nth(1).is_checked()


def test_without_the_other_tasks_nobody_is_led_away_from_answers_that_wait(visit):
    visitor = visit(PAIRS, **DESKTOP)
    visitor.page.route("**/tasks", lambda route: route.abort())
    at_first_task(visitor)
    visitor.page.locator("html.scripted").wait_for()
    visitor.page.route("**/save", lambda route: route.abort())
    visitor.page.locator(".tile").first.click()
    visitor.next()
    visitor.page.locator(".status.is-late").wait_for()
    assert visitor.path == "/task/1"
    assert visitor.page.locator(".tile input").first.is_checked()
    visitor.page.unroute("**/save")
    visitor.page.wait_for_url("**/task/2")
    assert [row.raw for row in visitor.new_rows()][-1] == "a"


def test_what_a_page_shows_as_not_saved_is_delivered_by_the_script(visit):
    visitor = at_tasks(visit(made_study(PAIRWISE, design=MANY, title="Gone"), **DESKTOP))
    with visitor.site.with_file_gone():
        visitor.send_plainly()
        visitor.page.locator(".notice.warn").wait_for()
        visitor.page.locator(".status.is-late").wait_for()
        assert visitor.page.locator(".tile input").first.is_checked()
    visitor.wait_saved()
    assert [row.raw for row in visitor.new_rows()] == ["a"]


@pytest.mark.parametrize(
    ("asked", "half", "rest", "raw"),
    [
        (SEGMENTS, ".segments li:first-child .point >> nth=2",
         ".segments li:last-child .point >> nth=1", "2,1"),
        (BEST_WORST, "[data-letter=b] .best", "[data-letter=c] .worst", "b,c"),
    ],
    ids=["segments", "best-worst"],
)  # fmt: skip
def test_half_an_answer_survives_a_reload_and_counts_only_when_it_is_whole(
    visit, asked, half, rest, raw
):
    visitor = at_tasks(visit(made_study(asked, design=MANY), **DESKTOP))
    visitor.page.click(half)
    visitor.page.reload()
    assert visitor.page.locator(f"{half} >> input").is_checked()
    assert visitor.page.locator(".next").get_attribute("aria-disabled") == "true"
    assert visitor.new_rows() == []
    visitor.page.click(rest)
    visitor.wait_saved()
    assert [row.raw for row in visitor.new_rows()] == [raw]


def test_half_a_ranking_survives_a_reload_and_counts_only_when_it_is_whole(visit):
    visitor = at_tasks(visit(made_study(RANKING, design=MANY), **DESKTOP))
    first, second = (visitor.page.locator(f"[data-letter={letter}] select") for letter in "cb")
    first.select_option("1")
    visitor.page.reload()
    assert first.input_value() == "1"
    assert visitor.page.locator(".next").get_attribute("aria-disabled") == "true"
    assert visitor.new_rows() == []
    second.select_option("2")  # the last place is then the only one left
    visitor.wait_saved()
    assert [row.raw for row in visitor.new_rows()] == ["c,b,a"]


def test_with_several_questions_the_page_says_which_one_to_answer(visit):
    style = {**PAIRWISE, "id": "style", "prompt": "Which reads better?"}
    visitor = at_tasks(visit(made_study(PAIRWISE, style, design=MANY), **DESKTOP))
    why = visitor.page.locator("#why")
    assert why.inner_text() == f"Please answer: {PAIRWISE['prompt']}"
    visitor.page.locator(".tile").first.click()
    assert why.inner_text() == "Please answer: Which reads better?"


def test_phones_show_no_keys(visit):
    phone = at_tasks(visit(PAIRS, **PHONE))
    assert phone.page.locator("kbd").count() > 0
    assert not any(key.is_visible() for key in phone.page.locator("kbd").all())


def test_next_says_why_it_cannot_yet_and_leads_to_what_is_missing(visit):
    visitor = at_tasks(visit(PAIRS, **DESKTOP))
    button = visitor.page.locator(".next")
    assert button.get_attribute("aria-disabled") == "true"
    assert "Please choose an answer." in visitor.page.locator("#why").inner_text()
    button.click(force=True)
    assert visitor.path == "/task/1"
    assert visitor.page.evaluate("document.activeElement.closest('.question') !== null")
    visitor.page.locator(".tile").first.click()
    assert button.get_attribute("aria-disabled") == "false"
    assert visitor.page.locator("#why").inner_text() == ""


def test_active_time_changes_and_blurs_are_recorded(visit):
    visitor = visit(PAIRS, **DESKTOP)
    visitor.arrive()
    visitor.page.click("button[value=yes]")  # the time zone is sent with the consent
    visitor.page.click("main button.primary")
    visitor.wait_for_all_tasks()
    visitor.page.locator(".tile").first.click()
    visitor.wait_saved()
    visitor.page.evaluate("window.dispatchEvent(new Event('blur'))")
    with visitor.page.expect_response("**/save"):
        visitor.page.locator(".tile").nth(1).click()
    row = visitor.new_rows()[-1]
    assert (row.raw, row.changes, row.blurs) == ("b", 1, 1)
    assert row.active_seconds is not None
    assert row.active_seconds > 0
    person = next(p for p in visitor.site.opened.store.people(now=row.saved_at)
                  if p.participant == row.participant)  # fmt: skip
    assert person.time_zone


def test_a_slider_has_no_value_until_it_is_touched(visit):
    visitor = at_tasks(visit(made_study(SLIDER, design=MANY), **DESKTOP))
    line = visitor.page.locator("input[type=range]")
    assert "untouched" in line.get_attribute("class")
    assert visitor.page.locator("input[type=number]").input_value() == ""
    assert visitor.page.locator(".next").get_attribute("aria-disabled") == "true"
    box = line.bounding_box()
    line.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert "untouched" not in line.get_attribute("class")
    assert visitor.page.locator("input[type=number]").input_value() == "50"
    visitor.wait_saved()


def test_best_and_worst_cannot_be_the_same_and_it_is_explained(visit):
    visitor = at_tasks(visit(made_study(BEST_WORST, design=MANY), **DESKTOP))
    visitor.page.locator("[data-letter=a] .best").click()
    visitor.page.locator("[data-letter=a] .worst").click()
    assert not visitor.page.locator("[data-letter=a] .best input").is_checked()
    assert "A cannot be both" in visitor.page.locator(".fault").inner_text()


@pytest.fixture
def ranking(visit):
    return at_tasks(visit(made_study(RANKING, design=MANY), **DESKTOP))


def order_of(visitor):
    visitor.wait_saved()
    return "".join(c.get_attribute("data-letter") for c in visitor.page.locator(".ranked").all())


def test_a_ranking_is_made_by_dragging(ranking):
    page = ranking.page
    grip = page.locator("[data-letter=c] .grip").bounding_box()
    top = page.locator("[data-letter=a]").bounding_box()
    page.mouse.move(grip["x"] + 5, grip["y"] + 5)
    page.mouse.down()
    page.mouse.move(grip["x"] + 5, top["y"] + 4, steps=5)
    page.mouse.up()
    assert order_of(ranking) == "cab"


def test_a_ranking_is_made_by_buttons(ranking):
    ranking.page.locator("[data-letter=a] .down").click()
    assert order_of(ranking) == "bac"


def test_a_ranking_is_made_by_number_keys(ranking):
    for key in "312":
        ranking.page.keyboard.press(key)
    assert order_of(ranking) == "bca"


def test_a_ranking_is_made_and_changed_by_lists(ranking):
    ranking.page.locator("[data-letter=a] select").select_option("2")
    ranking.page.locator("[data-letter=b] select").select_option("3")
    assert order_of(ranking) == "cab"
    ranking.page.locator("[data-letter=b] select").select_option("1")
    ranking.page.wait_for_function("document.querySelector('.ranked').dataset.letter === 'b'")
    assert order_of(ranking) == "bca"


def test_a_list_is_saved_answer_by_answer_and_handed_in_at_the_end(visit):
    study = made_study(PAIRWISE, design=MANY, site={"show": "list", "comment": False})
    visitor = at_tasks(visit(study, **DESKTOP))
    assert visitor.path == "/task/all"
    for _ in range(9):
        visitor.page.keyboard.press("2")
    assert "9 of 9" in visitor.page.locator("#count").inner_text()
    visitor.next()
    visitor.page.wait_for_url("**/thanks")
    rows = [r for r in visitor.new_rows() if r.participant == visitor.participant]
    assert [row.raw for row in rows] == ["b"] * 9


def test_breaks_and_no_way_back_work_with_the_script_too(visit):
    study = made_study(PAIRWISE, design={**MANY, "break_every": 2}, site={"back": False})
    visitor = at_tasks(visit(study, **DESKTOP))
    for _ in range(2):
        visitor.page.locator(".tile").first.click()
        visitor.next()
    assert visitor.page.locator("#rest").is_visible()
    assert "You have done 2 of 9." in visitor.page.locator("#rest").inner_text()
    visitor.page.locator("#rested").click()
    assert visitor.path == "/task/3"
    visitor.page.evaluate(
        "new Promise((done) => {"
        " addEventListener('popstate', () => setTimeout(done)); history.back(); })"
    )
    assert visitor.path == "/task/3"
    assert visitor.page.locator(".back").count() == 0


def test_the_instructions_open_without_losing_the_place(visit):
    visitor = at_tasks(visit(PAIRS, **DESKTOP))
    visitor.page.locator(".tile").first.click()
    visitor.page.locator(".help summary").click()
    assert visitor.page.locator(".help .panel").is_visible()
    visitor.page.keyboard.press("Escape")
    assert not visitor.page.locator(".help .panel").is_visible()
    assert visitor.page.locator(".tile input").first.is_checked()


def test_nothing_moves_for_those_who_do_not_want_it(visit):
    visitor = at_tasks(visit(PAIRS, reduced_motion="reduce", **DESKTOP))
    durations = visitor.page.evaluate(
        "[...document.querySelectorAll('*')].map(e => getComputedStyle(e).transitionDuration)"
    )
    assert set(durations) == {"0s"}


def test_the_accessibility_checker_finds_nothing_on_any_page_in_both_schemes(visit):
    study = every_kind(design={"break_every": 5})
    visitor = visit(study, **DESKTOP)
    found = {}

    def check(name: str) -> None:
        found[name] = axe(visitor.page)

    visitor.page.goto(f"{visitor.site.address}/")
    check("link")
    visitor.arrive()
    check("consent")
    visitor.page.click("button[value=yes]")
    check("instructions")
    visitor.page.click("main button.primary")
    visitor.page.locator(".tile").nth(1).click()
    visitor.next()
    visitor.page.locator(".notice.warn").wait_for()
    check("practice, wrong")
    visitor.practise()
    visitor.wait_for_all_tasks()
    for place in range(1, 8):
        if place in {1, 4, 7}:
            check(f"task {place}")
        visitor.answer_by_mouse()
        if place in {1, 4, 7}:
            visitor.page.locator(".help summary").click()
            check(f"task {place}, answered, instructions open")
            visitor.page.keyboard.press("Escape")
        visitor.next()
        if place == 5:
            check("break")
            visitor.page.locator("#rested").click()
    visitor.page.wait_for_url("**/exit")
    check("exit")
    visitor.finish()
    check("thanks")
    assert [each for told in found.values() for each in told] == []
    assert len(found) == 13


@pytest.mark.slow
def test_the_accessibility_checker_finds_nothing_on_a_phone(visit):
    visitor = visit(every_kind(), **PHONE)
    visitor.arrive()
    found = axe(visitor.page)
    visitor.page.click("button[value=no]")
    found += axe(visitor.page)
    other = visit(every_kind(), **PHONE)
    other.to_tasks()
    other.wait_for_all_tasks()
    for place in range(1, 8):
        if place in {1, 4, 7}:
            found += axe(other.page)
        other.answer_by_mouse()
        other.next()
    assert found == []

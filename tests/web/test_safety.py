"""What must not be possible: forged forms and cookies, markup in texts, requests to other hosts."""

from __future__ import annotations

import re

from participants import (
    PAIRWISE,
    made_study,
)

NASTY = "<script>alert(1)</script>{{7*7}}\"'><img src=x onerror=y>&amp;"


def test_what_people_write_is_shown_to_them_as_text(opened):
    asked = [{"id": "q", "prompt": "Why?", "kind": "text"}, {"id": "n", "prompt": "How many?",
             "kind": "number"}]  # fmt: skip
    person = opened(made_study(PAIRWISE, site={"exit_questions": asked})).person()
    person.to_tasks()
    person.do_all()
    page = person.send(**{"exit:q": NASTY, "exit:n": NASTY, "comment": NASTY}).text
    assert page.count("&lt;script&gt;") >= 3
    assert "<script>alert" not in page


def test_no_page_asks_another_host_for_anything_or_has_script_or_style_in_it(opened):
    study = made_study(PAIRWISE, recruitment={"platform": "prolific"})
    site = opened(study)
    person = site.person()
    pages = [person.arrive().text, person.send(agree="yes").text, person.send().text]
    while person.path != "/thanks":
        pages.append((person.answer() if "/task" in person.path else person.send()).text)
    for page in pages:
        loaded = re.findall(r'(?:src|<link[^>]+href|action)="([^"]*)"', page)
        assert all(each.startswith("/") for each in loaded)
        assert not re.search(r"<style|style=|<script>| on\w+=", page)
    links = {link for page in pages for link in re.findall(r'href="(https?:[^"]*)"', page)}
    code = site.store.codes.completed
    assert links == {f"https://app.prolific.com/submissions/complete?cc={code}"}


def test_who_withdrew_while_a_page_was_open_is_not_brought_back(opened):
    site = opened()
    person = site.person()
    person.to_tasks()
    site.store.withdraw("p0001", who="test", now=site.clock())
    person.answer("a")
    assert site.rows() == []
    assert person.page.status_code == 400
    assert person.get("/task/1").status_code == 403

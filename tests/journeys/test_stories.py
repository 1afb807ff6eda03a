"""What went wrong in published studies and their reproductions, and what happens here instead.

Each story is told by its name and played on the real pages.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from quick_sites import quick_sites  # noqa: F401 - used by all tests here
from rejudge.errors import DesignError
from small_site import START, Site, study_of

LATER = 31  # minutes; a batch is kept for 30


@pytest.fixture
def make_site(tmp_path):
    """Sites of studies that share a database, for as long as a test runs."""
    with ExitStack() as stack:

        def make(**study: Any) -> Site:
            return Site(tmp_path / "study.db", *study_of(**study), stack)

        yield make


@pytest.fixture
def site(make_site):
    """One batch of three tasks for one person."""
    return make_site()


def code_of(page) -> str | None:
    found = re.search(r'id="code"[^>]*>([^<]+)<', page.source)
    return found[1] if found else None


# ── “The 121st annotation”: a returned place and the backend disagreed ───────────────────────────


def test_a_returned_place_goes_to_the_next_and_nobody_meets_an_error(site):
    first = site.person("first")
    first.begin()
    (held,) = site.store.assignments()
    site.store.change(held.id, "return", who="test", reason="returned", now=site.clock.now())
    assert site.person("second").finish().step == "thanks"
    assert site.statuses() == {"first": "returned", "second": "submitted"}


def test_whoever_finds_no_place_reads_so_kindly_with_a_code_of_its_own(site):
    site.person("first").finish()
    page = site.person("second").begin()
    assert (page.status, page.step) == (200, "full")
    assert code_of(page) == site.store.codes.full != site.store.codes.completed


def test_the_121st_is_not_taken_in(make_site):
    site = make_site(batches=2, people=2)
    ends = [site.person(f"p{n}").finish().step for n in range(4)]
    ends.append(site.person("p4").begin().step)
    assert ends == ["thanks"] * 4 + ["full"]


# ── races between threads ────────────────────────────────────────────────────────────────────────


def test_twenty_who_arrive_at_once_never_share_a_place(make_site):
    site = make_site(batches=2, people=3)
    people = [site.person(f"p{n:02}") for n in range(20)]
    with ThreadPoolExecutor(20) as at_once:
        steps = [page.step for page in at_once.map(lambda p: p.begin(), people)]
    assert sorted(steps) == ["full"] * 14 + ["task"] * 6
    assert [occupancy.held for occupancy in site.store.occupancies()] == [3, 3]


# ── two tabs, refresh, back button ───────────────────────────────────────────────────────────────


def test_two_tabs_opened_at_once_show_the_same_batch(make_site):
    site = make_site(batches=3, people=1)
    site.person("p").begin()
    tabs = [site.person("p") for _ in range(4)]
    with ThreadPoolExecutor(4) as at_once:
        pages = list(at_once.map(lambda tab: tab.come(), tabs))
    assert {page.path for page in pages} == {"/task/1"}
    assert len(site.store.assignments()) == 1


def test_a_refresh_shows_the_same_tasks_in_the_same_order_with_what_was_answered(site):
    participant = site.person("p")
    second = participant.answer(participant.begin(), "b")
    assert participant.come().path == second.path == "/task/2"
    again = participant.browser.open("/task/1")
    assert again.forms[0].values().get(meaning(again)) == "b"


def test_the_back_button_and_another_answer_count_once_and_last(site):
    participant = site.person("p")
    first = participant.begin()
    participant.answer(first, "b")
    participant.answer(first, "a")  # from the page as the browser kept it
    participant.work(participant.come(), "aa")
    assert sorted(a.raw for a in site.store.all_answers()) == ["a", "a", "a"]


def meaning(page) -> str:
    return next(name for name in page.forms[0].names if name.endswith(":meaning"))


# ── reopening after finishing ────────────────────────────────────────────────────────────────────


def test_whoever_comes_again_after_finishing_reads_thanks_and_the_same_code(make_site):
    site = make_site(batches=3, people=1)
    done = site.person("p").finish()
    again = site.person("p").come()
    assert again.step == "thanks"
    assert code_of(again) == code_of(done) == site.store.codes.completed
    assert len(site.store.assignments()) == 1


# ── double submit ────────────────────────────────────────────────────────────────────────────────


def test_submitting_twice_is_submitting_once_and_both_are_told_so(site):
    participant = site.person("p")
    last = participant.work(participant.begin(), "ab")
    with ThreadPoolExecutor(2) as at_once:
        ends = list(at_once.map(lambda _: participant.answer(last, "a"), range(2)))
    assert [code_of(end) for end in ends] == [site.store.codes.completed] * 2
    assert len(list(site.store.all_answers())) == 3


def test_other_answers_after_submitting_change_nothing(site):
    participant = site.person("p")
    last = participant.work(participant.begin(), "aa")
    participant.answer(last, "a")
    page = participant.answer(last, "b")
    assert page.step == "thanks"
    assert {a.raw for a in site.store.all_answers()} == {"a"}


# ── late submit ──────────────────────────────────────────────────────────────────────────────────


def test_late_work_is_kept_as_surplus_and_gets_the_code(site):
    late, heir = site.person("late"), site.person("heir")
    page = late.work(late.begin(), "bb")
    late.wait(LATER)
    heir.finish()
    end = late.answer(page, "b")
    assert end.step == "thanks"
    assert code_of(end) == site.store.codes.completed
    assert site.statuses() == {"late": "surplus", "heir": "submitted"}
    assert sum(a.raw == "b" for a in site.store.all_answers()) == 3


def test_late_work_counts_where_nobody_took_the_place(site):
    late = site.person("late")
    page = late.begin()
    late.wait(LATER)
    site.store.expire(now=site.clock.now())
    assert late.work(page).step == "thanks"
    assert site.statuses() == {"late": "submitted"}


# ── the clock of leases ──────────────────────────────────────────────────────────────────────────


def test_a_batch_lapses_after_its_time_and_not_before(site):
    participant = site.person("p")
    participant.answer(participant.begin(), "a")
    assert site.store.expire(now=START + timedelta(minutes=29)) == 0
    assert site.store.expire(now=START + timedelta(minutes=31)) == 1


def test_a_day_and_a_minute_is_more_than_a_minute(site):
    """A difference of times was once taken without its days."""
    site.person("p").begin()
    assert site.store.expire(now=START + timedelta(days=1, minutes=1)) == 1


def test_whoever_works_slowly_but_works_keeps_the_batch(site):
    participant = site.person("p")
    page = participant.begin()
    for _ in range(2):
        participant.wait(25)
        page = participant.answer(page, "a")
    site.store.expire(now=site.clock.now())
    assert site.statuses() == {"p": "held"}


# ── timed out on the platform, but finished here ─────────────────────────────────────────────────


def test_work_that_the_platform_gave_up_is_kept_and_can_be_accepted_by_hand(site):
    participant = site.person("p")
    page = participant.begin()
    participant.wait(60)
    site.store.expire(now=site.clock.now())  # the platform's clock ran out, and so did ours
    participant.work(page)
    (done,) = site.store.assignments()
    accepted = site.store.change(
        done.id, "accept", who="test", reason="complete", now=site.clock.now()
    )
    assert accepted.status == "accepted"


# ── the same person twice ────────────────────────────────────────────────────────────────────────


def test_the_same_person_in_another_session_gets_no_second_batch_and_sees_no_answers(make_site):
    site = make_site(batches=3, people=1)
    participant = site.person("p")
    participant.answer(participant.begin(), "b")
    page = site.person("p", session="another").come()
    assert page.step == "elsewhere"
    assert "checked" not in page.source
    assert len(site.store.assignments()) == 1


def test_people_of_a_sibling_study_are_turned_away(make_site):
    pilot = make_site(name="pilot")
    pilot.person("p").finish()
    main = make_site(name="main", excluded="pilot")
    page = main.person("p", session="new").come()
    assert page.step == "full"
    assert main.person("other").begin().step == "task"


# ── no code, wrong code ──────────────────────────────────────────────────────────────────────────


def test_the_code_is_shown_as_text_and_only_when_everything_is_stored(site):
    participant = site.person("p")
    first = participant.begin()
    second = participant.answer(first, "a")
    third = participant.answer(second, "a")
    code = str(site.store.codes.completed)
    assert not any(code in page.source for page in (first, second, third))
    end = participant.answer(third, "a")
    assert code in end.text
    assert site.statuses() == {"p": "submitted"}


def test_unfinished_work_gets_no_code(site):
    participant = site.person("p")
    participant.answer(participant.begin(), "a")
    page = participant.browser.open("/thanks")
    assert page.step == "task"
    assert str(site.store.codes.completed) not in page.source


# ── a time zone that does not fit ────────────────────────────────────────────────────────────────


def test_a_time_zone_elsewhere_is_a_flag_and_never_a_refusal(make_site):
    more = "recruitment: {platform: prolific, regions: [GB], languages: [en]}"
    site = make_site(more=more)
    participant = site.person("p")
    page = participant.send(participant.come(), agree="yes", zone="Asia/Tokyo", offset="540")
    page = participant.send(page)
    assert participant.work(page).step == "thanks"
    (person,) = site.store.people(now=site.clock.now())
    assert "time-zone" in person.flags


# ── ids and texts that are programs ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "odd", ["", "zz{{7*7}}zz", '"><script>alert(1)</script>', "../../etc/passwd", "A" * 6000]
)
def test_an_odd_id_gets_a_friendly_page_and_is_neither_shown_nor_stored(site, odd):
    page = site.person("x").browser.open(
        "/?" + urlencode({"PROLIFIC_PID": odd, "STUDY_ID": "s", "SESSION_ID": "t"})
    )
    assert page.status == 400
    assert "49" not in page.text
    assert "alert(1)" not in page.source
    assert site.store.people(now=site.clock.now()) == ()


def test_texts_that_look_like_programs_are_shown_as_texts(make_site):
    evil = "{{ 7 * 7 }} <script>alert(1)</script> "
    site = make_site(begins=evil)
    page = site.person("p").begin()
    assert "{{ 7 * 7 }} <script>alert(1)</script>" in page.text
    assert "<script>alert" not in page.source


# ── a check for a criterion that is not asked ────────────────────────────────────────────────────


def test_a_check_for_a_criterion_that_is_not_asked_is_refused():
    check = "checks: [{kind: gold, id: old, question: fluency, contrast: other-reference}]"
    with pytest.raises(DesignError, match="fluency"):
        study_of(more=check)


# ── the platform is not to be reached ────────────────────────────────────────────────────────────


def test_without_any_word_from_the_platform_places_are_freed_by_our_own_clock(site):
    """Nothing here asks a platform: whoever disappears there disappears here by the lease."""
    site.person("gone").begin()
    site.clock.move_by(60 * LATER)
    assert site.person("next").finish().step == "thanks"
    assert site.statuses() == {"gone": "expired", "next": "submitted"}

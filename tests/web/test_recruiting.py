"""A site beside a platform that recruits: notifications, and a question before “no task left”."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from threading import Barrier, Thread
from urllib.parse import urlencode

import httpx
import pytest

from participants import platform_id
from rejudge.collect.assignment import sign_batch
from rejudge.collect.submissions import SubmissionReport
from small_site import SECRET, START, Participant, Site, study_of


class ScriptedService:
    """A platform that knows what the test tells it."""

    recruiter = "prolific"

    def __init__(self) -> None:
        self.site: Site | None = None
        self.gone: list[str] = []
        self.genuine = True
        self.asked = 0

    def refresh(self) -> bool:
        self.asked += 1
        reports = [SubmissionReport(each, "returned", START) for each in self.gone]
        self.gone = []
        followed = self.site.store.follow("prolific", reports, now=START)
        return any(each.changed for each in followed)

    def is_genuine(self, query: Mapping[str, str]) -> bool:
        return self.genuine or "PROLIFIC_PID" not in query

    def read_notification(
        self, headers: Mapping[str, str], body: bytes
    ) -> Sequence[SubmissionReport] | None:
        if headers.get("x-signature") != "ours":
            return None
        session, _, status = body.decode().partition(" ")
        return [SubmissionReport(session, status, START, headers["x-id"])] if session else []


@pytest.fixture
def service() -> ScriptedService:
    return ScriptedService()


@pytest.fixture
def site(tmp_path, service) -> Iterator[Site]:
    with ExitStack() as stack:
        service.site = Site(tmp_path / "study.db", *study_of(1, 1), stack, recruiting=service)
        yield service.site


def test_the_platform_is_asked_before_somebody_reads_that_no_task_is_left(site, service):
    first, second = site.person("first"), site.person("second")
    first.begin()
    service.gone = [platform_id(first.session)]
    assert second.begin().step == "task"
    assert site.statuses() == {"first": "returned", "second": "held"}
    assert service.asked == 1


def test_where_nobody_is_gone_the_page_says_so_with_its_code(site, service):
    site.person("first").begin()
    page = site.person("second").begin()
    assert page.step == "full"
    assert site.store.codes.full in page.text
    assert service.asked == 1


def test_of_many_who_wait_for_one_place_exactly_one_gets_it(site, service):
    first = site.person("first")
    first.begin()
    service.gone = [platform_id(first.session)]
    people = [site.person(f"later-{n}") for n in range(6)]
    start, found = Barrier(len(people)), []

    def arrive(person: Participant) -> None:
        start.wait()
        found.append(person.begin().step)

    threads = [Thread(target=arrive, args=[each]) for each in people]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(found) == ["full"] * 5 + ["task"]


def notify(site, body: str, *, signature="ours", name="1", content=None):
    return httpx.post(
        f"{site.address}/notifications",
        content=content or body.encode(),
        headers={"x-signature": signature, "x-id": name},
    )


def test_a_notification_frees_a_place_once(site):
    first = site.person("first")
    first.begin()
    said = f"{platform_id(first.session)} returned"
    assert notify(site, said, signature="forged").status_code == 401
    assert site.statuses() == {"first": "held"}
    assert notify(site, said).status_code == 200
    assert notify(site, said).status_code == 200
    assert site.statuses() == {"first": "returned"}
    assert [each.what for each in site.store.log()].count("return") == 1


def test_notifications_of_no_interest_and_oversized_ones_do_no_harm(site):
    assert notify(site, "").status_code == 200
    assert notify(site, "", content=b"x" * 70_000).status_code == 413
    assert httpx.get(f"{site.address}/notifications").status_code == 405


def test_without_a_platform_there_is_no_such_address(tmp_path):
    with ExitStack() as stack:
        alone = Site(tmp_path / "alone.db", *study_of(1, 1), stack)
        assert notify(alone, "x").status_code == 404


def test_a_forged_link_leads_nowhere_and_an_expired_one_back_to_the_visit(site, service):
    mine = site.person("mine")
    mine.begin()
    service.genuine = False
    assert site.person("forged").come().status == 400
    assert site.person("mine").come().step in {"task", "elsewhere"}
    assert site.statuses() == {"mine": "held"}


# ── links that name a batch ──────────────────────────────────────────────────────────────────────


@pytest.fixture
def three(tmp_path, service) -> Iterator[Site]:
    """Three batches, each for two people."""
    with ExitStack() as stack:
        service.site = Site(tmp_path / "study.db", *study_of(3, 2), stack, recruiting=service)
        yield service.site


def sent_to(site: Site, name: str, batch: str, session: str | None = None) -> Participant:
    """Somebody whose link names a batch."""
    person = site.person(name, session)
    person.query = "&" + urlencode({"BATCH": sign_batch(SECRET, "story", batch)})
    return person


def held(site: Site) -> dict[str, str]:
    return {each.participant: each.batch for each in site.store.assignments()}


def test_whoever_comes_with_a_batch_in_the_link_gets_exactly_that_one(three):
    names = [batch.id for batch in three.store.plan.main]
    for number, batch in enumerate([names[2], names[0], names[2], names[1]]):
        assert sent_to(three, f"p{number}", batch).begin().step == "task"
    assert list(held(three).values()) == [names[2], names[0], names[2], names[1]]


def test_a_full_batch_says_so_with_a_code_and_a_returned_place_is_free_again(three, service):
    batch = three.store.plan.main[1].id
    first, second = (sent_to(three, name, batch) for name in ("first", "second"))
    first.begin()
    second.begin()
    page = sent_to(three, "third", batch).begin()
    assert (page.status, page.step) == (200, "full")
    assert three.store.codes.full in page.text
    service.gone = [platform_id(first.session)]
    assert sent_to(three, "fourth", batch).begin().step == "task"
    counts = {each.batch: each.held for each in three.store.occupancies()}
    assert counts[batch] == 2
    assert sum(counts.values()) == 2  # nobody was sent to another batch


def test_a_finished_or_unknown_batch_gets_the_same_page(three):
    batch = three.store.plan.main[0].id
    for name in ("first", "second"):
        assert sent_to(three, name, batch).finish().step == "thanks"
    for name, asked in (("late", batch), ("lost", "b99 of another plan")):
        page = sent_to(three, name, asked).begin()
        assert page.step == "full"
        assert three.store.codes.full in page.text


@pytest.mark.parametrize("change", ["b02", "b02.AAAAAAAAAAAAAAAAAAAAAA", "", "%00", "{{7*7}}"])
def test_a_changed_batch_lets_nobody_in(three, change):
    person = three.person("clever")
    person.query = "&" + urlencode({"BATCH": change})
    page = person.come()
    assert page.status == 400
    assert not three.store.identities()


def test_the_batch_of_the_first_arrival_stays_whatever_a_later_link_says(three):
    one, other = (batch.id for batch in three.store.plan.main[:2])
    person = sent_to(three, "p", one)
    first = person.begin()
    person.query = sent_to(three, "somebody else", other).query
    assert person.come().path == first.path
    assert list(held(three).values()) == [one]


def test_after_the_batch_of_a_link_nobody_is_offered_another(tmp_path, service):
    with ExitStack() as stack:
        study, plan = study_of(3, 2)
        plan = replace(plan, batches_per_participant=2, conflicts={})
        site = Site(tmp_path / "study.db", study, plan, stack, recruiting=service)
        service.site = site
        one, other = (batch.id for batch in plan.main[:2])
        assert sent_to(site, "p", one, "s1").finish().step == "thanks"
        # the platform sends the same person with another submission, to another batch and again
        assert sent_to(site, "p", other, "s2").finish().step == "thanks"
        assert sent_to(site, "p", one, "s3").begin().step == "full"
        assert [each.batch for each in site.store.assignments()] == [one, other]
        assert len({each.participant for each in site.store.assignments()}) == 1


def test_two_who_race_for_the_last_place_of_a_batch_do_not_share_it(three):
    batch = three.store.plan.main[0].id
    sent_to(three, "first", batch).begin()
    people = [sent_to(three, f"p{n}", batch) for n in range(5)]
    with ThreadPoolExecutor(5) as at_once:
        steps = [page.step for page in at_once.map(lambda each: each.begin(), people)]
    assert sorted(steps) == ["full"] * 4 + ["task"]

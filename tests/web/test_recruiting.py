"""A site beside a platform that recruits: notifications, and a question before “no task left”."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from threading import Barrier, Thread

import httpx
import pytest

from participants import platform_id
from rejudge.collect import SubmissionReport
from small_site import START, Participant, Site, study_of


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

"""Our visits beside Prolific's submissions: places, four cases, and polls that share an answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from promises import broken
from walking import MINUTE, NOW, begin, come, complete, counts, opened, person

from rejudge.errors import RejudgeError
from rejudge.prolific.client import Submission
from rejudge.prolific.submissions import Poller, poll, reconcile
from rejudge.store.store import Store


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    made = opened(str(tmp_path / "study.db"), 1, 1)
    yield made
    made.close()


class Platform:
    """Says what the test says."""

    def __init__(self, **said: str) -> None:
        self.said = said
        self.asked = 0

    def submissions(self, study: str) -> list[Submission]:  # noqa: ARG002 - any
        self.asked += 1
        return [submission(name, status) for name, status in self.said.items()]


def submission(name: str, status: str, code: str | None = None) -> Submission:
    session = person(name.lstrip("n")).session
    return Submission.model_validate({"id": session, "status": status, "study_code": code})


def test_a_poll_frees_places_and_sorts_visits_into_four_cases(store):
    begin(store, 1)
    complete(store, 2)
    platform = Platform(n1="RETURNED", n2="AWAITING REVIEW", n3="AWAITING REVIEW", n4="ACTIVE")
    found = poll(store, platform, "study", now=lambda: NOW)
    assert found.freed == 1
    assert found.counts() == {"both": 1, "only data": 0, "only submission": 1, "neither": 2}
    assert [visit.participant for visit in found.visits] == ["p0001", "p0002", None, None]
    assert counts(store) == {"b1": (1, 0, 0), "b2": (1, 1, 0)}
    assert broken(store) == []
    assert poll(store, platform, "study", now=lambda: NOW + MINUTE).freed == 0


def test_codes_are_told_apart(store):
    complete(store, 1)
    codes = store.codes
    given = {"": "none", "NOCODE": "none", codes.completed: "completed", codes.full: "full",
             codes.declined: "declined", "wrong": "another"}  # fmt: skip
    for text, kind in given.items():
        (visit,) = reconcile(store, [submission("n1", "AWAITING REVIEW", text.lower())])
        assert (visit.code, visit.quadrant) == (kind, "both")
    (visit,) = reconcile(store, [submission("n1", "ACTIVE")])
    assert (visit.code, visit.quadrant) == (None, "only data")


def test_people_from_elsewhere_are_not_compared(store):
    come(store, 1)
    assert [visit.said for visit in reconcile(store, [])] == [None]


def test_arrivals_at_one_moment_share_one_poll(store):
    begin(store, 1)
    platform = Platform(n1="RETURNED")
    poller = Poller(store, platform, "study", now=lambda: NOW, report=pytest.fail)
    found: list[bool] = []
    threads = [threading.Thread(target=lambda: found.append(poller.refresh())) for _ in range(12)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (platform.asked, found) == (1, [True] * 12)


def test_a_later_arrival_asks_again_and_hears_that_nothing_changed(store):
    clock = [NOW]
    begin(store, 1)
    platform = Platform(n1="TIMED-OUT")
    poller = Poller(store, platform, "study", now=lambda: clock[0], report=pytest.fail)
    assert poller.refresh()
    clock[0] += timedelta(seconds=6)
    assert not poller.refresh()
    assert platform.asked == 2


def test_without_the_platform_the_study_goes_on(store):
    class Unreachable:
        def submissions(self, study: str) -> list[Submission]:  # noqa: ARG002 - any
            raise RejudgeError("no connection.")

    said: list[str] = []
    poller = Poller(store, Unreachable(), "study", now=lambda: NOW, report=said.append)
    assert not poller.refresh()
    assert "no connection" in said[0]

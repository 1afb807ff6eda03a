"""Looks that a running site makes by itself."""

from __future__ import annotations

import threading

import pytest

from dashboard_site import opened
from looked_study import looked_study
from rejudge.collect.looks import LookLog
from rejudge.errors import Problem
from rejudge.files.step_files import LOOKS, read
from rejudge.prolific.client import ProlificError
from rejudge.web.looks import LookMaker, run_looks, start_looks
from small_site import START, study_of


class Platform:
    """Remembers what it was told; can be out of reach."""

    recruiter = "prolific"

    def __init__(self) -> None:
        self.told: list[int] = []
        self.is_down = False

    def refresh(self) -> bool:
        return False

    def is_genuine(self, query) -> bool:  # noqa: ARG002 - as a platform is asked
        return True

    def read_notification(self, headers, body):  # noqa: ARG002 - 〃
        return None

    def follow_look(self, look) -> str:
        if self.is_down:
            raise ProlificError(Problem("no reply.", "Try again."))
        self.told.append(look.number)
        return "done"


@pytest.fixture
def running(tmp_path):
    site = opened(tmp_path, looked_study(4, 2)[0])
    yield site
    site.client.close()
    site.store.close()


def test_a_look_is_made_written_and_told_to_the_platform(running, tmp_path):
    platform, said = Platform(), []
    maker = LookMaker(running.store, tmp_path, platform, now=running.clock, report=said.append)
    assert maker.check() is None
    running.crowd.finish_many(4)
    platform.is_down = True
    assert maker.check() is not None
    assert platform.told == []
    platform.is_down = False
    assert maker.check() is None
    assert platform.told == [1]
    assert read(LookLog, tmp_path / LOOKS) == running.store.look_log()
    assert "look 1 of 2: go on" in said


def test_after_a_restart_the_platform_is_told_of_the_end_again(running, tmp_path):
    first = LookMaker(running.store, None, None, now=running.clock)
    running.crowd.finish_many(4)
    first.check()
    running.crowd.finish_many(4)
    first.check()
    platform = Platform()
    LookMaker(running.store, tmp_path, platform, now=running.clock).check()
    assert platform.told == [2]


def test_a_log_that_cannot_be_written_stops_nothing(running, tmp_path):
    said: list[str] = []
    (tmp_path / LOOKS).mkdir()
    maker = LookMaker(running.store, tmp_path, None, now=running.clock, report=said.append)
    running.crowd.finish_many(4)
    assert maker.check() is not None
    assert any("could not be written" in each for each in said)


def test_a_study_without_looks_needs_no_thread(tmp_path):
    site = opened(tmp_path, study_of(2)[0])
    before = threading.active_count()
    start_looks(site.store, tmp_path, None, threading.Event(), now=lambda: START)
    with run_looks(site.store, tmp_path, None, now=lambda: START):
        assert threading.active_count() == before
    site.client.close()
    site.store.close()

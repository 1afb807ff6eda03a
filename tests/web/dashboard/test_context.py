"""Signed cookies and forms, and the limit on failed logins."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from rejudge.web.dashboard.context import Attempts, DashboardSigner
from rejudge.web.session import Seal

SECRET = b"a secret of some length"


@pytest.fixture
def seal():
    return DashboardSigner(SECRET, "small")


def test_a_cookie_gives_its_session_back(seal):
    assert seal.session(seal.cookie("a-session_1")) == "a-session_1"


@pytest.mark.parametrize("cookie", ["", "3", "3~1~x.forged", "~~.", "é"])
def test_a_cookie_that_was_not_made_here_opens_nothing(seal, cookie):
    assert seal.session(cookie) is None


def test_a_cookie_of_another_study_or_of_a_participant_opens_nothing(seal):
    assert seal.session(DashboardSigner(SECRET, "other").cookie("a")) is None
    assert seal.session(Seal(SECRET, "small").cookie(3)) is None


def test_a_form_of_another_login_is_refused(seal):
    assert seal.is_csrf(seal.csrf("first"), "first")
    assert not seal.is_csrf(seal.csrf("first"), "second")
    assert not seal.is_csrf("", "first")


START = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
NO_WAIT = timedelta(0)


def failed(times, *, apart=timedelta(seconds=1)):
    attempts = Attempts()
    for number in range(times):
        attempts.fail("somebody", START + number * apart)
    return attempts, START + (times - 1) * apart


def test_four_failures_cost_nothing():
    attempts, now = failed(4)
    assert attempts.wait("somebody", now) == NO_WAIT


def test_after_the_fifth_failure_in_a_minute_there_is_a_minute_to_wait():
    attempts, now = failed(5)
    assert attempts.wait("somebody", now) == timedelta(minutes=1)
    assert attempts.wait("somebody", now + timedelta(minutes=1)) == NO_WAIT


def test_the_wait_doubles_up_to_five_minutes():
    assert [failed(n)[0].wait("somebody", failed(n)[1]).seconds for n in (6, 7, 8, 90)] == [
        120, 240, 300, 300,
    ]  # fmt: skip


def test_others_do_not_wait():
    attempts, now = failed(9)
    assert attempts.wait("somebody else", now) == NO_WAIT


def test_failures_that_lie_far_apart_do_not_add_up():
    attempts, now = failed(9, apart=timedelta(seconds=61))
    assert attempts.wait("somebody", now) == NO_WAIT


def test_a_good_login_forgets_the_failures():
    attempts, now = failed(9)
    attempts.forget("somebody")
    assert attempts.wait("somebody", now) == NO_WAIT


def test_the_memory_of_failures_is_bounded():
    attempts = Attempts()
    for number in range(10_050):
        attempts.fail(f"client {number}", START)
    assert len(attempts._failures) == 10_000

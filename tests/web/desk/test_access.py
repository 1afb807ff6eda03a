"""Cookies and forms of the dashboard."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from rejudge.web.desk.access import LASTS, DeskSeal, new_session
from rejudge.web.session import Seal

NOW = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
SECRET = b"a secret of some length"


@pytest.fixture
def seal():
    return DeskSeal(SECRET, "small")


def test_a_cookie_gives_its_session_back(seal):
    session = new_session(3, NOW)
    assert seal.session(seal.cookie(session), NOW) == session


@pytest.mark.parametrize("cookie", ["", "3", "3~1~x.forged", "~~.", "é"])
def test_a_cookie_that_was_not_made_here_opens_nothing(seal, cookie):
    assert seal.session(cookie, NOW) is None


def test_a_cookie_of_another_study_or_of_a_participant_opens_nothing(seal):
    other = DeskSeal(SECRET, "other").cookie(new_session(3, NOW))
    assert seal.session(other, NOW) is None
    assert seal.session(Seal(SECRET, "small").cookie(3), NOW) is None


def test_a_session_ends_by_itself(seal):
    cookie = seal.cookie(new_session(3, NOW))
    assert seal.session(cookie, NOW + LASTS) is not None
    assert seal.session(cookie, NOW + LASTS + timedelta(seconds=1)) is None


def test_a_form_of_another_login_is_refused(seal):
    first, second = new_session(3, NOW), new_session(3, NOW)
    assert seal.is_csrf(seal.csrf(first), first)
    assert not seal.is_csrf(seal.csrf(first), second)
    assert not seal.is_csrf("", first)

"""Cookies and forms of the dashboard."""

from __future__ import annotations

import pytest

from rejudge.web.dashboard.access import DeskSeal
from rejudge.web.session import Seal

SECRET = b"a secret of some length"


@pytest.fixture
def seal():
    return DeskSeal(SECRET, "small")


def test_a_cookie_gives_its_session_back(seal):
    assert seal.session(seal.cookie("a-session_1")) == "a-session_1"


@pytest.mark.parametrize("cookie", ["", "3", "3~1~x.forged", "~~.", "é"])
def test_a_cookie_that_was_not_made_here_opens_nothing(seal, cookie):
    assert seal.session(cookie) is None


def test_a_cookie_of_another_study_or_of_a_participant_opens_nothing(seal):
    assert seal.session(DeskSeal(SECRET, "other").cookie("a")) is None
    assert seal.session(Seal(SECRET, "small").cookie(3)) is None


def test_a_form_of_another_login_is_refused(seal):
    assert seal.is_csrf(seal.csrf("first"), "first")
    assert not seal.is_csrf(seal.csrf("first"), "second")
    assert not seal.is_csrf("", "first")

"""What the store gives out: what follows from its fields."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from rejudge.store.records import Identity, Progress, Saved, Token

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
TOKEN = Token(1, "owner", NOW)


@pytest.mark.parametrize(
    ("token", "state"),
    [
        (TOKEN, "holds"),
        (replace(TOKEN, used_at=NOW), "holds"),
        (replace(TOKEN, is_one_time=True), "holds"),
        (replace(TOKEN, is_one_time=True, used_at=NOW), "used"),
        (replace(TOKEN, expires_at=NOW), "expired"),
        (replace(TOKEN, expires_at=NOW + DAY), "holds"),
        (replace(TOKEN, revoked_at=NOW, is_one_time=True, used_at=NOW), "revoked"),
    ],
)
def test_the_state_of_a_token_follows_from_its_times(token, state):
    assert token.state(NOW) == state


@pytest.mark.parametrize("outcome", ["saved", "repeated", "closed"])
def test_only_what_came_too_late_is_not_stored(outcome):
    assert Saved(NOW, outcome).is_stored == (outcome != "closed")


@pytest.mark.parametrize(("places", "done", "share"), [(4, 1, 0.25), (0, 0, None)])
def test_progress_is_the_share_of_finished_work(places, done, share):
    progress = Progress("open", 2, 0, places, done, 0, {}, 1, 0, 0, 0, 0, 0)
    assert progress.share == share


def test_the_id_on_a_platform_is_not_printed():
    shown = repr(Identity("p0001", 1, "prolific", "5f3a", "session-9"))
    assert "p0001" in shown
    assert "5f3a" not in shown
    assert "session-9" not in shown

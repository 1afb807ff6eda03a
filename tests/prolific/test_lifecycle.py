"""A study after it was created: opened, paused and closed once, whatever is asked how often."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

import pytest
from fake_account import Account, study_body, taskflow_body

from rejudge.prolific.client import ProlificError, StudyStatus
from rejudge.prolific.study import (
    ProlificRecord,
    action_to_open,
    close,
    open_to_participants,
    pause,
    progress_of,
)

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def account() -> Account:
    return Account()


def recorded(account: Account) -> ProlificRecord:
    study = account.api.create_study(study_body()).id
    return ProlificRecord("mark", NOW, "https://x", {}, study=study)


def test_every_step_is_recorded_once_however_often_it_is_asked_for(account):
    record = recorded(account)
    for step, status in (
        (open_to_participants, "ACTIVE"),
        (pause, "PAUSED"),
        (open_to_participants, "ACTIVE"),
        (close, "COMPLETED"),
    ):
        record = step(account.api, record, now=NOW)
        assert step(account.api, record, now=NOW) == record
        assert account.api.study(record.study).status == status
    assert [each.action for each in record.actions] == ["PUBLISH", "PAUSE", "START", "STOP"]


def test_a_study_that_is_not_open_is_not_paused(account):
    record = recorded(account)
    with pytest.raises(ProlificError, match="only an active study"):
        pause(account.api, record, now=NOW)
    assert account.api.study(record.study).status == "UNPUBLISHED"


def test_a_study_that_was_never_published_is_not_closed(account):
    with pytest.raises(ProlificError, match="never published"):
        close(account.api, recorded(account), now=NOW)


@pytest.mark.parametrize("status", get_args(StudyStatus))
def test_every_state_can_be_opened_is_open_or_says_why_not(status):
    if status in {"COMPLETED", "AWAITING REVIEW", "UNKNOWN"}:
        with pytest.raises(ProlificError, match="cannot be opened"):
            action_to_open(status)
    else:
        assert action_to_open(status) in {None, "PUBLISH", "START"}


def test_progress_counts_submissions_cost_and_addresses(account):
    study = account.published()
    account.come(study)
    found = progress_of(account.api, study)
    assert (found.study.places_taken, found.counts["ACTIVE"], found.urls) == (1, 1, ())
    assert found.cost.total_cost == 3 * 200 + 200 + 40
    made = account.api.create_study(taskflow_body(2, 1)).id
    assert [each.open for each in progress_of(account.api, made).urls] == [2, 1]

"""What the commands of `rejudge prolific` share: the connection, money, dry runs, small tables."""

from __future__ import annotations

import pytest

from judged_study import small_study
from rejudge.cli import prolific_session
from rejudge.cli.prolific_session import (
    ApiSession,
    confirm_money,
    connect,
    dry_run_outcome,
    refuse_other_platform,
    small_table,
)
from rejudge.errors import RejudgeError, UsageError
from rejudge.prolific.client import PlannedRequest


def test_without_a_terminal_money_needs_a_word(monkeypatch):
    monkeypatch.setattr(prolific_session, "is_interactive", lambda: False)
    with pytest.raises(UsageError, match=r"GBP 50.40.*Add --yes"):
        confirm_money("This commits GBP 50.40.", is_sure=False)
    confirm_money("This commits GBP 50.40.", is_sure=True)


@pytest.mark.parametrize(("answer", "is_refused"), [("y\n", False), ("n\n", True), ("\n", True)])
def test_at_a_terminal_only_yes_commits_money(monkeypatch, answer, is_refused):
    monkeypatch.setattr(prolific_session, "is_interactive", lambda: True)
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _: answer.strip())
    if is_refused:
        with pytest.raises(UsageError, match="nothing was sent"):
            confirm_money("This commits GBP 50.40.", is_sure=False)
    else:
        confirm_money("This commits GBP 50.40.", is_sure=False)


def test_a_connection_needs_a_token(monkeypatch):
    monkeypatch.delenv("REJUDGE_PROLIFIC_TOKEN", raising=False)
    with pytest.raises(RejudgeError, match="REJUDGE_PROLIFIC_TOKEN"), connect(dry_run=True):
        pass


def test_a_dry_run_lists_its_requests_without_the_token():
    kept = [PlannedRequest("POST", "https://api.example.org/studies/", {"name": "x"})]
    outcome = dry_run_outcome(ApiSession("https://api.example.org", kept, []))
    assert outcome.json == {
        "dry_run": True,
        "requests": [
            {"method": "POST", "url": "https://api.example.org/studies/", "body": {"name": "x"}}
        ],
        "reads": [],
    }
    nothing = dry_run_outcome(ApiSession("https://api.example.org", [], []))
    assert "Nothing would be changed on Prolific." in nothing.shown


def test_a_table_may_have_no_rows():
    assert len(small_table("Nobody came", ["who", "minutes"], [])) == 2


def test_a_study_for_another_platform_is_refused():
    with pytest.raises(UsageError, match="recruits through 'link'"):
        refuse_other_platform(small_study(recruitment={"platform": "link"}))
    refuse_other_platform(small_study(recruitment={"platform": "prolific"}))

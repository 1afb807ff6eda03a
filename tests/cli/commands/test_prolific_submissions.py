"""rejudge prolific sync, approve, pool and demographics, against a fake Prolific over HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from crowd import MORE

from judged_rows import rows_in
from rejudge.collect.visit import Arrival
from rejudge.web.site import now_utc
from served import ITEMS, STUDY, run, said


def test_the_pool_shrinks_with_each_screener(account, posted):
    account.world.join(40)
    found = said("prolific", "pool", posted)
    numbers = [each["eligible"] for each in found["screeners"]]
    assert len(numbers) == 2
    assert numbers == sorted(numbers, reverse=True)
    assert found["eligible"] == numbers[-1]
    assert "everybody" in run("prolific", "pool", posted).output


def test_sync_frees_places_and_sorts_visits(account, posted, crowd):
    crowd.finish()
    gone, _ = crowd.begin()
    account.world.give_back(gone)
    crowd.begin()
    found = said("prolific", "sync", posted)
    assert (found["freed"], found["counts"]) == (
        1,
        {"both": 1, "only data": 0, "only submission": 0, "neither": 2},
    )
    assert said("prolific", "sync", posted)["freed"] == 0
    assert gone.id not in json.dumps(found)
    assert gone.participant not in run("prolific", "sync", posted).output


def test_complete_work_is_approved_and_paid_once_with_or_without_a_code(account, posted, crowd):
    done = [crowd.finish(), crowd.finish(code=None), crowd.finish(code="wrong")]
    crowd.begin()
    refused = run("prolific", "approve", posted)
    assert refused.exit_code == 2
    assert "--yes" in refused.output
    dry = said("prolific", "approve", posted, "--dry-run")
    assert [each["method"] for each in dry["requests"]] == ["POST"]
    assert said("prolific", "approve", posted, "--yes") == {
        "approved": 3,
        "rejected": [],
        "undecided": [],
        "waiting": 0,
    }
    account.time.wait(minutes=10)
    account.world.pass_time()
    assert {each.status for each in done} == {"APPROVED"}
    assert said("prolific", "approve", posted, "--yes")["approved"] == 0
    paid = [entry.amount for entry in account.world.ledger.entries]
    assert paid == [200, 200, 200]


def test_nobody_is_rejected_against_the_rules(account, posted, crowd):
    done = crowd.finish()
    refused = run("prolific", "approve", posted, "--reject", "p0001", "--yes")
    assert refused.exit_code == 2
    assert "cannot be rejected by Prolific's rules" in " ".join(refused.output.split())
    assert done.status == "AWAITING REVIEW"
    assert run("prolific", "approve", posted, "--reject", "nobody", "--yes").exit_code == 2


def test_demographics_have_pseudonyms_alone_and_reach_the_report(account, posted, crowd):
    done = [crowd.finish() for _ in range(4)]
    found = said("prolific", "demographics", posted)
    assert (found["participants"], found["missing"]) == (4, [])
    table = (posted / "demographics.csv").read_text(encoding="utf-8")
    assert not any(each.id in table or each.participant in table for each in done)
    results = said("analyse", posted)
    assert results
    profile = json.loads((posted / "results.json").read_text(encoding="utf-8"))
    sources = {row["source"] for row in rows_in(profile["content"], "profile")}
    assert "platform" in sources


def test_only_people_who_consented_are_in_the_demographics(account, posted, crowd):
    crowd.finish()
    for agreed in (False, None):  # one declines, one leaves without a decision
        submission = account.come(crowd.study)
        arrival = Arrival("prolific", submission.participant, submission.id)
        visit = crowd.store.arrive(arrival, now=now_utc())
        if agreed is False:
            version = crowd.store.consent_version
            crowd.store.consent(visit, agreed=False, version=version, now=now_utc())
    found = said("prolific", "demographics", posted)
    assert (found["participants"], found["missing"]) == (1, [])
    table = (posted / "demographics.csv").read_text(encoding="utf-8")
    assert [line.split(",")[0] for line in table.splitlines()] == ["participant", "p0001"]


def test_who_withdraws_is_gone_from_the_demographics(account, posted, crowd):
    crowd.finish()
    crowd.finish()
    said("prolific", "demographics", posted)
    said("withdraw", posted, "p0001", "--yes")
    table = (posted / "demographics.csv").read_text(encoding="utf-8")
    assert [line.split(",")[0] for line in table.splitlines()] == ["participant", "p0002"]


def test_every_key_of_the_json_is_documented(account, posted, crowd, tmp_path):
    crowd.finish()
    table = tmp_path / "thanks.csv"
    table.write_text("participant,amount\np0001,1.50\n", encoding="utf-8")
    words = (
        ("pool",),
        ("sync",),
        ("approve", "--yes"),
        ("bonus", "--file", table, "--yes"),
        ("demographics",),
    )
    page = (Path(__file__).parents[3] / "docs/reference/commands.md").read_text(encoding="utf-8")
    for name, *options in words:
        section = page.split(f"\n### prolific {name}\n")[1].split("\n### ")[0].split("\n## ")[0]
        told = said("prolific", name, posted, *options)
        assert not [key for key in told if f"`{key}`" not in section], name


def test_before_a_study_is_on_the_platform_every_command_says_what_to_do(account, tmp_path):
    (tmp_path / "study.yaml").write_text(STUDY + MORE, encoding="utf-8")
    (tmp_path / "items.csv").write_text(ITEMS, encoding="utf-8")
    for name in ("sync", "approve", "bonus", "demographics"):
        found = run("prolific", name, tmp_path)
        assert found.exit_code == 2
        assert "rejudge prolific create" in found.output


# ── dry runs, replacements, failed attention checks ──────────────────────────────────────────────


@pytest.mark.parametrize("name", ["sync", "approve", "demographics", "replace"])
def test_a_dry_run_reads_and_leaves_the_places_and_files_as_they_are(account, posted, crowd, name):
    crowd.finish()
    gone, _ = crowd.begin()
    account.world.give_back(gone)
    files = sorted(path.name for path in posted.iterdir())
    told = said("prolific", name, posted, "--dry-run")
    changing = {"approve": 1, "demographics": 1}
    assert len(told["requests"]) == changing.get(name, 0)
    assert told["reads"] or name == "demographics"
    assert sum(each.held for each in crowd.store.occupancies()) == 1  # not freed yet
    assert sorted(path.name for path in posted.iterdir()) == files
    assert not account.world.ledger.entries


def test_sync_counts_what_was_paid(account, posted, crowd):
    crowd.finish()
    said("prolific", "approve", posted, "--yes")
    account.time.wait(minutes=10)
    account.world.pass_time()
    assert said("prolific", "sync", posted)["paid"] == "2.00"


def test_somebody_who_timed_out_there_but_is_complete_here_can_be_paid(account, posted, crowd):
    done = crowd.finish(code=None)
    account.world.set_submission(done, "TIMED-OUT")
    found = said("prolific", "approve", posted, "--yes")
    assert (found["approved"], found["waiting"]) == (0, 0)
    assert "approve --pay" in run("prolific", "sync", posted).output
    refused = run("prolific", "approve", posted, "--pay", "p0099", "--yes")
    assert refused.exit_code == 2
    assert said("prolific", "approve", posted, "--pay", "p0001", "--yes")["approved"] == 1
    account.world.pass_time()
    assert done.status == "APPROVED"


def test_people_from_elsewhere_are_neither_paid_nor_joined(account, posted, crowd, tmp_path):
    now = now_utc()
    visit = crowd.store.arrive(Arrival("link", "ann", "ann"), now=now)
    crowd.store.agree(visit, version=crowd.store.consent_version, now=now)
    table = tmp_path / "thanks.csv"
    table.write_text(f"participant,amount\n{visit.participant},1.50\n", encoding="utf-8")
    assert run("prolific", "bonus", posted, "--file", table, "--yes").exit_code == 2
    assert said("prolific", "demographics", posted)["missing"] == []
    assert said("prolific", "sync", posted)["visits"] == []

"""rejudge prolific sync, approve, bonus and demographics, against a fake Prolific over HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_account import Account

from rejudge.collect import Arrival
from rejudge.files import open_plan
from rejudge.prolific import read_record
from rejudge.prolific.fake import FakeFault
from rejudge.prolific.payments import PAYMENTS
from rejudge.store import PageAnswers, Store, open_existing
from rejudge.study import Question
from rejudge.web.serving import now_utc
from served import ITEMS, STUDY, run, said

MORE = """
recruitment: {platform: prolific, regions: [GB, US]}
payment: {currency: GBP, hourly: 12, minutes: 10}
"""


@pytest.fixture
def folder(tmp_path, account) -> Path:
    """A published study."""
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY + MORE, encoding="utf-8")
    (folder / "items.csv").write_text(ITEMS, encoding="utf-8")
    assert run("plan", folder).exit_code == 0
    said("prolific", "create", folder, "--base-url", "https://study.example.org")
    said("prolific", "publish", folder, "--yes")
    return folder


class Crowd:
    """People who take part on the platform and at the store, without pages between."""

    def __init__(self, account: Account, folder: Path) -> None:
        self.account = account
        self.study = read_record(folder).study
        self.store: Store = open_existing(str(folder / "study.db"), *open_plan(folder))

    def begin(self):
        """Somebody takes a place, arrives, agrees and gets a batch."""
        submission = self.account.come(self.study)
        now = now_utc()
        arrival = Arrival("prolific", submission.participant, submission.id)
        visit = self.store.arrive(arrival, now=now)
        visit = self.store.consent(visit, agreed=True, version=self.store.consent_version, now=now)
        visit = self.store.pass_step(visit, "instructions", now=now)
        return submission, self.store.claim(visit, now=now)

    def finish(self, *, code: str | None = "completed", seconds: float = 60.0):
        """Somebody does everything, and enters a code."""
        submission, visit = self.begin()
        held = visit.current
        for position, task in enumerate(self.store.order(held), start=1):
            raws = {each.id: _answer(each) for each in self.store.study.spec.questions}
            page = PageAnswers(
                visit.id, held.id, task.id, position, raws, f"{held.id}-{task.id}", now_utc(),
                seconds, 0, 0,
            )  # fmt: skip
            self.store.record(page, now=now_utc())
        self.store.submit(held, now=now_utc())
        self.store.pass_step(visit, "exit", now=now_utc())
        self.account.world.enter_code(submission, code and getattr(self.store.codes, code, code))
        return submission


def _answer(question: Question) -> str:
    return "a" if question.kind == "pairwise" else "3"


@pytest.fixture
def crowd(account, folder):
    made = Crowd(account, folder)
    yield made
    made.store.close()


def test_the_pool_shrinks_with_each_screener(account, folder):
    account.world.join(40)
    found = said("prolific", "pool", folder)
    numbers = [each["eligible"] for each in found["screeners"]]
    assert len(numbers) == 2
    assert numbers == sorted(numbers, reverse=True)
    assert found["eligible"] == numbers[-1]
    assert "everybody" in run("prolific", "pool", folder).output


def test_sync_frees_places_and_sorts_visits(account, folder, crowd):
    crowd.finish()
    gone, _ = crowd.begin()
    account.world.give_back(gone)
    crowd.begin()
    found = said("prolific", "sync", folder)
    assert (found["freed"], found["counts"]) == (
        1,
        {"both": 1, "only data": 0, "only submission": 0, "neither": 2},
    )
    assert said("prolific", "sync", folder)["freed"] == 0
    assert gone.id not in json.dumps(found)
    assert gone.participant not in run("prolific", "sync", folder).output


def test_complete_work_is_approved_and_paid_once_with_or_without_a_code(account, folder, crowd):
    done = [crowd.finish(), crowd.finish(code=None), crowd.finish(code="wrong")]
    crowd.begin()
    refused = run("prolific", "approve", folder)
    assert refused.exit_code == 2
    assert "--yes" in refused.output
    dry = said("prolific", "approve", folder, "--dry-run")
    assert [each["method"] for each in dry["requests"]] == ["POST"]
    assert said("prolific", "approve", folder, "--yes") == {
        "approved": 3,
        "rejected": [],
        "undecided": [],
        "waiting": 0,
    }
    account.time.wait(minutes=10)
    account.world.pass_time()
    assert {each.status for each in done} == {"APPROVED"}
    assert said("prolific", "approve", folder, "--yes")["approved"] == 0
    paid = [entry.amount for entry in account.world.ledger.entries]
    assert paid == [200, 200, 200]


def test_nobody_is_rejected_against_the_rules(account, folder, crowd):
    done = crowd.finish()
    refused = run("prolific", "approve", folder, "--reject", "p0001", "--yes")
    assert refused.exit_code == 2
    assert "cannot be rejected by Prolific's rules" in " ".join(refused.output.split())
    assert done.status == "AWAITING REVIEW"
    assert run("prolific", "approve", folder, "--reject", "nobody", "--yes").exit_code == 2


def test_bonuses_of_a_table_are_paid_once(account, folder, crowd, tmp_path):
    crowd.finish()
    said("prolific", "approve", folder, "--yes")
    table = tmp_path / "thanks.csv"
    table.write_text("participant,amount\np0001,1.50\n", encoding="utf-8")
    words = ("prolific", "bonus", folder, "--file", table, "--name", "thanks", "--yes")
    assert said(*words) == {"paid": "thanks", "participants": 1, "total": "1.50"}
    bonuses = [e.amount for e in account.world.ledger.entries if e.kind == "bonus"]
    assert bonuses == [150]
    again = run(*words)
    assert again.exit_code == 2
    assert "was paid already" in again.output
    record = (folder / PAYMENTS).read_text(encoding="utf-8")
    assert "p0001" in record
    assert not any(each in record for each in account.world.members)


def test_an_interrupted_payment_is_cleared_up_by_a_person(account, folder, crowd, tmp_path):
    crowd.finish()
    table = tmp_path / "thanks.csv"
    table.write_text("participant,amount\np0001,1.50\n", encoding="utf-8")
    words = ("prolific", "bonus", folder, "--file", table, "--name", "thanks", "--yes")
    account.world.faults.append(FakeFault(502, "/pay/", is_carried_out=True))
    assert run(*words).exit_code == 2
    stopped = run(*words)
    assert stopped.exit_code == 2
    assert "--was-paid" in stopped.output
    cleared = said("prolific", "bonus", folder, "--was-paid", "thanks")
    assert cleared == {"payment": "thanks", "state": "paid"}
    bonuses = [e.amount for e in account.world.ledger.entries if e.kind == "bonus"]
    assert bonuses == [150]


def test_demographics_have_pseudonyms_alone_and_reach_the_report(account, folder, crowd):
    done = [crowd.finish() for _ in range(4)]
    found = said("prolific", "demographics", folder)
    assert (found["participants"], found["missing"]) == (4, [])
    table = (folder / "demographics.csv").read_text(encoding="utf-8")
    assert not any(each.id in table or each.participant in table for each in done)
    results = said("analyse", folder)
    assert results
    profile = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    sources = {part["source"] for part in profile["content"]["profile"]["parts"]}
    assert "platform" in sources


def test_who_withdraws_is_gone_from_the_demographics(account, folder, crowd):
    crowd.finish()
    crowd.finish()
    said("prolific", "demographics", folder)
    said("withdraw", folder, "p0001", "--yes")
    table = (folder / "demographics.csv").read_text(encoding="utf-8")
    assert [line.split(",")[0] for line in table.splitlines()] == ["participant", "p0002"]


def test_every_key_of_the_json_is_documented(account, folder, crowd, tmp_path):
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
        told = said("prolific", name, folder, *options)
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
def test_a_dry_run_reads_and_leaves_the_places_and_files_as_they_are(account, folder, crowd, name):
    crowd.finish()
    gone, _ = crowd.begin()
    account.world.give_back(gone)
    files = sorted(path.name for path in folder.iterdir())
    told = said("prolific", name, folder, "--dry-run")
    posted = {"approve": 1, "demographics": 1}
    assert len(told["requests"]) == posted.get(name, 0)
    assert told["reads"] or name == "demographics"
    assert sum(each.held for each in crowd.store.occupancies()) == 1  # not freed yet
    assert sorted(path.name for path in folder.iterdir()) == files
    assert not account.world.ledger.entries


def test_people_whose_data_do_not_count_are_replaced_once(account, folder, crowd):
    places = crowd.store.plan.places
    for _ in range(places):
        crowd.finish()
    said("prolific", "approve", folder, "--yes")
    assert said("prolific", "replace", folder, "--yes")["added"] == 0
    for each in crowd.store.assignments()[:2]:
        crowd.store.change(each.id, "exclude", who="owner", reason="asleep", now=now_utc())
    refused = run("prolific", "replace", folder)
    assert refused.exit_code == 2
    assert "2 more places will cost GBP" in " ".join(refused.output.split())
    found = said("prolific", "replace", folder, "--yes")
    assert (found["added"], found["places"], sum(found["batches"].values())) == (2, places + 2, 2)
    study = account.world.study(crowd.study)
    assert (study.status, account.world.free_places(study)) == ("ACTIVE", 2)
    assert said("prolific", "replace", folder, "--yes")["added"] == 0  # they are on the way
    crowd.begin()
    assert said("prolific", "replace", folder, "--yes")["added"] == 0
    assert [each.action for each in read_record(folder).actions][-1] == "ADD 2 PLACES"


def test_sync_counts_what_was_paid(account, folder, crowd):
    crowd.finish()
    said("prolific", "approve", folder, "--yes")
    account.time.wait(minutes=10)
    account.world.pass_time()
    assert said("prolific", "sync", folder)["paid"] == "2.00"


def test_somebody_who_timed_out_there_but_is_complete_here_can_be_paid(account, folder, crowd):
    done = crowd.finish(code=None)
    account.world.set_submission(done, "TIMED-OUT")
    found = said("prolific", "approve", folder, "--yes")
    assert (found["approved"], found["waiting"]) == (0, 0)
    assert "approve --pay" in run("prolific", "sync", folder).output
    refused = run("prolific", "approve", folder, "--pay", "p0099", "--yes")
    assert refused.exit_code == 2
    assert said("prolific", "approve", folder, "--pay", "p0001", "--yes")["approved"] == 1
    account.world.pass_time()
    assert done.status == "APPROVED"


def test_a_payment_that_was_begun_keeps_another_from_being_made(account, folder, crowd, tmp_path):
    crowd.finish()
    table = tmp_path / "thanks.csv"
    table.write_text("participant,amount\np0001,1.50\n", encoding="utf-8")
    account.world.faults += [FakeFault(503, "/pay/", is_carried_out=True)]
    assert run("prolific", "bonus", folder, "--file", table, "--name", "a", "--yes").exit_code == 2
    other = run("prolific", "bonus", folder, "--file", table, "--name", "b", "--yes")
    assert other.exit_code == 2
    assert "“a” was begun and not finished" in other.output
    assert len(account.world.ledger.entries) == 1


def test_a_corrected_table_counts_as_long_as_nothing_was_set_up(account, folder, crowd, tmp_path):
    crowd.finish()
    table = tmp_path / "thanks.csv"
    table.write_text("participant,amount\np0001,900\n", encoding="utf-8")
    account.world.faults += [FakeFault(400, "/bonus-payments/")]
    assert run("prolific", "bonus", folder, "--file", table, "--name", "a", "--yes").exit_code == 2
    table.write_text("participant,amount\np0001,0.90\n", encoding="utf-8")
    assert (
        said("prolific", "bonus", folder, "--file", table, "--name", "a", "--yes")["total"]
        == "0.90"
    )
    assert [each.amount for each in account.world.ledger.entries] == [90]


def test_people_from_elsewhere_are_neither_paid_nor_joined(account, folder, crowd, tmp_path):
    now = now_utc()
    visit = crowd.store.arrive(Arrival("link", "ann", "ann"), now=now)
    crowd.store.agree(visit, version=crowd.store.consent_version, now=now)
    table = tmp_path / "thanks.csv"
    table.write_text(f"participant,amount\n{visit.participant},1.50\n", encoding="utf-8")
    assert run("prolific", "bonus", folder, "--file", table, "--yes").exit_code == 2
    assert said("prolific", "demographics", folder)["missing"] == []
    assert said("prolific", "sync", folder)["visits"] == []

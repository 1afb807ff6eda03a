"""rejudge prolific, from creating a study to closing it, against a fake Prolific over HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.prolific.fake import FakeFault, FakeStudy, ProlificWorld
from rejudge.prolific.study import read_record
from served import ITEMS, STUDY, run, said

MORE = """
recruitment: {platform: prolific, regions: [GB, US], languages: [en], previous_submissions: 200}
payment: {currency: GBP, hourly: 12, minutes: 10}
pages: {information: information.md}
"""
URL = ("--base-url", "https://study.example.org")
IDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")


@pytest.fixture
def folder(tmp_path) -> Path:
    """Six batches of four tasks, each for three people from Prolific."""
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY + MORE, encoding="utf-8")
    (folder / "items.csv").write_text(ITEMS, encoding="utf-8")
    (folder / "information.md").write_text("# About\n\nWe *compare* texts.", encoding="utf-8")
    assert run("plan", folder).exit_code == 0
    return folder


def test_a_study_goes_from_creation_to_its_end(account, folder):
    made = said("prolific", "create", folder, *URL, "--device", "desktop")
    assert (made["places"], made["reward"], made["status"]) == (18, 200, "UNPUBLISHED")
    study = account.world.studies[made["study"]]
    assert study.body["description"] == "<h1>About</h1>\n<p>We <em>compare</em> texts.</p>"
    assert study.body["device_compatibility"] == ["desktop"]
    assert said("prolific", "publish", folder, "--yes")["status"] == "ACTIVE"
    account.world.enter_code(account.come(study.id), None)
    account.come(study.id)
    shown = said("prolific", "status", folder)
    assert (shown["places_taken"], shown["submissions"]["ACTIVE"]) == (2, 1)
    assert shown["total_cost"] == 18 * 200 + 1200 + 240  # a third of it, and a fifth of that
    assert said("prolific", "pause", folder)["status"] == "PAUSED"
    assert said("prolific", "publish", folder)["status"] == "ACTIVE"  # resuming needs no money
    assert said("prolific", "close", folder)["status"] == "COMPLETED"
    actions = [each.action for each in read_record(folder).actions]
    assert actions == ["CREATE", "PUBLISH", "PAUSE", "START", "STOP"]


def test_the_codes_on_prolific_are_those_that_the_site_shows(account, folder):
    from rejudge.files.step_files import open_plan
    from rejudge.store.store import open_existing

    made = said("prolific", "create", folder, *URL)
    store = open_existing(str(folder / "study.db"), *open_plan(folder))
    codes = store.codes
    store.close()
    body = account.world.studies[made["study"]].body
    sent = [each["code"] for each in body["completion_codes"]]
    assert sent == [codes.completed, codes.declined, codes.full]


def test_everything_is_also_shown_to_people(account, folder):
    made = run("prolific", "create", folder, *URL)
    assert made.exit_code == 0, made.output
    for words in (
        "unpublished",
        "GBP 2.00 for 10 minutes",
        "First language",
        "English",
        "eligible",
    ):
        assert words in made.output
    assert run("prolific", "publish", folder, "--yes").exit_code == 0
    shown = run("prolific", "status", folder)
    assert "Served: active, 0 of 18 places taken" in shown.output
    assert "GBP 50.40" in shown.output


def test_taskflow_shows_how_far_every_batch_is(account, folder):
    said("prolific", "create", folder, *URL, "--taskflow")
    found = said("prolific", "status", folder)
    assert [each["open"] for each in found["addresses"]] == [3] * 6
    lines = run("prolific", "status", folder).output.splitlines()
    assert [line.split() for line in lines[-6:]] == [[f"b{n:02}", "0", "3"] for n in range(1, 7)]


def test_every_key_of_the_json_is_documented(account, folder):
    """test_docs does this for commands that need no platform."""
    page = (Path(__file__).parents[3] / "docs/reference/commands.md").read_text(encoding="utf-8")
    words = (
        ("create", *URL, "--taskflow", "--dry-run"),
        ("create", *URL, "--taskflow"),
        ("publish", "--yes"),
        ("status",),
        ("pause",),
        ("close",),
    )
    for name, *options in words:
        section = page.split("\n## prolific\n")[1].split("\n## ")[0]
        told = said("prolific", name, folder, *options)
        assert not [key for key in told if f"`{key}`" not in section], name


# ── dry runs ─────────────────────────────────────────────────────────────────────────────────────


def test_a_dry_run_prints_the_exact_request_and_writes_nothing(account, folder):
    before = sorted(path.name for path in folder.iterdir())
    told = said("prolific", "create", folder, *URL, "--dry-run")
    assert not account.world.studies
    assert sorted(path.name for path in folder.iterdir()) == before
    (request,) = told["requests"]
    assert request["method"] == "POST"
    assert request["url"].endswith("/api/v1/studies/")
    assert all(f"{{{{%{name}%}}}}" in request["body"]["external_study_url"] for name in IDS)
    said("prolific", "create", folder, *URL)
    (study,) = account.world.studies.values()
    mine = {"internal_name", "metadata", "completion_codes"}  # with a mark, and codes made now
    assert {k: v for k, v in study.body.items() if k not in mine} == {
        k: v for k, v in request["body"].items() if k not in mine
    }


@pytest.mark.parametrize("name", ["publish", "pause", "close"])
def test_dry_runs_of_the_others_change_nothing(account, folder, name):
    said("prolific", "create", folder, *URL)
    if name != "publish":
        said("prolific", "publish", folder, "--yes")
    record, (study,) = read_record(folder), account.world.studies.values()
    before = study.status
    told = said("prolific", name, folder, "--dry-run")
    assert len(told["requests"]) == 1
    assert (study.status, read_record(folder)) == (before, record)


def test_no_output_contains_the_token(account, folder, monkeypatch):
    account.world.token = "very-secret-token"  # noqa: S105 - of this test
    monkeypatch.setenv("REJUDGE_PROLIFIC_TOKEN", "very-secret-token")
    words = (("create", *URL, "--dry-run"), ("create", *URL), ("publish", "--yes"), ("status",))
    outputs = [run("prolific", each[0], folder, *each[1:]).output for each in words]
    files = [path.read_bytes() for path in folder.iterdir()]
    assert "very-secret-token" not in "".join(outputs)
    assert not [content for content in files if b"very-secret-token" in content]
    assert "Authorization: Token ***" in outputs[0]


# ── money ────────────────────────────────────────────────────────────────────────────────────────


def test_without_a_terminal_publishing_needs_yes(account, folder):
    said("prolific", "create", folder, *URL)
    result = run("prolific", "publish", folder)
    assert result.exit_code == 2
    assert "commits GBP 50.40 for 18 places" in result.output
    assert "--yes" in result.output
    assert [each.status for each in account.world.studies.values()] == ["UNPUBLISHED"]


@pytest.mark.parametrize(("answer", "status"), [("y", "ACTIVE"), ("n", "UNPUBLISHED")])
def test_at_a_terminal_the_question_is_asked(account, folder, monkeypatch, answer, status):
    said("prolific", "create", folder, *URL)
    monkeypatch.setattr("rejudge.cli.prolific_session.is_interactive", lambda: True)
    words = ["prolific", "publish", str(folder)]
    CliRunner().invoke(main, words, input=f"{answer}\n")
    assert [each.status for each in account.world.studies.values()] == [status]


# ── what can go wrong ────────────────────────────────────────────────────────────────────────────


def test_creating_again_is_refused_and_a_lost_reply_is_survived(account, folder):
    account.world.faults.append(FakeFault(502, "/studies/", is_carried_out=True))
    said("prolific", "create", folder, *URL)
    result = run("prolific", "create", folder, *URL)
    assert result.exit_code == 2
    assert "already" in result.output
    assert len(account.world.studies) == 1


@pytest.mark.parametrize("name", ["publish", "pause", "close", "status"])
def test_a_folder_without_a_study_on_prolific_says_what_to_do(account, folder, name):
    result = run("prolific", name, folder)
    assert result.exit_code == 2
    assert "rejudge prolific create" in result.output


def test_without_a_token_nothing_is_sent(folder, monkeypatch):
    monkeypatch.delenv("REJUDGE_PROLIFIC_TOKEN", raising=False)
    monkeypatch.delenv("PROLIFIC_TOKEN", raising=False)
    result = run("prolific", "create", folder, *URL)
    assert result.exit_code == 2
    assert "REJUDGE_PROLIFIC_TOKEN" in result.output
    assert not (folder / "prolific.json").exists()


def test_a_wrong_token_is_one_clear_message(account, folder, monkeypatch):
    monkeypatch.setenv("REJUDGE_PROLIFIC_TOKEN", "wrong")
    result = run("prolific", "create", folder, *URL, "--json")
    assert result.exit_code == 2
    (problem,) = json.loads(result.stdout)["error"]
    assert "401" in problem["what"]
    assert "revoked" in problem["remedy"]


def test_a_study_for_another_platform_is_refused(account, folder):
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    (folder / "study.yaml").write_text(text.replace("prolific", "mturk"), encoding="utf-8")
    result = run("prolific", "create", folder, *URL)
    assert result.exit_code == 2
    assert "platform: prolific" in result.output


@pytest.mark.parametrize("url", ["study.example.org", "https://x.example/?a=b", "ftp://x.example"])
def test_a_wrong_address_is_refused(account, folder, url):
    result = run("prolific", "create", folder, "--base-url", url)
    assert result.exit_code == 2
    assert not account.world.studies


def test_the_real_platform_gets_no_plain_http_address(folder, monkeypatch):
    monkeypatch.setenv("REJUDGE_PROLIFIC_TOKEN", "token")
    monkeypatch.delenv("REJUDGE_PROLIFIC_URL", raising=False)
    result = run("prolific", "create", folder, "--base-url", "http://study.example.org")
    assert result.exit_code == 2
    assert "https" in result.output


def test_a_screener_that_is_gone_is_named_and_nothing_is_created(account, folder):
    del account.world.filters["first-language"]
    result = run("prolific", "create", folder, *URL)
    assert result.exit_code == 2
    assert "no screener “First language”" in result.output
    assert not account.world.studies


def test_a_closed_study_cannot_be_opened_or_paused(account, folder):
    said("prolific", "create", folder, *URL)
    assert "never published" in run("prolific", "close", folder).output
    assert "only an active study" in run("prolific", "pause", folder).output
    said("prolific", "publish", folder, "--yes")
    said("prolific", "close", folder)
    assert said("prolific", "close", folder)["status"] == "COMPLETED"
    result = run("prolific", "publish", folder, "--yes")
    assert result.exit_code == 2
    assert "cannot be opened" in result.output


def test_the_state_shown_is_that_of_the_platform_not_of_the_record(account, folder):
    said("prolific", "create", folder, *URL)
    (study,) = account.world.studies
    account.api.transition_study(study, "PUBLISH")  # by hand, in the web app
    assert said("prolific", "publish", folder)["status"] == "ACTIVE"


def test_publishing_twice_is_harmless(account, folder):
    said("prolific", "create", folder, *URL)
    said("prolific", "publish", folder, "--yes")
    assert said("prolific", "publish", folder)["status"] == "ACTIVE"
    assert said("prolific", "publish", folder, "--dry-run")["requests"] == []


# ── Taskflow ─────────────────────────────────────────────────────────────────────────────────────


def test_the_links_of_taskflow_are_signed_with_what_the_site_signs_with(account, folder):
    from urllib.parse import parse_qs, urlsplit

    from rejudge.collect.assignment import read_batch
    from rejudge.files.step_files import open_plan
    from rejudge.store.store import open_existing

    made = said("prolific", "create", folder, *URL, "--taskflow")
    study, plan = open_plan(folder)
    store = open_existing(str(folder / "study.db"), study, plan)
    secret = store.secret
    store.close()
    urls = account.world.studies[made["study"]].body["access_details"]
    named = [parse_qs(urlsplit(each["external_url"]).query)["BATCH"][0] for each in urls]
    assert [read_batch(secret, study.spec.id, each) for each in named] == [
        batch.id for batch in plan.main
    ]
    assert [each["total_allocation"] for each in urls] == [
        batch.participants for batch in plan.main
    ]


def test_places_that_differ_from_the_plan_are_noticed_when_the_study_is_created(
    account, folder, monkeypatch
):
    from rejudge.prolific import fake

    def create_another(world: ProlificWorld, body: dict[str, Any]) -> FakeStudy:
        study = create(world, body)
        study.urls[0].allocation += 1
        return study

    create = fake.create_study
    monkeypatch.setattr(fake, "create_study", create_another)
    result = run("prolific", "create", folder, *URL, "--taskflow")
    assert result.exit_code == 2
    assert "19 places for 6 addresses, but the plan has 18" in " ".join(result.output.split())
    assert read_record(folder).study is not None  # it is there, and can be looked at


@pytest.mark.parametrize("options", [(), ("--taskflow",)])
def test_a_plan_that_was_drawn_again_is_not_published(account, folder, options):
    said("prolific", "create", folder, *URL, *options)
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    fewer = text.replace("participants_per_batch: 3", "participants_per_batch: 2")
    assert fewer != text
    (folder / "study.yaml").write_text(fewer, encoding="utf-8")
    assert run("plan", folder, "--force").exit_code == 0
    result = run("prolific", "publish", folder, "--yes")
    assert result.exit_code == 2
    assert "drawn again" in result.output
    assert next(iter(account.world.studies.values())).status == "UNPUBLISHED"


@pytest.mark.parametrize("name", ["publish", "pause", "close", "status", "pool"])
def test_every_command_has_a_dry_run_that_changes_nothing(account, folder, name):
    said("prolific", "create", folder, *URL, "--taskflow")
    if name in {"pause", "close"}:
        said("prolific", "publish", folder, "--yes")
    study = next(iter(account.world.studies.values()))
    before = (study.status, (folder / "prolific.json").read_bytes())
    told = said("prolific", name, folder, "--dry-run")
    assert told["dry_run"] is True
    assert told["reads"]
    assert (study.status, (folder / "prolific.json").read_bytes()) == before
    writes = {"publish": 1, "pause": 1, "close": 1}
    assert len(told["requests"]) == writes.get(name, 0)
    shown = run("prolific", name, folder, "--dry-run").output
    assert "Dry run: nothing was changed or written." in shown
    assert account.world.token not in shown

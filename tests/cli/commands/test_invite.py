"""rejudge invite: links that work, texts for everybody, and nothing that gives people away."""

from __future__ import annotations

import csv
import json
from base64 import urlsafe_b64encode
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.files.step_files import open_plan
from rejudge.store.store import open_store
from rejudge.web.session import PERSONAL, Seal
from rejudge.web.site import now_utc


def run(*words: object):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path):
    target = tmp_path / "study"
    assert run("new", target).exit_code == 0
    assert run("plan", target).exit_code == 0
    return target


@pytest.fixture
def people(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("name,email\nZoë Ángel,zoe@lab.edu\nAnn Lee,ann@lab.edu\n", encoding="utf-8")
    return file


def merged(folder):
    with (folder / "invitations" / "invitations.csv").open(encoding="utf-8-sig") as stream:
        return list(csv.DictReader(stream))


def person_of(folder, link: str) -> str | None:
    study, plan = open_plan(folder)
    store = open_store(str(folder / "study.db"), study, plan, now=now_utc())
    try:
        return Seal(store.secret, study.spec.id).personal_name(link.partition(f"{PERSONAL}=")[2])
    finally:
        store.close()


def test_everybody_gets_a_link_that_the_site_accepts(folder, people):
    result = run("invite", folder, people, "--base-url", "https://study.lab.edu")
    assert result.exit_code == 0, result.output
    assert "Nothing was sent" in result.output
    rows = merged(folder)
    assert [row["name"] for row in rows] == ["Zoë Ángel", "Ann Lee"]
    for row in rows:
        assert row["link"].startswith("https://study.lab.edu/?p=")
        assert person_of(folder, row["link"]) == row["participant"]
        assert row["link"] in row["invitation"]
        assert row["link"] in row["briefing"]
        text = (folder / "invitations" / f"{row['participant']}.txt").read_text(encoding="utf-8")
        assert row["invitation"] in text
        assert row["briefing"] in text


def test_links_say_nothing_about_people(folder, people):
    """As they are, and as encodings that anybody can undo; "ann" alone comes up by chance."""
    run("invite", folder, people)
    for row in merged(folder):
        link = unquote(row["link"])
        assert not any(
            sign in link.casefold() for sign in ("zoë", "ángel", "@", "lab.edu", "ann lee")
        )
        for known in (row["email"], row["name"]):
            assert known.encode().hex() not in link
            assert urlsafe_b64encode(known.encode()).decode().rstrip("=")[:-1] not in link


def test_the_same_person_has_the_same_link_when_others_are_added(folder, people):
    run("invite", folder, people)
    before = {row["email"]: row["link"] for row in merged(folder)}
    people.write_text("name,email\nBob,b@x.org\nAnn L.,ANN@lab.edu\n", encoding="utf-8")
    refused = run("invite", folder, people)
    assert refused.exit_code == 2
    assert "--force" in refused.output
    assert run("invite", folder, people, "--force").exit_code == 0
    assert {row["name"]: row["link"] for row in merged(folder)}["Ann L."] == before["ann@lab.edu"]


def test_the_terminal_and_the_database_know_no_addresses(folder, people):
    result = run("invite", folder, people, "--json")
    assert "lab.edu" not in result.output
    assert json.loads(result.output)["people"] == 2
    assert b"lab.edu" not in (folder / "study.db").read_bytes()


def test_people_with_lists_get_exactly_those(folder, tmp_path):
    _, plan = open_plan(folder)
    batches = tmp_path / "batches.csv"
    rows = [f"{b.id},{t.item},{','.join(t.options)}" for b in plan.batches for t in b.real]
    batches.write_text("batch,item,a,b\n" + "\n".join(rows) + "\n", encoding="utf-8")
    names = [batch.id for batch in plan.batches]
    lists = tmp_path / "lists.csv"
    text = f"participant,batch\nr1,{' '.join(names)}\nr2,{' '.join(names[:2])}\n"
    lists.write_text(text, encoding="utf-8")
    done = run("plan", folder, "--from", batches, "--participants", lists, "--force")
    assert done.exit_code == 0, done.output
    people = tmp_path / "people.csv"
    people.write_text("name,email,participant\nAnn,a@x.org,r2\n", encoding="utf-8")
    result = run("invite", folder, people)
    assert "Nobody is assigned to 'r1'" in result.output
    row = merged(folder)[0]
    assert (row["participant"], row["batches"]) == ("r2", " ".join(names[:2]))
    assert "Number of parts for you: 2." in row["briefing"]
    assert person_of(folder, row["link"]) == "r2"


def test_own_texts_are_used_and_checked(folder, people, tmp_path):
    own = tmp_path / "mine.txt"
    own.write_text("Hallo\n\nLiebe/r {name}: {link}\n", encoding="utf-8")
    assert run("invite", folder, people, "--invitation", own).exit_code == 0
    assert merged(folder)[0]["subject"] == "Hallo"
    assert merged(folder)[0]["invitation"].startswith("Liebe/r Zoë Ángel: http")
    own.write_text("Hallo {nam} {link}\n", encoding="utf-8")
    assert "Did you mean 'name'?" in run("invite", folder, people, "--invitation", own).output


def test_a_name_that_looks_like_a_formula_stays_a_name(folder, people):
    people.write_text("name,email\n=1+1,ann@lab.edu\n", encoding="utf-8")
    assert run("invite", folder, people).exit_code == 0
    assert merged(folder)[0]["name"] == "'=1+1"


def test_wrong_people_leave_nothing_behind(folder, people):
    people.write_text("name,email\nAnn,nowhere\n", encoding="utf-8")
    result = run("invite", folder, people)
    assert result.exit_code == 2
    assert "people.csv:2" in result.output
    assert not (folder / "invitations").exists()


def test_a_study_that_is_open_to_anyone_has_no_invitations(folder, people):
    study = folder / "study.yaml"
    text = study.read_text(encoding="utf-8").replace("platform: link", "platform: prolific")
    study.write_text(text, encoding="utf-8")
    result = run("invite", folder, people)
    assert result.exit_code == 2
    assert "platform: link" in result.output


def test_the_texts_are_in_the_language_of_the_study(folder, people):
    file = folder / "study.yaml"
    text = file.read_text(encoding="utf-8").replace("language: en ", "language: ar ")
    file.write_text(text, encoding="utf-8")
    assert run("plan", folder, "--force").exit_code == 0
    result = run("invite", folder, people)
    assert result.exit_code == 0, result.output
    row = merged(folder)[0]
    assert row["subject"].startswith("دعوة")
    assert "Zoë Ángel" in row["invitation"]
    assert "Dear" not in row["invitation"] + row["briefing"]

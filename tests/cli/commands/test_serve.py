"""rejudge serve: what it prints, how it begins and ends, and what it keeps to itself."""

from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass

import httpx
import pytest

from rejudge.web.rehearse.browser import Page
from rejudge.web.session import Seal, personal_path
from served import SECRET, Running, answer, begin, make_folder, run, said, serving

ADDRESS = "https://study.example.org"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("serve") / "study")


@dataclass(frozen=True)
class Restarted:
    """A site that was stopped and started again with an address for TLS, and what people saw."""

    first: Running
    second: Running
    page: Page  # of somebody who had come before
    first_cookie: str
    second_cookie: str
    printed: str  # by the first, to both streams


@pytest.fixture(scope="module")
def restarted(folder, tmp_path_factory):
    errors = tmp_path_factory.mktemp("printed") / "errors.txt"
    with errors.open("w") as stderr, serving(folder, stderr=stderr) as first:
        browser = first.browser()
        begin(browser, "before")
        port = first.said["listens"].rpartition(":")[2]
        cookies, first_cookie = browser.cookies, cookie_at(first)
        named = first.browser()
        named.open("/?PROLIFIC_PID=secret-person&STUDY_ID=s&SESSION_ID=secret-session")
        named.open("/?PROLIFIC_PID=%22secret-odd%22&SESSION_ID=x")
    printed = first.printed + errors.read_text()
    with serving(folder, "--port", port, "--base-url", ADDRESS) as second:
        page = second.browser(cookies).open("/")
        second_cookie = cookie_at(second)
    return Restarted(first, second, page, first_cookie, second_cookie, printed)


def cookie_at(site: Running) -> str:
    """What somebody new gets."""
    link = personal_path(Seal(SECRET.encode(), "served"), "x")
    return httpx.get(f"{site.said['listens']}{link}").headers["set-cookie"]


def test_it_prints_how_people_come_in(restarted):
    told = restarted.first.said
    assert (told["recruiter"], told["participants"]) == ("link", None)
    assert "/dashboard/login#" in told["dashboard"]
    assert len(set(told["codes"].values())) == 3


def test_it_ends_with_0_when_it_is_stopped(restarted):
    assert restarted.first.process.returncode == 0


@pytest.mark.parametrize("command", ["serve", "status", "links"])
def test_a_database_of_another_schema_is_refused(tmp_path, command):
    folder = make_folder(tmp_path / "study")
    other = tmp_path / "other.db"
    said("links", folder, "anna", "--database", other)
    with closing(sqlite3.connect(other)) as database, database:
        database.execute("UPDATE setting SET value = '2' WHERE name = 'schema'")
    refused = run(command, folder, *(["ben"] if command == "links" else []), "--database", other)
    assert refused.exit_code == 2
    assert "has tables of schema 2; this version of rejudge reads 1" in refused.output


@pytest.mark.slow
def test_several_processes_serve_one_study(folder):
    with serving(folder, "--workers", "2") as site:
        people = [(f"several-{n}", site.browser()) for n in range(4)]
        pages = [begin(browser, name) for name, browser in people]
        assert [page.step for page in pages] == ["task"] * 4
        pages = [
            answer(browser, page, "a") for page, (_, browser) in zip(pages, people, strict=True)
        ]
    assert [page.path for page in pages] == ["/task/2"] * 4
    assert site.process.returncode == 0


def test_the_codes_stay_the_same_when_it_is_started_again(restarted):
    first, second = restarted.first.said, restarted.second.said
    assert first["codes"] == second["codes"]
    keys = [each["dashboard"].partition("#")[2] for each in (first, second)]
    assert keys[0] != keys[1]


def test_a_cookie_from_before_still_holds_after_a_restart(restarted):
    assert restarted.page.step == "task"


def test_cookies_are_for_tls_alone_when_the_address_is(restarted):
    assert restarted.second.said["address"] == ADDRESS
    assert "secure" not in restarted.first_cookie.lower()
    assert "secure" in restarted.second_cookie.lower()


def test_nothing_that_names_a_person_is_printed(restarted):
    assert "secret-" not in restarted.printed


def test_a_port_that_is_taken_is_explained(folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = run("serve", folder, "--port", taken.getsockname()[1])
    assert result.exit_code == 2
    assert "--port" in result.output


def test_half_an_address_is_explained(folder):
    result = run("serve", folder, "--base-url", "study.example.org")
    assert result.exit_code == 2
    assert "https://study.example.org" in result.output


def test_a_short_secret_is_refused(folder, monkeypatch):
    monkeypatch.setenv("REJUDGE_SECRET", "123")
    result = run("serve", folder, "--port", "0")
    assert result.exit_code == 2
    assert "REJUDGE_SECRET" in result.output


def test_without_a_plan_the_next_command_is_named(tmp_path):
    run("new", tmp_path / "bare")
    result = run("serve", tmp_path / "bare", "--port", "0")
    assert result.exit_code == 2
    assert "rejudge plan" in result.output


@pytest.mark.slow
def test_no_heavy_library_is_loaded_before_somebody_asks_for_numbers(folder):
    """Numbers are for the dashboard; people's pages must be there at once, and small."""
    program = (
        "import sys; from rejudge.web.serving import Serving, open_site; "
        f"open_site(Serving({str(folder)!r}, {str(folder / 'study.db')!r})); "
        "print(sorted({'numpy', 'scipy', 'pyarrow', 'pandas', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_what_people_answered_is_analysed_from_the_store(tmp_path):
    home = make_folder(tmp_path / "study")
    with serving(home) as site:
        for person in range(6):
            browser = site.browser()
            page = begin(browser, f"p{person}")
            for letter in "abab":
                page = answer(browser, page, letter)
            assert page.step == "thanks"
    found = said("analyse", home)
    assert found["flow"]["rows"] == 24
    assert (home / "judgments.csv").read_text("utf-8").count("\n") == 25


def test_a_page_with_a_placeholder_that_has_no_value_is_not_served(tmp_path):
    folder = make_folder(tmp_path / "study")
    (folder / "pages").mkdir()
    (folder / "pages" / "thanks.md").write_text("Ask {contact}. {{title}} {x}", encoding="utf-8")
    result = run("serve", folder, "--port", "0")
    assert result.exit_code == 2
    assert "{contact} has no value" in result.output
    assert "{x}" not in result.output
    assert not (folder / "study.db").exists()

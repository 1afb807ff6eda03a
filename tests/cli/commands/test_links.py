"""rejudge links: personal links for participants, and a link to the dashboard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dashboard_site import Browser
from rejudge.web.site import OpenSite, Serving, open_site
from served import make_folder, run, said


@pytest.fixture
def folder(tmp_path) -> Path:
    return make_folder(tmp_path / "study")


def opened(folder: Path) -> OpenSite:
    return open_site(Serving(str(folder), str(folder / "study.db")))


def test_links_are_for_the_names_and_open_the_study(folder, person_at):
    told = said("links", folder, "anna", "--count", "2", "--base-url", "https://example.org/x")
    assert [each["name"] for each in told["links"]] == ["anna", "link001", "link002"]
    link = told["links"][0]["link"]
    assert link.startswith("https://example.org/x/?p=anna.")
    site = opened(folder)
    person = person_at(site)
    assert person.get(link.removeprefix("https://example.org/x")).url.path == "/consent"
    assert person.get("/?p=anna").status_code == 400
    site.close()
    assert said("links", folder, "anna")["links"][0]["link"].partition("?")[2] in link


def test_a_new_link_to_the_dashboard_lets_an_owner_in(folder):
    told = said("links", folder, "--dashboard")
    secret = told["dashboard"].partition("#")[2]
    site = opened(folder)
    client = Browser(site.app)
    assert client.post("/dashboard/login", data={"token": secret}).url.path == "/dashboard/"
    client.close()
    site.close()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "no names given"),
        (("Anna Müller",), "cannot be used in a link"),
        (("a.b",), "cannot be used in a link"),
        (("anna", "--base-url", "example.org"), "--base-url"),
    ],
)
def test_a_link_that_cannot_be_made_is_explained(folder, words, told):
    result = run("links", folder, *words)
    assert (result.exit_code, told in re.sub(r"\s+", " ", result.output)) == (2, True)
    assert not (folder / "study.db").exists()


@pytest.mark.parametrize("recruitment", ["{open: true}", "{platform: prolific}"])
def test_studies_that_need_no_personal_links_get_none(folder, recruitment):
    path = folder / "study.yaml"
    path.write_text(path.read_text("utf-8") + f"recruitment: {recruitment}\n", "utf-8")
    assert run("links", folder, "anna").exit_code == 2

"""rejudge bundle: a study in one archive, without private data."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import bundled
from rejudge.bundle.archive import unpack
from served import run, said

LICENCE = ("--licence", "CC-BY-4.0")


def test_bundle_says_what_it_packed(trees, tmp_path):
    out = tmp_path / "here.zip"
    found = said("bundle", trees, *LICENCE, "--out", out)
    assert found["written"] == str(out)
    assert (found["study"], found["licence"], found["simulated"]) == ("trees", "CC-BY-4.0", True)
    assert found["bytes"] == out.stat().st_size
    assert {entry["name"] for entry in found["files"]} == set(unpack(out.read_bytes(), file="x"))


def test_bundle_writes_beside_you_under_the_studys_id(trees, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("bundle", trees, *LICENCE)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "trees.zip").exists()
    assert "No platform id, email address" in result.output


def test_bundle_does_not_say_of_accepted_files_that_nothing_was_found(trees, tmp_path):
    result = run("bundle", trees, *LICENCE, "--out", tmp_path / "x.zip", "--accept", "items.csv")
    assert result.exit_code == 0, result.output
    assert "was found; not searched: items.csv." in " ".join(result.output.split())


def test_bundle_asks_for_a_licence_and_writes_nothing_without(trees, tmp_path):
    result = run("bundle", trees, "--out", tmp_path / "x.zip")
    assert result.exit_code == 2
    assert "--licence CC-BY-4.0" in result.output
    assert not (tmp_path / "x.zip").exists()


def test_bundle_replaces_nothing_unasked(trees, tmp_path):
    out = tmp_path / "x.zip"
    out.write_bytes(b"something else")
    assert run("bundle", trees, *LICENCE, "--out", out).exit_code == 2
    assert run("bundle", trees, *LICENCE, "--out", out, "--force").exit_code == 0


def test_what_was_changed_afterwards_without_a_word_is_reported_when_it_is_bundled(
    archive, tmp_path
):
    folder = tmp_path / "ours"
    said("reproduce", archive, "--as", "us", "--out", folder)
    (folder / "pages/instructions.md").write_text("Just guess.\n", encoding="utf-8")
    bundled.judged(folder, seed=8)
    found = said("bundle", folder, *LICENCE, "--out", tmp_path / "ours.zip")
    assert any(
        "without a reason" in note and "pages[instructions] changed" in note
        for note in found["notes"]
    )


def test_a_bundle_of_a_served_study_knows_no_platform_id(served, tmp_path):
    assert run("analyse", served).exit_code == 0
    said("bundle", served, *LICENCE, "--out", tmp_path / "x.zip")
    for text in unpack((tmp_path / "x.zip").read_bytes(), file="x").values():
        assert b"kursteilnehmer" not in text
    assert said("verify", tmp_path / "x.zip")["sound"] is True


def test_a_platform_id_that_slipped_into_a_page_is_refused(served, tmp_path):
    (served / "pages").mkdir()
    page = served / "pages/thanks.md"
    page.write_text("Thank you, kursteilnehmer-1!\n", encoding="utf-8")
    assert run("analyse", served).exit_code == 0
    result = run("bundle", served, *LICENCE, "--out", tmp_path / "x.zip")
    assert result.exit_code == 2
    assert "pages/thanks.md:1: a platform id of a participant is here." in result.output
    assert "kursteilnehmer" not in result.output


AUTHORS = '\npublication: {licence: CC0-1.0, authors: [{name: "Example, Ada"}]}\n'


@pytest.fixture
def own(trees, tmp_path):
    """A study that a test may change."""
    return Path(shutil.copytree(trees, tmp_path / "own"))


def test_the_licence_can_be_stated_in_the_study(own, tmp_path):
    with (own / "study.yaml").open("a", encoding="utf-8") as text:
        text.write(AUTHORS)
    out = tmp_path / "x.zip"
    found = said("bundle", own, "--croissant", "--out", out)

    assert found["licence"] == "CC0-1.0"
    assert {"croissant.json", "CITATION.cff", ".zenodo.json"} <= set(
        unpack(out.read_bytes(), file="x")
    )
    assert any("publication.biases" in note for note in found["notes"])


def test_nothing_is_written_where_a_citation_would_name_nobody(own, tmp_path):
    result = run("bundle", own, *LICENCE, "--croissant", "--out", tmp_path / "x.zip")

    assert result.exit_code == 2
    assert "publication.authors" in result.output
    assert not (tmp_path / "x.zip").exists()

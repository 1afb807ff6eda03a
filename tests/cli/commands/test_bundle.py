"""bundle, verify, reproduce and compare: from one lab's study to another's."""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

import bundled
from rejudge.bundle import origin_of
from rejudge.bundle.archive import pack, unpack
from rejudge.files import open_plan
from served import make_folder, run, said
from small_site import Site

LICENCE = ("--licence", "CC-BY-4.0")


@pytest.fixture(scope="module")
def trees(tmp_path_factory) -> Path:
    """A study that was judged, and its bundle beside it."""
    folder = bundled.finish(tmp_path_factory.mktemp("cli") / "trees")
    said("bundle", folder, *LICENCE, "--out", folder.parent / "trees.zip")
    return folder


@pytest.fixture
def archive(trees) -> Path:
    return trees.parent / "trees.zip"


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


def test_verify_is_content_with_an_honest_bundle(archive):
    found = said("verify", archive)
    assert found["sound"] is True
    assert found["numbers"] > 100
    result = run("verify", archive)
    assert "recomputed and equal" in result.output


def test_verify_ends_with_1_if_a_number_comes_out_differently(archive, tmp_path):
    def nicer(values: dict) -> None:
        values["content"]["findings"][0]["value"] += 1

    forged = bundled.forged(archive.read_bytes(), {"results.json": bundled.edited(nicer)})
    (tmp_path / "forged.zip").write_bytes(forged)
    result = run("verify", tmp_path / "forged.zip")
    assert result.exit_code == 1
    assert "recomputed, they differ in 1 place" in result.output
    assert "findings[" in result.output


@pytest.mark.parametrize("words", [("verify",), ("reproduce", "--as", "us"), ("compare", "x")])
def test_a_tampered_bundle_is_refused_with_the_file_named(archive, tmp_path, words):
    changed = bundled.with_file(archive.read_bytes(), "items.csv", lambda text: text + b"\n")
    bad = tmp_path / "bad.zip"
    bad.write_bytes(changed)
    result = run(words[0], bad, *words[1:])
    assert result.exit_code == 2
    assert "items.csv: this file was changed after bundling." in result.output
    assert list(tmp_path.iterdir()) == [bad]


def test_reproduce_writes_a_study_that_is_ready_to_be_rehearsed(archive, tmp_path):
    folder = tmp_path / "ours"
    found = said("reproduce", archive, "--as", "Our Lab", "--folder", folder)
    assert (found["study"], found["reproduces"]) == ("trees-our-lab", "trees")
    assert found["same_plan"] is True
    assert found["changes"] == []
    assert found["plan"] == open_plan(folder)[1].fingerprint
    assert found["next"][0] == f"rejudge check {folder}"
    assert run("check", folder).exit_code in {0, 1}


def test_reproduce_takes_changes_with_reasons(archive, tmp_path):
    folder = tmp_path / "ours"
    found = said(
        "reproduce", archive, "--as", "us", "--folder", folder,
        "--change", "payment.reward=2", "--reason", "payment.reward=Prices rose.",
        "--impact", "payment.reward=none",
    )  # fmt: skip
    (change,) = found["changes"]
    assert change == {
        "key": "payment.reward", "before": 1.5, "after": 2.0, "reason": "Prices rose.",
        "impact": "none",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--change", "payment.reward=2"), '--reason payment.reward="…"'),
        (("--change", "payment.reward"), "--change payment.reward is unclear"),
        (("--reason", "payment.reward=x"), "this key is not changed"),
        (("--change", "ethics=1", "--impact", "ethics=big"), "'big' is not a level of impact"),
        (("--change", "colour=red", "--reason", "colour=x"), "colour"),
    ],
)
def test_reproduce_refuses_what_is_unclear_and_writes_nothing(archive, tmp_path, words, message):
    folder = tmp_path / "ours"
    result = run("reproduce", archive, "--as", "us", "--folder", folder, *words)
    assert result.exit_code == 2
    assert message in result.output
    assert not folder.exists()


def test_at_a_terminal_reasons_and_the_licence_are_asked_for(trees, archive, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from rejudge.cli import main

    monkeypatch.setattr("rejudge.cli.commands.reproduce.is_asked", lambda: True)
    monkeypatch.setattr("rejudge.cli.commands.bundle.is_asked", lambda: True)
    folder = tmp_path / "ours"
    words = ["reproduce", archive, "--as", "us", "--folder", folder, "--change", "payment.reward=2"]
    result = CliRunner().invoke(main, [*map(str, words)], input="Prices rose.\nlow\n")
    assert result.exit_code == 0, result.output
    told = json.loads((folder / "reproduces.json").read_text(encoding="utf-8"))["content"]
    assert told["changes"][0]["reason"] == "Prices rose."
    assert told["changes"][0]["impact"] == "low"
    words = ["bundle", trees, "--out", tmp_path / "asked.zip"]
    result = CliRunner().invoke(main, [*map(str, words)], input="MIT\n")
    assert result.exit_code == 0, result.output


def test_reproduce_leaves_a_folder_that_is_not_empty_alone(archive, tmp_path):
    (tmp_path / "mine.txt").write_text("years of work", encoding="utf-8")
    result = run("reproduce", archive, "--as", "us", "--folder", tmp_path)
    assert result.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_reproduced_study_is_compared_without_naming_its_original(archive, tmp_path):
    folder = tmp_path / "ours"
    said(
        "reproduce", archive, "--as", "us", "--folder", folder,
        "--change", "recruitment.platform=prolific", "--reason", "recruitment.platform=As ever.",
    )  # fmt: skip
    bundled.judged(folder, seed=8)
    found = said("compare", folder)
    assert found["original"] == "trees"
    assert [card["id"] for card in found["runs"]] == ["trees", "trees-us"]
    platform = next(each for each in found["deviations"] if each["property"] == "platform")
    assert platform["reason"] == "As ever."
    assert said("compare", archive, folder)["original"] == "trees"


def test_what_was_changed_afterwards_without_a_word_is_told_when_it_is_bundled(archive, tmp_path):
    folder = tmp_path / "ours"
    said("reproduce", archive, "--as", "us", "--folder", folder)
    (folder / "pages/instructions.md").write_text("Just guess.\n", encoding="utf-8")
    bundled.judged(folder, seed=8)
    found = said("bundle", folder, *LICENCE, "--out", tmp_path / "ours.zip")
    assert any("without a reason: pages[instructions] changed" in note for note in found["notes"])


def test_reproduce_takes_pages_and_reasons_given_afterwards(archive, tmp_path):
    folder, ours = tmp_path / "ours", tmp_path / "ours.md"
    ours.write_text("I agree, and I am 18.\n", encoding="utf-8")
    said(
        "reproduce", archive, "--as", "us", "--folder", folder,
        "--page", f"consent={ours}", "--reason", "pages.consent=Our board asked for it.",
    )  # fmt: skip
    assert (folder / "pages/consent.md").read_text("utf-8") == "I agree, and I am 18.\n"
    (folder / "pages/instructions.md").write_text("Just guess.\n", encoding="utf-8")
    found = said("reproduce", folder, "--reason", "pages.instructions=It was too long.")
    assert found["explained"] == ["pages.instructions"]
    keys = [each.key for each in origin_of(folder).changes]
    assert keys == ["pages.consent", "pages.instructions"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--reason is missing"),
        (("--reason", "pages.thanks=Why not."), "'pages.thanks' already has this value"),
        (("--as", "us"), "--as is for a new reproduction"),
    ],
)
def test_reasons_that_explain_nothing_change_nothing(archive, tmp_path, words, message):
    folder = tmp_path / "ours"
    said("reproduce", archive, "--as", "us", "--folder", folder)
    before = (folder / "reproduces.json").read_bytes()
    result = run("reproduce", folder, *words)
    assert result.exit_code == 2
    assert message in result.output
    assert (folder / "reproduces.json").read_bytes() == before


# ── a study that people have judged ──────────────────────────────────────────────────────────────

PEOPLE = {"kursteilnehmer-1": "abab", "kursteilnehmer-2": "aaaa", "kursteilnehmer-3": "bbab"}


@pytest.fixture(scope="module")
def served_once(tmp_path_factory) -> Path:
    folder = make_folder(tmp_path_factory.mktemp("served") / "study")
    with ExitStack() as stack:
        site = Site(folder / "study.db", *open_plan(folder), stack)
        for name, letters in PEOPLE.items():
            site.person(name).finish(letters)
    return folder


@pytest.fixture
def served(served_once, tmp_path) -> Path:
    return Path(shutil.copytree(served_once, tmp_path / "study"))


def test_a_bundle_of_a_served_study_knows_no_platform_id(served, tmp_path):
    assert run("analyse", served).exit_code == 0
    said("bundle", served, *LICENCE, "--out", tmp_path / "x.zip")
    for text in unpack((tmp_path / "x.zip").read_bytes(), file="x").values():
        assert b"kursteilnehmer" not in text
    assert said("verify", tmp_path / "x.zip")["sound"] is True


def test_whoever_has_withdrawn_is_in_no_file_of_the_bundle(served, tmp_path):
    assert run("analyse", served).exit_code == 0
    gone = said("withdraw", served, "kursteilnehmer-2", "--yes")["participant"]
    refused = run("bundle", served, *LICENCE, "--out", tmp_path / "x.zip")
    assert refused.exit_code == 2
    assert "rejudge analyse" in refused.output
    assert run("analyse", served).exit_code == 0
    said("bundle", served, *LICENCE, "--out", tmp_path / "x.zip")
    files = unpack((tmp_path / "x.zip").read_bytes(), file="x")
    assert not [name for name, text in files.items() if gone.encode() in text]
    assert b"p0001" in files["judgments.csv"]


def test_whoever_withdraws_goes_from_bundles_and_leftovers_in_the_folder_too(served, tmp_path):
    """From a bundle below it, a download from the dashboard, and what was half-written."""
    assert run("analyse", served).exit_code == 0
    (served / "sent").mkdir()
    bundle, download = served / "sent" / "x.zip", served / "everything.zip"
    said("bundle", served, *LICENCE, "--out", bundle)
    files = unpack(bundle.read_bytes(), file="x")
    table = files["judgments.csv"]
    download.write_bytes(pack({"served/judgments.csv": table}))
    left = served / ".judgments.csv.0123abcd.part"
    left.write_bytes(table)
    kept = {
        served / "of-another-study.zip": pack({"other/judgments.csv": table}),
        served / "original.zip": bundle.read_bytes(),  # numbers are given in each study anew
        served / "pictures.zip": pack({"served/notes.csv": b"participant,note\np0099,p0002\n"}),
    }
    for path, content in kept.items():
        path.write_bytes(content)
    (served / "broken.zip").write_bytes(bundle.read_bytes()[:-30])
    asked = run("withdraw", served, "kursteilnehmer-2")
    assert asked.exit_code == 2
    assert "x.zip, " in asked.output
    assert bundle.exists()
    found = said("withdraw", served, "kursteilnehmer-2", "--yes")
    assert {str(path) for path in (bundle, download, left)} <= set(found["removed"])
    assert found["unread"] == [str(served / "broken.zip")]
    assert not [path for path in (bundle, download, left) if path.exists()]
    assert all(path.exists() for path in kept)


def test_a_bundle_without_the_person_stays(served, tmp_path):
    assert run("analyse", served).exit_code == 0
    said("withdraw", served, "kursteilnehmer-2", "--yes")
    assert run("analyse", served).exit_code == 0
    said("bundle", served, *LICENCE, "--out", served / "x.zip")
    said("withdraw", served, "p0002", "--yes")
    assert (served / "x.zip").exists()


def test_a_platform_id_that_slipped_into_a_page_is_refused(served, tmp_path):
    (served / "pages").mkdir()
    page = served / "pages/thanks.md"
    page.write_text("Thank you, kursteilnehmer-1!\n", encoding="utf-8")
    assert run("analyse", served).exit_code == 0
    result = run("bundle", served, *LICENCE, "--out", tmp_path / "x.zip")
    assert result.exit_code == 2
    assert "pages/thanks.md:1: a platform id of a participant is here." in result.output
    assert "kursteilnehmer" not in result.output

"""A bundle that is not as it was made is refused, and the file to blame is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

import bundled
from rejudge.bundle.archive import LIMITS, pack, unpack
from rejudge.bundle.original import run_of
from rejudge.bundle.read import open_bundle, read_bundle
from rejudge.design.freeze import freeze
from rejudge.errors import FileError, RejudgeError
from rejudge.files.step_files import FROZEN, to_bytes

EVERY_FILE = [
    "README.md", "bundle.json", "checksums.sha256", "environment.txt", "excluded.csv", "items.csv",
    "judgments.csv", "pages/consent.md", "pages/information.md", "pages/instructions.md",
    "plan.json", "results.json", "ro-crate-metadata.json", "study.yaml",
]  # fmt: skip


def refusal(content: bytes) -> str:
    with pytest.raises(RejudgeError) as caught:
        read_bundle(content, file="trees.zip")
    return str(caught.value)


def test_an_honest_bundle_is_opened_with_all_its_parts(path, finished_once):
    found = open_bundle(path)
    mine = bundled.finished(finished_once)
    assert found.study.fingerprint == mine.study.fingerprint
    assert found.plan.fingerprint == mine.plan.fingerprint
    assert len(found.judgments) == len(mine.judgments)
    assert found.results.signature.study == mine.study.fingerprint
    assert (found.frozen, found.manifest.reproduces) == (None, None)


def test_the_list_of_files_that_are_tampered_with_is_whole(content):
    assert sorted(unpack(content, file="x")) == EVERY_FILE


@pytest.mark.parametrize("name", EVERY_FILE)
def test_a_file_with_one_byte_more_is_refused_by_name(content, name):
    assert f"trees.zip, {name}" in refusal(bundled.with_file(content, name, lambda t: t + b" "))


@pytest.mark.parametrize("name", [name for name in EVERY_FILE if name != "bundle.json"])
def test_a_file_that_is_missing_is_named(content, name):
    assert f"trees.zip, {name}" in refusal(bundled.with_file(content, name, lambda _: None))


@pytest.mark.parametrize("name", ["evil.sh", "pages/more.md", "STUDY2.yaml"])
def test_a_file_that_was_added_is_named(content, name):
    said = refusal(bundled.with_file(content, name, lambda _: b"x"))
    assert f"trees.zip, {name}: this file was added to the bundle." in said


def test_every_changed_file_is_named_at_once(content):
    once = bundled.with_file(content, "items.csv", lambda text: text.upper())
    twice = bundled.with_file(once, "plan.json", lambda text: text + b"\n")
    said = refusal(twice)
    assert "items.csv" in said
    assert "plan.json" in said


def test_one_changed_answer_is_enough(content):
    def other(text: bytes) -> bytes:
        return text.replace(b",a,", b",b,", 1)

    assert "judgments.csv: this file was changed" in refusal(
        bundled.with_file(content, "judgments.csv", other)
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b"  ", b" ", 1),
        lambda text: text[1:],
        lambda text: text.rstrip(),
        lambda text: text + text.splitlines(keepends=True)[0],
        lambda _: b"\xff\xfe",
    ],
)
def test_a_list_of_checksums_that_cannot_be_read_is_refused(content, change):
    said = refusal(bundled.with_file(content, "checksums.sha256", change))
    assert "trees.zip, checksums.sha256" in said


def test_a_bundle_of_another_format_is_refused_by_its_format(content):
    """Also when that format has other files and other checksums, of which nothing is known."""

    def change(values: Any) -> None:
        values["format"] = 3
        values["content"] = {"layout": "unheard of"}

    files = unpack(content, file="x")
    only = {"bundle.json": bundled.edited(change)(files["bundle.json"]), "data/all.bin": b"?"}
    said = refusal(pack(only))
    assert "this file has format 3; this version of rejudge reads 1" in said
    assert "checksum" not in said


def test_a_bundle_with_a_step_file_of_another_format_is_refused(content):
    change = bundled.edited(lambda values: values.update(format=7))
    said = refusal(bundled.forged(content, {"results.json": change}))
    assert "results.json: this file has format 7" in said


def test_an_archive_that_is_no_bundle_is_told_from_one_that_was_packed_again(content):
    files = unpack(content, file="x")
    assert "not a bundle of rejudge" in refusal(pack({"notes.md": b"hello"}))
    said = refusal(pack({f"trees/{name}": text for name, text in files.items()}))
    assert "in a folder inside the archive (trees/bundle.json)" in said


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    (tmp_path / "x.zip").write_text("id: trees", encoding="utf-8")
    with pytest.raises(FileError, match=r"x\.zip: this is not a zip archive"):
        open_bundle(tmp_path / "x.zip")


def test_a_path_that_leads_nowhere_is_said(tmp_path):
    with pytest.raises(FileError, match="there is no such file"):
        open_bundle(tmp_path / "x.zip")
    with pytest.raises(FileError, match="this is a folder, not a file"):
        open_bundle(tmp_path)


def test_an_archive_beyond_the_limit_is_not_even_read(path):
    with pytest.raises(FileError, match="the file is larger than 0 MB"):
        open_bundle(path, limits=replace(LIMITS, packed_bytes=100))


def test_a_needed_file_that_nobody_lists_is_missed(content):
    files = unpack(content, file="x")
    lines = files["checksums.sha256"].decode().splitlines(keepends=True)
    files["checksums.sha256"] = "".join(x for x in lines if "excluded.csv" not in x).encode()
    del files["excluded.csv"]
    assert "trees.zip, excluded.csv: this file is missing" in refusal(pack(files))


def test_a_plan_of_another_study_is_refused(content):
    other = bundled.edited(lambda values: values["content"].update(study="0" * 16))
    said = refusal(bundled.forged(content, {"plan.json": other}))
    assert "trees.zip, plan.json: this was made from an earlier version of the study" in said


def test_a_broken_study_inside_is_told_by_line(content):
    def broken(text: bytes) -> bytes:
        return text.replace(b"seed: 5", b"seed: five")

    assert "study.yaml:18" in refusal(bundled.forged(content, {"study.yaml": broken}))


def test_a_frozen_record_travels_along_and_an_altered_one_does_not(folder):
    mine = bundled.finished(folder)
    record = freeze(mine.study, mine.plan, at=datetime(2026, 11, 1, tzinfo=UTC))
    (folder / FROZEN).write_bytes(to_bytes(record, made_from={}))
    found = read_bundle(bundled.bundled(folder), file="trees.zip")
    assert found.frozen == record
    altered = json.loads((folder / FROZEN).read_text(encoding="utf-8"))
    altered["content"]["at"] = "2026-10-01T00:00:00Z"
    (folder / FROZEN).write_text(json.dumps(altered), encoding="utf-8")
    with pytest.raises(FileError, match="does not match its hash"):
        bundled.bundled(folder)


@pytest.mark.parametrize(
    ("name", "text"), [("study.yaml", b"id: [\n"), ("pages/consent.md", b"\xff")]
)
def test_a_fault_of_its_study_names_the_archive_too(content, name, text):
    told = refusal(bundled.forged(content, {name: lambda _: text}))
    assert told.startswith(f"trees.zip, {name}:")


def mean_of_its_own(values: Any) -> None:
    values["content"]["findings"][0]["value"] = 1.2


def narrow_interval(values: Any) -> None:
    interval = values["content"]["findings"][0]["interval"]
    interval["low"] = interval["high"] - 0.1


def put_aside(values: Any) -> None:
    values["content"]["batches"][0]["participants"] = 7


def left_as_it_was_signed(change: Callable[[Any], None]) -> Callable[[bytes], bytes]:
    """A change by somebody who knows of the list of checksums, but not of those in the files."""

    def changed(text: bytes) -> bytes:
        values = json.loads(text)
        change(values)
        return json.dumps(values).encode()

    return changed


@pytest.mark.parametrize(
    ("name", "change", "place"),
    [
        ("results.json", left_as_it_was_signed(mean_of_its_own), "results.json: checksum"),
        ("results.json", bundled.edited(mean_of_its_own), "results.json: findings[meaning."),
        ("results.json", bundled.edited(narrow_interval), "results.json: findings[meaning."),
        ("plan.json", left_as_it_was_signed(put_aside), "plan.json: checksum"),
        ("plan.json", bundled.edited(put_aside), "bundle.json: made_from.plan"),
        ("pages/consent.md", lambda text: text + b"And more.", "bundle.json: made_from.study"),
        ("pages/consent.md", lambda text: text + b"And more.", "results.json: signature.study"),
        ("items.csv", lambda text: text.replace(b"climbs", b"falls"), "plan.json: this was made"),
        (
            "judgments.csv",
            lambda text: text.replace(b",ash,", b",beech,", 1),
            "made_from.judgments",
        ),
        (
            "bundle.json",
            left_as_it_was_signed(lambda values: values["content"].update(title="Mine")),
            "bundle.json: title",
        ),
    ],
)
def test_files_that_were_edited_before_the_checksums_were_written_again_are_refused(
    content, tmp_path, name, change, place
):
    path = tmp_path / "trees.zip"
    path.write_bytes(bundled.forged(content, {name: change}))
    with pytest.raises(FileError) as error:
        open_bundle(path)
    said = str(error.value)
    assert place in said
    assert str(path) in said


def test_results_edited_in_a_study_folder_are_no_run(folder):
    path = folder / "results.json"
    path.write_bytes(left_as_it_was_signed(mean_of_its_own)(path.read_bytes()))
    with pytest.raises(FileError, match=r"results.json: this file was edited.*rejudge analyse …"):
        run_of(folder)


def test_a_plan_edited_in_a_study_folder_is_no_run(folder):
    path = folder / "plan.json"
    path.write_bytes(left_as_it_was_signed(put_aside)(path.read_bytes()))
    with pytest.raises(FileError, match=r"plan.json: this file was edited"):
        run_of(folder)


def test_results_signed_again_after_an_edit_are_refused_by_their_judgments(folder):
    path = folder / "results.json"
    path.write_bytes(bundled.edited(mean_of_its_own)(path.read_bytes()))
    with pytest.raises(
        FileError, match=r"results.json: meaning.* does not follow from the judgments"
    ):
        run_of(folder)


def test_a_page_as_people_read_it_must_be_that_of_the_study(folder, tmp_path):
    page = folder / "pages" / "information.md"
    page.write_text("Ask {contact}. It takes {minutes}.\n", encoding="utf-8")
    bundled.judged(folder, seed=3)
    name, path = "pages-as-shown/information.md", tmp_path / "trees.zip"
    content = bundled.bundled(folder)
    assert b"takes 4" in unpack(content, file="trees.zip")[name]
    path.write_bytes(
        bundled.forged(content, {name: lambda text: text.replace(b"takes 4", b"takes 2")})
    )
    with pytest.raises(FileError, match=f"{name}: text does not match"):
        open_bundle(path)

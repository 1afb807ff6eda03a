"""A submission to ReproNLP: everything in one folder, and what is missing is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

import bundled
from rejudge.bundle.archive import licence_of
from rejudge.bundle.build import bundle
from rejudge.bundle.submission import SubmissionParts, datasheet_files, submission
from rejudge.compare.compare import compare
from rejudge.compare.run import run_of_paper
from rejudge.heds.sheet import blank_sheet, record_answer
from rejudge.paper.paper_file import open_shipped


@pytest.fixture(scope="module")
def comparison():
    papers = [open_shipped(name) for name in ("hosking-2021", "steen-2025")]
    return compare(*map(run_of_paper, papers))


@pytest.fixture(scope="module")
def packed(finished_once):
    terms = {"licence": licence_of("CC-BY-4.0"), "published": bundled.DAY, "known": bundled.CONTACT}
    return bundle(bundled.finished(finished_once), **terms)


@pytest.fixture
def parts(folder, packed, comparison):
    return SubmissionParts(
        folder=folder,
        packed=packed,
        comparison=comparison,
        comparison_file=b"{}",
        report={"index.html": b"<p>", "tables/x.csv": b"a\n"},
        answer=("It was | reproduced <b>well</b>.",),
        known=bundled.CONTACT,
    )


def test_every_part_has_its_place(parts):
    (parts.folder / "heds.json").write_text("{}", encoding="utf-8")
    found = submission(parts)

    assert found.files["trees.zip"] == parts.packed.content
    assert found.files["datasheet/heds.json"] == b"{}"
    assert {"qra/comparison.json", "deviations/deviations.md", "report/tables/x.csv"} <= set(
        found.files
    )
    assert any(name.startswith("qra/tables/type-1") for name in found.files)
    assert not any("deviations" in name for name in found.files if name.startswith("qra/"))
    readme = found.files["README.md"].decode()
    assert "[datasheet/heds.json](datasheet/heds.json)" in readme
    assert r"reproduced \<b\>well\</b\>." in readme


def test_a_missing_datasheet_is_named_first(parts):
    found = submission(parts)

    assert "no Human Evaluation Datasheet" in found.notes[0]
    assert "| Human Evaluation Datasheet | missing |" in found.files["README.md"].decode()


def test_deviations_that_nobody_explains_are_counted(parts):
    bare = tuple(replace(each, reason="") for each in parts.comparison.deviations[:1])
    one = replace(parts, comparison=replace(parts.comparison, deviations=bare))
    none = replace(parts, comparison=replace(parts.comparison, deviations=()))

    assert any("1 of 1 deviation has no reason" in note for note in submission(one).notes)
    assert any("No deviations" in note for note in submission(none).notes)
    assert not any(name.startswith("deviations/") for name in submission(none).files)


def test_addresses_in_a_datasheet_are_pointed_out_without_repeating_them(parts):
    text = '{\n"a": "someone@university.edu"}'
    (parts.folder / "HEDS-3.json").write_text(text, encoding="utf-8")
    notes = " ".join(submission(parts).notes)

    assert "datasheet/HEDS-3.json, line 2: an e-mail address is here." in notes
    assert "someone" not in notes


def test_numbers_of_questions_are_no_network_addresses(parts):
    filled = record_answer(
        blank_sheet("3.0"), "3.3.3.1", source="plan", time="2026-11-17T10:00:00Z"
    )
    (parts.folder / "heds.json").write_bytes(filled.write())
    assert not [each for each in submission(parts).notes if "network address" in each]
    leaked = filled.with_answer("5.4", "The server was 93.184.216.34.")
    (parts.folder / "heds.json").write_bytes(leaked.write())
    assert len([each for each in submission(parts).notes if "network address" in each]) == 1


def test_only_datasheets_are_taken_for_datasheets(folder):
    for name in ("heds.json", "my heds.tex", "heds.db", "scheduled.txt", "reheds.JSON"):
        (folder / name).write_text("{}", encoding="utf-8")
    (folder / "heds").mkdir()
    (folder / "link-heds.json").symlink_to(folder / "study.yaml")

    assert set(datasheet_files(folder)) == {
        "datasheet/heds.json", "datasheet/my heds.tex", "datasheet/reheds.JSON",
    }  # fmt: skip


def test_simulated_judgments_are_called_so(parts):
    assert any("simulated" in note for note in submission(parts).notes)

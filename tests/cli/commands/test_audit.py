"""rejudge audit: findings with their arithmetic, for people and programs; exit codes say which."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rejudge.audit.rules import Audit
from rejudge.cli import main
from rejudge.files.step_files import read

SOUND = """
id: sound
reference: {authors: Doe, year: 2026, title: Sound}
systems: [{id: a}, {id: b}]
criteria: [{id: quality, scale: {kind: rating, low: 1, high: 5, points: 5}}]
arithmetic: [{kind: sum, what: items, parts: [3, 4], total: 7}]
"""


def said(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["audit", *map(str, words)], env={"COLUMNS": "100"})
    return result.exit_code, result.output


@pytest.fixture
def sound(tmp_path):
    (tmp_path / "sound.yaml").write_text(SOUND, "utf-8")
    return tmp_path / "sound.yaml"


def test_a_sound_paper_ends_with_0_and_says_how_much_was_checked(sound):
    assert said(sound) == (0, "sound: 1 check\n✓ Nothing found.\n\n")


def test_a_paper_without_numbers_is_not_called_sound(sound):
    sound.write_text(SOUND[: SOUND.index("arithmetic")], "utf-8")
    assert said(sound) == (0, "sound: 0 checks\nNothing to check.\n\n")


def test_a_paper_with_errors_ends_with_1_and_shows_the_arithmetic(sound):
    sound.write_text(SOUND.replace("total: 7", "total: 8"), "utf-8")
    code, output = said(sound)
    assert code == 1
    assert "A401" in output
    assert "3 + 4 = 7." in output
    assert "at arithmetic[0]" in output


def test_notes_alone_are_good(sound):
    flow = "[{kind: flow, what: batches, planned: 3, collected: 4}]"
    sound.write_text(SOUND[: SOUND.index("arithmetic")] + f"arithmetic: {flow}\n", "utf-8")
    code, output = said(sound)
    assert code == 0
    assert "1 note" in output


def test_the_original_is_found_among_the_papers_of_rejudge():
    code, output = said("miltenburg-2024", "--only", "A504")
    assert code == 1
    assert output.count("unshifted-cv-star") == 3


def test_the_original_is_found_beside_the_file(sound, tmp_path):
    original = SOUND.replace("id: sound", "id: first")
    (tmp_path / "first.yaml").write_text(original, "utf-8")
    sound.write_text(SOUND + "reproduces: first\n", "utf-8")
    assert json.loads(said(sound, "--json")[1])["audits"][0]["missing"] == []


def test_an_original_that_is_not_available_is_reported(sound):
    sound.write_text(SOUND + "reproduces: lost\n", "utf-8")
    assert "Not found: lost" in said(sound)[1]


def test_json_has_every_paper_with_its_findings():
    answer = json.loads(said("steen-2025", "hosking-2022", "--json")[1])
    assert [each["paper"] for each in answer["audits"]] == ["steen-2025", "hosking-2022"]
    first = answer["audits"][0]
    assert first["counts"]["error"] == sum(f["severity"] == "error" for f in first["findings"])


def test_an_audit_is_written_and_read_back(tmp_path):
    said("hosking-2022", "--out", tmp_path)
    found = read(Audit, tmp_path / "hosking-2022.audit.json")
    assert [finding.code for finding in found.findings] == ["A410"]


@pytest.mark.parametrize("code", ["A101", "impossible-mean"])
def test_a_code_is_explained(code):
    output = said("--explain", code)[1]
    assert output.startswith("A101 impossible-mean (error)")
    assert "Remedy: " in output


def test_without_a_paper_it_says_what_to_write():
    code, output = said()
    assert code == 2
    assert "rejudge audit PAPER" in output


def test_a_misspelt_paper_is_reported():
    code, output = said("steen-2052")
    assert code == 2
    assert "steen-2025" in output

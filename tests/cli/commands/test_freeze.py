"""rejudge freeze: once, visibly again, and never without plan and analysis."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rejudge.cli import main

STUDY = """\
id: colours
title: Which sentence says it better?
systems: [elm, fir]
questions:
  - {id: meaning, kind: pairwise, prompt: "Which keeps the meaning?"}
design: {seed: 1, batch: {inputs: 2}}
analysis: {tests: [{question: meaning, test: sign-flip}]}
claims:
  - {id: first, says: elm > fir on meaning}
"""


@pytest.fixture
def folder(tmp_path):
    rows = [f"i{n},Input {n},Elm wrote {n},Fir wrote {n}" for n in range(4)]
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "items.csv").write_text("\n".join(["id,input,elm,fir", *rows]), encoding="utf-8")
    assert run("plan", tmp_path).exit_code == 0
    return tmp_path


def run(*words: object):
    return CliRunner().invoke(main, [str(word) for word in words])


def edit(folder, old: str, new: str) -> None:
    path = folder / "study.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_study_is_frozen_and_its_hash_is_said(folder):
    result = run("freeze", folder)
    assert result.exit_code == 0, result.output
    document = json.loads((folder / "frozen.json").read_text(encoding="utf-8"))
    assert document["content"]["hash"] in result.output
    assert "4 items" in result.output
    assert set(document["made_from"]) == {"study", "plan"}


def test_the_json_names_what_was_frozen(folder):
    said = json.loads(run("freeze", folder, "--json").output)
    assert len(said["hash"]) == 64
    assert (said["items"], said["earlier"], said["changes"]) == (4, [], [])


def test_without_a_plan_nothing_is_frozen(folder):
    (folder / "plan.json").unlink()
    result = run("freeze", folder)
    assert result.exit_code == 2
    assert "rejudge plan" in result.output
    assert not (folder / "frozen.json").exists()


def test_a_plan_of_another_state_is_not_frozen(folder):
    edit(folder, "seed: 1", "seed: 2")
    result = run("freeze", folder)
    assert result.exit_code == 2
    assert "an earlier version of the study" in result.output
    assert not (folder / "frozen.json").exists()


def test_without_a_plan_of_analysis_nothing_is_frozen(folder):
    edit(folder, "analysis: {tests: [{question: meaning, test: sign-flip}]}\n", "")
    result = run("freeze", folder)
    assert result.exit_code == 2
    assert "analysis" in result.output
    assert not (folder / "frozen.json").exists()


def test_a_second_freeze_is_refused(folder):
    run("freeze", folder)
    before = (folder / "frozen.json").read_bytes()
    result = run("freeze", folder)
    assert result.exit_code == 2
    assert "--force" in result.output
    assert (folder / "frozen.json").read_bytes() == before


def test_a_forced_freeze_keeps_the_earlier_record_and_tells_the_changes(folder):
    first = json.loads(run("freeze", folder, "--json").output)
    edit(folder, "elm > fir on meaning", "fir > elm on meaning")
    said = json.loads(run("freeze", folder, "--force", "--json").output)
    assert said["earlier"] == [first["hash"]]
    assert [(change["path"], change["touches"]) for change in said["changes"]] == [
        ("claims.first.says", "claims")
    ]
    result = run("freeze", folder, "--force")
    assert result.exit_code == 0
    assert "Frozen again" in result.output


def test_an_altered_record_is_not_built_upon(folder):
    run("freeze", folder)
    path = folder / "frozen.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("elm > fir", "fir > elm"), encoding="utf-8")
    result = run("freeze", folder, "--force")
    assert result.exit_code == 2
    assert "does not match its hash" in result.output


def test_an_unknown_folder_is_one_message(tmp_path):
    result = run("freeze", tmp_path / "nowhere")
    assert result.exit_code == 2
    assert "rejudge new" in result.output
    assert "Traceback" not in result.output


def test_a_broken_record_is_not_said_to_be_repaired_by_force(folder):
    assert run("freeze", folder).exit_code == 0
    (folder / "frozen.json").write_text("{", encoding="utf-8")
    found = run("freeze", folder, "--force")
    assert found.exit_code == 2
    assert "--force" not in found.output
    assert "move it away and freeze again" in found.output


def write_page(folder, role: str, text: str) -> None:
    (folder / "pages").mkdir(exist_ok=True)
    (folder / "pages" / f"{role}.md").write_text(text, encoding="utf-8")


def test_pages_with_an_unknown_placeholder_are_not_frozen(folder):
    write_page(folder, "information", "It takes about 10 minutes.")
    write_page(folder, "instructions", "Choose one. {mail}")
    result = run("freeze", folder)
    assert result.exit_code == 2
    assert "R407" in result.output
    assert "pages/instructions.md" in result.output
    assert not (folder / "frozen.json").exists()


def test_a_fault_of_a_page_can_be_accepted_by_its_code(folder):
    write_page(folder, "instructions", "Choose one. {mail}")
    assert "--accept R407" in run("freeze", folder).output
    assert run("freeze", folder, "--accept", "R407").exit_code == 0


def test_a_number_that_a_placeholder_provides_is_said_but_frozen(folder):
    write_page(folder, "information", "It takes about 10 minutes.")
    result = run("freeze", folder)
    assert result.exit_code == 0
    assert "R424" in result.output


def test_an_unknown_code_cannot_be_accepted(folder):
    result = run("freeze", folder, "--accept", "R999")
    assert result.exit_code == 2
    assert "R999" in result.output


def test_other_faults_of_the_study_are_left_to_check(folder):
    """There is no consent page (R401), but a study may be frozen that is not run by rejudge."""
    assert run("freeze", folder).exit_code == 0


def test_an_example_contact_is_said_but_frozen(folder):
    edit(folder, "claims:", "contact: {name: R, email: r@example.org}\nclaims:")
    result = run("freeze", folder)
    assert result.exit_code == 0
    assert "R411" in result.output

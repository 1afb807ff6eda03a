"""rejudge rehearse: what it writes, and what it never replaces."""

from __future__ import annotations

import json

from served import make_folder, run


def test_a_rehearsal_says_once_what_it_wrote(tmp_path):
    result = run("rehearse", make_folder(tmp_path / "fresh"), "--participants", "3")
    assert result.exit_code == 0, result.output
    assert "of 3 participants" in result.output
    assert "Nothing was written" not in result.output
    assert result.output.count("Written:") == 2  # the database and the table


def test_without_force_an_earlier_rehearsal_stays_as_it_is(tmp_path):
    folder = make_folder(tmp_path / "fresh")
    assert run("simulate", folder).exit_code == 0
    (folder / "rehearsal.db").write_bytes(b"of an earlier rehearsal")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = run("rehearse", folder, "--participants", "3")
    assert result.exit_code == 2
    assert "Use --force to replace it." in result.output
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_nothing_simulated_takes_the_place_of_people(folder):
    for command in ("simulate", "rehearse"):
        result = run(command, folder, "--force")
        assert result.exit_code == 2
        assert "has been run with participants" in result.output


def test_people_of_a_rehearsal_belong_to_its_own_judgments(tmp_path):
    folder = make_folder(tmp_path / "fresh")
    assert run("rehearse", folder, "--participants", "3").exit_code == 0
    assert run("analyse", folder).exit_code in {0, 1}
    assert "profile" in _frames(folder)
    assert run("simulate", folder, "--force").exit_code == 0
    assert run("analyse", folder, "--force").exit_code in {0, 1}
    assert not {"profile", "remarks"} & _frames(folder)


def _frames(folder) -> set[str]:
    content = json.loads((folder / "results.json").read_text())["content"]
    return {frame["name"] for frame in content["frames"]}

"""rejudge export: the plan as files for another tool, written whole or not at all."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.exchange.formats import Exported
from shown import DOCS


class Cards:
    """A format that writes one card for each person."""

    name = "cards"
    title = "Cards"

    def write(self, study, plan, *, people):  # noqa: ARG002 - as all formats
        names = people or [f"place {n}" for n in range(1, 3)]
        files = {f"{number}.txt": name.encode() for number, name in enumerate(names, start=1)}
        return Exported(files, steps=("Print the cards.",), notes=(f"For {study.spec.title}.",))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("rejudge.exchange.registry._FORMATS", {})
    monkeypatch.setattr("rejudge.exchange.registry._adapters", lambda _: [Entry()])
    target = tmp_path / "study"
    assert CliRunner().invoke(main, ["new", str(target)]).exit_code == 0
    assert CliRunner().invoke(main, ["plan", str(target)]).exit_code == 0
    return target


class Entry:
    name, dist, value = "cards", None, "cards:FORMAT"

    def load(self):
        return Cards()


def run(*words: object):
    return CliRunner().invoke(main, ["export", *(str(word) for word in words)])


def people(folder, content):
    path = folder / "people.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_files_are_written_for_every_place_and_steps_are_numbered(folder):
    result = run(folder, "--to", "cards")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (folder / "cards").iterdir()) == ["1.txt", "2.txt"]
    assert "1. Print the cards." in result.output


def test_the_json_says_the_same(folder):
    said = json.loads(run(folder, "--to", "cards", "--json").stdout)
    assert said["format"] == "cards"
    assert len(said["written"]) == 2
    assert said["steps"] == ["Print the cards."]
    section = (DOCS / "reference/commands.md").read_text("utf-8").partition("## export")[2]
    assert not [key for key in said if f"`{key}`" not in section.partition("\n## ")[0]]


def test_people_are_read_in_their_order(folder):
    file = people(folder, "\ufeffgroup,name\n1, Zoë \n2,\n3,李雷\n")
    assert run(folder, "--to", "cards", "--participants", file).exit_code == 0
    assert (folder / "cards" / "1.txt").read_text("utf-8") == "Zoë"
    assert (folder / "cards" / "2.txt").read_text("utf-8") == "李雷"


@pytest.mark.parametrize(
    ("content", "said"),
    [("names\nanna\n", "there is no column `name`"), ("", "there is no column `name`"),
     ("name\n\n  \n", "the column `name` is empty"),
     ("name\nanna\nbert\nanna\n", "people.csv:4: the name is already on line 2"),
     ("name\nMüller\n".encode("latin-1"), "not UTF-8"),
     ("name\nanna\n".encode("utf-16"), "not UTF-8")],
)  # fmt: skip
def test_a_bad_list_of_people_gives_one_message_and_nothing_is_written(folder, content, said):
    result = run(folder, "--to", "cards", "--participants", people(folder, content))
    assert result.exit_code == 2, result.output
    assert said in result.output
    assert not (folder / "cards").exists()


def test_an_unknown_format_is_refused_with_the_known_ones(folder):
    result = run(folder, "--to", "stars")
    assert result.exit_code == 2
    assert "'stars'" in result.output
    assert "cards" in result.output


def test_files_that_were_changed_since_are_not_overwritten_without_force(folder):
    run(folder, "--to", "cards")
    (folder / "cards" / "1.txt").write_text("mine")
    refused = run(folder, "--to", "cards")
    assert refused.exit_code == 2
    assert (folder / "cards" / "1.txt").read_text() == "mine"
    assert run(folder, "--to", "cards", "--force").exit_code == 0


def test_a_study_without_a_plan_is_refused(folder):
    (folder / "plan.json").unlink()
    result = run(folder, "--to", "cards")
    assert result.exit_code == 2
    assert "plan" in result.output


def test_the_files_can_be_written_elsewhere(folder, tmp_path):
    assert run(folder, "--to", "cards", "--out", tmp_path / "there").exit_code == 0
    assert (tmp_path / "there" / "1.txt").exists()
    assert not (folder / "cards").exists()

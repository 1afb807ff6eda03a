"""rejudge import: files of other tools become judgments.csv, or one message and nothing at all."""

from __future__ import annotations

import csv
import errno
import json
import os
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.files.step_files import open_plan
from tool_exports import BY_FORMAT, EXPORTS


def run(*words: object):
    return CliRunner().invoke(main, ["import", *(str(word) for word in words)])


def table(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def folder(tmp_path):
    target = tmp_path / "study"
    assert CliRunner().invoke(main, ["new", str(target)]).exit_code == 0
    assert CliRunner().invoke(main, ["plan", str(target)]).exit_code == 0
    return target


READABLE = {
    "appraise": ["appraise.csv"], "arena": ["arena.json"],
    "factgenie": ["factgenie.zip"], "pearmut": ["pearmut.jsonl"],
    "mqm": ["mqm.tsv"], "mtme": ["en-de.mqm.seg.rating"],
    "label-studio": ["label-studio.json"],
    "potato": ["potato/anna/user_state.json", "potato/bert/user_state.json"],
}  # fmt: skip


@pytest.mark.parametrize("name", BY_FORMAT)
def test_every_tool_is_recognised_and_what_is_written_can_be_analysed(tmp_path, name):
    files = [EXPORTS / file for file in READABLE[name]]
    out = tmp_path / "imported"
    result = run(*files, "--items", EXPORTS / "potato/items.jsonl", "--out", out, "--json")
    assert result.exit_code in {0, 1}, result.output
    said = json.loads(result.stdout)
    assert said["format"] == name
    rows = table(out / "judgments.csv")
    assert said["judgments"] == len(rows)
    assert {row["origin"] for row in rows} == {"table"}
    assert len(said["rejected"]) == len(table(out / "rejected.csv"))
    analysed = CliRunner().invoke(main, ["analyse", str(out / "judgments.csv"), "--json"])
    assert analysed.exit_code in {0, 1}, analysed.output


def test_rejected_answers_are_listed_with_the_reason_and_end_with_1(tmp_path):
    result = run(EXPORTS / "arena.json", "--out", tmp_path)
    assert result.exit_code == 1
    assert "the names of the models were visible." in " ".join(result.output.split())
    (first, *_) = table(tmp_path / "rejected.csv")
    assert first["reason"] == "the names of the models were visible."
    assert first["row"] == "9"


def test_an_import_without_rejections_ends_with_0(tmp_path):
    result = run(EXPORTS / "factgenie.zip", "--out", tmp_path)
    assert result.exit_code == 0
    assert "6 spans are in spans.csv" in result.output
    assert len(table(tmp_path / "spans.csv")) == 6
    assert {row["source"] for row in table(tmp_path / "derived.csv")} == {"counted"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{",
        "[{}]".encode("utf-16"),
        b"PK\x03\x04 cut off",
        b"\xff\xfe\x00",
        b"[" * 5000,
    ],
)
@pytest.mark.parametrize("name", BY_FORMAT)
def test_a_bad_file_gives_one_message_and_nothing_is_written(tmp_path, name, content):
    path = tmp_path / "export.json"
    path.write_bytes(content)
    out = tmp_path / "imported"
    result = run(path, "--from", name, "--out", out)
    assert result.exit_code == 2, result.output
    assert result.output.count("rejudge: ") == 1
    assert "Traceback" not in result.output
    assert not out.exists()


def test_a_file_of_an_unknown_kind_is_refused_and_nothing_is_written(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    result = run(path, "--out", tmp_path / "imported")
    assert result.exit_code == 2
    assert "not recognised" in result.output
    assert not (tmp_path / "imported").exists()


def test_without_a_folder_nothing_is_read(tmp_path):
    result = run(EXPORTS / "arena.json")
    assert result.exit_code == 2
    assert "--out" in result.output


def test_an_earlier_import_is_replaced_only_with_force(tmp_path):
    run(EXPORTS / "arena.json", "--out", tmp_path)
    before = (tmp_path / "judgments.csv").read_bytes()
    refused = run(EXPORTS / "factgenie.zip", "--out", tmp_path)
    assert refused.exit_code == 2
    assert "8 judgments by" in refused.output
    assert "are not in these files" in refused.output
    assert (tmp_path / "judgments.csv").read_bytes() == before
    assert run(EXPORTS / "factgenie.zip", "--out", tmp_path, "--force").exit_code == 0
    assert (tmp_path / "judgments.csv").read_bytes() != before
    assert table(tmp_path / "rejected.csv") == []


def test_answers_to_something_else_are_not_answers_to_a_study(folder):
    result = run(folder, EXPORTS / "arena.json")
    assert result.exit_code == 2
    assert "none of the answers belongs to the study" in result.output
    assert not (folder / "judgments.csv").exists()


def test_answers_about_the_texts_of_a_study_become_its_judgments(tmp_path):
    folder = tmp_path / "study"
    assert CliRunner().invoke(main, ["new", str(folder), "--kind", "rating"]).exit_code == 0
    assert CliRunner().invoke(main, ["plan", str(folder)]).exit_code == 0
    study, plan = open_plan(folder)
    first, *others = study.spec.questions
    result = [
        {"from_name": name, "type": "rating", "value": {"rating": question.values[0]}}
        for name, question in (("stars", first), *((each.id, each) for each in others))
    ]
    tasks = [
        {
            "id": number,
            "data": {"shown": study.item[task.item].outputs[study.system_place[task.options[0]]]},
            "annotations": [{"completed_by": person, "result": result} for person in (1, 2)],
        }
        for number, task in enumerate(plan.batches[0].real)
    ]
    tasks.append({**tasks[0], "id": 99, "data": {"shown": "something else", "model": "?"}})
    file = tmp_path / "project.json"
    file.write_text(json.dumps(tasks), "utf-8")
    imported = run(folder, file, "--rename-question", f"stars={first.id}", "--json")
    assert imported.exit_code == 1, imported.output
    said = json.loads(imported.stdout)
    assert said["judgments"] == 2 * len(plan.batches[0].real) * len(study.spec.questions)
    assert {each["reason"] for each in said["rejected"]} == {
        "the study has no such item, by id or by text."
    }
    analysed = CliRunner().invoke(main, ["analyse", str(folder)])
    assert analysed.exit_code == 0, analysed.output
    assert "2 of 2 participants" in analysed.output


@pytest.mark.parametrize("typed", ["stars", "=fluency", "stars="])
def test_a_new_name_without_both_sides_is_refused(tmp_path, typed):
    result = run(
        EXPORTS / "label-studio.json", "--rename-question", typed, "--out", tmp_path / "out"
    )
    assert result.exit_code == 2
    assert "NAME=ID" in result.output


def test_a_folder_alone_needs_files(folder):
    result = run(folder)
    assert result.exit_code == 2
    assert "no files were given" in result.output


def test_a_file_that_does_not_exist_is_named(tmp_path):
    result = run(tmp_path / "missing.json", "--out", tmp_path)
    assert result.exit_code == 2
    assert "missing.json: there is no such file" in result.output


def test_the_role_of_a_column_that_does_not_exist_is_refused(tmp_path):
    result = run(EXPORTS / "arena.json", "--columns", "colour=x", "--out", tmp_path)
    assert result.exit_code == 2
    assert "there is no role 'colour'" in result.output


def test_a_table_of_items_in_another_encoding_is_refused(tmp_path):
    items = tmp_path / "items.csv"
    items.write_bytes("id,system\nä,x\n".encode("latin-1"))
    result = run(EXPORTS / "potato/annotations.csv", "--items", items, "--out", tmp_path / "o")
    assert result.exit_code == 2
    assert "items.csv:2: the file is not UTF-8." in result.output
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [("id,system\ni1,x\ni1,y\n", "item 'i1' has two rows"), ("name,system\nx,y\n", "has no id")],
)
def test_a_table_of_items_without_clear_ids_is_refused(tmp_path, content, said):
    items = tmp_path / "items.csv"
    items.write_text(content)
    result = run(EXPORTS / "potato/annotations.csv", "--items", items, "--out", tmp_path / "o")
    assert result.exit_code == 2
    assert said in result.output


def test_ids_of_participants_are_neither_printed_nor_written(tmp_path):
    for name, files in READABLE.items():
        paths = [EXPORTS / file for file in files]
        out = tmp_path / name
        result = run(*paths, "--items", EXPORTS / "potato/items.jsonl", "--out", out)
        written = "".join(path.read_text("utf-8") for path in out.iterdir())
        private = ("anna@example.org", "jane.doe", "squeaky-hat", "worker-1", "arena_user",
                   "0b4f8f2e", "r2woq015")  # fmt: skip
        assert not [each for each in private if each in written]
        assert not [each for each in private if each in result.output.replace(str(EXPORTS), "")]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path, monkeypatch):
    """Root may write everywhere, so the system is asked in its place."""

    def refuse(path: Path, **_: object) -> NoReturn:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    result = run(EXPORTS / "arena.json", "--out", tmp_path / "imported")
    assert result.exit_code == 2
    assert "permission" in result.output.casefold()


def test_a_file_where_the_folder_should_be_is_refused(tmp_path):
    path = tmp_path / "imported"
    path.write_text("not a folder")
    result = run(EXPORTS / "arena.json", "--out", path)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert path.read_text() == "not a folder"


@pytest.fixture
def ratings(tmp_path):
    """MQM ratings of 20 segments in which doc_id is the number of the document."""
    head = [
        *["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]
    ]
    lines = [
        [
            "alpha",
            "news",
            "1",
            str(n),
            "jane",
            f"source {n}",
            f"<v>target</v> {n}",
            "Style",
            "minor",
        ]
        for n in range(20)
    ]
    file = tmp_path / "mqm.tsv"
    file.write_text("".join("\t".join(line) + "\n" for line in [head, *lines]))
    return file


def test_files_in_which_most_judgments_repeat_others_are_refused(tmp_path, ratings):
    result = run(ratings, "--out", tmp_path / "out")
    said = " ".join(result.output.split())
    assert result.exit_code == 2
    assert "76 of 80 judgments were given again by the same participant" in said
    assert "--columns item=FIELD. The items have: source, target." in said
    assert "--duplicate-share 0.95" in said
    assert not (tmp_path / "out").exists()


def test_judgments_that_seem_to_be_repeated_are_read_by_another_field(tmp_path, ratings):
    result = run(ratings, "--columns", "item=source", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert {row["kind"] for row in table(tmp_path / "out" / "judgments.csv")} == {"real"}


def test_repeated_judgments_can_be_allowed(tmp_path, ratings):
    result = run(ratings, "--duplicate-share", "0.95", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    kinds = [row["kind"] for row in table(tmp_path / "out" / "judgments.csv")]
    assert (kinds.count("real"), kinds.count("dropped")) == (4, 76)

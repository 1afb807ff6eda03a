"""rejudge heds: check, convert, compare; exit codes and one clear message for bad files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from heds_files import as_bytes, entry, filled_sheet
from rejudge.cli import main
from rejudge.heds.sheet import SheetAnswer, blank_sheet, read, read_sheet

_EVALUATORS = "heds-sample_evaluators_design-evaluators-number_of_evaluators"


def _run(*words: object) -> Result:
    return CliRunner().invoke(main, ["heds", *map(str, words)], env={"COLUMNS": "100"})


def _json(*words: object) -> dict:
    return json.loads(_run(*words, "--json").stdout)


@pytest.fixture
def sheet(tmp_path) -> Path:
    path = tmp_path / "sheet.json"
    path.write_bytes(filled_sheet("3.0", "Fluency").write())
    return path


def test_a_new_sheet_is_one_that_the_form_can_load(tmp_path):
    path = tmp_path / "new.json"
    assert _run("new", path, "--criterion", "Fluency", "--criterion", "流暢さ").exit_code == 0
    assert read_sheet(path).criteria == ("Fluency", "流暢さ")
    assert len(json.loads(path.read_bytes())) == 569
    assert _run("new", path).exit_code == 2  # it exists


@pytest.mark.parametrize("name", ["Q&A", "2", " x", "__proto__", ""])
def test_a_name_that_the_form_cannot_handle_is_refused(tmp_path, name):
    result = _run("new", tmp_path / "new.json", "--criterion", name)
    assert result.exit_code == 2
    assert "for instance" in result.output
    assert not (tmp_path / "new.json").exists()


def test_a_filled_sheet_passes_the_form(sheet):
    result = _run("check", sheet, "--form-only")
    assert (result.exit_code, "0 warnings and 0 errors" in result.output) == (0, True)


def test_open_questions_are_counted_and_listed(tmp_path):
    path = tmp_path / "blank.json"
    path.write_bytes(b"{}")
    result = _run("check", path)
    assert result.exit_code == 1
    assert "42 warnings and 0 errors" in result.output
    assert _json("check", path)["sheets"][0]["form"] == {"warnings": 42, "errors": 0}


def test_several_sheets_are_checked_at_once(sheet, tmp_path):
    (tmp_path / "b.json").write_bytes(blank_sheet("3.0").write())
    assert [row["version"] for row in _json("check", sheet, tmp_path / "b.json")["sheets"]] == [
        "3.0",
        "3.0",
    ]


def test_conversion_lists_what_changed_and_writes_only_where_told(tmp_path):
    sheet = tmp_path / "older.json"
    sheet.write_bytes(filled_sheet("2.x").write())
    before = sheet.read_bytes()
    said = _json("convert", sheet)
    assert said["written"] is None
    assert {"3.2.1", "2.4"} <= {each["number"] for each in said["changes"]}
    out = tmp_path / "newer.json"
    result = _run("convert", sheet, "--out", out)
    assert result.exit_code == 0
    assert "To confirm" in result.output
    assert read_sheet(out).version == "3.0"
    assert sheet.read_bytes() == before
    out.write_bytes(b"{}")
    assert _run("convert", sheet, "--out", out).exit_code == 2  # it exists
    assert _run("convert", sheet, "--out", out, "--force").exit_code == 0


def test_a_misread_sheet_is_recognised_and_not_converted(tmp_path):
    path = tmp_path / "mixed.json"
    entries = {
        _EVALUATORS: entry("9", number="3.2.1"),
        "heds-system-input_languages-41": entry(True, text={"": "40. Dzongkha"}, number="2.4"),
        "heds-ethics-personal_data": entry("No"),
    }
    path.write_bytes(as_bytes(entries))
    refused = _run("convert", path)
    assert refused.exit_code == 2
    assert "Dzongkha" in refused.output
    assert "mixed.json" in refused.output
    assert "mixed-version" in {
        each["rule"] for each in _json("check", path)["sheets"][0]["findings"]
    }


def test_answers_on_deleted_criteria_can_be_pruned(tmp_path):
    entries = {
        "heds-criteria-criterion": {"data": {}, "control": {"Kept": True}, "text": {}},
        "heds-criteria-criterion-response_elicitation-verbatim_question": {
            "data": {"Kept": "a", "Gone": "b"}, "control": {},
        },
    }  # fmt: skip
    (tmp_path / "sheet.json").write_bytes(as_bytes(entries))
    assert _json("convert", tmp_path / "sheet.json")["orphans"] == ["Gone"]
    assert _json("convert", tmp_path / "sheet.json", "--prune")["orphans"] == []


def test_equal_sheets_end_with_0_and_deviations_with_1(sheet, tmp_path):
    other = tmp_path / "other.json"
    other.write_bytes(read(sheet.read_bytes()).with_answer("3.2.1", "9").write())
    assert _run("diff", sheet, sheet).exit_code == 0
    result = _run("diff", sheet, other)
    assert result.exit_code == 1
    assert "Number of evaluators" in result.output
    assert _json("diff", sheet, other)["differences"][0]["group"] == "sample"


def test_reasons_are_kept_between_comparisons(sheet, tmp_path):
    other, out = tmp_path / "other.json", tmp_path / "out"
    other.write_bytes(read(sheet.read_bytes()).with_answer("3.2.1", "9").write())
    assert _run("diff", sheet, other, "--out", out).exit_code == 1
    table = out / "heds-diff.csv"
    table.write_text(table.read_text("utf-8").rstrip("\n") + "Too few came.\n", "utf-8")
    assert _run("diff", sheet, other, "--out", out).exit_code == 2  # asks for --force
    assert _run("diff", sheet, other, "--out", out, "--force").exit_code == 1
    assert "Too few came." in table.read_text("utf-8")
    assert "Too few came." in (out / "heds-diff.tex").read_text("utf-8")


def test_criteria_with_other_names_are_matched(sheet, tmp_path):
    other = tmp_path / "other.json"
    other.write_bytes(filled_sheet("2.x", "Grammar").write())
    assert _json("diff", sheet, other)["only_other"] == ["Grammar"]
    said = _json("diff", sheet, other, "--criteria", "Grammar=Fluency")
    assert said["criteria"] == [{"original": "Fluency", "other": "Grammar"}]
    assert _run("diff", sheet, other, "--criteria", "Style=Fluency").exit_code == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"[]", "a list"),
        (b"{", "not valid JSON"),
        (b'{"a": 1}', "not a datasheet"),
        (b"\xff\xfe{\x00", "not UTF-8"),
        (b"<html>", "a page"),
        (as_bytes({_EVALUATORS: 24}), "should be an object"),
        (as_bytes({_EVALUATORS: {"data": []}}), "should be an object"),
        (as_bytes({"heds-criteria-criterion": {"control": []}}), "should be an object"),
    ],
)
@pytest.mark.parametrize("command", ["check", "convert", "print"])
def test_a_bad_file_gets_one_clear_message(tmp_path, command, content, message):
    path = tmp_path / "card.json"
    path.write_bytes(content)
    words = (command, path, *(("--to", "md") if command == "print" else ()))
    result = _run(*words)
    assert result.exit_code == 2
    assert message in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert "error" in json.loads(_run(*words, "--json").stdout)


def test_folders_and_missing_files_are_refused(tmp_path):
    assert "a folder" in _run("check", tmp_path).output
    assert "no such file" in _run("diff", tmp_path / "a", tmp_path / "b").output


def test_compare_takes_the_datasheets_of_the_runs(sheet, tmp_path):
    other = tmp_path / "other.json"
    changed = read(sheet.read_bytes()).with_answer("3.2.2.2", SheetAnswer(options=(3,)))
    other.write_bytes(changed.write())
    words = [
        "compare",
        "august-2022",
        "miltenburg-2024",
        "--heds",
        str(sheet),
        "--heds",
        str(other),
    ]
    result = CliRunner().invoke(main, [*words, "--json"])
    found = [each["property"] for each in json.loads(result.stdout)["deviations"]]
    assert "x-heds-3.2.2.2" in found
    few = CliRunner().invoke(main, [*words[:5]])
    assert few.exit_code == 2
    assert "one for each run" in few.output

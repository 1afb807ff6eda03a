"""The commands around surveys and HITs: what a researcher types, from files to an analysis."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import mturk_files
import qualtrics_files
from findings_by_key import by_id
from rejudge.cli import main
from rejudge.exchange.qualtrics_survey import survey_questions
from rejudge.files.step_files import open_plan
from rejudge.heds.sheet import read_sheet
from small_study import FILES


def run(*words: object, code: int = 0) -> dict[str, Any]:
    """The JSON that a command prints; it must end with this code."""
    result = CliRunner().invoke(main, [*map(str, words), "--json"])
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "study"
    home.mkdir()
    for name, text in FILES.items():
        (home / name).write_text(text)
    run("plan", home)
    return home


def test_a_survey_goes_to_qualtrics_and_its_responses_are_analysed(folder: Path) -> None:
    said = run("export", folder, "--to", "qualtrics")
    assert {Path(name).name for name in said["written"]} == {
        "survey.txt",
        "manifest.csv",
        "steps.txt",
    }
    study, plan = open_plan(folder)
    rows = [
        qualtrics_files.session(
            f"{number:03}",
            {a.tag: str(a.codes[number % len(a.codes)]) for a in survey_questions(study, plan)},
            number=number,
        )
        for number in range(3)
    ]
    file = qualtrics_files.write(folder, qualtrics_files.export(rows))
    said = run("import", folder, file, "--from", "auto")
    assert said["format"] == "qualtrics"
    assert said["rejected"] == []
    assert (folder / "sessions.csv").exists()
    run("analyse", folder)
    run("heds", "fill", folder)
    assert "survey in Qualtrics" in read_sheet(folder / "heds.json").answer("3.3.2").text


@pytest.fixture(scope="module")
def hits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("hits")
    rows = mturk_files.hits(4)
    sent = mturk_files.random_answers(4, questions=("meaning",))
    (home / "layout.html").write_text(mturk_files.layout(questions=("meaning",)))
    (home / "input.csv").write_text(mturk_files.table(rows))
    (home / "results.csv").write_text(mturk_files.table(mturk_files.results(rows, sent)))
    return home


def test_hits_become_a_study_that_is_checked_and_analysed(tmp_path: Path, hits: Path) -> None:
    files = (hits / name for name in ("layout.html", "input.csv", "results.csv"))
    run("import", *files, "--from", "mturk", "--out", tmp_path / "study")
    found = run("check", tmp_path / "study", code=1)  # with warnings
    assert found["counts"]["error"] == 0
    run("analyse", tmp_path / "study")


def test_hits_without_results_become_a_study_without_judgments(tmp_path: Path, hits: Path) -> None:
    files = (hits / name for name in ("layout.html", "input.csv"))
    run("import", *files, "--from", "mturk", "--out", tmp_path / "study")
    assert not (tmp_path / "study" / "judgments.csv").exists()
    assert run("check", tmp_path / "study", code=1)["counts"]["error"] == 0


def test_a_check_that_no_question_is_about_has_no_right_answer(tmp_path: Path, hits: Path) -> None:
    """A reproduction of one criterion keeps the control texts that tested another."""
    files = (hits / name for name in ("layout.html", "input.csv"))
    said = run("import", *files, "--from", "mturk", "--out", tmp_path / "study")
    study, plan = open_plan(tmp_path / "study")
    right = {task.check: task.expected for task in plan.tasks() if task.kind == "check"}
    assert right[None] is None
    assert right["distractor"] is not None
    assert [(check.id, check.question) for check in study.spec.checks] == [
        ("distractor", "meaning")
    ]
    assert any("'inputs' test no question" in note for note in said["notes"])


def test_rules_are_followed_as_typed_even_where_the_input_must_lose(
    tmp_path: Path, hits: Path
) -> None:
    asked = ("meaning", "dissim")
    (tmp_path / "both.html").write_text(mturk_files.layout(questions=asked))
    run(
        "import",
        tmp_path / "both.html",
        hits / "input.csv",
        "--from",
        "mturk",
        "--out",
        tmp_path / "s",
    )
    said = run("baseline", tmp_path / "s", "--rules", "copy-wins,unknown-loses,random")
    outcomes = said["runs"][0]["questions"]
    assert [each["question"] for each in outcomes] == [*asked]
    typed = ["copy-wins", "unknown-loses", "random"]
    assert [each["rules"] for each in outcomes] == [typed, typed]


def test_hits_that_make_no_study_end_with_1(tmp_path: Path, hits: Path) -> None:
    layout = tmp_path / "layout.html"
    layout.write_text(mturk_files.layout(8, ("meaning",)))  # the HITs have 32 items
    out = tmp_path / "study"
    said = run("import", layout, hits / "input.csv", "--from", "mturk", "--out", out, code=1)
    assert any("no study was written" in note for note in said["notes"])
    assert not (out / "study.yaml").exists()


def test_a_bad_file_writes_nothing(tmp_path: Path, hits: Path) -> None:
    (tmp_path / "broken.csv").write_bytes(b"PK\x03\x04")
    words = ["import", str(hits / "input.csv"), str(tmp_path / "broken.csv"), "--from", "mturk"]
    result = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert not (tmp_path / "out").exists()


def test_a_layout_of_elements_that_are_never_closed_is_refused(tmp_path: Path, hits: Path) -> None:
    layout = tmp_path / "layout.html"
    layout.write_text((hits / "layout.html").read_text() + "<a " * 1_000)
    words = ["import", str(layout), str(hits / "input.csv"), "--from", "mturk"]
    result = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "1,000 elements or comments are begun" in " ".join(result.output.split())


def test_hits_are_not_read_into_another_study(tmp_path: Path, folder: Path, hits: Path) -> None:
    words = ["import", str(folder), str(hits / "input.csv"), "--from", "mturk"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert "a study of their own" in " ".join(result.output.split())


def numbers_of(said: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Every number of an analysis by its id; a bare table knows no seconds."""
    return {
        name: (
            each["value"],
            *map((each["interval"] or {}).get, ("low", "high")),
            each["p"],
            each["n"],
        )
        for name, each in by_id(said).items()
        if "seconds" not in name
    }


def assert_same_numbers(one: dict[str, Any], other: dict[str, Any], *, common: int) -> None:
    first, second = numbers_of(one), numbers_of(other)
    shared = first.keys() & second.keys()  # a pair of systems may be named the other way round
    assert len(shared) >= common
    assert len(first) == len(second)
    for name in shared:
        for value, expected in zip(first[name], second[name], strict=True):
            is_undefined = value is None and expected is None
            assert is_undefined or value == pytest.approx(expected, rel=1e-9, abs=1e-9), name


@pytest.mark.slow
def test_sixty_hits_of_thirty_two_pairs_give_the_analysis_of_the_same_table(tmp_path: Path) -> None:
    rows, sent = mturk_files.hits(), mturk_files.random_answers(60)
    names = ("layout.html", "input.csv", "results.csv")
    texts = (mturk_files.layout(), mturk_files.table(rows),
             mturk_files.table(mturk_files.results(rows, sent)))  # fmt: skip
    for name, text in zip(names, texts, strict=True):
        (tmp_path / name).write_text(text)
    home = tmp_path / "study"
    run("import", *(tmp_path / name for name in names), "--from", "mturk", "--out", home)
    people: dict[str, str] = {}
    table = [
        {
            "participant": people.setdefault(worker, f"p{len(people) + 1:03}"),
            "item": f"{rows[place][f'dataset{i}']}-{rows[place][f'ix{i}']}",
            "dataset": rows[place][f"dataset{i}"],
            "system_a": rows[place][f"systema{i}"],
            "system_b": rows[place][f"systemb{i}"],
            "question": question,
            "value": answers[f"{question}{i}"].lower(),
            "batch": f"b{place + 1:02}",
            "position": str(i + 1),
        }
        for place, worker, answers in sent
        for i in range(32)
        for question in mturk_files.QUESTIONS
        if rows[place][f"systemb{i}"] != "golds"
    ]
    (tmp_path / "table.csv").write_text(mturk_files.table(table))
    direct = run("analyse", tmp_path / "table.csv")
    assert_same_numbers(run("analyse", home), direct, common=90)


@pytest.mark.slow
def test_a_survey_in_ten_lists_gives_the_analysis_of_the_same_table(tmp_path: Path) -> None:
    rows = qualtrics_files.rows_in_published_shape()
    text, mapping = qualtrics_files.tables_of(rows)
    qualtrics_files.write(tmp_path, text)
    (tmp_path / "mapping.csv").write_text(mapping)
    (tmp_path / "table.csv").write_text(mturk_files.table(rows))
    said = run(
        "import", tmp_path / "responses.csv", tmp_path / "mapping.csv", "--out", tmp_path / "out"
    )
    assert said["format"] == "qualtrics"
    imported = run("analyse", tmp_path / "out" / "judgments.csv")
    assert_same_numbers(imported, run("analyse", tmp_path / "table.csv"), common=10)


def test_further_columns_of_a_mapping_are_groups_of_the_imported_judgments(tmp_path: Path) -> None:
    cells = [(item, system) for item in ("one", "two", "six") for system in ("vae", "dips")]
    tags = [f"{item}__{system}" for item, system in cells]
    sessions = [
        qualtrics_files.session(
            f"{n:03}", {tag: str(1 + (n + k) % 5) for k, tag in enumerate(tags)}, number=n
        )
        for n in range(1, 6)
    ]
    (tmp_path / "responses.csv").write_text(qualtrics_files.export(sessions))
    rows = [f"{i}__{s},{i},fluency,{s},{'hard' if i == 'six' else 'easy'}" for i, s in cells]
    mapping = ["tag,item,question,system,difficulty", *rows]
    (tmp_path / "mapping.csv").write_text("\n".join(mapping))
    said = run(
        "import", tmp_path / "responses.csv", tmp_path / "mapping.csv", "--out", tmp_path / "out"
    )
    assert any("table.csv" in note for note in said["notes"])
    run("analyse", tmp_path / "out" / "judgments.csv")
    grouped = run("analyse", tmp_path / "out" / "table.csv", "--by", "difficulty")
    assert "hard" in json.dumps(grouped)


def test_a_survey_file_cannot_be_written_and_the_text_is_offered(folder: Path) -> None:
    result = CliRunner().invoke(main, ["export", str(folder), "--to", "qsf"])
    assert result.exit_code == 2
    assert "not published" in result.output
    assert "--to qualtrics" in result.output


def test_texts_of_hits_that_look_like_formulas_are_shown_as_they_were(
    tmp_path: Path, hits: Path
) -> None:
    text = (hits / "input.csv").read_text().replace("Sentence", "- Sentence")
    (tmp_path / "input.csv").write_text(text)
    words = [hits / "layout.html", tmp_path / "input.csv", "--from", "mturk"]
    run("import", *words, "--out", tmp_path / "study")
    study, _ = open_plan(tmp_path / "study")
    assert {item.input[:3] for item in study.items} == {"- S"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_results_in_other_encodings_are_read_or_refused_with_nothing_written(
    tmp_path: Path, hits: Path, encoding: str
) -> None:
    text = (hits / "results.csv").read_text().replace("Sentence", "Phrase é")
    (tmp_path / "results.csv").write_bytes(text.encode(encoding))
    words = ["import", str(tmp_path / "results.csv"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == (2 if encoding == "cp1252" else 0), result.output
    assert (tmp_path / "out").exists() == (encoding != "cp1252")
    if encoding != "cp1252":
        items = (tmp_path / "out" / "items.csv").read_text(encoding="utf-8")
        assert "Phrase é" in items

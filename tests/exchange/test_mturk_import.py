"""Layout, input and results of a past study become study, plan and judgments."""

from __future__ import annotations

import csv
import html
import io
import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

import mturk_files as files
from rejudge.design.plan import check_plan, option_text
from rejudge.exchange.formats import Imported
from rejudge.exchange.mturk import FORMAT
from rejudge.exchange.registry import find_reader
from rejudge.judgments.read import read_judgments


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return files.hits()


@pytest.fixture(scope="module")
def sent() -> list[tuple[int, str, dict[str, str]]]:
    return files.random_answers()


@pytest.fixture(scope="module")
def imported(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[dict[str, str]],
    sent: list[tuple[int, str, dict[str, str]]],
) -> Imported:
    paths = files.put(
        tmp_path_factory.mktemp("hits"),
        layout_html=files.layout(),
        input_csv=files.table(rows),
        results_csv=files.table(files.results(rows, sent)),
    )
    return FORMAT.read(paths, study=None, plan=None)


def test_the_plan_has_the_batches_order_and_sides_of_the_original(
    imported: Imported, rows: list[dict[str, str]]
) -> None:
    study, plan = files.study_of(imported)
    assert check_plan(study, plan) == ()
    assert [len(batch.tasks) for batch in plan.batches] == [32] * 60
    assert {batch.participants for batch in plan.batches} == {3}
    assert plan.order == "listed"
    shown = [
        [option_text(study, plan, task, option) for option in task.options] for task in plan.tasks()
    ]
    original = [
        [html.unescape(row[f"output{side}{i}"]) for side in "ab"] for row in rows for i in range(32)
    ]
    assert shown == original


def test_attention_checks_know_which_text_must_lose(imported: Imported) -> None:
    _, plan = files.study_of(imported)
    checks = [task for task in plan.tasks() if task.kind == "check"]
    right = Counter((t.check, t.expected.question, t.expected.worst) for t in checks if t.expected)
    assert right == {("distractor", "meaning", "a"): 60, ("inputs", "dissim", "a"): 60}


def test_a_check_shows_its_own_input(imported: Imported) -> None:
    _, plan = files.study_of(imported)
    first = next(task for task in plan.tasks() if task.kind == "check")
    assert (first.instruction or "").startswith("Control ")


@pytest.mark.slow
def test_the_analysis_equals_that_of_the_equivalent_table(
    tmp_path: Path,
    imported: Imported,
    rows: list[dict[str, str]],
    sent: list[tuple[int, str, dict[str, str]]],
) -> None:
    table = [
        {
            "participant": worker,
            "batch": str(place),
            "item": f"{rows[place][f'dataset{i}']}-{rows[place][f'ix{i}']}",
            "dataset": rows[place][f"dataset{i}"],
            "system_a": rows[place][f"systema{i}"],
            "system_b": rows[place][f"systemb{i}"],
            "question": question,
            "choice": answers[f"{question}{i}"],
            "control": str(rows[place][f"systemb{i}"] == "golds"),
            "position": str(i + 1),
        }
        for place, worker, answers in sent
        for question in files.QUESTIONS
        for i in range(32)
    ]
    (tmp_path / "table.csv").write_text(files.table(table))
    direct = read_judgments(tmp_path / "table.csv")
    assert files.scores(imported.judgments) == files.scores(direct)


def test_the_preview_shows_what_people_read(imported: Imported) -> None:
    framed = imported.files["layout_preview.html"].decode()
    page = html.unescape(framed.partition('srcdoc="')[2].partition('"></iframe>')[0])
    assert "Sentence, qqp 0" in page
    assert "&#44;" not in page


def test_what_is_no_judgment_is_listed(imported: Imported) -> None:
    assert any(each.startswith("consent") for each in imported.unmapped)
    assert any(each.startswith("meaningex") for each in imported.unmapped)
    assert imported.rejected == ()


def test_worker_ids_are_nowhere_in_what_is_written(imported: Imported) -> None:
    whole = b"".join(imported.files.values()).decode() + repr(
        (imported.notes, imported.judgments.rows())
    )
    assert "XYZ0000" not in whole
    assert "3ASSIGNMENT" not in whole


def test_the_conditions_of_the_original_are_recorded(imported: Imported) -> None:
    said = yaml.safe_load(imported.files["original_conditions.yaml"])
    assert said["reward_usd"] == 3.5
    assert said["workers"] == 40
    assert said["approval_percent"] is None
    assert said["first_submission"] == "2021-10-09T15:00:00+00:00"


def test_times_are_in_utc(imported: Imported) -> None:
    first = min(row.submitted_at for row in imported.judgments.rows() if row.submitted_at)
    assert first == datetime(2021, 10, 9, 15, 0, tzinfo=UTC)


@pytest.mark.slow
def test_results_alone_are_enough(
    tmp_path: Path,
    imported: Imported,
    rows: list[dict[str, str]],
    sent: list[tuple[int, str, dict[str, str]]],
) -> None:
    (path,) = files.put(tmp_path, results_csv=files.table(files.results(rows, sent)))
    assert find_reader([path]) is FORMAT
    alone = FORMAT.read([path], study=None, plan=None)
    assert files.scores(alone.judgments) == files.scores(imported.judgments)


def test_a_layout_and_an_input_file_become_a_study_without_judgments(
    tmp_path: Path, rows: list[dict[str, str]]
) -> None:
    paths = files.put(tmp_path, layout_html=files.layout(), input_csv=files.table(rows))
    found = FORMAT.read(paths, study=None, plan=None)
    _, plan = files.study_of(found)
    assert len(found.judgments) == 0
    assert len(plan.batches) == 60


def test_crowd_forms_give_the_same_judgments_as_plain_ones(tmp_path: Path) -> None:
    def change(found: list[dict[str, str]]) -> None:
        for row in found:
            answers = {n: row.pop(n) for n in list(row) if n.startswith("Answer.")}
            choices = {
                name.removeprefix("Answer."): {side: side == cell for side in "AB"}
                for name, cell in answers.items()
            }
            row["Answer.taskAnswers"] = json.dumps([choices])

    plain, crowd = files.small(tmp_path), files.small(tmp_path, change)
    assert plain.judgments.rows() == crowd.judgments.rows()


@pytest.mark.slow
def test_published_judgments_in_the_shape_of_hits_give_the_same_analysis(
    tmp_path: Path, published: Callable[[str], tuple[Path, dict[str, Any]]]
) -> None:
    """A second reproduction of seed 001's study: 123 people, 32 pairs each, two of them checks."""
    table = published("hosking2021_arvan2025")[0] / "judgments.csv"
    judged = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    batches: dict[str, dict[str, str]] = {}
    sent: dict[tuple[str, str], dict[str, str]] = {}
    for row in judged:
        cells = batches.setdefault(row["batch"], {})
        i = row["position"]
        cells |= {
            f"systema{i}": row["system_a"], f"systemb{i}": row["system_b"],
            f"dataset{i}": row["dataset"], f"ix{i}": row["item"].partition("-")[2],
            f"input{i}": f"Sentence {row['item']}",
            f"outputa{i}": f"{row['system_a']} of {row['item']}",
            f"outputb{i}": f"{row['system_b']} of {row['item']}",
        }  # fmt: skip
        sent.setdefault((row["batch"], row["rater"]), {})[f"meaning{i}"] = row["choice"]
    rows = list(batches.values())
    places = {name: place for place, name in enumerate(batches)}
    answers = [(places[batch], rater, cells) for (batch, rater), cells in sent.items()]
    (path,) = files.put(tmp_path, results_csv=files.table(files.results(rows, answers)))
    found = FORMAT.read([path], study=None, plan=None)
    _, plan = files.study_of(found)
    assert found.rejected == ()
    assert {len(batch.tasks) for batch in plan.batches} == {32}
    assert len(found.judgments) == 3936
    assert files.scores(found.judgments) == files.scores(read_judgments(table))

"""Layouts and input files for a plan, and their results."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest

import mturk_files as files
from rejudge.design.draw import draw
from rejudge.design.plan import Plan
from rejudge.errors import FileError
from rejudge.exchange.mturk import FORMAT
from rejudge.exchange.mturk_export import hit_fields
from rejudge.judgments.answers import Answer, tabulate
from rejudge.study.model import Study
from small_study import FILES, parse_files


@pytest.fixture(scope="module")
def own() -> tuple[Study, Plan]:
    study = parse_files(FILES)
    return study, draw(study)


def test_results_of_our_own_hits_become_the_judgments_that_were_given(
    tmp_path: Path, own: tuple[Study, Plan]
) -> None:
    study, plan = own
    exported = FORMAT.write(study, plan, people=())
    rows = list(csv.DictReader(io.StringIO(exported.files["input.csv"].decode())))
    answers, sent = [], []
    for place, batch in enumerate(plan.batches):
        cells = {}
        for field in hit_fields(study, plan, batch):
            raw = field.control.options[(place + field.index) % len(field.control.options)].raw
            cells[field.name] = raw
            task = batch.tasks[field.index]
            at = datetime(2021, 10, 9, 15, 0, place, tzinfo=UTC)
            key = ("p001", batch.id, task.id, field.question.id)
            answers.append(Answer(*key, raw, field.index + 1, submitted_at=at))
        sent.append((place, "A1WORKER11", cells))
    (path,) = files.put(tmp_path, results_csv=files.table(files.results(rows, sent, wanted=1)))
    found = FORMAT.read([path], study=study, plan=plan)
    assert found.rejected == ()
    assert sorted(map(repr, found.judgments.rows())) == sorted(
        map(repr, tabulate(study, plan, answers).rows())
    )


def test_values_are_escaped_because_the_site_puts_them_in_as_they_are(
    own: tuple[Study, Plan],
) -> None:
    text = FILES["items.csv"].replace("How fly birds?", "<b>How</b> ${x} & why?")
    study = parse_files({**FILES, "items.csv": text})
    exported = FORMAT.write(study, draw(study), people=())
    whole = exported.files["input.csv"].decode()
    assert "<b>" not in whole
    assert "${" not in whole


def test_results_for_another_plan_are_refused(tmp_path: Path, own: tuple[Study, Plan]) -> None:
    rows = files.hits(1, 6)
    (path,) = files.put(
        tmp_path, results_csv=files.table(files.results(rows, files.random_answers(1, 8)))
    )
    with pytest.raises(FileError, match="not of HITs"):
        FORMAT.read([path], study=own[0], plan=own[1])


def test_a_layout_has_every_placeholder_in_its_input_file(own: tuple[Study, Plan]) -> None:
    from rejudge.study.page_rewriter import placeholders_of

    exported = FORMAT.write(*own, people=())
    header = exported.files["input.csv"].decode().partition("\n")[0].split(",")
    assert set(placeholders_of(exported.files["layout.html"].decode())) <= set(header)

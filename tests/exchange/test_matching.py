"""Answers of other tools as judgments of a study: by ids, by names, and by exact texts."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, SLIDER, drawn, small_study
from rejudge.analysis.analyse import analyse
from rejudge.errors import FileError
from rejudge.exchange.items import ItemFields
from rejudge.exchange.registry import find_reader, read_files
from rejudge.exchange.tool_reader import ToolReader
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.judgments.table import Judgments
from rejudge.simulate.people import judge


def tasks_of(study, plan, *, fields):
    """What simulated participants rated, as Label Studio would export it."""
    table = tabulate(study, plan, judge(study, plan, rng=np.random.default_rng(3)))
    outputs = {
        (item.id, system): output
        for item in study.items
        for system, output in zip(study.system_ids, item.outputs, strict=True)
    }
    tasks: dict[tuple[str, str], dict] = {}
    for row in table.rows():
        item = study.item[row.item]
        about = {"item": row.item, "model": row.system, "source": item.input,
                 "translation": outputs[row.item, row.system]}  # fmt: skip
        task = tasks.setdefault(
            (row.item, row.system),
            {"id": len(tasks) + 1, "data": {f: about[f] for f in fields}, "annotations": []},
        )
        result = {"from_name": row.question, "type": "rating", "value": {"rating": row.value}}
        task["annotations"].append({"completed_by": row.participant, "result": [result]})
    return list(tasks.values()), table


def read(folder, tasks, study, plan, **fields: object):
    path = folder / "export.json"
    path.write_text(json.dumps(tasks), "utf-8")
    reader = find_reader([path])
    assert isinstance(reader, ToolReader)
    return read_files(reader.with_items(ItemFields(**fields)), [path], study=study, plan=plan)


def said(table: Judgments):
    return sorted((r.item, str(r.system), r.question, str(r.value)) for r in table.rows())


@pytest.fixture(scope="module")
def rated():
    study = small_study(RATING)
    return study, drawn(study)


@pytest.mark.parametrize(
    "fields",
    [("item", "model"), ("item", "translation"), ("source", "translation"), ("translation",)],
)
def test_answers_are_found_by_ids_or_by_texts(tmp_path, rated, fields):
    study, plan = rated
    tasks, direct = tasks_of(study, plan, fields=fields)
    found = read(tmp_path, tasks, study, plan)
    assert said(found.judgments) == said(direct)
    assert found.rejected == ()


def test_the_analysis_of_an_export_equals_the_direct_one(tmp_path, rated):
    study, plan = rated
    tasks, direct = tasks_of(study, plan, fields=("translation",))
    found = read(tmp_path, tasks, study, plan).judgments
    imported, collected = (
        {
            finding.id: finding.value
            for finding in analyse(
                exclude(study, plan, table), study=study, plan=plan, seed=1
            ).findings
            if "by-position" not in finding.id  # Label Studio does not say in which order
        }
        for table in (found, direct)
    )
    assert imported == pytest.approx(collected)


def test_judgments_belong_to_tasks_of_the_plan(tmp_path, rated):
    study, plan = rated
    tasks, _ = tasks_of(study, plan, fields=("item", "model"))
    found = read(tmp_path, tasks, study, plan).judgments
    known = {(b.id, t.id, t.item, t.options) for b in plan.batches for t in b.tasks}
    assert {(r.batch, r.task, r.item, (r.system,)) for r in found.rows()} <= known
    assert found.plan.labels == (plan.fingerprint,)


def one(value=4, *, question="fluency", **data: object):
    result = {"from_name": question, "type": "rating", "value": {"rating": value}}
    return [{"id": 1, "data": data, "annotations": [{"completed_by": 1, "result": [result]}]}]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"item": "i999"}, "no such item"),
        ({"model": "oak"}, "no system 'oak'"),
        ({"value": 6}, "6 is not on the scale of `fluency`"),
        ({"value": 2.5}, "2.5 is not on the scale"),
    ],
)
def test_what_does_not_fit_the_study_is_listed_with_the_reason(tmp_path, rated, changed, reason):
    study, plan = rated
    item = plan.batches[0].tasks[0].item
    good = one(item=item, model="ash")[0]
    bad = one(**{"item": item, "model": "beech", **changed})[0]
    found = read(tmp_path, [good, {**bad, "id": 2}], study, plan)
    assert len(found.judgments) == 1
    assert reason in found.rejected[0].reason


def test_a_question_that_the_study_does_not_ask_is_counted_and_can_be_renamed(tmp_path, rated):
    study, plan = rated
    item = plan.batches[0].tasks[0].item
    tasks = one(question="Fluency score", item=item, model="ash")
    with pytest.raises(FileError, match=r"`Fluency score`.*--rename-question NAME=ID"):
        read(tmp_path, tasks, study, plan)
    found = read(tmp_path, tasks, study, plan, questions={"Fluency score": "fluency"})
    assert said(found.judgments) == [(item, "ash", "fluency", "4.0")]


def test_names_and_prompts_of_the_study_are_known_too(tmp_path, rated):
    study, plan = rated
    item = plan.batches[0].tasks[0].item
    tasks = one(question="How fluent is it?", item=item, model="Ash <tree>")
    assert said(read(tmp_path, tasks, study, plan).judgments) == [(item, "ash", "fluency", "4.0")]


def with_outputs(*outputs: str):
    """A study in which an item that is judged has these outputs."""
    study = small_study(RATING)
    judged = drawn(study).batches[0].tasks[0].item
    items = tuple(replace(x, outputs=outputs) if x.id == judged else x for x in study.items)
    return replace(study, items=items), study.item[judged]


def test_texts_are_equal_in_any_normal_form_and_with_any_line_ends(tmp_path):
    study, first = with_outputs("Café\nzwei", "two", "three")
    plan = drawn(study)
    shown = unicodedata.normalize("NFD", "Café") + "\r\nzwei  "
    found = read(tmp_path, one(translation=shown, item=first.id), study, plan)
    assert said(found.judgments) == [(first.id, "ash", "fluency", "4.0")]


def test_an_output_of_two_systems_is_not_guessed(tmp_path):
    study, first = with_outputs("one", "one", "three")
    with pytest.raises(FileError, match="do not say which system was judged"):
        read(tmp_path, one(translation="one", item=first.id), study, drawn(study))


def test_two_outputs_are_compared_and_the_first_of_the_study_is_system_a(tmp_path):
    study = small_study(PAIRWISE)
    plan = drawn(study)
    task = plan.batches[0].real[0]
    outputs = dict(zip(study.system_ids, study.item[task.item].outputs, strict=True))
    later, earlier = sorted(task.options, key=study.system_ids.index, reverse=True)
    result = {"from_name": "meaning", "type": "pairwise", "value": {"selected": "left"}}
    data = {"left": outputs[later], "right": outputs[earlier]}
    tasks = [{"id": 1, "data": data, "annotations": [{"completed_by": 1, "result": [result]}]}]
    (row,) = read(tmp_path, tasks, study, plan).judgments.rows()
    assert (row.system_a, row.system_b, row.value, row.side) == (earlier, later, "b", "b")


def test_a_slider_takes_any_number_within_its_bounds(tmp_path):
    study = small_study(SLIDER)
    plan = drawn(study)
    item = plan.batches[0].tasks[0].item
    tasks = one(72.5, question="ease", item=item, model="ash")
    assert read(tmp_path, tasks, study, plan).judgments.value.tolist() == [72.5]

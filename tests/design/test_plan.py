"""Whether a plan fits its study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from studies import PAIRWISE, RATING, make_study

from rejudge.cli import main
from rejudge.design.draw import draw
from rejudge.design.plan import Plan, Task, check_plan, option_text
from rejudge.errors import DesignError, FileError
from rejudge.files.disk import write_files
from rejudge.files.step_files import PLAN, open_plan, open_study, read, write
from rejudge.starters.folders import folder_files
from rejudge.study.model import Study

SEGMENTS = {"id": "errors", "kind": "segments", "prompt": "How bad is this part?", "points": 3}
CHECKS = [
    {"kind": "gold", "id": "other", "question": "meaning"},
    {"kind": "nonsense", "id": "salad", "question": "fluency"},
]


@pytest.fixture(scope="module")
def study() -> Study:
    return make_study(
        inputs=12,
        sample=6,
        questions=[PAIRWISE, RATING, SEGMENTS],
        checks=CHECKS,
        design={"repeats": {"share": 0.2}},
    )


@pytest.fixture(scope="module")
def plan(study: Study) -> Plan:
    return draw(study)


def first(plan: Plan, kind: str, options: int | None = None) -> Task:
    return next(t for t in plan.tasks() if t.kind == kind and options in {None, len(t.options)})


def edited(plan: Plan, old: Task, **changes: Any) -> Plan:
    """The plan with one of its tasks changed."""
    batches = tuple(
        replace(
            batch,
            tasks=tuple(replace(task, **changes) if task == old else task for task in batch.tasks),
        )
        for batch in plan.batches
    )
    return replace(plan, batches=batches)


def said(study: Study, plan: Plan) -> str:
    return "\n".join(map(str, check_plan(study, plan)))


def test_a_plan_that_was_drawn_fits_its_study(study: Study, plan: Plan) -> None:
    assert check_plan(study, plan) == ()


@pytest.mark.parametrize("kind", ["real", "check", "repeat"])
def test_an_item_that_the_study_does_not_have_is_named(study: Study, plan: Plan, kind: str) -> None:
    task = first(plan, kind)
    words = said(study, edited(plan, task, item="sys1"))
    assert f"plan.json, task {task.id}: the study has no item 'sys1'." in words
    assert "rejudge plan --force" in words


@pytest.mark.parametrize(
    ("option", "what"),
    [
        ("nobody", "the study has no system 'nobody'."),
        ("i1", "the study has no system 'i1'."),
        ("@reference:gone", "the study has no item 'gone'."),
        ("@text:gone", "the plan has no text 'gone'."),
    ],
)
def test_an_option_of_a_check_without_a_text_is_named(
    study: Study, plan: Plan, option: str, what: str
) -> None:
    task = first(plan, "check", 2)
    assert what in said(study, edited(plan, task, options=(option, task.options[1])))


def test_what_is_judged_are_systems_and_nothing_else(study: Study, plan: Plan) -> None:
    task = first(plan, "real", 2)
    words = said(study, edited(plan, task, options=("@reference", task.options[1])))
    assert "the study has no system '@reference'." in words


def test_two_equal_options_are_named(study: Study, plan: Plan) -> None:
    task = first(plan, "real", 2)
    assert "shown twice" in said(study, edited(plan, task, options=("sys0", "sys0")))


@pytest.mark.parametrize("options", [(), ("sys0", "sys1", "sys2")])
def test_a_number_of_options_that_no_question_asks_about_is_named(
    study: Study, plan: Plan, options: tuple[str, ...]
) -> None:
    words = said(study, edited(plan, first(plan, "real", 2), options=options))
    assert f"about {len(options)} texts at a time" in words


def test_a_check_and_a_question_that_the_study_does_not_have_are_named(
    study: Study, plan: Plan
) -> None:
    task = first(plan, "check", 2)
    assert task.expected is not None
    wrong = replace(task.expected, question="beauty", best="q")
    words = said(study, edited(plan, task, check="gone", expected=wrong))
    assert "the study has no check 'gone'." in words
    assert "the study has no question 'beauty'." in words
    assert "the right answer is 'q', which is not among its options." in words


def test_a_repeat_of_nothing_is_named(study: Study, plan: Plan) -> None:
    words = said(study, edited(plan, first(plan, "repeat"), repeats="b99-01"))
    assert "it repeats the task 'b99-01', which its batch does not have." in words


def test_ids_that_stand_twice_are_named(study: Study, plan: Plan) -> None:
    twice = replace(plan, batches=(*plan.batches, plan.batches[0]))
    words = said(study, twice)
    assert f"batch {plan.batches[0].id}: this id occurs 2 times in the plan." in words


def test_a_batch_for_nobody_or_with_nothing_is_named(study: Study, plan: Plan) -> None:
    empty = replace(plan.batches[0], tasks=(), participants=0)
    words = said(study, replace(plan, batches=(empty, *plan.batches[1:])))
    assert "the batch has no tasks." in words
    assert "0 participants" in words


def test_a_conflict_with_an_unknown_batch_is_named(study: Study, plan: Plan) -> None:
    words = said(study, replace(plan, conflicts={"gone": ("b",)}))
    assert "there is no batch 'gone' in the plan." in words


@pytest.mark.parametrize("ends", [(5, 3), (-1,), (3,), (10_000,), ()])
def test_segments_that_do_not_make_up_their_text_are_named(
    study: Study, plan: Plan, ends: tuple[int, ...]
) -> None:
    key = next(iter(plan.segments))
    words = said(study, replace(plan, segments={**plan.segments, key: ends}))
    assert "does not fit the text" in words


def test_a_text_without_its_segments_is_named(study: Study, plan: Plan) -> None:
    words = said(study, replace(plan, segments={}))
    assert "does not say where the output is cut into segments." in words


def test_of_many_faults_the_first_are_listed_and_the_rest_counted(study: Study, plan: Plan) -> None:
    other = make_study(inputs=1)
    problems = check_plan(other, plan)
    assert len(problems) == 21
    assert "more problems were found." in str(problems[-1])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose plan names an item that does not exist; its fingerprint of the study fits."""
    folder = tmp_path_factory.mktemp("study") / "pairs"
    write_files(folder, folder_files("pairwise"), force=False)
    found = open_study(folder)
    plan = draw(found)
    write(edited(plan, first(plan, "real"), item="gone"), folder / PLAN, made_from={}, force=True)
    return folder


def test_opening_a_plan_of_unknown_items_is_refused(home: Path) -> None:
    assert read(Plan, home / PLAN)
    with pytest.raises(FileError, match="the study has no item 'gone'"):
        open_plan(home)


@pytest.mark.parametrize("name", ["check", "freeze", "simulate", "status", "analyse", "rehearse"])
def test_each_command_refuses_a_plan_of_unknown_items(home: Path, name: str) -> None:
    before = sorted(home.rglob("*"))
    result = CliRunner().invoke(main, [name, str(home)])
    assert result.exit_code == 2, result.output
    assert "the study has no item 'gone'" in result.output
    assert sorted(home.rglob("*")) == before


def test_an_option_that_a_task_does_not_have_is_named_with_those_it_has(study, plan):
    task = plan.batches[0].real[0]
    with pytest.raises(DesignError, match="has no option 'nobody'"):
        option_text(study, plan, task, "nobody")

"""What people typed into their workbooks is what is analysed."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filled_workbooks import export, fill, layouts, plain, read, rows_of, simulated
from judged_study import (
    BEST_WORST,
    EVERY_KIND,
    PAIRWISE,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    checked_study,
    drawn,
    small_study,
)
from property_settings import examples
from rejudge.analysis.analyse import analyse
from rejudge.design.plan import answer_parts
from rejudge.judgments.answers import Answer, tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.study.model import Study

REFERENCE = {**SEGMENTS, "id": "covered", "unit": "reference", "beside": ["input", "reference"]}
HALVES = {**RATING, "id": "halves", "points": 5, "lowest": -1, "step": 0.5}


def filled(folder, study, plan, people=()):
    """All workbooks of a plan, filled in by simulated participants, with what they answered."""
    answers: list[Answer] = []
    paths = export(folder, study, plan, people)
    for path, book in zip(paths, layouts(study, plan, people), strict=True):
        said = simulated(study, plan, book)
        fill(path, book, said)
        answers += said
    return paths, answers


def findings_of(study, plan, judgments):
    """What the analysis finds."""
    return analyse(exclude(study, plan, judgments), study=study, plan=plan, seed=1).findings


@pytest.mark.parametrize(
    "questions",
    [
        (RATING, SLIDER, SEGMENTS, REFERENCE),
        (PAIRWISE, RATING),
        (BEST_WORST, RANKING),
        (HALVES,),
        *(pytest.param((q,), marks=pytest.mark.slow) for q in (*EVERY_KIND, REFERENCE)),
    ],
    ids=lambda asked: "+".join(q["id"] for q in asked),
)
def test_a_filled_workbook_gives_the_same_judgments_as_its_answers(tmp_path, questions):
    study = small_study(*questions, inputs=4, design={"repeats": {"share": 0.2}})
    plan = drawn(study)
    paths, answers = filled(tmp_path, study, plan)
    imported = read(study, plan, *paths)
    assert imported.rejected == ()
    assert imported.unmapped == ()
    assert imported.files == {}
    assert rows_of(imported.judgments) == rows_of(tabulate(study, plan, answers))


def test_a_question_may_be_called_like_a_part_of_the_sheet(tmp_path):
    ids = ("a", "input", "reference", "unit", "segment", "rejudge")
    study = small_study(*({**RATING, "id": name} for name in ids), inputs=4)
    plan = drawn(study)
    paths, answers = filled(tmp_path, study, plan)
    imported = read(study, plan, *paths)
    assert rows_of(imported.judgments) == rows_of(tabulate(study, plan, answers))


def test_checks_calibration_and_several_batches_come_back(tmp_path):
    design = {"calibration": 2, "batches_per_participant": 2, "order": "participant"}
    study = checked_study(PAIRWISE, design=design)
    plan = drawn(study)
    paths, answers = filled(tmp_path, study, plan)
    imported = read(study, plan, *paths)
    assert {"real", "check"} <= set(imported.judgments.kind.used())
    assert rows_of(imported.judgments) == rows_of(tabulate(study, plan, answers))


@pytest.mark.slow
def test_the_analysis_equals_the_direct_one(tmp_path):
    study = checked_study(RATING, analysis={"exclude": {"failed_checks": 1, "incomplete": True}})
    plan = drawn(study)
    paths, answers = filled(tmp_path, study, plan)

    imported = read(study, plan, *paths).judgments
    direct = tabulate(study, plan, answers)
    assert findings_of(study, plan, imported) == findings_of(study, plan, direct)


@pytest.mark.slow
def test_the_order_of_files_does_not_matter_and_importing_again_gives_the_same(tmp_path):
    study = small_study(RATING)
    plan = drawn(study)
    paths, _ = filled(tmp_path, study, plan)
    once, again = read(study, plan, *paths), read(study, plan, *reversed(paths))
    assert once.judgments.rows() == again.judgments.rows()


def test_people_have_pseudonyms_in_the_judgments(tmp_path):
    study = small_study(RATING)
    plan = drawn(study)
    names = [f"Person {n}" for n in range(plan.people)]
    paths, _ = filled(tmp_path, study, plan, names)
    assert [path.stem for path in paths] == names
    used = read(study, plan, *paths).judgments.participant.used()
    assert used == tuple(f"p{n:04}" for n in range(1, plan.people + 1))


@pytest.mark.slow
def test_a_part_of_the_workbooks_keeps_the_same_pseudonyms(tmp_path):
    study = small_study(RATING)
    plan = drawn(study)
    paths, _ = filled(tmp_path, study, plan)
    assert read(study, plan, paths[2]).judgments.participant.used() == ("p0003",)


ODD_TEXTS = st.one_of(
    st.text(min_size=1, max_size=80).filter(str.strip),
    st.sampled_from(["=1+1", "+41 12", "-3", "@here", "'quoted", "_x0041_ b", "42", "3-4", "TRUE",
                     '=HYPERLINK("http://a")', "a\r\nb\rc", "\u202eabc", "مرحبا. نعم.",
                     "好。不好。", "x" * 5000, "tab\tin it", "\x07bell", "#N/A", "1e5"]),
)  # fmt: skip


@st.composite
def studies(draw):
    """Small studies with any questions and any texts."""
    asked = draw(
        st.lists(
            st.sampled_from([*EVERY_KIND, REFERENCE, HALVES]),
            min_size=1,
            max_size=4,
            unique_by=lambda q: q["id"],
        )
    )
    questions = [{**q, "required": draw(st.booleans())} for q in asked]
    design = {
        "order": draw(st.sampled_from(["batch", "participant", "latin-square", "listed"])),
        "batches_per_participant": draw(st.integers(1, 2)),
        "calibration": draw(st.integers(0, 1)),
        "participants_per_batch": draw(st.integers(1, 2)),
        "batch": {"inputs": draw(st.integers(1, 2))},
    }
    study = small_study(
        *questions, inputs=draw(st.integers(2, 3)), design=design,
        language=draw(st.sampled_from(["en", "zh", "ar", "pt-BR", "de"])),
    )  # fmt: skip
    texts = draw(st.lists(ODD_TEXTS, min_size=1, max_size=6, unique=True))
    items = tuple(
        replace(
            item,
            input=f"{texts[n % len(texts)]} {item.id}" if n % 2 else texts[n % len(texts)],
            outputs=tuple(f"{texts[(n + k) % len(texts)]}" + "." * k for k in range(3)),
            language=study.spec.language,
        )
        for n, item in enumerate(study.items)
    )
    return Study(spec=study.spec, items=items, pages={})


@pytest.mark.slow
@given(study=studies(), data=st.data())
@settings(max_examples=examples(30))
def test_whatever_is_asked_and_answered_comes_back(study, data):
    plan = drawn(study)
    questions = {question.id: question for question in study.spec.questions}
    tasks = {task.id: task for task in plan.tasks()}
    with tempfile.TemporaryDirectory() as folder:
        paths = export(Path(folder), study, plan)
        answers: list[Answer] = []
        for path, book in zip(paths, layouts(study, plan), strict=True):
            said = simulated(study, plan, book, seed=data.draw(st.integers(0, 99)))
            left_out = data.draw(st.sets(st.sampled_from(range(len(said)))))
            kept = [
                answer
                for n, answer in enumerate(said)
                if questions[answer.question].required
                or n not in left_out
                or not answer_parts(plan, tasks[answer.task], questions[answer.question])
            ]
            fill(path, book, kept)
            answers += kept
        if not answers:
            return
        imported = read(study, plan, *paths)
    assert imported.rejected == ()
    assert rows_of(imported.judgments) == rows_of(tabulate(study, plan, map(plain, answers)))

"""A page of twelve questions about twelve systems is still one that can be read and sent."""

from __future__ import annotations

import pytest

from judged_study import analysed, drawn
from rejudge.report.blocks import Fold, to_html
from rejudge.report.build import build
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.study.model import Item, Spec, Study
from valid_html import faults

pytestmark = pytest.mark.slow
MANY = 12
MOST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def report():
    asked = [
        {"id": f"scored-{k}", "kind": "rating", "prompt": "How good?", "points": 5}
        for k in range(MANY // 2)
    ] + [{"id": f"chosen-{k}", "kind": "pairwise", "prompt": "Which?"} for k in range(MANY // 2)]
    spec = Spec.model_validate(
        {
            "id": "large",
            "title": "Large",
            "systems": [{"id": f"s{k}", "name": f"System number {k}"} for k in range(MANY)],
            "questions": asked,
            "design": {"seed": 5, "batch": {"inputs": 2}},
            "analysis": {
                "tests": [{"question": each["id"], "test": "cluster-robust"} for each in asked]
            },
        }
    )
    items = tuple(
        Item(
            id=f"i{number}",
            group=f"i{number}",
            dataset="",
            input=f"Input number {number}. " * 30,
            reference=None,
            outputs=tuple(f"Output {k} of {number}. " * 30 for k in range(MANY)),
            language="en",
            line=number + 2,
        )
        for number in range(4)
    )
    study = Study(spec=spec, items=items, pages={})
    designed = PlannedStudy(study, drawn(study))
    return build(Subject(analysed(study), study.spec.title, designed=designed))


def test_it_stays_light_and_valid(report):
    page = to_html(report)
    assert len(page.encode("utf-8")) < MOST_BYTES
    assert faults(page) == []


def test_long_tables_are_folded_and_every_question_is_in_the_contents(report):
    results = [section for section in report.sections if section.id.startswith("results-")]
    assert len(results) == MANY
    assert all(any(isinstance(block, Fold) for block in section.blocks) for section in results)


def test_many_systems_are_counted_and_not_listed(report):
    assert all(text.count("System number") <= 7 for text in (*report.answer, *report.also))

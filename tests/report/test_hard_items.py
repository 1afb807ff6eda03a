"""What people disagree about most, with the texts they saw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judged_study import RATING, drawn, small_study
from rejudge.analysis.analyse import analyse
from rejudge.judgments.exclusions import Cleaned
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.blocks import Texts, all_blocks, to_html
from rejudge.report.build import build
from rejudge.report.subject import PlannedStudy, Subject


@pytest.fixture(scope="module")
def report():
    """Four people agree on everything but i2 by beech, a long text from right to left."""
    study = small_study(RATING)
    long = "<b>שלום</b> " * 200
    items = tuple(
        replace(item, outputs=(item.outputs[0], long, item.outputs[2]), language="he")
        if item.id == "i2"
        else item
        for item in study.items
    )
    study = replace(study, items=items)
    rows = [
        Judgment(f"p{p}", f"i{i}", "fluency", 1 + 4 * (p % 2), system="beech")
        if i == 2
        else Judgment(f"p{p}", f"i{i}", "fluency", 2 + i % 3, system="beech")
        for p in range(4)
        for i in range(4)
    ]
    table = Judgments.from_rows(rows, systems=study.system_ids)
    nothing = table.take(np.zeros(len(table), dtype=bool))
    plan = drawn(study)
    results = analyse(Cleaned(table, table, nothing, (), ()), study=study, plan=plan)
    return build(Subject(results, study.spec.title, designed=PlannedStudy(study, plan)))


def texts_of(report):
    items = next(section for section in report.sections if section.id == "items")
    return [block for block in all_blocks(items.blocks) if isinstance(block, Texts)]


def test_only_what_people_differ_on_is_shown(report):
    assert [texts.title for texts in texts_of(report)] == ["i2: Beech"]


def test_it_is_shown_with_the_input_the_output_judged_and_the_reference(report):
    labels = [passage.label for passage in texts_of(report)[0].passages]
    assert labels == ["Input", "Beech", "Reference"]


def test_a_long_text_is_cut_and_says_so(report):
    passage = texts_of(report)[0].passages[1]
    assert len(passage.text) <= 700
    assert passage.text.endswith("…")
    assert passage.is_cut


def test_texts_have_their_language_and_direction_and_are_never_markup(report):
    page = to_html(report)
    assert '<p dir="auto" lang="he">&lt;b&gt;שלום&lt;/b&gt;' in page
    assert "<b>שלום" not in page

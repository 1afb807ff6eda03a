"""What a report is about."""

from __future__ import annotations

import pytest

from judged_study import PAIRWISE, RATING, drawn, small_study
from rejudge.analysis.analyse import analyse
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.subject import Criterion, PlannedStudy, Subject


@pytest.fixture(scope="module")
def results():
    return analyse(
        Judgments.from_rows(
            Judgment(f"p{p}", f"i{i}", "fluency", float((p + i + s) % 4), system="ab"[s])
            for p in range(3)
            for i in range(4)
            for s in range(2)
        )
    )


def test_a_table_alone_names_systems_by_their_ids(results):
    subject = Subject(results, "x")
    assert subject.labels == {"a": "a", "b": "b"}


def test_a_table_alone_shows_that_outputs_were_scored_and_not_the_scale(results):
    (criterion,) = Subject(results, "x").criteria
    assert (criterion.id, criterion.is_comparison) == ("fluency", False)
    assert criterion.scale is None


def test_a_study_names_its_systems_and_questions(results):
    study = small_study(PAIRWISE, RATING)
    subject = Subject(results, "x", designed=PlannedStudy(study, drawn(study)))
    assert list(subject.labels) == [system.id for system in study.spec.systems]
    assert [each.is_comparison for each in subject.criteria] == [True, False]


def test_a_scale_without_both_ends_has_no_length():
    assert Criterion("q", False, "score", low=1.0).length is None
    known = Criterion("q", False, "score", low=1.0, high=5.0)
    assert (known.scale, known.length) == ("1 to 5", 4.0)

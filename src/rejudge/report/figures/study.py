"""Every figure of a study, in the order of a report, with a description and all intervals."""

from __future__ import annotations

from collections.abc import Mapping

from rejudge.analysis.results import Results
from rejudge.report.figures import distributions, estimates, people, power  # noqa: F401 - registered
from rejudge.report.figures.context import figure_context
from rejudge.report.figures.registry import Picture, pictures_per
from rejudge.study.model import Study


def study_pictures(
    study: Study | None, results: Results, labels: Mapping[str, str]
) -> tuple[Picture, ...]:
    """Every figure that the results have numbers for, by names that do not change.

    `labels` are the systems' names in the order of the study; of a study they are known already.
    """
    named = labels or ({s.id: s.label for s in study.spec.systems} if study else {})
    context = figure_context(results, named)
    of_questions = (
        each
        for question in results.questions
        for each in pictures_per("question", context, question)
    )
    return (*pictures_per("study", context), *of_questions)

"""All figures of a study, in the order of a report."""

from __future__ import annotations

from collections.abc import Mapping

from rejudge.analysis import Results
from rejudge.report.drawing import WIDTH, Picture
from rejudge.report.figures.agreement import agreement_pictures, sides_picture
from rejudge.report.figures.context import figure_context
from rejudge.report.figures.contrasts import contrasts_picture
from rejudge.report.figures.matrices import people_picture, wins_picture
from rejudge.report.figures.participants import flow_picture, profile_pictures
from rejudge.report.figures.precision import precision_picture, reliability_picture
from rejudge.report.figures.score_distributions import dataset_scores_picture, scores_picture
from rejudge.report.figures.system_scores import (
    preference_picture,
    standings_picture,
    strengths_picture,
)
from rejudge.report.figures.times import positions_picture, times_pictures
from rejudge.study import Study


def study_pictures(
    study: Study | None,
    results: Results,
    labels: Mapping[str, str],
    *,
    width: float = WIDTH,
) -> tuple[Picture, ...]:
    """Every figure that the results have numbers for, by names that do not change.

    `labels` are the systems' names in the order of the study; of a study they are known already.
    """
    named = labels or ({s.id: s.label for s in study.spec.systems} if study else {})
    context = figure_context(results, named, width=width)
    drawn = (
        flow_picture(context),
        *profile_pictures(context),
        *times_pictures(context),
        positions_picture(context),
        *(draw(context, question) for question in results.questions for draw in _BY_QUESTION),
        *agreement_pictures(context),
        sides_picture(context),
    )
    return tuple(picture for picture in drawn if picture is not None)


_BY_QUESTION = (
    standings_picture,
    preference_picture,
    strengths_picture,
    contrasts_picture,
    wins_picture,
    scores_picture,
    dataset_scores_picture,
    people_picture,
    precision_picture,
    reliability_picture,
)

"""All figures of a study, in the order of a report."""

from __future__ import annotations

from collections.abc import Mapping

from rejudge.analysis import Results
from rejudge.report.drawing import WIDTH, Picture
from rejudge.report.figures.agreement import agreement_pictures, sides_picture
from rejudge.report.figures.contrasts import contrasts_picture
from rejudge.report.figures.duels import wins_picture
from rejudge.report.figures.flow import flow_picture
from rejudge.report.figures.likeness import people_picture
from rejudge.report.figures.places import places_picture
from rejudge.report.figures.precision import precision_picture
from rejudge.report.figures.profile import profile_pictures
from rejudge.report.figures.reliability import reliability_picture
from rejudge.report.figures.scene import scene_of
from rejudge.report.figures.scores import dataset_scores_picture, scores_picture
from rejudge.report.figures.standings import (
    preference_picture,
    standings_picture,
    strengths_picture,
)
from rejudge.report.figures.times import times_pictures
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
    scene = scene_of(results, named, width=width)
    drawn = (
        flow_picture(scene),
        *profile_pictures(scene),
        *times_pictures(scene),
        places_picture(scene),
        *(draw(scene, question) for question in results.questions for draw in _BY_QUESTION),
        *agreement_pictures(scene),
        sides_picture(scene),
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

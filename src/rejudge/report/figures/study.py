"""Every figure of a study, in the order of a report, with a description and all intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rejudge.analysis.results import Results
from rejudge.report.drawing.marks import WIDTH
from rejudge.report.drawing.picture import Picture
from rejudge.report.figures.agreement import agreement_pictures, sides_picture
from rejudge.report.figures.context import figure_context
from rejudge.report.figures.contrasts import contrasts_picture
from rejudge.report.figures.matrices import people_picture, wins_picture
from rejudge.report.figures.participants import flow_picture, profile_pictures
from rejudge.report.figures.precision import precision_picture, reliability_picture
from rejudge.report.figures.scores import (
    dataset_scores_picture,
    preference_picture,
    scores_picture,
    standings_picture,
    strengths_picture,
)
from rejudge.report.figures.times import positions_picture, times_pictures
from rejudge.study.model import Study


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
    times = (*times_pictures(context), positions_picture(context))
    return (
        *_in_section([flow_picture(context)], "participants", "flow"),
        *_in_section(profile_pictures(context), "participants", "profile"),
        *_in_section(times, "participants", "times"),
        *(
            picture
            for question in results.questions
            for section, family, draw in _OF_QUESTION
            for picture in _in_section([draw(context, question)], section, family, question)
        ),
        *_in_section(agreement_pictures(context), "agreement", "agreement"),
        *_in_section([sides_picture(context)], "checks", "sides"),
    )


def _in_section(
    pictures: Iterable[Picture | None], section: str, family: str, question: str | None = None
) -> Iterator[Picture]:
    """The pictures that there are, each with its place in the report."""
    for picture in pictures:
        if picture is not None:
            yield picture.in_section(section, family, question)


_OF_QUESTION = (
    ("results", "systems", standings_picture),
    ("results", "preference", preference_picture),
    ("results", "strengths", strengths_picture),
    ("results", "pairs", contrasts_picture),
    ("results", "wins", wins_picture),
    ("results", "scores", scores_picture),
    ("results", "scores by dataset", dataset_scores_picture),
    ("agreement", "people", people_picture),
    ("power", "precision", precision_picture),
    ("power", "reliability", reliability_picture),
)

"""Scores, wins and strengths of systems: each mark stands where its number says."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib.colors import to_hex

from pictured import (
    boxes,
    fills,
    found,
    made,
    picture,
    score_frame,
    signs,
    spreads,
    values,
    within,
    words,
)
from rejudge.findings.model import Finding
from rejudge.report.figures.study import study_pictures
from rejudge.report.figures.style import COLOURS, RULE
from rejudge.stats.reasons import Why

NAMES = {"ash": "Ash", "beech": "Beech", "cedar": "Cedar"}

MEANS = (
    found(("ash",), 2.0, within(1.5, 2.5)),
    found(("beech",), 4.0, within(3.75, 4.25)),
    found(("cedar",), None, reasons=(Why.NOBODY(what="judgments"),)),
)

POINTS = score_frame((1, 2, 3, 4, 5), {"ash": (1, 2, 1, 0, 0), "beech": (0, 0, 1, 2, 1)})


def drawn(name, *findings: Finding, **parts: Any):
    return picture(study_pictures(None, made(*findings, **parts), NAMES), name)


def won(system, value, measure="win-percent", by="wins", **parts: Any):
    return found((system,), value, within(value - 5, value + 5), measure=measure, by=by, **parts)


def test_means_stand_on_the_whole_scale_and_the_best_is_first():
    drawing = drawn("fluency-systems", *MEANS, frames=(POINTS,))
    assert values(drawing) == pytest.approx([4.0, 2.0])
    assert spreads(drawing) == pytest.approx([3.75, 4.25, 1.5, 2.5])
    assert [w for w in words(drawing) if w in NAMES.values()] == ["Beech", "Ash", "Cedar"]
    assert {"1", "2", "3", "4", "5"} <= set(words(drawing))


def test_what_is_undefined_is_said_and_not_drawn():
    figure = drawn("fluency-systems", *MEANS)
    assert len(signs(figure)) == 2
    assert "undefined" in words(figure)
    assert figure.caption.endswith("Undefined and not drawn: Cedar.")
    assert "Cedar: undefined (No judgments)" in figure.description


def test_an_interval_beyond_the_scale_is_drawn_to_its_end():
    means = (found(("ash",), 4.8, within(4.4, 5.2)), MEANS[1])
    drawing = drawn("fluency-systems", *means, frames=(POINTS,))
    assert spreads(drawing)[2:] == pytest.approx([3.75, 4.25])
    assert spreads(drawing)[:2] == pytest.approx([4.4, 5.2])


def test_a_mark_without_an_interval_says_so():
    figure = drawn("fluency-systems", found(("ash",), 3.0), MEANS[1])
    assert "no interval" in words(figure)
    assert "1 mark without one" in figure.caption
    assert "Ash: 3.00, no interval" in figure.description


def test_nothing_is_drawn_where_nothing_is_defined():
    assert {each.name for each in study_pictures(None, made(MEANS[2]), NAMES)} == {"flow"}


def test_a_caption_says_level_method_n_and_that_it_is_simulated():
    caption = drawn("fluency-systems", *MEANS, simulated=100).caption
    assert caption.startswith("Simulated. Mean score of each system on fluency")
    assert "95\u202f% intervals, cluster-robust by item and participant." in caption
    assert "40 judgments per system by 8 participants" in caption


def test_a_system_keeps_its_colour_and_shape_in_every_figure():
    """The second of the study is orange and a square, wherever it ranks."""
    wins = [
        won(name, value, n_of="comparisons") for name, value in (("ash", 40.0), ("beech", 60.0))
    ]
    scores = [won(f.systems[0], 2 * f.value - 100, "best-worst-score", "best-worst") for f in wins]
    results = made(*wins, *scores)
    pictures = study_pictures(None, results, NAMES)
    first = signs(picture(pictures, "fluency-systems"))[0]
    bar = boxes(picture(pictures, "fluency-preference"))[0]
    assert (first.get_markerfacecolor(), first.get_marker()) == (COLOURS["s2"], "s")
    assert to_hex(bar.get_facecolor()) == COLOURS["s2"]


def test_of_more_than_eight_systems_those_that_lead_have_a_colour():
    many = [found((f"s{place}",), float(place)) for place in range(12)]
    drawing = drawn("fluency-systems", *many)
    assert fills(drawing) == [COLOURS["s1"], *[RULE] * 11]


def test_of_more_than_forty_systems_those_that_come_first_are_drawn():
    many = [won(f"s{place}", 90.0 - place / 2) for place in range(100)]
    figure = drawn("fluency-systems", *many)
    assert "s24" in words(figure)
    assert "s25" not in words(figure)
    assert "The 25 systems that come first; the other 75 are in tables." in figure.caption
    assert "s39" in words(drawn("fluency-systems", *many[:40]))


def test_best_worst_scores_are_bars_from_zero():
    """Best 3 times and worst once of 10 answers is 20, whatever the number of options."""
    scores = [won("ash", 20.0, "best-worst-score"), won("beech", -20.0, "best-worst-score")]
    implied = [won("ash", 55.0, n_of="comparisons"), won("beech", 45.0, n_of="comparisons")]
    drawing = drawn("fluency-preference", *scores, *implied)
    assert [(bar.get_x(), bar.get_width()) for bar in boxes(drawing)] == [(0, 20), (0, -20)]
    assert spreads(drawing) == pytest.approx([15, 25, -25, -15])
    assert "−20.0" in words(drawing)
    assert "how often each system was best minus how often it was worst" in drawing.caption


def test_strengths_are_drawn_around_zero():
    strengths = [
        found(("ash",), 0.7, within(0.4, 1.0), measure="strength", by="bradley-terry"),
        found(("beech",), -0.7, within(-1.0, -0.4), measure="strength", by="bradley-terry"),
    ]
    drawing = drawn("fluency-strengths", *strengths)
    assert values(drawing) == pytest.approx([0.7, -0.7])
    assert {"← weaker", "stronger →", "−1"} <= set(words(drawing))


def drawn_distribution(name, results):
    return picture(study_pictures(None, results, NAMES), name)


def scored(off: dict[str, int] | None = None, **counts: tuple[int, ...]):
    means = [found((system,), 3.0) for system in counts]
    return made(*means, frames=(score_frame((1, 2, 3, 4), counts, off=off),))


def test_parts_of_a_bar_are_as_long_as_their_shares():
    drawing = drawn_distribution("fluency-scores", scored(ash=(2, 4, 4, 10)))
    assert [part.get_width() for part in boxes(drawing)] == [10, 20, 20, 50]
    assert [each for each in words(drawing) if each in {"10", "20", "50"}] == [
        "10",
        "20",
        "20",
        "50",
    ]


def test_higher_scores_have_the_stronger_colour():
    drawing = drawn_distribution("fluency-scores", scored(ash=(1, 1, 1, 1)))
    strengths = [part.get_facecolor()[3] for part in boxes(drawing)]
    assert strengths == sorted(strengths)
    assert strengths[-1] <= 0.55


def test_every_score_is_named_though_nobody_gave_it():
    drawing = drawn_distribution("fluency-scores", scored(ash=(0, 0, 0, 4)))
    assert {"1", "2", "3", "4"} <= set(words(drawing))
    assert len(boxes(drawing)) == 1


def test_scores_off_the_scale_and_systems_without_any_are_told():
    results = scored({"ash": 1}, ash=(1, 1, 1, 0), beech=(0, 0, 0, 0))
    caption = drawn_distribution("fluency-scores", results).caption
    assert "1 score is not on the scale and not shown. 1 system has no scores." in caption


def test_datasets_have_bars_of_their_own():
    frames = (
        score_frame((1, 2, 3, 4), {"ash": (1, 1, 1, 1)}, dataset="news"),
        score_frame((1, 2, 3, 4), {"ash": (0, 1, 1, 0)}, dataset="web"),
    )
    results = made(found(("ash",), 3.0), frames=frames)
    figure = drawn_distribution("fluency-scores-by-dataset", results)
    assert [part.get_width() > 0 for part in boxes(figure)] == [True] * 6
    assert {"news", "web", "n = 4", "n = 2"} <= set(words(figure))
    assert "web: Ash, 2 scores: 1 0\u202f%, 2 50\u202f%" in figure.description

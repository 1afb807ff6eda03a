"""Figures of values with intervals: each mark stands where its number says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pictured import found, made, middle, outside, picture, read, signs, spreads, within, words
from rejudge.analysis import Details, Finding, ScoreCounts, SystemScores
from rejudge.report.drawing.marks import RectangleMark
from rejudge.report.figures import deciding, study_pictures

NAMES = {"ash": "Ash", "beech": "Beech", "cedar": "Cedar"}
MEANS = (
    found(("ash",), 2.0, within(1.5, 2.5)),
    found(("beech",), 4.0, within(3.75, 4.25)),
    found(("cedar",), None, note="No judgments."),
)
POINTS = ScoreCounts(
    "points",
    (1, 2, 3, 4, 5),
    (
        SystemScores("ash", 4, (1, 2, 1, 0, 0), (25, 50, 25, 0, 0)),
        SystemScores("beech", 4, (0, 0, 1, 2, 1), (0, 0, 25, 50, 25)),
    ),
)


def drawn(name, *findings: Finding, **parts: Any):
    return picture(study_pictures(None, made(*findings, **parts), NAMES), name)


def preferred(first, second, value, interval=None, **parts: Any):
    return found(
        (first, second), value, interval, measure="win-percent", by="cluster-robust", **parts
    )


def won(system, value, measure="win-percent", by="wins", **parts: Any):
    return found((system,), value, within(value - 5, value + 5), measure=measure, by=by, **parts)


# How systems stand


def test_means_stand_on_the_whole_scale_and_the_best_is_first():
    drawing = drawn("fluency-systems", *MEANS, details=(Details("fluency", POINTS),)).drawing
    places = [middle(sign)[0] for sign in signs(drawing)]
    assert [read(drawing, x) for x in places] == pytest.approx([4.0, 2.0])
    assert spreads(drawing) == pytest.approx([3.75, 4.25, 1.5, 2.5])
    assert [w for w in words(drawing) if w in NAMES.values()] == ["Beech", "Ash", "Cedar"]
    assert {"1", "2", "3", "4", "5"} <= set(words(drawing))


def test_what_is_undefined_is_said_and_not_drawn():
    figure = drawn("fluency-systems", *MEANS)
    assert len(signs(figure.drawing)) == 2
    assert "undefined" in words(figure.drawing)
    assert figure.caption.endswith("Undefined and not drawn: Cedar.")
    assert "Cedar: undefined (No judgments)" in figure.drawing.description


def test_an_interval_beyond_the_scale_is_drawn_to_its_end():
    means = (found(("ash",), 4.8, within(4.4, 5.2)), MEANS[1])
    drawing = drawn("fluency-systems", *means, details=(Details("fluency", POINTS),)).drawing
    assert spreads(drawing)[2:] == pytest.approx([3.75, 4.25])
    assert spreads(drawing)[:2] == pytest.approx([4.4, 5.2])


def test_a_mark_without_an_interval_says_so():
    figure = drawn("fluency-systems", found(("ash",), 3.0), MEANS[1])
    assert "no interval" in words(figure.drawing)
    assert "1 mark without one" in figure.caption
    assert "Ash: 3.00, no interval" in figure.drawing.description


def test_nothing_is_drawn_where_nothing_is_defined():
    assert {each.name for each in study_pictures(None, made(MEANS[2]), NAMES)} == {"flow"}


def test_a_caption_says_level_method_n_and_that_it_is_simulated():
    caption = drawn("fluency-systems", *MEANS, simulated=100).caption
    assert caption.startswith("Simulated. Mean score of each system on fluency")
    assert "95\u202f% intervals, cluster-robust by item and participant." in caption
    assert "40 judgments per system by 8 participants" in caption


def test_a_system_keeps_its_colour_and_shape_in_every_figure():
    """The second of the study is orange and a square, wherever it ranks."""
    wins = [won("ash", 40.0), won("beech", 60.0)]
    scores = [won(f.systems[0], 2 * f.value - 100, "best-worst-score", "best-worst") for f in wins]
    results = made(*wins, *scores)
    pictures = study_pictures(None, results, NAMES)
    first = signs(picture(pictures, "fluency-systems").drawing)[0]
    bars = [
        mark
        for mark in picture(pictures, "fluency-preference").drawing.marks
        if isinstance(mark, RectangleMark)
    ]
    assert first.look.fill == "s2"
    assert len(first.points) == 4
    assert bars[0].look.fill == "s2"


def test_of_more_than_eight_systems_those_that_lead_have_a_colour():
    many = [found((f"s{place}",), float(place)) for place in range(12)]
    drawing = drawn("fluency-systems", *many).drawing
    assert [sign.look.fill for sign in signs(drawing)] == ["s1", *["line"] * 11]


# Preference, strengths


def test_preference_is_a_bar_from_zero():
    """60 % won of all comparisons, without ties: 60 − 40 = 20 % more won than lost."""
    scores = [won("ash", 20.0, "best-worst-score"), won("beech", -20.0, "best-worst-score")]
    drawing = drawn("fluency-preference", *scores).drawing
    bars = [mark.box for mark in drawing.marks if isinstance(mark, RectangleMark)]
    ends = [read(drawing, x) for bar in bars for x in (bar.x, bar.x + bar.width)]
    assert ends == pytest.approx([0, 20, -20, 0])
    assert spreads(drawing) == pytest.approx([15, 25, -25, -15])
    assert "−20.0" in words(drawing)


def test_the_score_of_best_worst_answers_is_not_called_wins_minus_losses():
    """Best 3 times and worst once of 10 answers is 20, whatever the number of options."""
    scores = [won("ash", 20.0, "best-worst-score"), won("beech", -20.0, "best-worst-score")]
    implied = [won("ash", 55.0, n_of="comparisons"), won("beech", 45.0, n_of="comparisons")]
    caption = drawn("fluency-preference", *scores, *implied).caption
    assert "how often each system was best minus how often it was worst" in caption
    assert "wins minus losses" not in caption


def test_strengths_are_drawn_around_zero():
    strengths = [
        found(("ash",), 0.7, within(0.4, 1.0), measure="strength", by="bradley-terry"),
        found(("beech",), -0.7, within(-1.0, -0.4), measure="strength", by="bradley-terry"),
    ]
    drawing = drawn("fluency-strengths", *strengths).drawing
    assert [read(drawing, middle(s)[0]) for s in signs(drawing)] == pytest.approx([0.7, -0.7])
    assert {"← weaker", "stronger →", "−1"} <= set(words(drawing))


# Pairs


def test_a_supported_difference_is_filled_and_another_one_open():
    pairs = (
        preferred("ash", "beech", 70.0, within(60, 80), is_supported=True),
        preferred("ash", "cedar", 52.0, within(40, 64), is_supported=False),
    )
    drawing = drawn("fluency-pairs", *pairs).drawing
    assert [read(drawing, middle(s)[0]) for s in signs(drawing)] == pytest.approx([70, 52])
    assert [sign.look.fill for sign in signs(drawing)] == ["ink", "paper"]
    assert "supported" in drawing.description
    assert drawing.description.endswith("not supported.")


def test_a_difference_that_could_not_be_tested_is_open_and_the_caption_says_so():
    figure = drawn("fluency-pairs", preferred("ash", "beech", 100.0, is_supported=None))
    assert "open marks: it is not, or could not be tested" in figure.caption
    assert figure.drawing.description == "Ash against Beech: 100.0\u202f%, no interval, not tested."


def test_differences_of_means_show_zero_and_both_sides_of_it():
    pair = found(
        ("ash", "beech"),
        -1.5,
        within(-1.9, -1.1),
        measure="mean-difference",
        by="cluster-robust",
    )
    drawing = drawn("fluency-pairs", pair).drawing
    assert spreads(drawing) == pytest.approx([-1.9, -1.1])
    assert {"−2", "0", "← second higher", "first higher →"} <= set(words(drawing))


def test_a_difference_of_zero_still_has_an_axis_with_both_sides():
    pair = found(("ash", "beech"), 0.0, measure="mean-difference", by="cluster-robust")
    drawing = drawn("fluency-pairs", pair).drawing
    assert {"−1", "0", "1"} <= set(words(drawing))
    assert read(drawing, middle(signs(drawing)[0])[0]) == pytest.approx(0)


def test_of_too_many_pairs_the_best_and_neighbours_are_drawn():
    """12 systems are 66 pairs: 11 with the best, and 11 neighbours of which one is both: 21."""
    names = [f"s{place}" for place in range(12)]
    wins = [won(name, 80.0 - place) for place, name in enumerate(names)]
    pairs = [
        preferred(names[a], names[b], 55.0, within(45, 65), is_supported=False)
        for a in range(12)
        for b in range(a + 1, 12)
    ]
    figure = drawn("fluency-pairs", *wins, *pairs)
    assert len(signs(figure.drawing)) == 21
    assert "21 of 66 pairs" in figure.caption


def test_the_planned_test_decides_and_the_robust_one_where_none_is_planned():
    robust = preferred("ash", "beech", 60.0, is_planned=False)
    model = replace(robust, by="bradley-terry", measure="strength", value=0.4, is_planned=True)
    assert deciding(made(robust, model), "fluency") == (model,)
    assert deciding(made(robust, replace(model, is_planned=False)), "fluency") == (robust,)


# Agreement and sides


def agreed(value, by="krippendorff-alpha", question="fluency", **parts: Any):
    return found(
        (), value, parts.pop("interval", None), measure="agreement", by=by, question=question,
        n_of="units", **parts,
    )  # fmt: skip


def test_agreement_has_an_interval_for_these_people_and_a_thin_one_for_new_ones():
    alpha = agreed(0.5, interval=within(0.4, 0.6), interval_for_new_people=within(0.2, 0.8))
    figure = drawn("agreement", alpha)
    assert spreads(figure.drawing) == pytest.approx([0.2, 0.8, 0.4, 0.6])
    assert "for new participants 95\u202f% interval 0.20 to 0.80" in figure.drawing.description
    assert "Thin lines hold for new participants" in figure.caption


def test_agreement_below_chance_is_within_the_axis():
    drawing = drawn("agreement", agreed(-0.75)).drawing
    assert read(drawing, middle(signs(drawing)[0])[0]) == pytest.approx(-0.75)
    assert "−0.8" in words(drawing)
    assert not outside(drawing)


def test_percentages_of_agreement_have_their_own_axis():
    pictures = study_pictures(None, made(agreed(70.0, by="percent"), agreed(0.4)), NAMES)
    assert {"agreement", "agreement-percent"} <= {each.name for each in pictures}


def test_the_same_answer_again_is_a_percentage_with_one_decimal():
    again = agreed(68.888, by="self-consistency, percent")
    assert "68.9 %" in words(drawn("agreement-percent", again).drawing)


def test_the_pull_of_a_side_is_seen_against_fifty_and_never_magnified():
    """50.4 to 51.6 would fill an axis of its own; it goes from 40 to 60 at least."""
    share = found(
        (), 51.0, within(50.4, 51.6), measure="first-shown-percent", by="cluster-robust",
        question="meaning",
    )  # fmt: skip
    drawing = drawn("sides", share).drawing
    assert {"40", "50", "60"} <= set(words(drawing))
    assert spreads(drawing) == pytest.approx([50.4, 51.6])

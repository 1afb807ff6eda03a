"""Agreement with both its intervals, and the bias towards the side shown first."""

from __future__ import annotations

from typing import Any

import pytest

from pictured import found, made, outside, picture, spreads, values, within, words
from rejudge.findings.model import Finding
from rejudge.report.figures.study import study_pictures

NAMES = {"ash": "Ash", "beech": "Beech", "cedar": "Cedar"}


def drawn(name, *findings: Finding, **parts: Any):
    return picture(study_pictures(None, made(*findings, **parts), NAMES), name)


def agreed(value, by="krippendorff-alpha", question="fluency", **parts: Any):
    return found(
        (), value, parts.pop("interval", None), measure="agreement", by=by, question=question,
        n_of="units", **parts,
    )  # fmt: skip


def test_agreement_has_an_interval_for_these_people_and_a_thin_one_for_new_ones():
    alpha = agreed(0.5, interval=within(0.4, 0.6), interval_for_new_people=within(0.2, 0.8))
    figure = drawn("agreement", alpha)
    assert spreads(figure) == pytest.approx([0.2, 0.8, 0.4, 0.6])
    assert "for new participants 95\u202f% interval 0.20 to 0.80" in figure.description
    assert "Thin lines hold for new participants" in figure.caption


def test_agreement_below_chance_is_within_the_axis():
    drawing = drawn("agreement", agreed(-0.75))
    assert values(drawing)[0] == pytest.approx(-0.75)
    assert "−0.8" in words(drawing)
    assert not outside(drawing)


def test_percentages_of_agreement_have_their_own_axis():
    pictures = study_pictures(None, made(agreed(70.0, by="percent"), agreed(0.4)), NAMES)
    assert {"agreement", "agreement-percent"} <= {each.name for each in pictures}


def test_the_same_answer_again_is_a_percentage_with_one_decimal():
    again = agreed(68.888, by="self-consistency, percent")
    assert "68.9 %" in words(drawn("agreement-percent", again))


def test_the_pull_of_a_side_is_seen_against_fifty_and_never_magnified():
    """50.4 to 51.6 would fill an axis of its own; it goes from 40 to 60 at least."""
    share = found(
        (), 51.0, within(50.4, 51.6), measure="first-shown-percent", by="cluster-robust",
        question="meaning",
    )  # fmt: skip
    drawing = drawn("sides", share)
    assert {"40", "50", "60"} <= set(words(drawing))
    assert spreads(drawing) == pytest.approx([50.4, 51.6])

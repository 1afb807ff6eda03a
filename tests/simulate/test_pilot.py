"""Parameters from a pilot's judgments: what they show, and what is said of the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judged_study import (
    BEST_WORST,
    PAIRWISE,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    checked_study,
    drawn,
    small_study,
)
from rejudge.errors import DataError
from rejudge.judgments.answers import tabulate
from rejudge.judgments.table import Judgment, Judgments
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import judge
from rejudge.simulate.pilot import (
    Pilot,
    PilotQuestion,
    _without_shared_outputs,
    parameters_from_pilot,
)
from rejudge.simulate.sources import read_parameters
from rejudge.stats import Comparisons

QUALITY = {"ash": 0.8, "beech": 0.1, "cedar": -0.9}


def piloted(study, parameters=None, seed=3, *, known=True):
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(seed), parameters=parameters)
    rows = tabulate(study, plan, answers, origin="simulated")
    return Pilot("pilot", rows, study, plan) if known else Pilot("pilot.csv", rows)


def said(found):
    return " ".join(found.assumptions)


@pytest.mark.parametrize("question", [RATING, PAIRWISE, RANKING, BEST_WORST])
def test_qualities_come_back_in_their_order(question):
    study = small_study(question, inputs=60)
    found = read_parameters(study, pilot=piloted(study, Parameters(QUALITY)))
    quality = found.by_question[question["id"]].quality
    assert quality["ash"] > quality["beech"] > quality["cedar"]
    assert quality["ash"] - quality["cedar"] == pytest.approx(1.7, abs=0.7)
    assert "by 60 participants on 60 items" in found.source
    assert "Estimates from a pilot are uncertain" in said(found)


def test_shares_of_people_are_counted():
    study = checked_study(RATING, inputs=60)
    found = parameters_from_pilot(study, piloted(study, Parameters(careless=0.3, dropout=0.2)))
    values = found.by_question["fluency"]
    assert values.careless == pytest.approx(0.25, abs=0.2)
    assert values.dropout == pytest.approx(0.2, abs=0.15)
    assert "of 60 participants left before the end of a batch" in said(found)


def test_a_table_alone_does_not_show_who_was_careless():
    study = checked_study(RATING)
    found = parameters_from_pilot(study, piloted(study, known=False))
    assert "cannot be determined from a table alone" in said(found)
    assert found.by_question["fluency"].slip == Parameters().slip


def test_the_interval_of_a_standard_deviation_is_that_of_normal_samples():
    """By hand, χ² of 11 degrees of freedom: √(11 / 21.92) = 0.708 and √(11 / 3.816) = 1.698."""
    study = small_study(RATING, inputs=12)
    found = parameters_from_pilot(study, piloted(study))
    assert "with 12 items, from 0.71 to 1.70 times its estimate" in said(found)


def test_a_question_that_the_pilot_did_not_ask_has_assumed_values():
    pilot = piloted(small_study(RATING))
    found = parameters_from_pilot(small_study(RATING, PAIRWISE), pilot)
    assert "meaning: not asked in the pilot" in said(found)
    assert found.by_question["meaning"].noise == Parameters().noise


def test_the_only_question_of_both_is_the_same_whatever_its_name():
    found = parameters_from_pilot(
        small_study({**RATING, "id": "style"}), piloted(small_study(RATING))
    )
    assert "style" in found.by_question


def test_ratings_of_a_pilot_serve_a_study_of_choices():
    study = small_study({**PAIRWISE, "id": "fluency"})
    found = parameters_from_pilot(study, piloted(small_study(RATING)))
    assert found.by_question["fluency"].severity > 0


def rows(*cells: tuple[str, str, str, float], question="fluency"):
    return Pilot(
        "t.csv",
        Judgments.from_rows(
            Judgment(participant=p, item=i, question=question, system=s, value=v)
            for p, i, s, v in cells
        ),
    )


def grid(value, people=4, items=4, systems=("ash", "beech", "cedar")):
    return [
        (f"p{p}", f"i{i}", s, value(p, i, k))
        for p in range(people)
        for i in range(items)
        for k, s in enumerate(systems)
    ]


REFUSED = {
    "no judgments": (rows(), "does not say who judged"),
    "other systems": (
        rows(*grid(lambda p, i, s: 1 + (p + i + s) % 5, systems=("x", "y"))),
        "x and y",
    ),
    "another scale": (rows(*grid(lambda p, i, s: 10 * (p + i + s))), "from 1 to 5"),
    "between the points": (rows(*grid(lambda *_: 1.5)), "in steps of 1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_pilot_that_does_not_fit_is_refused_with_one_message(name):
    pilot, words = REFUSED[name]
    with pytest.raises(DataError, match=words):
        parameters_from_pilot(small_study(RATING), pilot)


@pytest.mark.parametrize(
    "cells",
    [
        grid(lambda *_: 3.0),
        grid(lambda _p, _i, s: 5.0 if s else 1.0),
        grid(lambda p, i, s: 1 + (p + i + s) % 5, people=1),
        grid(lambda p, i, s: 1 + (p + i + s) % 5, items=1),
        grid(lambda p, i, s: 1 + (p + i + s) % 5, people=1, items=1, systems=("ash",)),
        grid(lambda p, i, s: 1 + (p * i + s) % 5, people=2, items=2, systems=("ash", "beech")),
    ],
    ids=["constant", "perfect", "one participant", "one item", "one judgment", "two of each"],
)
def test_a_tiny_pilot_gives_finite_parameters_and_says_what_is_assumed(cells):
    found = parameters_from_pilot(small_study(RATING), rows(*cells))
    values = found.by_question["fluency"]
    assert np.isfinite([values.noise, values.severity, *values.quality.values()]).all()
    assert "assumed" in said(found)


def test_a_system_that_the_pilot_lacks_is_as_good_as_the_mean():
    cells = grid(lambda p, i, s: 1 + (p * i + 2 * s + i) % 5, systems=("ash", "beech"))
    found = parameters_from_pilot(small_study(RATING), rows(*cells))
    quality = found.by_question["fluency"].quality
    assert quality["cedar"] == pytest.approx((quality["ash"] + quality["beech"]) / 2)
    assert "cedar was not judged in the pilot" in said(found)


def test_means_of_several_peoples_choices_show_nothing():
    pilot = piloted(small_study(PAIRWISE), known=False)
    table = replace(pilot.judgments, value=np.full(len(pilot.judgments), 0.3))
    found = parameters_from_pilot(small_study(PAIRWISE), replace(pilot, judgments=table))
    assert "means of several people's choices" in said(found)


def test_no_output_occurs_twice_in_one_answer_and_all_pairs_have_their_turn():
    pairs = np.array([(0, 1), (0, 2), (1, 2)] * 6)
    nobody = np.zeros(len(pairs), dtype=int)
    table = Comparisons(pairs[:, 0], pairs[:, 1], nobody * 0.5, nobody, nobody, 3)
    answer = np.repeat(np.arange(6), 3)
    taken = _without_shared_outputs(answer, table, 0)
    assert answer[taken].tolist() == list(range(6))
    assert {tuple(pair) for pair in pairs[taken].tolist()} == {(0, 1), (0, 2), (1, 2)}


@pytest.mark.parametrize("question", [RATING, SLIDER, SEGMENTS], ids=lambda q: q["kind"])
def test_every_kind_of_score_shows_spreads(question):
    study = small_study(question, inputs=30)
    plan = drawn(study)
    table = tabulate(study, plan, judge(study, plan, rng=np.random.default_rng(2)))
    (asked,) = study.spec.questions
    found = PilotQuestion("pilot", table, study.system_ids, asked, asked).components()
    assert found.spreads["noise"] == pytest.approx(0.7, abs=0.3)
    assert found.spreads["system_by_item"] == pytest.approx(0.6, abs=0.4)

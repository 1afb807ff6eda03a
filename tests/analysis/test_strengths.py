"""Rankings in an analysis: the Plackett–Luce model."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from judged_study import by_id
from rejudge.analysis import Further, FurtherTest, analyse
from rejudge.judgments import Judgment, Judgments
from rejudge.stats import JudgedSets, plackett_luce
from rejudge.tables.wording import name_of_test

SYSTEMS = ("ash", "beech", "cedar", "dogwood")


def answer(person, item, order, *, known=None):
    """One ranking as the comparisons it implies; `known` leaves out the other pairs."""
    pairs = combinations(range(len(order)), 2)
    return [
        Judgment(
            f"p{person}",
            f"i{item}",
            "rank",
            "a",
            system_a=SYSTEMS[order[a]],
            system_b=SYSTEMS[order[b]],
            task=f"t{item}",
        )
        for a, b in pairs
        if known is None or (a, b) in known
    ]


def orders(people=6, items=10):
    rng = np.random.default_rng(9)
    liking = np.array([0.6, 0.2, 0.0, -0.5])
    return {
        (person, item): np.argsort(-(liking + rng.gumbel(size=4)))
        for item in range(items)
        for person in range(people)
    }


def rows():
    return [
        row for (person, item), order in orders().items() for row in answer(person, item, order)
    ]


def found_in(judged, further=None):
    return by_id(analyse(Judgments.from_rows(judged, systems=SYSTEMS), further=further))


def test_rankings_have_worths_among_their_usual_tests():
    found = found_in(rows())
    expected = plackett_luce(
        JudgedSets(
            np.repeat(np.arange(60), 4),
            np.concatenate(list(orders().values())),
            np.tile([3.0, 2.0, 1.0, 0.0], 60),
            np.repeat([item for _, item in orders()], 4),
            np.repeat([person for person, _ in orders()], 4),
            4,
        )
    )
    pair = found["rank.plackett-luce.ash.dogwood"]
    theirs = next(each for each in expected.differences if (each.first, each.second) == (0, 3))
    assert pair.value == pytest.approx(theirs.value)
    assert (pair.p, pair.df) == (pytest.approx(theirs.p), pytest.approx(theirs.df))
    assert (pair.statistic.name, pair.population) == ("t", "items and participants")
    assert (pair.n, pair.n_of, pair.is_planned) == (60, "judgments", False)
    assert name_of_test(pair) == "Plackett–Luce model"
    alone = found["rank.plackett-luce.ash"]
    assert f"first of all in {100 * expected.first[0].value:.1f} %" in alone.note


def test_the_headline_of_rankings_stays_the_mixed_model_of_whole_judgments():
    found = found_in(rows())
    assert found["rank.plackett-luce.ash.dogwood"].role == "further"
    assert found["rank.joint-mixed-model.ash.dogwood"].role == "headline"


def test_a_winner_of_every_ranking_is_undefined_with_names():
    judged = [
        row for n in range(24) for row in answer(n % 6, n // 6, [0, *(1 + (np.arange(3) + n) % 3)])
    ]
    finding = found_in(judged)["rank.plackett-luce"]
    assert finding.value is None
    assert "ash; beech, cedar, dogwood (the better first)" in finding.note


def best_and_worst():
    known = {(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)}
    return [
        row
        for (person, item), order in orders().items()
        for row in answer(person, item, order, known=known)
    ]


def test_best_worst_answers_are_no_rankings():
    """The order of the middle is not known; only who asks for the model is told so."""
    assert not any(name.startswith("rank.plackett-luce") for name in found_in(best_and_worst()))
    wanted = Further(tests=(FurtherTest("plackett-luce"),))
    finding = found_in(best_and_worst(), wanted)["rank.plackett-luce"]
    assert finding.value is None
    assert "do not order the other systems" in finding.note


def test_a_ranking_of_the_first_two_leaves_the_rest_in_no_order():
    known = {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)}
    judged = [
        row
        for (person, item), order in orders().items()
        for row in answer(person, item, order, known=known)
    ]
    score = np.tile([3.0, 2.0, -np.inf, -np.inf], 60)
    sets = JudgedSets(
        np.repeat(np.arange(60), 4),
        np.concatenate(list(orders().values())),
        score,
        np.repeat([item for _, item in orders()], 4),
        np.repeat([person for person, _ in orders()], 4),
        4,
    )
    expected = plackett_luce(sets).strengths[0]
    assert found_in(judged)["rank.plackett-luce.ash"].value == pytest.approx(expected.value)


def test_answers_that_contradict_themselves_are_no_rankings():
    judged = rows()
    turned = [
        replace(row, value="b") if {row.system_a, row.system_b} == {"ash", "dogwood"} else row
        for row in judged
    ]
    finding = found_in(turned).get("rank.plackett-luce")
    assert finding is not None
    assert "contradict themselves" in finding.note


def test_a_model_beyond_the_time_limit_is_left_out_with_the_reason():
    finding = found_in(rows(), Further(time_limit=1e-9))["rank.plackett-luce"]
    assert finding.note.startswith("Left out")

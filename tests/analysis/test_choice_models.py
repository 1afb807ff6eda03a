"""Models of choices in an analysis: pair by pair, all together, Bradley–Terry, Plackett–Luce."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from judged_study import (
    BEST_WORST,
    PAIRWISE,
    RANKING,
    RATING,
    analysed,
    by_id,
    checked_study,
    small_study,
)
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import AnalysisPlan, Further, FurtherTest
from rejudge.analysis.choice_models import _with_participants, judged_sets
from rejudge.analysis.data import split
from rejudge.analysis.outline import outline_of_table
from rejudge.judgments.table import Coded, Judgment, Judgments
from rejudge.stats import JudgedSets, pair_model, plackett_luce, set_model
from rejudge.tables.wording import name_of_test

STRENGTH = {"x": 0.5, "y": 0.0, "z": -0.4}


def chosen(people: int = 8, items: int = 10, *, seed: int = 1, names: str = "p") -> Judgments:
    """Everybody compares all pairs; sides are drawn by lot, and the first shown is favoured."""
    rng = np.random.default_rng(seed)
    liking = rng.normal(0, 0.4, (items, 3)) + np.array(list(STRENGTH.values()))
    rows = []
    for p in range(people):
        for i in range(items):
            for a, b in combinations(range(3), 2):
                first, second = (a, b) if rng.random() < 0.5 else (b, a)
                apart = liking[i, first] - liking[i, second] + 0.3 + rng.normal()
                choice = "tie" if abs(apart) < 0.3 else "a" if apart > 0 else "b"
                one, two = (list(STRENGTH)[each] for each in (first, second))
                rows.append(
                    Judgment(
                        f"{names}{p}", f"i{i}", "q", choice, system_a=one, system_b=two, side="a"
                    )
                )
    return Judgments.from_rows(rows)


def of(results, by: str) -> dict[tuple[str, ...], object]:
    return {f.systems: f for f in results.findings if f.by == by and len(f.systems) == 2}


@pytest.fixture(scope="module")
def results():
    return analyse(chosen())


def test_the_model_of_each_pair_is_the_headline_and_the_win_rate_its_check(results):
    for systems, found in of(results, "mixed-model").items():
        assert (found.role, found.population) == ("headline", "items and participants")
        assert (found.n, found.items, found.participants) == (80, 10, 8)
        check = of(results, "cluster-robust")[systems]
        assert check.role == "check"
        assert found.value == pytest.approx(check.value, abs=5)


def test_the_side_shown_first_is_allowed_for():
    """x stood first in nearly all comparisons with y, and the first shown is favoured."""
    rng = np.random.default_rng(3)
    rows = []
    for p in range(10):
        for i in range(20):
            is_first = (p + i) % 8 != 0
            wins = rng.random() < (0.7 if is_first else 0.3)  # nothing but the side decides
            one, two = ("x", "y") if is_first else ("y", "x")
            choice = "a" if wins == is_first else "b"
            where = f"p{p}", f"i{i}", "q"
            rows.append(Judgment(*where, choice, system_a=one, system_b=two, side="a"))
    found = analyse(Judgments.from_rows(rows))
    raw = of(found, "cluster-robust")["x", "y"].value
    assert raw > 60
    assert abs(of(found, "mixed-model")["x", "y"].value - 50) < raw - 50


def test_degrees_of_freedom_that_were_limited_are_named_as_such():
    """Everybody prefers x in 12 of 20 items, so people do not vary: 2 × (6 − 1) at most."""
    rows = [
        Judgment(f"p{person}", f"i{item}", "q", "a" if (item + 3 * person) % 20 < 12 else "b",
                 system_a="x", system_b="y")
        for person in range(6) for item in range(20)
    ]  # fmt: skip
    (finding,) = of(analyse(Judgments.from_rows(rows)), "mixed-model").values()
    assert finding.df == 10
    assert "degrees of freedom, here limited to 10 = 2 × (6 participants − 1)" in finding.method


def test_numbers_are_those_of_the_statistics():
    table = chosen()
    analysis = AnalysisPlan(outline_of_table(table), None, 1)
    rows = _with_participants(next(split(analysis, table)))
    side = np.ones(len(rows.item))
    model = pair_model(rows, (0, 2), side=side)
    expected = model.contrast(0, 2)
    found = of(analyse(table), "mixed-model")["x", "z"]
    assert (found.value, found.standard_error, found.df) == pytest.approx(
        (expected.value, expected.standard_error, expected.df)
    )
    assert found.statistic.value == pytest.approx((expected.value - 50) / expected.standard_error)


def test_few_participants_are_compared_by_item_with_a_sign_flip():
    found = analyse(chosen(people=3))
    assert {f.by for f in found.findings if f.role == "headline"} == {"sign-flip"}
    (left_out,) = [f for f in found.findings if f.id == "q.mixed-model"]
    assert "3 participants cannot show" in left_out.note


def test_without_participants_items_alone_vary():
    table = chosen()
    nobody = np.full(len(table), -1, dtype=np.int32)
    blank = replace(table, participant=Coded(nobody, table.participant.labels))
    found = of(analyse(blank), "mixed-model")["x", "y"]
    assert found.participants is None
    assert found.population == "items"


def ranked(rng: np.random.Generator) -> tuple[Judgments, JudgedSets]:
    """Rankings of three systems as implied comparisons, and as scores 100, 0 and −100."""
    rows, sets = [], []
    for p in range(6):
        for i in range(8):
            order = np.argsort(-(np.array(list(STRENGTH.values())) + rng.normal(0, 1, 3)))
            place = {name: int(np.flatnonzero(order == k)[0]) for k, name in enumerate(STRENGTH)}
            for a, b in combinations(STRENGTH, 2):
                choice = "a" if place[a] < place[b] else "b"
                rows.append(
                    Judgment(f"p{p}", f"i{i}", "q", choice, system_a=a, system_b=b, task=f"t{i}")
                )
            sets += [
                (p * 8 + i, k, 100.0 - 100 * place[name], i, p) for k, name in enumerate(STRENGTH)
            ]
    judgment, system, score, item, person = map(np.array, zip(*sets, strict=True))
    return Judgments.from_rows(rows), JudgedSets(judgment, system, score, item, person, 3)


def test_whole_judgments_are_recovered_from_the_comparisons_they_imply():
    table, expected = ranked(np.random.default_rng(2))
    analysis = AnalysisPlan(outline_of_table(table), None, 1, further=Further())
    made = judged_sets(_with_participants(next(split(analysis, table))), table)
    assert sorted(made.score) == sorted(expected.score)
    one, two = (set_model(sets, adjust="none") for sets in (made, expected))
    for a, b in combinations(range(3), 2):
        first, second = (model.contrast(a, b) for model in (one, two))
        assert (first.value, first.standard_error) == pytest.approx(
            (second.value, second.standard_error)
        )


def test_rankings_are_decided_by_the_model_of_whole_judgments():
    table, expected = ranked(np.random.default_rng(2))
    found = {f.systems: f for f in analyse(table).findings if f.role == "headline"}
    assert {f.by for f in found.values()} == {"joint-mixed-model"}
    contrast = set_model(expected, adjust="none").contrast(0, 1)
    assert found["x", "y"].value == pytest.approx(contrast.value)
    assert found["x", "y"].p == pytest.approx(contrast.p)


@pytest.mark.parametrize("question", [RANKING, BEST_WORST, PAIRWISE])
def test_every_kind_of_comparison_has_both_models(question):
    tests = [{"question": question["id"], "test": t} for t in ("joint-mixed-model", "mixed-model")]

    found = analysed(checked_study(question, analysis={"tests": tests}))
    for test in ("joint-mixed-model", "mixed-model"):
        pairs = of(found, test)
        assert pairs
        assert all(f.is_planned and (f.value is not None or f.note) for f in pairs.values())


def test_a_joint_model_of_scores_is_refused():

    analysis = {"tests": [{"question": RATING["id"], "test": "joint-mixed-model"}]}
    found = analysed(small_study(RATING, analysis=analysis))
    (refused,) = [f for f in found.findings if f.by == "joint-mixed-model"]
    assert refused.value is None
    assert "plan mixed-model" in refused.note


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


def found_in(judged, further=Further(tests=(FurtherTest("plackett-luce"),))):  # noqa: B008
    return by_id(analyse(Judgments.from_rows(judged, systems=SYSTEMS), further=further))


def test_rankings_have_worths_where_they_are_asked_for():
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
    assert f"first of all systems in {100 * expected.first[0].value:.1f} %" in alone.note


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
    assert "ash; beech, cedar, dogwood (the best first)" in finding.note


def test_a_winner_of_every_comparison_is_undefined_with_names():
    rows = [
        Judgment(f"p{n}", f"i{n}", "q", choice, system_a=one, system_b=two)
        for n, (one, two, choice) in enumerate(
            [("x", "y", "a"), ("x", "z", "a"), ("y", "z", "a"), ("y", "z", "b")] * 3
        )
    ]
    finding = by_id(
        analyse(Judgments.from_rows(rows), further=Further(tests=(FurtherTest("bradley-terry"),)))
    )["q.bradley-terry"]
    assert finding.value is None
    assert "no finite estimate: x; y, z (the best first). Rank" in finding.note


def best_and_worst():
    known = {(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)}
    return [
        row
        for (person, item), order in orders().items()
        for row in answer(person, item, order, known=known)
    ]


def test_best_worst_answers_are_no_rankings():
    """The order of the middle is not known; only who asks for the model is told so."""
    assert not any(
        name.startswith("rank.plackett-luce") for name in found_in(best_and_worst(), Further())
    )
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


def test_a_model_of_too_many_rankings_is_left_out_with_the_reason(monkeypatch):
    monkeypatch.setattr("rejudge.analysis.choice_models._MOST_RANKED", 0)
    finding = found_in(rows())["rank.plackett-luce"]
    assert finding.note.startswith("Left out")

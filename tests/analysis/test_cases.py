"""What several people judged, treated in several ways."""

from __future__ import annotations

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, by_id, small_study
from rejudge.analysis import analyse
from rejudge.analysis.cases import treated
from rejudge.errors import DataError
from rejudge.judgments import Judgment, Judgments

WAYS = ("first", "each", "mean", "median", "majority", "participant:p3")


def rated(*rows: tuple[str, str, str, float]):
    return Judgments.from_rows(
        Judgment(person, item, "fluency", float(value), system=system)
        for person, item, system, value in rows
    )


@pytest.mark.parametrize(
    ("multiple", "value"),
    [("first", 1), ("mean", 2.5), ("median", 2), ("majority", 1), ("participant:p3", 5)],
)
def test_four_judgments_of_one_output_become_one(multiple, value):
    """p1 1, p2 1, p3 5, p4 3: mean 10/4, median between 1 and 3, mode 1."""
    table = rated(*((f"p{n}", "i0", "ash", v) for n, v in enumerate((1, 1, 5, 3), start=1)))
    assert treated(table, multiple).value.tolist() == [value]


def test_each_judgment_can_count():
    table = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 5))
    assert treated(table, "each").value.tolist() == [1, 5]


def test_of_equally_frequent_values_the_majority_is_their_mean():
    table = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 4))
    assert treated(table, "majority").value.tolist() == [2.5]


def test_where_one_person_gave_no_judgment_the_first_counts():
    table = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 4), ("p1", "i1", "ash", 2))
    assert sorted(treated(table, "participant:p2").value.tolist()) == [2, 4]


def test_somebody_unknown_is_refused():
    with pytest.raises(DataError, match="nobody is called 'p9'"):
        treated(rated(("p1", "i0", "ash", 1)), "participant:p9")


def test_choices_shown_either_way_round_are_counted_for_the_same_system():
    """ash is preferred twice, beech once: the majority is for ash, the mean 2/3."""
    rows = [("p1", "ash", "beech", "a"), ("p2", "beech", "ash", "b"), ("p3", "ash", "beech", "b")]
    table = Judgments.from_rows(
        Judgment(person, "i0", "meaning", value, system_a=a, system_b=b)
        for person, a, b, value in rows
    )
    assert treated(table, "majority").value.tolist() == [1]
    assert treated(table, "mean").value == pytest.approx(2 / 3)


@pytest.mark.parametrize("question", [RATING, PAIRWISE], ids=lambda q: q["kind"])
def test_a_study_gives_the_same_numbers_for_every_case(question):
    cases = [{"id": way.split(":")[0], "multiple": way} for way in WAYS]
    study = small_study(question, analysis={"cases": cases})
    rng = np.random.default_rng(3)
    rows = [_judged(question, f"p{p}", f"i{i}", rng) for p in range(1, 4) for i in range(8)]
    results = analyse(
        Judgments.from_rows([row for each in rows for row in each], systems=study.system_ids),
        study=study,
    )
    assert [case.id for case in results.cases] == [way.split(":")[0] for way in WAYS]
    ids = [{finding.id for finding in case.findings} for case in results.cases]
    assert all(each == ids[0] for each in ids)
    whole = by_id(results)
    for finding in results.cases[1].findings:  # each
        assert finding.value == whole[finding.id].value


def _judged(question, person, item, rng) -> list[Judgment]:
    if question is RATING:
        return [
            Judgment(person, item, "fluency", float(rng.integers(1, 6)), system=system)
            for system in ("ash", "beech")
        ]
    return [
        Judgment(person, item, "meaning", "ab"[rng.integers(2)], system_a="ash", system_b="beech")
    ]


def test_a_comparison_that_hangs_on_the_choice_is_named():
    """The first person always prefers ash by 2, the other two beech by 3 (with a little noise)."""
    ways = [{"id": "first", "multiple": "first"}, {"id": "majority", "multiple": "majority"}]
    study = small_study(RATING, analysis={"cases": ways})
    rows = []
    for i in range(12):
        scores = {"p1": (4 + i % 2, 2), "p2": (1, 4 + i % 2), "p3": (1, 4 + i % 2)}
        rows += [
            Judgment(person, f"i{i}", "fluency", float(value), system=system)
            for person, pair in scores.items()
            for system, value in zip(("ash", "beech"), pair, strict=True)
        ]
    results = analyse(Judgments.from_rows(rows, systems=study.system_ids), study=study)
    (found,) = [each for each in results.depends if each.choice == "cases"]
    assert found.finding == "fluency.cluster-robust.ash.beech"
    assert found.outcomes["majority"] == "second"
    assert found.outcomes["first"] != "second"

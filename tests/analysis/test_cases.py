"""Several judgments of one output, combined in several ways."""

from __future__ import annotations

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further
from rejudge.analysis.cases import combine_judgments, method_of
from rejudge.analysis.outline import Grouping
from rejudge.errors import DataError, UsageError
from rejudge.judgments.exclusions import ExclusionRules, exclude_rows
from rejudge.judgments.table import Judgment, Judgments

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
    assert combine_judgments(table, multiple).value.tolist() == [value]


def test_each_judgment_can_count():
    table = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 5))
    assert combine_judgments(table, "each").value.tolist() == [1, 5]


def test_of_equally_frequent_values_the_majority_is_their_mean():
    table = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 4))
    assert combine_judgments(table, "majority").value.tolist() == [2.5]


def test_where_one_person_gave_no_judgment_the_first_counts():
    table = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 4), ("p1", "i1", "ash", 2))
    assert sorted(combine_judgments(table, "participant:p2").value.tolist()) == [2, 4]


@pytest.mark.parametrize("way", ["participant:p9", "participant:", "mode", "", "Mean"])
def test_an_unknown_person_or_way_is_refused(way):
    with pytest.raises((DataError, UsageError), match=r"p9|participant ''|not a case"):
        analyse(rated(("p1", "i0", "ash", 1)), further=Further(cases=(way,)))


def test_somebody_who_was_excluded_cannot_be_asked_for():
    rows = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 4))
    cleaned = exclude_rows(rows, ExclusionRules(participants=("p2",)))
    with pytest.raises(DataError, match="no judgment by a participant 'p2' counts"):
        analyse(cleaned, further=Further(cases=("participant:p2",)))


@pytest.mark.parametrize(
    ("choices", "majority"),
    [("aab", "a"), ("ab", "tie"), ("at", "tie"), ("abt", "tie"), ("att", "tie"), ("btb", "b")],
)
def test_the_majority_of_choices_is_a_choice(choices, majority):
    """Where no choice is more frequent than every other, it is a tie: never three quarters."""
    words = {"a": "a", "b": "b", "t": "tie"}
    table = Judgments.from_rows(
        Judgment(f"p{n}", "i0", "meaning", words[each], system_a="ash", system_b="beech")
        for n, each in enumerate(choices)
    )
    (row,) = combine_judgments(table, "majority").take(np.array([0])).value
    assert {1.0: "a", 0.5: "tie", 0.0: "b"}[row] == majority


def test_outputs_that_several_people_judged_can_be_dropped():
    table = rated(("p1", "i0", "ash", 1), ("p2", "i0", "ash", 4), ("p1", "i1", "ash", 2))
    assert combine_judgments(table, "drop").value.tolist() == [2]


def test_a_table_has_cases_like_a_study():
    """Ito et al.'s four: each participant's judgments of the shared items, and their mean."""
    ways = ("participant:p1", "participant:p2", "participant:p3", "mean")
    table = Judgments.from_rows(partly_shared())
    results = analyse(table, level="interval", further=Further(cases=ways))
    planned = of_shared()
    for ours, theirs in zip(results.cases, planned.cases, strict=True):
        assert ours.multiple == theirs.multiple
        assert ours.rows == theirs.rows == 200
        mine = {f.key: f for f in results.select(case=ours.id)}
        for finding in planned.select(case=theirs.id):
            key = finding.key.in_case(ours.id)
            if key in mine:
                assert mine[key].interval == finding.interval
    assert results.signature.options["cases"] == ways


def test_a_table_where_every_output_was_judged_by_several_can_drop_them_all():
    table = rated(*((p, f"i{n}", s, n % 5) for p in ("p1", "p2") for n in range(5) for s in "ab"))
    results = analyse(table, further=Further(cases=("drop",)))
    (case,) = results.cases
    assert case.rows == 0
    assert all(finding.value is None for finding in results.select(case=case.id))


def test_choices_shown_either_way_round_are_counted_for_the_same_system():
    """ash is preferred twice, beech once: the majority is for ash, the mean 2/3."""
    rows = [("p1", "ash", "beech", "a"), ("p2", "beech", "ash", "b"), ("p3", "ash", "beech", "b")]
    table = Judgments.from_rows(
        Judgment(person, "i0", "meaning", value, system_a=a, system_b=b)
        for person, a, b, value in rows
    )
    assert combine_judgments(table, "majority").value.tolist() == [1]
    assert combine_judgments(table, "mean").value == pytest.approx(2 / 3)


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
    keys = [{f.key.in_case("") for f in results.select(case=case.id)} for case in results.cases]
    assert all(each == keys[0] for each in keys)
    whole = {f.key: f for f in results.select()}
    for finding in results.select(case="each"):
        assert finding.value == whole[finding.key.in_case("")].value


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


def partly_shared() -> list[Judgment]:
    """Three people judge 10 items together and 30 more each, as Ito et al. (2023) had it.

    beech is better by a little on nearly every item, by about as much in everybody's eyes, so that
    every way to treat the ten gives nearly the same difference.
    """
    rng = np.random.default_rng(11)
    rows = []
    for place, person in enumerate(("p1", "p2", "p3")):
        for item in (*range(10), *range(10 + 30 * place, 40 + 30 * place)):
            better = 1.0 if rng.random() < (0.2, 0.45, 0.9)[place] else 0.0
            rows += [
                Judgment(person, f"i{item}", "fluency", 3.0, system="ash"),
                Judgment(person, f"i{item}", "fluency", 3.0 + better, system="beech"),
            ]
    return rows


ITO = [{"id": f"case-{n}", "multiple": f"participant:p{n}"} for n in (1, 2, 3)]
ITO += [{"id": "case-4", "multiple": "mean"}]


def of_shared(*tests: str):
    tests = [{"question": "fluency", "test": test} for test in tests or ("cluster-robust",)]
    study = small_study(RATING, inputs=100, analysis={"cases": ITO, "tests": tests})
    return analyse(Judgments.from_rows(partly_shared(), systems=study.system_ids), study=study)


def test_a_change_of_the_method_alone_is_no_change_of_the_conclusion():
    """A mean belongs to nobody. With participants as clusters in three of the cases (2 degrees of
    freedom) and without them in the fourth, the last alone would be significant."""
    results = of_shared()
    found = [
        next(
            f
            for f in results.select("fluency", by="cluster-robust", case=case.id)
            if f.systems == ("ash", "beech")
        )
        for case in results.cases
    ]
    assert max(f.value for f in found) - min(f.value for f in found) < 0.1
    assert results.depends == ()
    assert {f.df for f in found} == {99}
    assert {f.participants for f in found} == {None}
    assert all("cluster-robust by item, t" in f.method for f in found)


def test_in_a_case_a_group_has_the_numbers_of_its_judgments_alone():
    """Of the shared items the second person's judgments count, of the others everybody's own."""
    rows = partly_shared()
    half = {f"i{n}": ("even", "odd")[n % 2] for n in range(100)}
    groupings = [Grouping("half", "items", half)]
    further = Further(cases=("participant:p2",))
    results = analyse(Judgments.from_rows(rows), groupings=groupings, further=further)
    found = {
        (each.key.group_name, each.systems[0]): each.value
        for each in results.select("fluency", "mean", group=None, case="participant:p2")
    }
    shared = {f"i{n}" for n in range(10)}
    kept = [row for row in rows if row.item not in shared or row.participant == "p2"]
    own = {
        name: [row.value for row in kept if half[row.item] == name and row.system == "beech"]
        for name in ("even", "odd")
    }
    assert {name: found[name, "beech"] for name in own} == pytest.approx(
        {name: sum(values) / len(values) for name, values in own.items()}
    )
    assert ("", "beech") in found


def test_cases_that_all_know_their_participants_keep_them_as_clusters():
    ways = [{"id": "first", "multiple": "first"}, {"id": "each", "multiple": "each"}]
    study = small_study(RATING, inputs=100, analysis={"cases": ways})
    judgments = Judgments.from_rows(partly_shared(), systems=study.system_ids)
    results = analyse(judgments, study=study)
    names = {f.participants for case in results.cases for f in results.select(case=case.id)}
    assert names <= {3, 0}
    whole = {f.key: f for f in results.select()}
    for finding in results.select(case="each"):
        assert finding.interval == whole[finding.key.in_case("")].interval


def test_a_test_that_one_case_lacks_is_no_dependence():
    """Mean scores are no points of an ordinal scale, so case 4 has no ordinal model."""
    assert of_shared("cluster-robust", "ordinal-mixed-model").depends == ()


@pytest.mark.parametrize("name", ["mean", "1", "participant:p1", "p1 ", "ann, bob", "山田"])
def test_participants_of_any_name_can_be_asked_for(name):
    table = rated(("p0", "i0", "ash", 1), (name, "i0", "ash", 5))
    assert combine_judgments(table, f"participant:{name}").value.tolist() == [5]


def test_a_model_that_the_analysis_leaves_out_is_left_out_of_its_cases():
    """Three people cannot show how people vary, however their judgments are combined."""
    judgments = Judgments.from_rows(partly_shared())
    results = analyse(judgments, further=Further(cases=("each", "mean")))
    models = {f.by: f.note for f in results.select() if f.by.endswith("mixed-model")}
    assert all(note.startswith("Left out: ") for note in models.values())
    assert len(models) == 1
    of_cases = [f for case in results.cases for f in results.select(case=case.id)]
    assert of_cases
    assert not models.keys() & {f.by for f in of_cases}


@pytest.mark.parametrize(
    ("ways", "is_by_items"), [(("first", "each"), False), (("each", "majority"), True)]
)
def test_the_sentence_on_cases_says_where_participants_are_no_clusters(ways, is_by_items):
    assert ("items as the only clusters" in method_of(ways)) == is_by_items

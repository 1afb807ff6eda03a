"""Do the people of two runs say the same of the same things?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fluency_runs import (
    FIRST,
    FLUENCY,
    ORIGINAL,
    PEOPLE,
    both,
    from_judgments,
    printed,
    ratings,
    score_of,
)
from rejudge.compare.alignment import align
from rejudge.compare.label_agreement import label_agreement
from rejudge.compare.labs import labs_of
from rejudge.compare.run import RunCriterion
from rejudge.findings.model import Finding, Key
from rejudge.findings.words import How
from rejudge.judgments.table import Judgment, Judgments


def between(found, *runs: str):
    return {each.by: each for each in found if each.key.runs == runs}


def rated(name, scores):
    """A run from {item: scores by its people}, of two systems with an item of their own each."""
    rows = [
        Judgment(f"p{person}", item, "fluency", float(score), system=item[0])
        for item, said in scores.items()
        for person, score in enumerate(said)
    ]
    return from_judgments(name, Judgments.from_rows(rows, systems=("a", "b")))


def test_without_the_originals_labels_it_says_why_it_cannot_be_computed():
    """As van Miltenburg et al. (2024), section 3.3, had to."""
    found = label_agreement(align(printed("original", ORIGINAL), [printed("first", FIRST)]))
    (only,) = found
    assert (only.value, only.key.runs) == (None, ("original", "first"))
    assert only.note == "Not computable: there are no labels for original and first."


def test_two_reproductions_agree_less_with_each_other_than_inside(published):
    """Inside: alpha .52 of participants 1 and 2 (published), which the note has beside it."""
    folder, figures = published("august2022_miltenburg2024")
    found = between(label_agreement(both(folder)), "first", "second")
    across = found["cross-kappa"]
    inside = figures["alpha.2 raters"]["value"]
    assert across.n == 300
    assert across.interval.low < across.value < inside
    assert f"alpha {inside:.2f} and" in across.note


def test_of_all_people_together_it_is_the_alpha_of_other_programs(published):
    """evalica's alpha (ordinal) of participants 1, 2, 9 and 10 on 300 definitions."""
    import evalica
    import pandas as pd

    folder, _ = published("august2022_miltenburg2024")
    found = between(label_agreement(both(folder)), "first", "second")["krippendorff-alpha"]
    table = [
        {"who": f"{name}{row.participant}", "item": row.item, "score": row.value}
        for name, people in PEOPLE.items()
        for row in ratings(folder, people).rows()
    ]
    codes = pd.DataFrame(table).pivot_table(index="who", columns="item", values="score")
    assert found.value == pytest.approx(evalica.alpha(codes, distance="ordinal").alpha)


def test_runs_that_say_the_same_agree_completely():
    said = {"a1": (4, 4), "a2": (2, 2), "b1": (1, 1), "b2": (3, 3)}
    found = between(label_agreement(align(rated("one", said), [rated("two", said)])), "one", "two")
    assert found["cross-kappa"].value == pytest.approx(1.0)
    assert found["krippendorff-alpha"].value == pytest.approx(1.0)


def test_people_of_two_labs_with_the_same_name_are_different_people():
    one = {"a1": (4,), "a2": (2,), "b1": (1,), "b2": (3,)}
    two = {"a1": (3,), "a2": (2,), "b1": (1,), "b2": (4,)}
    found = between(label_agreement(align(rated("one", one), [rated("two", two)])), "one", "two")
    assert found["krippendorff-alpha"].n == 4


def test_three_of_four_runs_with_labels_are_compared_with_each_other():
    said = {"a1": (4, 4), "a2": (2, 2), "b1": (1, 1), "b2": (3, 3)}
    three = [rated(name, said) for name in ("one", "two", "three")]
    bare = printed("bare", {"a": (3.0, None), "b": (2.0, None)})
    found = between(label_agreement(align(three[0], [bare, *three[1:]])), "one", "two", "three")
    assert found["krippendorff-alpha"].value == pytest.approx(1.0)
    assert found["krippendorff-alpha"].n == 4


def test_runs_of_other_items_have_nothing_to_agree_on():
    one, two = (
        rated("one", {"a1": (4, 3), "b1": (1, 2)}),
        rated("two", {"a9": (4, 3), "b9": (1, 2)}),
    )
    found = between(label_agreement(align(one, [two])), "one", "two")["cross-kappa"]
    assert found.value is None
    assert "no judged output in common" in found.note


def test_a_scale_of_another_length_is_brought_onto_the_originals_first():
    one = rated("one", {"a1": (4, 3), "a2": (2, 2), "b1": (1, 2)})
    plain = rated("two", {"a1": (4, 4), "a2": (2, 3), "b1": (2, 1)})
    rows = [replace(row, value=2 * (row.value - 1)) for row in plain.judgments.rows()]
    wide = replace(FLUENCY, low=0.0, high=6.0)
    stretched = from_judgments("two", Judgments.from_rows(rows), criterion=wide)
    assert between(label_agreement(align(one, [stretched])), "one", "two") == between(
        label_agreement(align(one, [plain])), "one", "two"
    )


def test_agreement_inside_each_run_stands_beside_it():
    alpha = Finding(
        key=Key("fluency", "agreement", "krippendorff-alpha"),
        by="krippendorff-alpha",
        value=0.63,
        n=None,
        n_of="units",
        how=(How.PRINTED(),),
        half_unit=0.005,
    )
    original = printed("original", ORIGINAL, further=(alpha,))
    found = label_agreement(align(original, [printed("first", FIRST)]))
    (inside,) = [each for each in found if len(each.key.runs) == 1]
    assert (inside.key.runs, inside.value, inside.method) == (("original",), 0.63, "as printed")


MEANING = RunCriterion("meaning", "Meaning", "win-rate", 0.0, 1.0)


def compared(name, choices):
    """A run of comparisons from {item: choices by its people}; `choices` for system a."""
    rows = [
        Judgment(f"{name}{person}", item, "meaning", choice, system_a="a", system_b="b")
        for item, said in choices.items()
        for person, choice in enumerate(said)
    ]
    run = printed(name, {"a": (0.5, None), "b": (0.5, None)}, criterion=MEANING)
    scores = tuple(score_of("meaning", system, 0.5, n=10) for system in "ab")
    return replace(run, findings=scores, judgments=Judgments.from_rows(rows))


def test_choices_agree_by_what_was_chosen_whichever_way_they_are_written():
    one = {f"i{place}": "ab"[place % 2] * 2 for place in range(10)}
    turned = [
        replace(row, system_a="b", system_b="a", value="a" if row.value == "b" else "b")
        for row in compared("two", one).judgments.rows()
    ]
    two = replace(compared("two", one), judgments=Judgments.from_rows(turned))
    found = between(label_agreement(align(compared("one", one), [two])), "one", "two")
    assert found["cross-kappa"].value == pytest.approx(1.0)


def test_chance_agreement_on_choices_does_not_hang_on_a_system_that_mostly_wins():
    """Both labs prefer `a` nine times of ten, at random: kappa of winners would be near 0, though
    the labs agree on 82 of 100 choices, 1 − .18 / .5 = .64 beyond the toss of a coin."""
    rng = np.random.default_rng(1)
    said = [
        {f"i{place:04}": rng.choice(["a", "b"], 1, p=[0.9, 0.1]) for place in range(2000)}
        for _ in range(2)
    ]
    one, two = (compared(n, each) for n, each in zip(("one", "two"), said, strict=True))
    found = between(label_agreement(align(one, [two])), "one", "two")["cross-kappa"]
    assert found.value == pytest.approx(0.64, abs=0.06)


def best_worst(name, rng, *, items=40, people=4):
    """Everybody has a taste of their own, and picks the best and worst of two overlapping tasks."""
    rows = []
    for item in range(items):
        for person in range(people):
            taste = rng.permutation(list("abcdef")).tolist()
            for task in ("abc", "abd"):
                order = sorted(task, key=taste.index)
                best, worst, rest = order[0], order[-1], order[1:-1]
                pairs = [(best, other) for other in (*rest, worst)]
                pairs += [(other, worst) for other in rest]
                rows += [
                    Judgment(f"{name}{person}", f"i{item}", "meaning", "a", None, one, two,
                             task=f"i{item}-{task}")
                    for one, two in pairs
                ]  # fmt: skip
    run = printed(name, dict.fromkeys("abcdef", (0.5, None)), criterion=MEANING)
    scores = tuple(score_of("meaning", system, 0.5, n=10) for system in "abcdef")
    return replace(run, findings=scores, judgments=Judgments.from_rows(rows))


def test_people_without_a_taste_in_common_do_not_agree_though_each_is_consistent():
    """A person's own choices from one set are not set against their choices from another."""
    rng = np.random.default_rng(2)
    one, two = (best_worst(name, rng, items=400, people=1) for name in ("one", "two"))
    found = between(label_agreement(align(one, [two])), "one", "two")
    assert found["krippendorff-alpha"].value == pytest.approx(0, abs=0.06)
    assert found["cross-kappa"].value == pytest.approx(0, abs=0.06)


def test_the_set_of_systems_belongs_to_the_unit_and_the_name_of_a_task_does_not():
    rng = np.random.default_rng(3)
    one, two = best_worst("one", rng, items=1), best_worst("two", rng, items=1)
    rows = [replace(row, task=f"other-{row.task}") for row in two.judgments.rows()]
    named = replace(two, judgments=Judgments.from_rows(rows))
    labs = labs_of(align(one, [named]), MEANING, ("one", "two"))
    pairs = {frozenset("abc"), frozenset("abd")}
    assert len(set(labs.company.tolist())) == len(pairs)
    of_both = (labs.system == 0) & (labs.against == 1)  # a and b stand in both sets
    assert len(set(labs.unit[of_both].tolist())) == 2


def test_nobody_is_paired_with_themselves():
    """Each person says the same twice, and differs from the other: no agreement at all."""
    rows = [
        Judgment(f"{who}{twice}"[:1], f"i{item}", "meaning", choice, system_a="a", system_b="b",
                 batch=f"b{twice}")
        for item in range(10)
        for who, choice in (("p", "a"), ("q", "b"))
        for twice in range(2)
    ]  # fmt: skip
    one = replace(compared("one", {"i0": "ab"}), judgments=Judgments.from_rows(rows))
    labs = labs_of(align(one, [replace(one, id="two", name="two")]), MEANING, ("one", "two"))
    assert len(labs.once_each()) == len(labs) / 2 == 40

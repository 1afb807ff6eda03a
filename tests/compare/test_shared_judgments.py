"""Runs that rest on the same judgments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from compared import select
from fluency_runs import from_judgments, printed
from rejudge.compare.compare import compare
from rejudge.errors import DataError
from rejudge.judgments.table import Judgment, Judgments

PRINTED = printed("original", {"a": (3.0, 0.8), "b": (2.5, 0.8)})
PEOPLE = ("ann", "bob", "cid")


def ratings(rng, people=PEOPLE, items=30):
    """Ratings of two systems: everybody judges ten items alone, and all judge the last ten."""
    return [
        Judgment(who, f"i{item}", "fluency", float(rng.integers(1, 5)), system=system)
        for place, who in enumerate(people)
        for item in [*range(10 * place, 10 * place + 10), *range(items, items + 10)]
        for system in "ab"
    ]


def case(rows, who):
    """One score for each output: of those that all judged, that of one person."""
    kept = [row for row in rows if int(row.item[1:]) < 30 or row.participant == who]
    return from_judgments(f"case-{who}", Judgments.from_rows(kept))


def pooled(comparison):
    """The runs of each summary."""
    found = [each.key.runs for each in select(comparison.findings, "pooled-effect")]
    return [runs for runs in found if len(runs) > 1]


def cases():
    rows = ratings(np.random.default_rng(1))
    return [case(rows, who) for who in PEOPLE]


def test_cases_of_the_same_judgments_are_not_several_labs():
    found = compare(PRINTED, *cases())
    assert pooled(found) == [("original", "case-ann")]
    agreement = select(found.findings, "agreement")
    assert not [each for each in agreement if each.value is not None]
    assert {each.key.runs for each in select(found.findings, "cv-star")} == {
        ("original", f"case-{who}") for who in PEOPLE
    }


def test_it_says_why_cases_of_the_same_judgments_are_not_compared():
    notes = compare(PRINTED, *cases()).notes
    (told,) = [note for note in notes if "case-ann and case-bob" in note]
    assert told == (
        "case-ann and case-bob share 60 judgments (of the same participants, items and systems, "
        "with the same answers). They are not compared with each other, and the first of them is "
        "used where all studies are combined."
    )


def test_a_few_corrected_answers_make_no_other_lab():
    rows = ratings(np.random.default_rng(1))
    changed = [replace(row, value=5 - row.value) if n < 4 else row for n, row in enumerate(rows)]
    runs = [from_judgments(name, Judgments.from_rows(each)) for name, each in
            (("lab", rows), ("copy", changed))]  # fmt: skip
    found = compare(PRINTED, *runs)
    assert pooled(found) == [("original", "lab")]
    assert [note for note in found.notes if "lab and copy share 116 judgments" in note]


def test_people_who_nearly_always_give_one_answer_are_no_copies():
    """Both labs have 2 in all but a few places, so most answers are equal by chance."""
    rows = ratings(np.random.default_rng(1))
    labs = [
        from_judgments(
            name,
            Judgments.from_rows(
                replace(row, value=3.0 if n % 60 == place else 2.0) for n, row in enumerate(rows)
            ),
        )
        for place, name in enumerate(("one", "two"))
    ]
    assert not [note for note in compare(PRINTED, *labs).notes if "share" in note]


def test_labs_whose_participants_have_the_same_names_are_several_labs():
    rng = np.random.default_rng(2)
    labs = [from_judgments(name, Judgments.from_rows(ratings(rng))) for name in ("x", "y", "z")]
    found = compare(*labs)
    assert set(pooled(found)) == {("x", "y", "z")}
    assert not [note for note in found.notes if "share" in note]


def test_a_file_that_holds_the_judgments_of_the_original_does_not_confirm_it():
    first, second, _ = cases()
    with pytest.raises(DataError, match=r"share 60 judgments .* cannot confirm themselves"):
        compare(first, second)


def test_analyses_of_one_file_are_one_study():
    """The same fingerprint of what was collected, as a table and its means have it."""
    first, second, _ = cases()
    two = [replace(run, fingerprint="one-file") for run in (first, replace(second, judgments=None))]
    (note,) = [each for each in compare(PRINTED, *two).notes if "not compared" in each]
    assert note.startswith("case-ann and case-bob have the same judgments.")

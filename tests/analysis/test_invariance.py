"""What must not change a number: which option is called a, and how often the data are laid out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rejudge.analysis.analyse import analyse
from rejudge.judgments.table import Judgment, Judgments

TURNED = {"a": "b", "b": "a", "tie": "tie", None: None}


def comparisons(seed=4):
    """Three systems, 12 items, 6 people; the first of each pair is preferred by two in three."""
    rng = np.random.default_rng(seed)
    return [
        Judgment(
            f"p{person}",
            f"i{item}",
            "meaning",
            str(rng.choice(["a", "b", "tie"], p=[0.6, 0.3, 0.1])),
            system_a=a,
            system_b=b,
            side=str(rng.choice(["a", "b"])),
        )
        for person in range(6)
        for item in range(12)
        for a, b in (("x", "y"), ("x", "z"), ("y", "z"))
    ]


def ratings(seed=4):
    rng = np.random.default_rng(seed)
    return [
        Judgment(f"p{person}", f"i{item}", "fluency", float(rng.integers(1, 6)), system=system)
        for person in range(5)
        for item in range(10)
        for system in ("x", "y")
    ]


def numbers(rows, measures):
    findings = analyse(Judgments.from_rows(rows), seed=1).findings
    return {f.id: (f.value, f.interval) for f in findings if f.measure in measures}


def test_which_option_is_called_a_does_not_matter():
    rows = comparisons()
    turned = [
        replace(
            row,
            system_a=row.system_b,
            system_b=row.system_a,
            value=TURNED[row.value],
            side=TURNED[row.side],
        )
        for row in rows
    ]
    measures = {"win-percent", "best-worst-score", "first-shown-percent", "strength", "agreement"}
    before, after = numbers(rows, measures), numbers(turned, measures)
    assert before.keys() == after.keys()
    assert len(before) > 10
    for name, (value, interval) in before.items():
        assert after[name][0] == pytest.approx(value), name
        assert (interval is None) == (after[name][1] is None)


@pytest.mark.parametrize(
    ("rows", "measures"),
    [(comparisons(), {"win-percent", "best-worst-score"}), (ratings(), {"mean"})],
)
def test_the_same_answers_from_twice_as_many_people_give_the_same_values(rows, measures):
    twins = [replace(row, participant=f"{row.participant}-twin") for row in rows]
    once, twice = numbers(rows, measures), numbers([*rows, *twins], measures)
    assert once.keys() == twice.keys()
    counted = {name: value for name, (value, _) in once.items() if "mixed-model" not in name}
    assert counted
    assert all(twice[name][0] == pytest.approx(value) for name, value in counted.items())


NAMES = {"x": "zebra", "y": "ape", "z": "newt", None: None}


def by_meaning(rows, names):
    """What is found about each system alone, by its first name, however it is called."""
    back = {name: system for system, name in names.items() if name}
    results = analyse(Judgments.from_rows(rows), seed=1)
    return {
        (f.measure, tuple(back.get(name, name) for name in f.systems)): f.value
        for f in results.findings
        if f.measure in {"mean", "win-percent", "best-worst-score"} and len(f.systems) == 1
    }


@pytest.mark.parametrize("rows", [comparisons(), ratings()], ids=["comparisons", "ratings"])
def test_systems_can_be_renamed(rows):
    renamed = [
        replace(
            row,
            system=NAMES[row.system],
            system_a=NAMES[row.system_a],
            system_b=NAMES[row.system_b],
        )
        for row in rows
    ]
    same = {name: name for name in NAMES if name}
    before, after = by_meaning(rows, same), by_meaning(renamed, NAMES)
    assert before.keys() == after.keys()
    assert len(before) >= 2
    assert all(after[key] == pytest.approx(value) for key, value in before.items())


@pytest.mark.parametrize("rows", [comparisons(), ratings()], ids=["comparisons", "ratings"])
def test_the_order_of_rows_of_any_table_does_not_matter(rows):
    order = np.random.default_rng(9).permutation(len(rows))
    usual = analyse(Judgments.from_rows(rows), seed=1).findings
    other = analyse(Judgments.from_rows([rows[place] for place in order]), seed=1).findings
    assert [f.id for f in other] == [f.id for f in usual]
    assert [f.value is None for f in other] == [f.value is None for f in usual]
    values = ([f.value for f in each if f.value is not None] for each in (other, usual))
    assert next(values) == pytest.approx(next(values), rel=1e-5, abs=1e-8)

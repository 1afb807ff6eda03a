"""What must not change a number: which option is called a, and how often the data are laid out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rejudge.analysis import analyse
from rejudge.judgments import Judgment, Judgments

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
    assert all(twice[name][0] == pytest.approx(value) for name, (value, _) in once.items())

"""People who look for copies and unknown words only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, drawn, small_study
from rejudge.judgments import tabulate
from rejudge.simulate import judge_by_surface

CHOICE = {**PAIRWISE, "tie": False}


def surface_study(question=CHOICE):
    """Ash copies its input, with more white space; cedar has lost a word."""
    study = small_study(question)
    items = tuple(
        replace(
            item,
            outputs=(item.input.replace(". ", ".  "), item.outputs[1], "The <unk> goes up."),
        )
        for item in study.items
    )
    return replace(study, items=items)


def judged(study, seed=1):
    plan = drawn(study)
    answers = judge_by_surface(study, plan, rng=np.random.default_rng(seed))
    return tabulate(study, plan, answers, origin="simulated").of_kind("real")


def test_a_copy_always_wins_and_an_unknown_word_always_loses():
    rows = judged(surface_study()).rows()
    outcomes = {(row.system_a, row.system_b): set() for row in rows}
    for row in rows:
        outcomes[row.system_a, row.system_b].add(row.value)
    assert outcomes == {
        ("ash", "beech"): {"a"},
        ("ash", "cedar"): {"a"},
        ("beech", "cedar"): {"a"},
    }


def test_without_copies_and_unknown_words_chance_decides():
    """Of outputs that are neither, each wins about half; 5 standard errors around it."""
    study = small_study(CHOICE, inputs=60)
    wins = judged(study).value
    assert wins.mean() == pytest.approx(0.5, abs=5 * 0.5 / len(wins) ** 0.5)


def test_a_copy_is_rated_highest():
    table = judged(surface_study(RATING))
    by_system = {row.system: set() for row in table.rows()}
    for row in table.rows():
        by_system[row.system].add(row.value)
    assert by_system["ash"] == {5.0}
    assert by_system["cedar"] == {1.0}

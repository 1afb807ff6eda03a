"""The table of judgments: columns of codes and numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from drawn_judgments import TABLES
from property_settings import examples
from rejudge.errors import DataError
from rejudge.judgments.table import Judgment, Judgments


@settings(max_examples=examples(50))
@given(TABLES)
def test_rows_survive_the_columns(rows):
    assert Judgments.from_rows(rows).rows() == tuple(rows)


def test_words_are_kept_once_and_rows_as_numbers():
    rows = [Judgment("p", "i", "q", 1.0, system=name) for name in ("b", "a", "b")]
    system = Judgments.from_rows(rows).system
    assert (system.labels, system.codes.tolist()) == (("a", "b"), [1, 0, 1])


def test_a_preference_is_a_number_for_the_first_system():
    rows = [Judgment("p", "i", "q", c, system_a="x", system_b="y") for c in ("a", "tie", "b")]
    assert Judgments.from_rows(rows).value.tolist() == [1, 0.5, 0]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (Judgment("p", "i", "q", 1.0), "of one `system`"),
        (Judgment("p", "i", "q", 1.0, system="s", system_a="t"), "of one `system`"),
        (Judgment("p", "i", "q", "a", system="s"), "is not a number"),
        (Judgment("p", "i", "q", float("nan"), system="s"), "is not a number"),
        (
            Judgment("p", "i", "q", 3.0, system_a="s", system_b="t"),
            "not an outcome",
        ),
        (Judgment("p", "i", "q", "a", system_a="s", system_b="s"), "compared with itself"),
    ],
)
def test_a_row_that_cannot_be_is_refused_with_its_number(row, said):
    good = Judgment("p", "i", "q", 1.0, system="s")
    with pytest.raises(DataError, match=said) as caught:
        Judgments.from_rows([good, row])
    assert caught.value.problems[0].line == 2

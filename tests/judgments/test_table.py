"""The table of judgments: columns of codes and numbers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import DataError
from rejudge.judgments import (
    Judgment,
    Judgments,
)

NAMES = st.text(min_size=1, max_size=8).filter(lambda name: "\x00" not in name)


MOMENTS = st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1))  # noqa: DTZ001


SHARED = {
    "participant": NAMES,
    "item": NAMES,
    "question": NAMES,
    "dataset": st.none() | NAMES,
    "batch": st.none() | NAMES,
    "task": st.none() | NAMES,
    "position": st.none() | st.integers(1, 99),
    "seconds": st.none() | st.floats(0, 1e6),
    "kind": st.sampled_from(["real", "check", "practice", "repeat", "dropped"]),
    "submitted_at": st.none() | MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC)),
    "origin": st.sampled_from(["people", "simulated"]),
    "plan": st.none() | NAMES,
    "passed": st.none() | st.booleans(),
    "state": st.none() | st.sampled_from(["held", "submitted", "surplus"]),
}


RATINGS = st.builds(
    Judgment,
    value=st.floats(-(2.0**53), 2.0**53).filter(lambda x: x == 0 or abs(x) >= 1e-50),
    system=NAMES,
    segment=st.none() | st.integers(1, 9),
    **SHARED,
)


COMPARISONS = st.builds(
    Judgment,
    value=st.sampled_from(["a", "b", "tie"]),
    system_a=NAMES,
    system_b=NAMES,
    side=st.none() | st.sampled_from(["a", "b"]),
    **SHARED,
).filter(lambda row: row.system_a != row.system_b)


TABLES = st.lists(RATINGS | COMPARISONS, max_size=12)


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

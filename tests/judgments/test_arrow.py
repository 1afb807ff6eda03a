"""Numbers and times as people and spreadsheets write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.judgments.cells import plain_numbers, plain_scores, read_moments


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (["1,5", "2"], ["1.5", "2"]),
        (["1,500", "2,5"], ["1.500", "2.5"]),  # 2,5 shows that commas are decimal
        (["0,250"], ["0.250"]),  # no group of thousands begins with 0
        (["1,500"], ["1,500"]),
        (["1,500", "2.5"], ["1,500", "2.5"]),
        (["1,2,3"], ["1,2,3"]),
    ],
)
def test_a_comma_is_decimal_only_where_it_cannot_be_anything_else(words, read):
    assert plain_numbers(words).words == read


@given(st.lists(st.integers(-999, 999).map(lambda n: f"{n / 100:.2f}"), min_size=1))
def test_two_decimals_behind_a_comma_are_read_as_behind_a_point(numbers):
    found = plain_numbers([number.replace(".", ",") for number in numbers])
    assert [float(word) for word in found.words] == [float(number) for number in numbers]


@given(st.lists(st.text(max_size=12), max_size=6))
def test_no_text_is_ever_read_as_a_number_it_does_not_contain(words):
    for before, after in zip(
        words, plain_scores(words, lambda w: not w.strip()).words, strict=True
    ):
        assert set(after) <= set(before) | {".", "-"}


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (["01.03.2026 09:30"], "2026-03-01T09:30:00+00:00"),
        (["3/14/2026 9:30", "3/1/2026 10:00"], "2026-03-14T09:30:00+00:00"),
        (["14/3/2026"], "2026-03-14T00:00:00+00:00"),
        (["46082.5"], "2026-03-01T12:00:00+00:00"),  # Excel: 46082 is 1 March 2026
        (["2026-03-01T09:30:00+02:00"], "2026-03-01T07:30:00+00:00"),
    ],
)
def test_times_of_spreadsheets_are_read(words, first):
    assert read_moments(words).found[0].isoformat() == first


@pytest.mark.parametrize("words", [["3/4/2026"], ["13/14/2026"], ["31.02.2026"], ["12345678"]])
def test_a_time_that_could_mean_two_days_or_none_is_not_read(words):
    assert read_moments(words).found[0] is None

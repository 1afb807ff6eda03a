"""Scales as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.heds.check import parse_scale


@pytest.mark.parametrize(
    ("text", "kind", "values", "size"),
    [
        ("1, 2, 3, 4, 5", "numbers", ("1", "2", "3", "4", "5"), 5),
        ("1,2,3", "numbers", ("1", "2", "3"), 3),
        ("1: bad, 2: fair, 3: good", "numbers", ("1", "2", "3"), 3),
        ("1 (not, at all); 2 (a bit); 3 (very)", "numbers", ("1", "2", "3"), 3),
        ("1 = bad\n2 = good", "numbers", ("1", "2"), 2),
        ("-1, 0, +1", "numbers", ("-1", "0", "1"), 3),
        ("[0, 100]", "range", ("0", "100"), 101),
        ("[0,1]", "range", ("0", "1"), 2),
        ("0-20", "range", ("0", "20"), 21),
        ("0–100", "range", ("0", "100"), 101),
        ("1 to 5", "range", ("1", "5"), 5),
        ("1 (worst) to 5 (best)", "range", ("1", "5"), 5),
        ("0.5 to 2.5", "range", ("0.5", "2.5"), None),
        ("A better, B better", "labels", ("A better", "B better"), 2),
        ("ja; nein; weiß nicht", "labels", ("ja", "nein", "weiß nicht"), 3),
        ("yes/no", "labels", ("yes", "no"), 2),
    ],
)
def test_a_scale_is_read(text, kind, values, size):
    scale = parse_scale(text)
    assert (scale.kind, scale.values, scale.size) == (kind, values, size)


@pytest.mark.parametrize("text", ["", "Likert", "Not at all - Very", "five points", "7"])
def test_what_is_no_list_and_no_range_is_not_read(text):
    assert parse_scale(text) is None


def test_labels_are_kept():
    assert parse_scale("1 (worst) to 5 (best)").labels == ("worst", "best")
    assert parse_scale("1: bad, 2, 3: good").labels == ("bad", "", "good")
    assert parse_scale("1, 2, 3").labels == ()


@given(st.text(alphabet="0123456789.,;:-–−()[]to /|\n abé漢", max_size=30))
def test_any_text_is_read_or_not_without_failing(text):
    scale = parse_scale(text)
    assert scale is None or scale.size is None or scale.size >= 1

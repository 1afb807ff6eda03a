"""Printed totals and coefficients against the cells of a contingency table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audited import PLACES, audited, codes, errors_of, printed, whole
from property_settings import examples

TABLE = """\
contingency:
  - criterion: quality
    rows: annotator 1
    columns: annotator 2
    labels: [bad, fair, good]
    level: ordinal
    counts: [[9, 2, 1], [3, 8, 2], [0, 4, 11]]
    row_totals: [12, 13, 15]
    column_totals: [12, 14, 14]
    total: 40
    coefficients:
      - {coefficient: percent, value: 70}
      - {coefficient: cohen-kappa, value: 0.549}
      - {coefficient: cohen-kappa-linear, value: 0.63}
      - {coefficient: cohen-kappa-quadratic, value: 0.72}
      - {coefficient: krippendorff-alpha, value: 0.718}
"""


def test_a_table_that_fits_itself_has_no_finding_and_counts_as_checked():
    """Coefficients by scikit-learn 1.9.1 and krippendorff 0.9.0 on the expanded labels."""
    found = audited(TABLE)
    assert found.findings == ()
    assert (found.looked["A415"], found.looked["A510"]) == (7, 5)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("[12, 13, 15]", "[12, 13, 16]", "the total of row 'good' is printed as 16"),
        ("[12, 14, 14]", "[13, 14, 14]", "the total of column 'bad' is printed as 13"),
        ("total: 40", "total: 41", "the total of the table is printed as 41"),
    ],
)
def test_a_wrong_total_is_an_inconsistency(before, after, said):
    (finding,) = audited(TABLE.replace(before, after)).findings
    assert (finding.code, finding.severity) == ("A415", "error")
    assert said in finding.says


def test_a_coefficient_of_other_weights_is_an_inconsistency():
    assert codes(TABLE.replace("linear, value: 0.63", "linear, value: 0.72")) == ["A510"]


def test_a_coefficient_that_the_table_leaves_undefined_is_an_inconsistency():
    text = """\
contingency:
  - criterion: quality
    rows: annotator 1
    columns: annotator 2
    labels: [bad, good]
    level: nominal
    counts: [[0, 0], [0, 30]]
    coefficients: [{coefficient: cohen-kappa, value: 1.00}]
"""
    (finding,) = audited(text).findings
    assert "the table leaves it undefined" in finding.says


@settings(max_examples=examples(100))
@given(st.integers(0, 10**6), st.integers(3, 12), PLACES)
def test_means_with_the_others_have_no_error(seed, people, decimals):
    rng = np.random.default_rng(seed)
    table = np.corrcoef(rng.normal(size=(people, 20)) + rng.normal(size=20))
    means = (table.sum(axis=1) - 1) / (people - 1)
    entry = {
        "kind": "mean-with-others", "what": "people",
        "table": [[printed(cell, decimals) for cell in row] for row in table],
        "lowest": printed(means.min(), 2), "highest": printed(means.max(), 2),
    }  # fmt: skip
    assert errors_of(whole({"arithmetic": [entry]})) == []

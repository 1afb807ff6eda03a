"""Worked examples of reproducibility: correlations, concordance and ranks of published studies.

Printed scores of an original and its reproduction; r and p were recomputed from them with scipy
1.17 (pearsonr), the printed values stand beside. Kendall's W: NAG Library, routine G08DAF, example.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rejudge.stats import cv_star, kendall_w, matching_accuracy, pearson, spearman

STUDIES = {
    # Arvan & Parde (2024) on Hosking et al. (2022): VAE, Latent BoW, Separator, HRQ-VAE
    "0712": ([36, -16, -24, 4], [1000 / 27, -392 / 27, -804 / 27, 196 / 27], 0.993131, 0.006869),
    # van Miltenburg et al. (2024) on August et al. (2022): printed .95 and .208
    "0033": ([3.71, 3.20, 2.33], [3.12, 2.57, 2.28], 0.947226, 0.207746),
    # Steen & Markert (2025) on Hosking & Lapata (2021): printed .994
    "0744-HD": ([0.58, -0.06, -0.12, -0.39], [0.57, -0.03, -0.09, -0.46], 0.9943, None),
    # Arvan & Parde (2025) on the same
    "0744-UIC": ([58, -6, -12, -39], [57, 26 / 18, -242 / 18, -45], 0.991730, 0.008270),
}


@pytest.mark.parametrize(("original", "repeated", "r", "p"), STUDIES.values(), ids=STUDIES)
def test_the_correlation_with_the_original_comes_out(original, repeated, r, p):
    found = pearson(np.array(original, float), np.array(repeated, float))
    assert found.value == pytest.approx(r, abs=5e-5)
    assert p is None or found.p == pytest.approx(p, abs=5e-6)


@pytest.mark.parametrize(("original", "repeated"), [row[:2] for row in STUDIES.values()])
def test_a_perfect_order_of_few_systems_is_not_called_significant(original, repeated):
    """All orders counted: 2 of 3! = 6 are as extreme (p = 1/3), 2 of 4! = 24 (p = 1/12).

    The papers print p = 0.00 or p < 0.05.
    """
    found = spearman(np.array(original, float), np.array(repeated, float))
    assert found.value == pytest.approx(1)
    assert found.p == pytest.approx({3: 1 / 3, 4: 1 / 12}[len(original)])


@pytest.mark.parametrize(("original", "repeated"), [row[:2] for row in STUDIES.values()])
def test_all_pairs_of_systems_keep_their_rank(original, repeated):
    pairs = list(combinations(range(len(original)), 2))
    found = matching_accuracy(np.array(original, float), np.array(repeated, float), pairs)
    assert (found.value, found.n) == (1.0, len(pairs))


def test_concordance_with_ties_is_that_of_the_nag_library():
    """Ten objects ranked by three; W = 0.828 with the correction for ties."""
    ranks = np.array(
        [
            [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
            [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
            [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
        ]
    )
    assert kendall_w(ranks).value == pytest.approx(0.8277, abs=5e-5)


@pytest.mark.parametrize(
    ("study", "minimum", "variant", "mean"),
    [
        ("0712", -100, "cv*", 3.3639),
        ("0033", 1, "unshifted", 13.720),  # as printed, the scale from 1 to 4 left as it is
        ("0033", 1, "cv*", 20.500),
    ],
)
def test_the_mean_spread_over_systems_comes_out(study, minimum, variant, mean):
    """CV* of each system between the original and its reproduction, averaged over systems."""
    original, repeated, _, _ = STUDIES[study]
    found = [
        cv_star([one, two], scale_minimum=minimum, variant=variant).value
        for one, two in zip(original, repeated, strict=True)
    ]
    assert np.mean(found) == pytest.approx(mean, abs=6e-4)


def test_systems_joined_by_row_instead_of_by_name_correlate_less():
    """Arvan & Parde (2025): Latent BoW's score on Separator's row gives r .9747 and rho .8."""
    original, repeated, right, _ = STUDIES["0744-UIC"]
    mistaken = [repeated[0], repeated[2], repeated[1], repeated[3]]
    assert pearson(np.array(original, float), np.array(mistaken)).value == pytest.approx(
        0.9747, abs=5e-5
    )
    assert spearman(np.array(original, float), np.array(mistaken)).value == pytest.approx(0.8)
    assert right > 0.99

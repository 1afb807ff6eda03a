"""Type II: correlations of the systems' scores between runs."""

from __future__ import annotations

import pytest

from compared import select, single
from printed_papers import run
from rejudge.compare.compare import compare
from rejudge.compare.comparison import OF_PAIRS, TOGETHER, Comparison
from rejudge.findings.model import Finding

FOUR_POINTS = {"kind": "rating", "low": 1, "high": 4}


def of(comparison: Comparison, measure: str, *runs: str, criterion: str | None = "q") -> Finding:
    return single(
        comparison.findings,
        measure,
        *runs,
        question=criterion or "",
        method="scores" if criterion else TOGETHER,
    )


ORIGINAL_2022 = {"vae": 36, "latent-bow": -16, "separator": -24, "hrq-vae": 4}
ARVAN_2024 = {
    "hrq-vae": 196 / 27,
    "separator": -804 / 27,
    "latent-bow": -392 / 27,
    "vae": 1000 / 27,
}


def test_scores_are_joined_by_system_and_not_by_row():
    """Arvan & Parde (2024): r .993, rho 1; here the reproduction lists its systems backwards."""
    comparison = compare(run("a", {"q": ORIGINAL_2022}), run("b", {"q": ARVAN_2024}))
    found = of(comparison, "pearson")
    assert (found.value, found.p) == pytest.approx((0.993131, 0.006869), abs=5e-7)
    assert found.n == 4
    assert of(comparison, "spearman").value == 1


def test_two_reproductions_of_one_study_are_correlated_as_published():
    """Steen & Markert (2025) print .994; Arvan & Parde (2025) .991730 with p .008270."""
    original = {"vae": 58, "separator": -6, "lbow": -12, "dips": -39}
    heidelberg = {"vae": 57, "separator": -3, "lbow": -9, "dips": -46}
    chicago = {"vae": 57, "separator": 26 / 18, "lbow": -242 / 18, "dips": -45}
    comparison = compare(
        run("o", {"q": original}), run("h", {"q": heidelberg}), run("c", {"q": chicago})
    )
    assert of(comparison, "pearson", "o", "h").value == pytest.approx(0.9943, abs=5e-5)
    found = of(comparison, "pearson", "o", "c")
    assert (found.value, found.p) == pytest.approx((0.991730, 0.008270), abs=5e-7)
    assert of(comparison, "kendall-w").value == 1


def test_a_perfect_order_of_three_is_one_of_six_either_way():
    """van Miltenburg et al. (2024): r .947226, p .207746; rho 1, of which they print p = 0.00."""
    comparison = compare(
        run("a", {"q": {"svm": 3.71, "gedi": 3.20, "dexpert": 2.33}}, FOUR_POINTS),
        run("b", {"q": {"svm": 3.12, "gedi": 2.57, "dexpert": 2.28}}, FOUR_POINTS),
    )
    found = of(comparison, "pearson")
    assert (found.value, found.p) == pytest.approx((0.947226, 0.207746), abs=5e-7)
    assert of(comparison, "spearman").p == pytest.approx(1 / 3)
    assert of(comparison, "kendall-tau").p == pytest.approx(1 / 3)
    assert "too few values to interpret p" in found.note


def test_the_order_of_several_runs_agrees_as_far_as_kendalls_w_says():
    """The example of NAG's G08DAF: .8277 with the correction for ties."""
    rows = [
        [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
        [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
        [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
    ]
    scale = {"kind": "rating", "low": 1, "high": 10}
    runs = [
        run(f"r{place}", {"q": {f"s{n}": value for n, value in enumerate(row)}}, scale)
        for place, row in enumerate(rows)
    ]
    assert of(compare(*runs), "kendall-w").value == pytest.approx(0.8277, abs=5e-5)


def test_several_criteria_are_averaged_and_pooled_and_each_says_which():
    percent = {"kind": "percent", "low": 0, "high": 100}
    comparison = compare(
        run("a", {"q": {"s": 1, "t": 2, "u": 3}, "r": {"s": 4, "t": 5, "u": 6}}, percent),
        run("b", {"q": {"s": 1, "t": 2, "u": 3}, "r": {"s": 6, "t": 5, "u": 4}}, percent),
    )
    whole = select(comparison.findings, "spearman", question="")
    assert [(each.value, each.method.split(";")[0], each.n) for each in whole] == [
        (0, "mean over 2 criteria", 2),
        (pytest.approx(1 - 6 * 8 / (6 * 35)), "all scores together", 6),  # d = 0 0 0 2 0 2
    ]


def test_criteria_on_different_scales_are_not_pooled():
    criteria = [
        {"id": "q", "scale": {"kind": "rating", "low": 1, "high": 4}},
        {"id": "r", "scale": {"kind": "slider", "low": 0, "high": 100}},
    ]
    scores = {"q": {"s": 1, "t": 2, "u": 3}, "r": {"s": 40, "t": 50, "u": 60}}
    comparison = compare(run("a", scores, criteria=criteria), run("b", scores, criteria=criteria))
    found = of(comparison, "pearson", criterion=None)
    assert found.value is None
    assert "different scales" in found.note


def test_a_run_that_gives_all_systems_one_score_has_no_correlation():
    comparison = compare(
        run("a", {"q": {"s": 1, "t": 2, "u": 3}}, FOUR_POINTS),
        run("b", {"q": {"s": 2, "t": 2, "u": 2}}, FOUR_POINTS),
    )
    assert of(comparison, "pearson").value is None
    assert "are the same" in of(comparison, "pearson").note


def test_the_order_on_a_criterion_is_compared_over_all_runs_that_asked_it():
    """b and c order as a does, so W of the three is 1; d asked something else."""
    scores = {"s": 1, "t": 2, "u": 3}
    comparison = compare(
        run("a", {"q": scores, "r": scores}, FOUR_POINTS),
        run("d", {"r": scores}, FOUR_POINTS),
        run("b", {"q": scores}, FOUR_POINTS),
        run("c", {"q": {**scores, "t": 1.5}}, FOUR_POINTS),
    )
    found = of(comparison, "kendall-w")
    assert (found.value, found.n, found.key.runs) == (1, 3, ("a", "b", "c"))


def test_a_system_that_one_run_lacks_is_left_out_of_the_order_and_named():
    comparison = compare(
        run("a", {"q": {"s": 1, "t": 2, "u": 3}}, FOUR_POINTS),
        run("b", {"q": {"s": 1, "t": 2, "u": 3}}, FOUR_POINTS),
        run("c", {"q": {"s": 1, "t": 2}}, FOUR_POINTS),
    )
    found = of(comparison, "kendall-w")
    assert found.n == 2
    assert "Without u, which not all of these runs scored." in found.note


def test_the_mean_over_pairs_of_runs_is_a_plain_mean_with_fishers_beside_it():
    """Pairs of the published three-way comparison; r and z from scipy.stats and numpy."""
    import numpy as np
    from scipy.stats import pearsonr

    scores = {
        "o": {"vae": 58, "separator": -6, "lbow": -12, "dips": -39},
        "h": {"vae": 57, "separator": -3, "lbow": -9, "dips": -46},
        "c": {"vae": 57, "separator": 26 / 18, "lbow": -242 / 18, "dips": -45},
    }
    comparison = compare(*(run(name, {"q": each}) for name, each in scores.items()))
    found = single(comparison.findings, "pearson", method=OF_PAIRS)
    o, h, c = (list(each.values()) for each in scores.values())
    r = [pearsonr(*pair)[0] for pair in ((o, h), (o, c), (h, c))]
    assert found.value == pytest.approx(np.mean(r))
    assert found.n == 3
    assert f"mean of artanh r): {np.tanh(np.mean(np.arctanh(r))):.3f}." in found.note


def test_two_runs_have_no_mean_over_pairs():
    comparison = compare(run("a", {"q": ORIGINAL_2022}), run("b", {"q": ARVAN_2024}))
    assert not select(comparison.findings, "pearson", method=OF_PAIRS)

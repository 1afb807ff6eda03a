"""Type I: CV* of two and more runs, by system, criterion and study."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compared import select, single
from printed_papers import run
from property_settings import examples
from rejudge.compare.compare import compare
from rejudge.compare.comparison import Comparison
from rejudge.findings.model import Finding
from rejudge.tables.comparison import covers

PUBLISHED = "published interval of the SD"
WITHOUT_UPPER_END = {"kind": "unbounded", "low": 0}
FOUR_POINTS = {"kind": "rating", "low": 1, "high": 4}


def of(
    comparison: Comparison, system: str | None, *runs: str, criterion: str | None = "q"
) -> Finding:
    """The one CV* of these runs; no criterion: of the study."""
    return single(
        comparison.findings,
        "cv-star",
        *(runs or tuple(card.id for card in comparison.runs)),
        question=criterion or "",
        systems=() if system is None else (system,),
    )


def ends(interval) -> tuple[float, float]:
    return interval.low, interval.high


def repeated(values: list[float], scale: dict[str, object]) -> Comparison:
    """One system, measured once by each run."""
    return compare(*(run(f"r{n}", {"q": {"s": value}}, scale) for n, value in enumerate(values)))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([84.51, 84.50, 87.46, 85.60, 84.20, 86.61, 86.20], 1.5616560359),
        ([30.65, 30.65, 29.13, 30.65, 29.96], 2.487),
        ([87.50, 80.75, 89.36, 88.10, 89.64, 88.80], 4.176),
        ([31.11, 30.28, 31.11, 29.12], 3.572),
        ([84.51, 84.50, 85.60, 84.20], 0.838),
        ([87.50, 89.36, 88.10], 1.314),
        ([84.51, 87.46, 86.61], 2.154),
        ([30.65, 29.13, 29.96], 3.110),
        ([87.50, 80.75, 89.64], 6.598),
        ([31.11, 30.28, 29.12], 4.050),
        ([0.428, 0.493, 0.426, 0.574, 0.579, 0.590, 0.574, 0.600], 14.633),
        ([0.726, 0.681, 0.680, 0.680, 0.722, 0.728, 0.680, 0.732], 3.818),
    ],
)
def test_repeated_measurements_spread_as_published(values, expected):
    """Belz, Popović & Mille (2022), tables 4 to 6 and section 4.1: BLEU, SARI and weighted F1."""
    found = of(repeated(values, WITHOUT_UPPER_END), "s")
    assert found.value == pytest.approx(expected, abs=0.0005)
    assert (found.n, found.extra["shift"]) == (len(values), 0)


def test_the_spread_comes_with_its_parts():
    """Belz, Popović & Mille (2022), table 4, BLEU of NTS_def and SARI of NTS-w2v."""
    found = of(repeated([84.51, 84.50, 87.46, 85.60, 84.20, 86.61, 86.20], WITHOUT_UPPER_END), "s")
    assert found.extra["unbiased SD"] == pytest.approx(1.2904233)
    assert ends(found.extra[PUBLISHED]) == pytest.approx((0.4514830, 2.1293636))
    other = of(repeated([31.11, 30.28, 31.11, 29.12], WITHOUT_UPPER_END), "s")
    assert ends(other.extra[PUBLISHED]) == pytest.approx((-0.1051, 2.1495), abs=5e-5)


# Wins and losses of 2,700 comparisons each: 1000/27 is 37.04 as printed.
ORIGINAL_2022 = {"vae": 36, "latent-bow": -16, "separator": -24, "hrq-vae": 4}
ARVAN_2024 = {
    "vae": 1000 / 27,
    "latent-bow": -392 / 27,
    "separator": -804 / 27,
    "hrq-vae": 196 / 27,
}


def test_a_preference_scale_is_moved_to_begin_at_zero():
    """Arvan & Parde (2024), table 1, and its mean over systems."""
    comparison = compare(run("a", {"q": ORIGINAL_2022}), run("b", {"q": ARVAN_2024}))
    values = {system: of(comparison, system).value for system in ORIGINAL_2022}
    expected = {"vae": 0.7574, "latent-bow": 1.7430, "separator": 7.8791, "hrq-vae": 3.0763}
    assert values == pytest.approx(expected, abs=5e-5)
    assert of(comparison, "vae").extra["shift"] == 100
    found = of(comparison, "vae").extra[PUBLISHED]
    assert (found.low, found.high) == pytest.approx((-4.3377, 6.1758), abs=5e-5)
    assert of(comparison, None).value == pytest.approx(3.3639, abs=5e-5)
    assert of(comparison, None).n == 4


ORIGINAL_2021 = {"vae": 58, "separator": -6, "lbow": -12, "dips": -39}
HEIDELBERG = {"vae": 57, "separator": -3, "lbow": -9, "dips": -46}
CHICAGO = {"vae": 57, "separator": 26 / 18, "lbow": -242 / 18, "dips": -45}


def test_three_studies_are_compared_together_and_two_by_two():
    """Hosking & Lapata (2021) with both reproductions of it."""
    comparison = compare(
        run("original", {"q": ORIGINAL_2021}),
        run("heidelberg", {"q": HEIDELBERG}),
        run("chicago", {"q": CHICAGO}),
    )
    together = {system: of(comparison, system).value for system in ORIGINAL_2021}
    assert together == pytest.approx(
        {"vae": 0.4486, "separator": 4.6968, "lbow": 3.1308, "dips": 8.1670}, abs=5e-5
    )
    pair = {system: of(comparison, system, "original", "chicago").value for system in ORIGINAL_2021}
    assert pair == pytest.approx(
        {"vae": 0.6330, "separator": 7.5952, "lbow": 1.6500, "dips": 10.3138}, abs=5e-5
    )
    assert of(comparison, "vae", "heidelberg", "chicago").value == 0


def test_a_preference_between_minus_one_and_one_gives_the_same_spread():
    """Steen & Markert (2025), table 2: DiPS 12.14; CV* does not change with the unit."""
    scale = {"kind": "best-worst", "low": -1, "high": 1}
    comparison = compare(
        run("a", {"q": {"dips": "-0.39", "vae": "0.58"}}, scale),
        run("b", {"q": {"dips": "-46", "vae": "57"}}),
    )
    assert of(comparison, "dips").value == pytest.approx(12.1375, abs=5e-5)
    scores = select(comparison.findings, "best-worst-score", systems=("dips",))
    assert [each.value for each in scores] == [-0.39, -0.46]
    assert "to best-worst (-1 to 1)" in of(comparison, "dips").note


def test_the_rounding_of_printed_scores_bounds_the_spread():
    """VAE of Steen & Markert (2025): 0.58 and 0.57 allow 0 to 1.27, so their 0.49 is possible."""
    scale = {"kind": "best-worst", "low": -1, "high": 1}
    comparison = compare(
        run("a", {"q": {"vae": "0.58"}}, scale), run("b", {"q": {"vae": "0.57"}}, scale)
    )
    between = of(comparison, "vae").extra["by rounding"]
    assert (between.low, between.high) == pytest.approx((0.0, 1.266), abs=5e-4)


def test_each_score_is_rounded_by_its_own_decimals():
    """a = 2.0 ± 0.05 and b = 3 ± 0.5 on a scale from 0: 199.401 · (b − a)/(a + b) at corners."""
    comparison = compare(
        run("a", {"q": {"s": "2.0"}}, WITHOUT_UPPER_END),
        run("b", {"q": {"s": "3"}}, WITHOUT_UPPER_END),
    )
    between = of(comparison, "s").extra["by rounding"]
    assert between.low == pytest.approx(199.401058 * 0.45 / 4.55)
    assert between.high == pytest.approx(199.401058 * 1.55 / 5.45)


AUGUST = {"svm": 3.71, "gedi": 3.20, "dexpert": 2.33}
MILTENBURG = {"svm": 3.12, "gedi": 2.57, "dexpert": 2.28}
SECOND = {"svm": 3.62, "gedi": 3.23, "dexpert": 2.27}


def test_what_was_published_unshifted_is_a_variant_and_never_the_default():
    """van Miltenburg et al. (2024), table 1, and the means over systems with and without shift."""
    comparison = compare(
        run("a", {"q": AUGUST}, FOUR_POINTS), run("b", {"q": MILTENBURG}, FOUR_POINTS)
    )
    found = {system: of(comparison, system) for system in AUGUST}
    assert {system: each.extra["unshifted"] for system, each in found.items()} == pytest.approx(
        {"svm": 17.225, "gedi": 21.772, "dexpert": 2.163}, abs=5e-4
    )
    assert {system: each.value for system, each in found.items()} == pytest.approx(
        {"svm": 24.358, "gedi": 33.322, "dexpert": 3.820}, abs=6e-4
    )
    whole = of(comparison, None)
    assert (whole.value, whole.extra["unshifted"]) == pytest.approx((20.500, 13.720), abs=5e-4)


def test_a_reproduction_of_a_reproduction_makes_three():
    """van Miltenburg et al. (2024), table 3, with the scale moved to begin at 0."""
    comparison = compare(
        run("a", {"q": AUGUST}, FOUR_POINTS),
        run("b", {"q": MILTENBURG}, FOUR_POINTS),
        run("c", {"q": SECOND}, FOUR_POINTS),
    )
    assert {system: of(comparison, system).value for system in AUGUST} == pytest.approx(
        {"svm": 15.646, "gedi": 22.779, "dexpert": 3.038}, abs=5e-4
    )


def test_the_study_is_the_mean_of_its_criteria():
    """From 199.401 · |a − b| / (a + b): 10 and 30 give 99.70, 20 and 20 give 0."""
    percent = {"kind": "percent", "low": 0, "high": 100}
    comparison = compare(
        run("a", {"q": {"s": 10}, "r": {"s": 20}}, percent),
        run("b", {"q": {"s": 30}, "r": {"s": 20}}, percent),
    )
    study = of(comparison, None, criterion=None)
    assert study.value == pytest.approx(199.401058 / 4)
    assert (study.n, study.n_of) == (2, "criteria")
    assert "from 0.00 to 99.70" in study.note


def test_a_scale_without_a_lower_end_has_no_cv_star():
    comparison = repeated([0.2, 0.4], {"kind": "unbounded"})
    assert of(comparison, "s").value is None
    assert "without a lower end" in of(comparison, "s").note


def test_a_score_below_its_declared_scale_is_said_and_not_counted():
    comparison = compare(
        run("a", {"q": {"s": 0.5, "t": 2}}, FOUR_POINTS),
        run("b", {"q": {"s": 2, "t": 2}}, FOUR_POINTS),
    )
    assert of(comparison, "s").value is None
    assert "lies below 1" in of(comparison, "s").note
    assert of(comparison, None).n == 1


def test_different_quantities_are_not_set_side_by_side():
    comparison = compare(
        run("a", {"q": {"s": 2}, "r": {"s": 2}}, FOUR_POINTS),
        run("b", {"r": {"s": 3}}, FOUR_POINTS),
        run("c", {"q": {"s": 10}}, {"kind": "best-worst", "low": -100, "high": 100}),
    )
    found = select(comparison.findings, "cv-star")
    assert [each.question for each in found] == ["r", "r", "r"]
    assert any("different quantities" in note for note in comparison.notes)


def test_a_scale_that_runs_the_other_way_is_turned_round():
    """4 of 1–4 where lower is better is a 1 where higher is."""
    turned = run("b", {"q": {"s": 4}}, FOUR_POINTS, criteria=[
        {"id": "q", "scale": FOUR_POINTS, "better": "lower"}
    ])  # fmt: skip
    comparison = compare(run("a", {"q": {"s": 3}}, FOUR_POINTS), turned)
    scores = select(comparison.findings, "mean")
    assert [each.value for each in scores] == [3, 1]
    assert (
        "converted and reversed from rating (1 to 4) to rating (1 to 4)" in of(comparison, "s").note
    )


def test_systems_that_one_run_lacks_are_dropped_and_named():
    comparison = compare(
        run("a", {"q": {"s": 2, "t": 3}}, FOUR_POINTS),
        run("b", {"q": {"s": 3, "u": 1}}, FOUR_POINTS),
    )
    found = select(comparison.findings, "cv-star")
    assert [each.systems for each in found] == [("s",), (), ()]
    assert comparison.dropped == (
        "b 2024 lacks 1 system of the original (t).",
        "b 2024 has 1 system that the original lacks (u).",
    )


@settings(max_examples=examples(50))
@given(st.floats(1, 100), st.floats(1, 100), st.floats(-50, 50), st.floats(0.1, 10))
def test_neither_the_unit_nor_the_order_of_runs_changes_the_spread(one, two, low, unit):
    plain = compare(
        run("a", {"q": {"s": f"{one:.6f}"}}, {"kind": "percent", "low": 0, "high": 100}),
        run("b", {"q": {"s": f"{two:.6f}"}}, {"kind": "percent", "low": 0, "high": 100}),
    )
    other = {"kind": "percent", "low": low, "high": low + 100 * unit}
    moved = compare(
        run("b", {"q": {"s": f"{low + unit * two:.9f}"}}, other),
        run("a", {"q": {"s": f"{low + unit * one:.9f}"}}, other),
    )
    assert of(moved, "s").value == pytest.approx(of(plain, "s").value, abs=1e-3)


PRINTED_AT_THE_END = (("a", "3.00"), ("b", "1.00"))


def test_rounding_does_not_take_a_score_below_its_scale():
    # Of two scores of which one is 0, CV* is 199.40, whatever the other: Belz et al. (2022).
    runs = (run(name, {"q": {"s": value}}, FOUR_POINTS) for name, value in PRINTED_AT_THE_END)
    between = of(compare(*runs), "s").extra["by rounding"]
    assert between is not None
    assert between.high == pytest.approx(199.401058)
    assert between.low < between.high


# ── not every run has everything ─────────────────────────────────────────────────────────────────

THREE_WAY = {  # the original, Heidelberg and UIC: Hosking & Lapata (2021) and two reproductions
    "a": {"vae": 58, "separator": -6, "lbow": -12, "dips": -39},
    "b": {"vae": 57, "separator": -3, "lbow": -9, "dips": -46},
    "c": {"vae": 57, "separator": 26 / 18, "lbow": -242 / 18, "dips": -45},
}
THREE_WAY_CV = {"vae": 0.4486, "separator": 4.6968, "lbow": 3.1308, "dips": 8.1670}


def test_a_criterion_is_compared_over_all_runs_that_asked_it():
    """A fourth run asked something else; the other three have the published three-way CV*."""
    runs = [
        run("a", {"q": THREE_WAY["a"], "r": {"vae": 50, "lbow": 20}}),
        run("d", {"r": {"vae": 40, "lbow": 20}}),
        run("b", {"q": THREE_WAY["b"]}),
        run("c", {"q": THREE_WAY["c"]}),
    ]
    comparison = compare(*runs)
    for system, expected in THREE_WAY_CV.items():
        assert of(comparison, system, "a", "b", "c").value == pytest.approx(expected, abs=5e-5)
    mean = of(comparison, None, "a", "b", "c")
    assert mean.value == pytest.approx(sum(THREE_WAY_CV.values()) / 4, abs=5e-5)
    assert covers(comparison, mean) == "4 of 4 systems"


def test_the_mean_of_a_study_says_how_many_criteria_it_covers():
    """r is in two runs, where CV* is 199.401 |x − y| / |x + y| on the moved scale; s in one."""
    comparison = compare(
        run("a", {"q": {"vae": 0}, "r": {"vae": 50}, "s": {"vae": 1}}),
        run("d", {"r": {"vae": 40}}),
        run("b", {"q": {"vae": 0}}),
        run("c", {"q": {"vae": 0}}),
    )
    study = of(comparison, None, "a", "d", "b", "c", criterion=None)
    assert study.value == pytest.approx((0 + 199.401058 * 10 / 290) / 2)
    assert covers(comparison, study) == "2 of 3 criteria; q in 3 of 4 runs; r in 2 of 4 runs"
    pair = of(comparison, None, "a", "b", criterion=None)
    assert (pair.value, covers(comparison, pair)) == (0, "1 of 3 criteria")


def test_a_system_that_one_run_lacks_is_compared_over_the_others():
    fewer = {name: score for name, score in THREE_WAY["b"].items() if name != "dips"}
    other = {"vae": 57, "dips": -45}
    scores = {"a": THREE_WAY["a"], "b": fewer, "c": THREE_WAY["c"], "d": other}
    comparison = compare(*(run(name, {"q": each}) for name, each in scores.items()))
    everywhere = of(comparison, "vae", "a", "b", "c", "d")
    assert everywhere.n == 4
    assert of(comparison, "lbow", "a", "b", "c").value == pytest.approx(3.1308, abs=5e-5)
    assert of(comparison, "dips", "a", "c", "d").n == 3
    mean = of(comparison, None, "a", "b", "c", "d")
    assert covers(comparison, mean) == (
        "4 of 4 systems; separator in 3 of 4 runs; lbow in 3 of 4 runs; dips in 3 of 4 runs"
    )


def test_no_spread_is_listed_twice():
    scores = {"a": {"s": 1, "t": 2}, "b": {"s": 2, "t": 1}, "c": {"s": 3}, "d": {"t": 3}}
    comparison = compare(*(run(name, {"q": each}) for name, each in scores.items()))
    places = [each.key for each in select(comparison.findings, "cv-star")]
    assert len(places) == len(set(places))

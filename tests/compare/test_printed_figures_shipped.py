"""Every reproducibility figure of the papers that come with rejudge, recomputed or explained."""

from __future__ import annotations

from functools import cache

import pytest

from compared import select, single
from rejudge.compare.compare import compare
from rejudge.compare.comparison import TOGETHER, Comparison, PrintedCheck
from rejudge.compare.run import run_of_paper
from rejudge.paper.paper_file import open_shipped


@cache
def compared(original: str, *others: str) -> Comparison:
    first = run_of_paper(open_shipped(original))
    return compare(first, *(run_of_paper(open_shipped(other)) for other in others))


def printed(comparison: Comparison, measure: str, system: str | None = None) -> PrintedCheck:
    (found,) = [
        each for each in comparison.printed if (each.measure, each.system) == (measure, system)
    ]
    return found


def unreproduced(comparison: Comparison) -> list[str]:
    return [f"{e.measure} {e.system}" for e in comparison.printed if e.is_reproduced is not True]


def test_steen_and_markert_2025_is_reproduced_but_for_one_p():
    """Table 2 and section 5.4; rho = 1 of four systems is two of 24 orders: p = .083."""
    comparison = compared("hosking-2021", "steen-2025")
    assert unreproduced(comparison) == ["spearman p None"]
    assert "Within the rounding" in printed(comparison, "cv-star", "vae").because
    assert printed(comparison, "cv-star", "dips").because == ""
    assert printed(comparison, "spearman p").computed == pytest.approx(1 / 12)


def test_arvan_and_parde_2024_is_reproduced_but_for_one_p():
    """Table 1 and section 5.2."""
    comparison = compared("hosking-2022", "arvan-2024")
    assert unreproduced(comparison) == ["spearman p None"]
    assert "t approximation" in printed(comparison, "spearman p").because
    claims = single(comparison.findings, "confirmed-share", method="claims", question="")
    assert (claims.extra["confirmed"], claims.n, claims.extra["left out"]) == (2, 2, 3)


def test_ito_2023_is_reproduced_in_all_four_cases():
    """Table 2: r, matching accuracy of 16 pairs, and F1 of significance."""
    comparison = compared("lin-2022", "ito-2023")
    assert unreproduced(comparison) == []
    assert len(comparison.printed) == 12
    matched = select(comparison.findings, "matching-accuracy")
    assert [(each.extra["matched"], each.n) for each in matched] == [
        (12, 16), (11, 16), (9, 16), (10, 16),
    ]  # fmt: skip
    assert [tuple(e.extra.values()) for e in select(comparison.findings, "significance-f1")] == [
        (1, 4, 4), (1, 3, 4), (1, 4, 4), (1, 4, 4),
    ]  # fmt: skip
    pooled = [e.value for e in select(comparison.findings, "pearson", method=TOGETHER)]
    assert pooled == pytest.approx([0.904, 0.889, 0.897, 0.894], abs=5e-4)


def test_cases_of_one_study_are_never_compared_with_each_other():
    comparison = compared("lin-2022", "ito-2023")
    assert {each.key.runs for each in select(comparison.findings, "cv-star")} == {
        ("lin-2022", "ito-2023")
    }
    assert any("has 4 analyses" in note for note in comparison.notes)


def test_van_miltenburg_et_al_2024_printed_an_unshifted_cv_star():
    """Table 1: the scale 1–4 was not moved to begin at 0, which understates the spread."""
    comparison = compared("august-2022", "miltenburg-2024")
    assert unreproduced(comparison) == [
        "cv-star svm", "cv-star gedi", "cv-star dexpert", "spearman p None",
    ]  # fmt: skip
    found = printed(comparison, "cv-star", "svm")
    assert found.because == (
        "It is unshifted (17.225): the scores were not shifted to start at 0. CV* is 24.357. "
        "That explains all 3 CV* of Table 1."
    )
    assert printed(comparison, "spearman p").computed == pytest.approx(1 / 3)


def test_three_studies_are_assessed_together():
    """Hosking & Lapata (2021), Steen & Markert (2025), Arvan & Parde (2025)."""
    comparison = compared("hosking-2021", "steen-2025", "arvan-2025")
    every = ("hosking-2021", "steen-2025", "arvan-2025")
    together = {
        each.systems[0]: each.value
        for each in select(comparison.findings, "cv-star", *every)
        if each.systems
    }
    assert together == pytest.approx(
        {"vae": 0.4486, "separator": 4.6968, "lbow": 3.1308, "dips": 8.1670}, abs=5e-5
    )
    shares = [
        e for e in select(comparison.findings, "confirmed-everywhere", *every) if not e.key.question
    ]
    assert [(e.by, e.extra["confirmed"], e.n) for e in shares] == [
        ("pairwise-ranks", 6, 6), ("claims", 1, 2), ("significance", 4, 5),
    ]  # fmt: skip


def test_every_comparison_shows_its_conditions_and_what_differs():
    comparison = compared("hosking-2021", "steen-2025", "arvan-2025")
    platform = next(each for each in comparison.conditions if each.property == "platform")
    assert platform.values["hosking-2021"] == "Amazon Mechanical Turk"
    assert platform.values["steen-2025"] == "Prolific"
    found = next(
        e for e in comparison.deviations if (e.run, e.property) == ("steen-2025", "platform")
    )
    assert found.reason
    assert all(each.known_in_both > 20 for each in comparison.similarities)

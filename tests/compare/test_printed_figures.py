"""A printed reproducibility figure beside ours: the same, explained by rounding, or named wrong."""

from __future__ import annotations

from printed_papers import run
from rejudge.compare.compare import compare
from rejudge.compare.comparison import PrintedCheck

FOUR_POINTS = {"kind": "rating", "low": 1, "high": 4}
ORIGINAL = {"q": {"s": "3.71", "t": "3.20", "u": "2.33"}}
HERE = {"q": {"s": "3.12", "t": "2.57", "u": "2.28"}}


def checks(*figures: dict[str, object], **parts: object) -> tuple[PrintedCheck, ...]:
    original = run("a", ORIGINAL, FOUR_POINTS)
    here = run("b", HERE, FOUR_POINTS, reproduces="a", reproducibility=figures, **parts)
    return compare(original, here).printed


def check(measure: str, value: str, **more: object) -> PrintedCheck:
    return checks({"measure": measure, "value": value, **more})[0]


def test_a_figure_within_its_own_rounding_is_reproduced_without_a_word():
    found = check("cv-star", "24.36", system="s")
    assert (found.is_reproduced, found.because) == (True, "")


def test_a_figure_within_the_rounding_of_the_scores_is_reproduced():
    found = check("cv-star", "24.5", system="s")
    assert found.is_reproduced
    # 2.71 and 2.12 above the scale's end: 199.401 · (0.59 ∓ 0.01) / 4.83
    assert found.because == "Within the rounding of the scores: 23.94 to 24.77."


def test_a_figure_of_another_definition_is_not_reproduced_and_the_definition_named():
    """199.401 · 0.59 / 6.83 unshifted; shifted without c4: 24.357 · 0.797885 = 19.43."""
    found = check("cv-star", "17.225", system="s")
    assert found.is_reproduced is False
    assert "unshifted (17.225)" in found.because
    assert "without-c4 (19.43" in check("cv-star", "19.434", system="s").because


def test_a_definition_that_the_paper_declares_is_followed():
    found = check("cv-star", "17.225", system="s", variant="unshifted")
    assert found.is_reproduced
    assert "CV* is 24.357" in found.because


def test_a_figure_that_nothing_gives_is_said_to_be_so():
    found = check("cv-star", "31.00", system="s")
    assert found.is_reproduced is False
    assert "No known definition" in found.because


def test_a_mean_over_systems_is_checked_too():
    """van Miltenburg et al. (2024): 20.500 over three systems, 13.720 unshifted."""
    assert check("cv-star", "20.50").is_reproduced
    assert "unshifted (13.720)" in check("cv-star", "13.720").because


def test_the_definition_that_explains_the_whole_table_is_named_first():
    """3.1 and 2.9 on 1 to 4: s = 0.14142, c4 = 0.79788, factor 1.125.

    CV* is 100 · 1.125 · 0.14142 / 0.79788 / 2 = 9.970, unshifted / 3 = 6.647, without c4 7.955,
    plain 7.071, the usual coefficient of variation 100 · 0.14142 / 3 = 4.714. One decimal lets the
    two lie 0.1 to 0.3 apart, so each may be from half to one and a half times as large: 4.5 is too
    small for CV* (4.9 and more), and all others reach it. 17.225 of 3.71 and 3.12 is unshifted.
    """
    original = run("a", {"q": {"r": "3.1", "s": "3.71"}}, FOUR_POINTS)
    figures = [
        {"measure": "cv-star", "system": "r", "value": "4.5", "place": "Table 2"},
        {"measure": "cv-star", "system": "s", "value": "17.225", "place": "Table 2"},
    ]

    def first_of(*table: dict[str, str]) -> str:
        scores = {"q": {"r": "2.9", "s": "3.12"}}
        here = run("b", scores, FOUR_POINTS, reproduces="a", reproducibility=table)
        return compare(original, here).printed[0].because

    assert first_of(figures[0]).startswith("It is unshifted-plain (4.714)")
    beside = first_of(*figures)
    assert beside.startswith("It is unshifted (6.647)")
    assert "That explains all 2 CV* of Table 2." in beside
    assert "could also be plain (7.071) or unshifted-plain (4.714)" in beside


def test_a_mean_of_another_definition_may_be_explained_by_rounding():
    """The mean over systems of unshifted CV*, 13.720, with half a unit to either side of scores.

    Each |difference| may be 0.01 off: 199.401 · 0.01 · (1/6.83 + 1/5.77 + 1/4.61) / 3 = 0.357, so
    13.4 to 14.1 can be printed.
    """
    found = check("cv-star", "13.9")
    assert "It is unshifted (13.720)" in found.because
    assert "No known definition" in check("cv-star", "12.0").because


def test_kendalls_w_is_checked_by_both_definitions():
    """Ranks (3, 2, 1) and (2.5, 2.5, 1): sums 5.5, 4.5, 2 around 4, S = 2.25 + 0.25 + 4 = 6.5.

    12 S / (m² (k³ − k)) = 78 / 96 = 0.8125; with the tie, 78 / (96 − 2 · 6) = 0.9286.
    """
    original = run("a", ORIGINAL, FOUR_POINTS)
    tied = {"q": {"s": "3.12", "t": "3.12", "u": "2.28"}}

    def found(value: str, **more: str) -> PrintedCheck:
        figure = {"measure": "kendall-w", "value": value, **more}
        here = run("b", tied, FOUR_POINTS, reproduces="a", reproducibility=[figure])
        return compare(original, here).printed[0]

    assert found("0.93").is_reproduced
    assert found("0.81").is_reproduced is False
    assert "without correction for ties (0.812)" in found("0.81").because
    assert found("0.81", variant="without correction for ties").is_reproduced
    assert found("0.50").because == "The 2 runs give W = 0.929 for 3 scores."


def test_a_correlation_and_its_p_are_two_figures():
    first, second = checks({"measure": "pearson", "value": "0.95", "p": "0.208"})
    assert (first.measure, second.measure) == ("pearson", "pearson p")
    assert first.is_reproduced
    assert second.is_reproduced


def test_a_correlation_may_be_explained_by_rounded_scores():
    found = check("pearson", "0.9478")
    assert found.is_reproduced
    assert "Within the rounding" in found.because
    assert check("pearson", "0.80").is_reproduced is False


def test_a_p_that_only_an_approximation_gives_is_not_reproduced():
    _, found = checks({"measure": "spearman", "value": "1.00", "p": "0.00"})
    assert found.is_reproduced is False
    assert found.because == (
        "Counted over all orders, p is 0.333. The t approximation, which fails for so few values, "
        "gives 0.000."
    )


def test_counts_are_figures_too():
    assert check("pairwise-ranks", "1").is_reproduced
    assert check("matching-accuracy", "1.00").is_reproduced
    assert check("matching-accuracy", "0.67").because == "The recomputed value is 1.000."
    assert check("significance-f1", "0.5").is_reproduced is None


def test_a_figure_among_papers_that_are_not_here_cannot_be_told():
    found = check("cv-star", "15.646", system="s", among=["a", "c"])
    assert found.is_reproduced is None
    assert "c, which is not in this comparison" in found.because


def test_a_figure_among_three_is_recomputed_from_three():
    """van Miltenburg et al. (2024): their scores of three studies, shifted: 15.646."""
    figure = {"measure": "cv-star", "value": "15.646", "system": "s", "among": ["a", "c"]}
    comparison = compare(
        run("a", ORIGINAL, FOUR_POINTS),
        run("b", HERE, FOUR_POINTS, reproduces="a", reproducibility=[figure]),
        run("c", {"q": {"s": "3.62", "t": "3.23", "u": "2.27"}}, FOUR_POINTS),
    )
    assert comparison.printed[0].is_reproduced


def test_a_system_without_scores_cannot_be_checked():
    assert check("cv-star", "1.0", system="v").is_reproduced is None


def test_a_figure_that_could_be_cv_star_belongs_to_its_unshifted_table():
    """2.4 and 2.3 on 1 to 4: CV* 100 · 1.125 · 0.0707 / 0.79788 / 1.35 = 7.385, unshifted 4.243.

    One decimal lets both reach 4.3; beside 17.225, which only unshifted scores give, it is
    unshifted, too. Alone it could be CV*.
    """
    original = run("a", {"q": {"r": "2.4", "s": "3.71"}}, FOUR_POINTS)
    close = {"measure": "cv-star", "system": "r", "value": "4.3", "place": "Table 2"}
    beside = {"measure": "cv-star", "system": "s", "value": "17.225", "place": "Table 2"}

    def first_of(*table: dict[str, str]) -> PrintedCheck:
        scores = {"q": {"r": "2.3", "s": "3.12"}}
        here = run("b", scores, FOUR_POINTS, reproduces="a", reproducibility=table)
        return compare(original, here).printed[0]

    assert first_of(close).is_reproduced
    found = first_of(close, beside)
    assert found.is_reproduced is False
    assert "It is unshifted (4.243)" in found.because
    assert "That explains all 2 CV* of Table 2." in found.because


def test_an_empty_cell_among_printed_figures_is_no_figure():
    empty = {"measure": "cv-star", "system": "s", "value": "–"}
    assert checks(empty) == ()

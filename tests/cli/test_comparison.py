"""What `rejudge compare` prints for people: sections within 80 columns, with true minus signs."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.console import Console

import rejudge as rj
from rejudge.cli.comparison import render_comparison
from rejudge.compare.compare import compare
from rejudge.compare.comparison import Comparison
from rejudge.layout.numbers import decimals_of, minus_signs, number

FAMILIES = (
    ("hosking-2021", "steen-2025"),
    ("hosking-2021", "steen-2025", "arvan-2025"),
    ("lin-2022", "ito-2023"),
    ("august-2022", "miltenburg-2024", "miltenburg-2024-second"),
    ("hosking-2022", "arvan-2024"),
)


def compared(*names: str) -> Comparison:
    return compare(*(rj.run_of_paper(rj.open_paper(name)) for name in names))


def printed(comparison: Comparison) -> str:
    console = Console(width=80, highlight=False)
    with console.capture() as caught:
        for piece in render_comparison(comparison, []):
            console.print(piece)
    return "\n".join(line.rstrip() for line in caught.get().splitlines())


@pytest.fixture(scope="module", params=FAMILIES, ids=" ".join)
def text(request):
    return printed(compared(*request.param))


@pytest.fixture(scope="module")
def three():
    return printed(compared("hosking-2021", "steen-2025", "arvan-2025"))


def test_no_line_is_wider_than_eighty_columns(text):
    assert max(map(len, text.splitlines())) <= 80


def test_no_cell_is_cut_but_figures_with_more_decimals_than_anybody_prints(text):
    assert not re.findall(r"(?:^|\s)(?!\d+\.\d{4,}…)\S*…", text)


def test_negative_numbers_have_a_true_minus(text):
    assert not re.search(r"(?<![\w–])-\d", text)


def test_the_types_stand_in_their_order(text):
    places = [text.index(f"\nType {number}, ") for number in ("I", "II", "III", "IV")]
    assert places == sorted(places)


def test_numbers_of_a_table_are_not_broken_over_lines(text):
    """A line that holds nothing but a number is what is left of a broken cell."""
    assert not re.search(r"^ +[<(]?−?\d+(\.\d+)?\)?$", text, re.MULTILINE)


def test_two_runs_are_named_by_their_ids():
    text = printed(compared("hosking-2021", "steen-2025"))
    assert "\n           hosking-2021  steen-2025    CV*     by rounding\n" in text
    assert "\nDiPS              −0.39       −0.46  12.14  10.40 to 13.87\n" in text


def test_scores_that_were_not_rounded_have_no_column_for_it():
    comparison = compared("hosking-2021", "steen-2025")
    exact = [replace(e, extra={}) if e.measure == "cv-star" else e for e in comparison.findings]
    text = printed(replace(comparison, findings=tuple(exact), printed=()))
    assert "by rounding" not in text


def test_several_runs_are_named_by_letters_that_are_told_first(three):
    assert three.startswith(
        "A  Original: Hosking and Lapata 2021 (hosking-2021)\n"
        "B  Compared with: Steen and Markert 2025 (steen-2025)\n"
        "C  Compared with: Arvan and Parde 2025 (arvan-2025)\n"
    )
    assert re.search(r"\n +A +B +C +CV\* +by rounding\n", three)
    assert "\nMean CV* A–B: 4.81" in three


def test_a_claim_has_its_line_and_each_run_its_verdict_with_the_numbers(three):
    assert (
        "\nThe VAE baseline preserves the meaning of questions best.\n"
        "  B  supported                      VAE 0.57, Separator −0.03, LBoW −0.09, DiPS"
    ) in three
    assert "  B  same direction, not supported  Separator −0.03, LBoW −0.09" in three


def test_a_deviation_has_one_line_and_its_reason_the_next():
    text = printed(compared("hosking-2021", "steen-2025"))
    assert (
        "\nPlatform: Amazon Mechanical Turk → Prolific\n"
        "  A rule of the project. Impact: unknown. The authors think that it may matter.\n"
    ) in text


def test_a_deviation_of_several_runs_is_told_once():
    text = printed(compared("lin-2022", "ito-2023"))
    assert text.count("Pay per hour") == 1
    assert "\nPay per hour: 0 → 10\n" in text


def test_a_figure_that_is_not_reproduced_has_its_reason_below_the_table():
    text = printed(compared("august-2022", "miltenburg-2024"))
    assert re.search(r"\nCV\* +SVM +17\.225 +24\.357 +no\n", text)
    assert "\nCV*, SVM:\n  It is unshifted (17.225): the scores were not shifted" in text


def test_notes_come_last(three):
    assert three.index("\nNotes\n") > three.index("\nWhat was done differently\n")
    assert "from best-worst (−100 to 100) to best-worst (−1 to 1)." in " ".join(three.split())


def test_many_runs_have_their_pairs_below_the_scores():
    """Five runs have ten pairs, which with the scores would not fit beside each other."""
    runs = [rj.run_of_paper(rj.open_paper(name)) for name in FAMILIES[0]]
    again = [replace(runs[1], id=f"lab-{n}", fingerprint=f"{n}") for n in range(3)]
    text = printed(compare(*runs, *again))
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"\n +A +B +C +D +E +CV\* ", text)
    assert "\nMean CV* A–B: 4.81 " in text


def test_r_a_and_f1_are_printed_for_each_case():
    """Ito et al. (2023), Table 2; ratings of four criteria in two roles."""
    text = printed(compared("lin-2022", "ito-2023"))
    assert re.search(r"\ncase-1 +0\.904 +0\.916 +12 +16 +0\.75 +0\.25\n", text)
    assert re.search(r"\ncase-4 +0\.894 +0\.907 +10 +16 +0\.63 +0\.25\n", text)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("from -100 to -1", "from −100 to −1"),
        ("pgn-2 and case-1, 2024-05-03", "pgn-2 and case-1, 2024-05-03"),
        ("vae -0.5; (-3)", "vae −0.5; (−3)"),
    ],
)
def test_only_the_hyphen_before_a_number_becomes_a_minus(written, meant):
    assert minus_signs(written) == meant


def test_nothing_is_less_than_zero_by_rounding():
    assert number(-0.001, 2) == "0.00"
    assert number(-0.01, 2) == "−0.01"
    assert number(None) == "–"


@pytest.mark.parametrize(
    ("values", "decimals"), [([0.5, 0.25], 2), ([3, 4.0], 0), ([0.014444], 3), ([36, 37.041], 2)]
)
def test_scores_have_the_decimals_they_need(values, decimals):
    assert decimals_of(values) == decimals


def test_runs_of_one_title_have_their_id_once():
    original, other = (rj.run_of_paper(rj.open_paper(name)) for name in FAMILIES[0])
    text = printed(compare(original, replace(other, name=original.name)))
    assert "Original: Hosking and Lapata 2021 (hosking-2021)\n" in text
    assert "Compared with: Hosking and Lapata 2021 (steen-2025)\n" in text


def test_a_reason_ends_before_its_impact_is_told():
    comparison = compared("hosking-2021", "steen-2025")
    found = replace(comparison.deviations[0], reason="less money", note="")
    text = printed(replace(comparison, deviations=(found,)))
    assert "less money. Impact: " in text


def test_a_condition_that_is_the_same_is_not_told_as_a_change():
    comparison = compared("hosking-2021", "steen-2025")
    found = replace(comparison.deviations[0], title="Platform", original="link", here="link")
    text = printed(replace(comparison, deviations=(found,)))
    assert "link → link" not in text


def test_pairs_without_labels_are_told_with_the_reason(three):
    assert "\nA–B: Not computable: there are no labels for hosking-2021 and steen-2025." in three

"""What an audit finds in the papers that come with rejudge: each finding is one known slip.

The slips were established by hand from the papers, their tables and published data.
"""

from __future__ import annotations

import csv
from collections import Counter

import pytest

from rejudge.audit.rules import audit, compared_with
from rejudge.paper.paper_file import open_shipped, shipped_ids

FOUND = {
    # η² for f and n for N (power, needed n), ρ of 4 with p 0.00, zero-sum ANOVA, observed power,
    # 181 for 180, and three CV* that rest on an original printed in whole numbers
    "arvan-2024": {"A306": 2, "A501": 1, "A304": 1, "A308": 1, "A409": 1, "A507": 3},
    # rows of the table of correlations exchanged, p 0.0, zero-sum ANOVA, 102/98, rounded original
    "arvan-2025": {"A406": 2, "A501": 1, "A304": 1, "A410": 1, "A507": 2},
    "august-2022": {"A303": 1},
    "hosking-2021": {"A304": 1},
    "hosking-2022": {"A410": 1},  # 100, 102 and 98
    "ito-2023": {"A301": 4, "A509": 4},  # in each of the four cases
    "lin-2022": {"A301": 1},
    # .23 for .63 and .34 for .66, lost days, ρ of 3 with p 0.00, CV* on 1–4 three times, ÷ 10 for
    # ÷ 9 twice, Holm that is Bonferroni, pooled t, no item, 2.28 and 2.27, days, rounded CV*
    "miltenburg-2024": {
        "A402": 2, "A411": 1, "A501": 1, "A504": 3, "A508": 2, "A302": 1, "A303": 1, "A305": 1,
        "A407": 1, "A413": 1, "A507": 1,
    },
    "miltenburg-2024-second": {"A302": 1, "A303": 1},
    # ρ of 4 with p < 0.05, 1/(4n), zero-sum ANOVA, percent alone, 121 for 120
    "steen-2025": {"A501": 1, "A506": 1, "A304": 1, "A309": 1, "A409": 1},
}  # fmt: skip


def audited(name):
    paper = open_shipped(name)
    return audit(paper, *(open_shipped(each) for each in compared_with(paper)))


@pytest.mark.parametrize("name", shipped_ids())
def test_exactly_the_known_slips_are_found(name):
    found = audited(name)
    assert Counter(finding.code for finding in found.findings) == FOUND[name]
    assert not found.missing


def told(name, code):
    return [f"{f.says} {f.arithmetic}" for f in audited(name).findings if f.code == code]


def test_the_power_of_0_67_is_that_of_eta_squared_taken_for_f_and_one_group_for_all():
    """statsmodels' FTestAnovaPower, k = 4: f = .167 and N = 300 give 0.6695, and 0.8 needs 394.9;
    f = .448 and N = 1200 give 1.000, and 0.8 needs 14.6 per system."""
    power, needed = told("arvan-2024", "A306")
    assert "taken for Cohen's f and 300, the size of one group, for the total" in power
    assert "give a power of 1." in power
    assert "14 to 15 per group" in needed


def test_the_exact_p_of_a_perfect_order_is_reported():
    """2/3! and 2/4!"""
    assert "p is 0.3333" in told("miltenburg-2024", "A501")[0]
    assert "p is 0.08333" in told("arvan-2024", "A501")[0]


def test_the_differences_that_the_table_should_have_shown():
    first, second = told("miltenburg-2024", "A402")
    assert "0.62 to 0.64" in first  # 3.20 − 2.57 = .63
    assert "0.65 to 0.67" in second  # 3.23 − 2.57 = .66


def test_cv_star_is_reported_with_the_scale_moved_to_0():
    """199.401058 · |a − b| / |a + b| of 2.71 and 2.12, 2.20 and 1.57, 1.33 and 1.28."""
    values = [text.split("CV* = ")[1].split(" ")[0] for text in told("miltenburg-2024", "A504")]
    assert values == ["24.36", "33.32", "3.82"]


def test_the_printed_formula_would_make_cv_star_nine_times_smaller():
    """12.1375 · (1/8) / (9/8) = 1.3486."""
    assert "gives 1.349, 1 + 1/(4n) gives 12.14; 12.14 is printed" in told("steen-2025", "A506")[0]


def test_the_means_with_nine_others_are_reported():
    """Row 2 of the table sums to 4.64 and row 9 to 6.48: 0.516 and 0.720."""
    low, high = told("miltenburg-2024", "A508")
    assert "0.5056 to 0.5256. It fits a sum divided by 10, not 9." in low
    assert "0.715 to 0.725. It fits a sum divided by 10, not 9." in high


def test_numbers_that_rounding_explains_are_no_finding():
    """0.49 for VAE follows from 0.58 and 0.57 only before rounding; r = 0.90 in case 4 of Ito et
    al. 2023 is 0.894 of the rounded scores."""
    assert told("steen-2025", "A505") == told("ito-2023", "A503") == []


def test_what_the_shipped_papers_say_of_published_data_is_so(published):
    folder, _ = published("august2022_miltenburg2024")
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    given = [
        int(row["score"]) for row in rows
        if row["rater"] in {"001", "002"} and row["system"] == "DEXPERT" and row["attempt"] == "1"
    ]  # fmt: skip
    assert (len(given), sum(given) / len(given)) == (200, 2.275)
    longest = max(float(row["session_wall_seconds"]) for row in rows if row["rater"] == "001")
    assert longest / 60 == pytest.approx(9924.15)

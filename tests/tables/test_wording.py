"""What tests and methods are called in tables and sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rejudge.findings.model import Finding, Key
from rejudge.findings.words import How
from rejudge.study.claims import Claim
from rejudge.tables.wording import claim_in_words, name_of_test, shared_method


@pytest.mark.parametrize(
    ("df", "said"),
    [
        ([4.0], "wins, t with 4 df"),
        ([4.0, 11.0], "wins, t with 4 to 11 df"),
        ([None, 4.0], "wins, t with 4 df"),
        ([None], "wins; no interval"),
    ],
)
def test_a_method_told_once_holds_for_all_that_it_is_told_of(df, said):
    findings = [
        Finding(
            Key("q", "mean", "mean", (f"system {place}",)), "mean", 1.0, 3, "judgments",
            (How.TEST(test="wins"), How.NO_INTERVAL() if each is None else How.T(df=each)),
        )
        for place, each in enumerate(df)
    ]  # fmt: skip
    assert shared_method(findings) == said


def test_a_one_sided_test_is_called_so():
    key = Key("q", "mean-difference", "t-test", ("a", "b"))
    finding = Finding(key, "t-test", 1.0, 4, "judgments", (How.TEST(test="t"),))
    assert name_of_test(finding) == "Student’s t test"
    assert name_of_test(replace(finding, alternative="less")) == "Student’s t test, one-sided"


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ("a best on q", "Ours is best on q"),
        ("b worst on q with p < 0.05", "Baseline is worst on q with p < 0.05"),
        ("order a > b > c on q", "Ours > Baseline > c on q"),
        ("a > b, c on q", "Ours > Baseline, c on q"),
        ("a ~ b on q within 0.2", "Ours \u2248 Baseline on q within 0.2"),
        ("alpha >= 0.6 on q", "Krippendorff\u2019s alpha \u2265 0.6 on q"),
    ],
)
def test_claims_name_systems_and_coefficients_as_people_do(says, words):
    claim = Claim(id="c", says=says)  # which puts every spelling into one form
    assert claim_in_words(claim.says, {"a": "Ours", "b": "Baseline"}) == words

"""Claims: the sentences that are understood, and those that are refused."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from rejudge.study.claims import Claim


@pytest.mark.parametrize(
    ("says", "kind", "systems", "question", "bound"),
    [
        ("vae best on meaning", "best", ("vae",), "meaning", None),
        ("vae worst on meaning", "worst", ("vae",), "meaning", None),
        ("order a > b > c on q", "order", ("a", "b", "c"), "q", None),
        ("vae > dips on fluency", "better", ("vae", "dips"), "fluency", None),
        ("vae > lbow, dips on q", "better", ("vae", "lbow", "dips"), "q", None),
        ("vae > dips on q with p < 0.05", "better", ("vae", "dips"), "q", None),
        ("vae ~ dips on fluency within 0.2", "equivalent", ("vae", "dips"), "fluency", 0.2),
        ("vae ≈ dips on fluency within .5", "equivalent", ("vae", "dips"), "fluency", 0.5),
        ("icc >= 0.6 on q", "agreement", (), "q", 0.6),
        ("krippendorff-alpha ≥ 0.6 on q", "agreement", (), "q", 0.6),
        ("alpha >= .6 on q", "agreement", (), "q", 0.6),
        ("  vae   best  on\nmeaning ", "best", ("vae",), "meaning", None),
    ],
)
def test_a_claim_is_understood(says, kind, systems, question, bound):
    claim = Claim(id="c", says=says)
    assert (claim.kind, claim.systems, claim.question) == (kind, systems, question)
    assert claim.bound == bound


def test_a_claim_about_agreement_names_the_statistic():
    assert Claim(id="c", says="fleiss-kappa >= 0.4 on q").statistic == "fleiss-kappa"
    assert Claim(id="c", says="a > b on q").statistic is None


@pytest.mark.parametrize(
    ("says", "level"),
    [
        ("a > b on q", None),
        ("a > b on q with p < 0.05", 0.05),
        ("a best on q with p < .01", 0.01),
        ("a worst on q with p < 0.05", 0.05),
        ("order a > b > c on q with p < 0.05", 0.05),
        ("a > b, c on q with p < 0.05", 0.05),
        ("a ~ b on q within 0.2", None),
    ],
)
def test_a_claim_may_be_about_significance(says, level):
    assert Claim(id="c", says=says).p_below == level


@pytest.mark.parametrize(
    "says",
    [
        "a is best",
        "a > b",
        "a > b > c on q",
        "a ~ b on q",
        "order a on q",
        "kappa >= 0.4 on q",
        "",
        "a > b on q with p",
        "a > b on q, p < 0.05",
        "a ~ b on q within 0.2 with p < 0.05",
        "a > , b on q",
    ],
)
def test_other_sentences_are_refused_with_the_forms_that_are_understood(says):
    with pytest.raises(ValidationError, match="`a > b on q`"):
        Claim(id="c", says=says)

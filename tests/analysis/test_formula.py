"""Mixed models written as papers write them."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.analysis import Formula, fitted
from rejudge.errors import UsageError
from rejudge.judgments import Coded
from rejudge.stats import linear_mixed, profile_interval


def columns(n=60, seed=3):
    rng = np.random.default_rng(seed)
    system, rater = rng.integers(0, 3, n), np.arange(n) % 6
    length = rng.integers(5, 40, n)
    value = 2.0 + 0.5 * system + 0.02 * length + rng.normal(size=6)[rater] + rng.normal(size=n)
    words = {
        "system": Coded.of(("zeta", "alpha", "mid")[code] for code in system),
        "rater": Coded.of(f"{code:03}" for code in rater),
        "length": Coded.of(str(each) for each in length),
    }
    return value, words, (system, rater, length)


@pytest.mark.parametrize(
    ("text", "fixed", "groups"),
    [
        ("score ~ system + (1 | rater)", ("system",), ("rater",)),
        ("score~system+domain+(1|rater)+( 1 | item )", ("system", "domain"), ("rater", "item")),
        ("score ~ 1 + (1 | rater)", (), ("rater",)),
        ("score ~ (1 | rater) + system", ("system",), ("rater",)),
    ],
)
def test_a_formula_is_read(text, fixed, groups):
    formula = Formula.parse(text)
    assert (formula.response, formula.fixed, formula.groups) == ("score", fixed, groups)


@pytest.mark.parametrize(
    "text",
    ["score", "score ~ system", "~ system + (1 | rater)", "score ~ a*b + (1 | rater)",
     "score ~ a:b + (1 | rater)", "score ~ (system | rater)", "log(score) ~ a + (1 | rater)", ""],
)  # fmt: skip
def test_what_is_not_understood_is_refused_with_an_example(text):
    with pytest.raises(UsageError, match=r"score ~ system \+ domain \+ \(1 \| rater\)"):
        Formula.parse(text)


def test_the_first_level_in_the_order_of_the_alphabet_is_the_reference():
    """alpha is left out; mid and zeta stand against it. Numbers are a covariate."""
    value, words, (system, rater, length) = columns()
    model = fitted(Formula.parse("score ~ system + length + (1 | rater)"), value, words)
    assert [(term.term, term.level) for term in model.terms] == [
        ("intercept", None),
        ("system", "mid"),
        ("system", "zeta"),
        ("length", None),
    ]
    order = np.array([2, 0, 1])[system]  # zeta, alpha, mid by their place in the alphabet
    other = linear_mixed(value, {"system": order, "length": length.astype(float)}, {"rater": rater})
    assert model.terms[2].value == pytest.approx(other.coefficient("system", 2).value)
    assert model.terms[3].standard_error == pytest.approx(
        other.coefficient("length").standard_error
    )
    assert model.terms[3].profile == profile_interval(other, "length")
    assert model.criterion == pytest.approx(other.criterion)


def test_numbers_that_group_are_levels():
    value, words, _ = columns()
    model = fitted(Formula.parse("score ~ system + (1 | rater)"), value, words)
    assert [(part.group, part.levels) for part in model.variances] == [
        ("rater", 6),
        ("residual", None),
    ]


def test_rows_with_an_empty_cell_are_left_out_and_counted():
    value, words, _ = columns()
    gaps = [None, *words["system"].words()[1:]]
    model = fitted(
        Formula.parse("score ~ system + (1 | rater)"), value, words | {"system": Coded.of(gaps)}
    )
    assert model.n == 59
    assert "empty cell: 1 row." in model.note


def test_a_covariate_that_is_not_available_somewhere_is_still_a_covariate():
    """NA is how R writes an empty cell; as a level it would make a factor of all the numbers."""
    value, words, _ = columns()
    gaps = ["NA", "nan", *words["length"].words()[2:]]
    model = fitted(
        Formula.parse("score ~ length + (1 | rater)"), value, words | {"length": Coded.of(gaps)}
    )
    assert [(term.term, term.level) for term in model.terms][1:] == [("length", None)]
    assert (model.n, "empty cell: 2 rows." in model.note) == (58, True)


@pytest.mark.parametrize("word", ["1_0", "inf", "١"])
def test_words_that_only_a_program_reads_as_numbers_are_levels(word):
    value, words, _ = columns()
    other = Coded.of(word if n % 2 else "3" for n in range(60))
    model = fitted(Formula.parse("score ~ kind + (1 | rater)"), value, words | {"kind": other})
    assert model.terms[1].level == max(word, "3")


def test_a_model_that_cannot_be_fitted_says_why():
    _, words, _ = columns()
    model = fitted(Formula.parse("score ~ system + (1 | rater)"), np.ones(60), words)
    assert model.terms == ()
    assert "do not vary" in model.note

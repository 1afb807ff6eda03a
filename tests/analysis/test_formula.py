"""Mixed models written as papers write them."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.analysis.formula import Formula, fit_formula
from rejudge.errors import DataError, UsageError
from rejudge.judgments.table import Coded
from rejudge.stats import linear_mixed


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
    model = fit_formula(Formula.parse("score ~ system + length + (1 | rater)"), value, words)
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
    assert model.criterion == pytest.approx(other.criterion)


def test_numbers_that_group_are_levels():
    value, words, _ = columns()
    model = fit_formula(Formula.parse("score ~ system + (1 | rater)"), value, words)
    assert [(part.group, part.levels) for part in model.variances] == [
        ("rater", 6),
        ("residual", None),
    ]


def test_rows_with_an_empty_cell_are_left_out_and_counted():
    value, words, _ = columns()
    gaps = [None, *words["system"].words()[1:]]
    model = fit_formula(
        Formula.parse("score ~ system + (1 | rater)"), value, words | {"system": Coded.of(gaps)}
    )
    assert model.n == 59
    assert "empty cell: 1 row." in model.note


def test_a_covariate_that_is_not_available_somewhere_is_still_a_covariate():
    """NA is how R writes an empty cell; as a level it would make a factor of all the numbers."""
    value, words, _ = columns()
    gaps = ["NA", "nan", *words["length"].words()[2:]]
    model = fit_formula(
        Formula.parse("score ~ length + (1 | rater)"), value, words | {"length": Coded.of(gaps)}
    )
    assert [(term.term, term.level) for term in model.terms][1:] == [("length", None)]
    assert (model.n, "empty cell: 2 rows." in model.note) == (58, True)


@pytest.mark.parametrize("word", ["1_0", "inf", "١"])
def test_words_that_only_a_program_reads_as_numbers_are_levels(word):
    value, words, _ = columns()
    other = Coded.of(word if n % 2 else "3" for n in range(60))
    model = fit_formula(Formula.parse("score ~ kind + (1 | rater)"), value, words | {"kind": other})
    assert model.terms[1].level == max(word, "3")


def test_a_model_that_cannot_be_fitted_says_why():
    _, words, _ = columns()
    model = fit_formula(Formula.parse("score ~ system + (1 | rater)"), np.ones(60), words)
    assert model.terms == ()
    assert "do not vary" in model.note


ROLES = ("agent", "user")


def four_systems():
    """Five raters, eight items, four systems; every seventh judgment is missing."""
    rows = [
        (f"p{p}", f"i{i}", f"s{s}", ROLES[i % 2], (2 * p + 3 * i + 5 * k + p * i * k) % 5)
        for p in range(5)
        for i in range(8)
        for k, s in enumerate(("both", "multi", "none", "1.0"))
        if (p + i + k) % 7
    ]  # fmt: skip
    names = ("participant", "item", "system", "role")
    words = {name: Coded.of(row[place] for row in rows) for place, name in enumerate(names)}
    return np.array([1.0 + row[4] for row in rows]), words


def test_differences_between_levels_are_those_of_emmeans():
    """R 4.2, lmerTest, emmeans 1.8.4: contrast(emmeans(m, "system", lmer.df = "satterthwaite"),
    "pairwise", adjust = "tukey"), m <- lmer(value ~ system + role + (1|participant) + (1|item))."""
    value, words = four_systems()
    formula = Formula.parse("value ~ system + role + (1 | participant) + (1 | item)")
    found = {(c.first, c.second): c for c in fit_formula(formula, value, words).contrasts}
    expected = {
        ("s1.0", "sboth"): (0.21168212, 0.3336748, 129.17, 0.634, 0.9207),
        ("s1.0", "smulti"): (0.12607956, 0.3312453, 129.09, 0.381, 0.9811),
        ("s1.0", "snone"): (0.26394320, 0.3312440, 129.09, 0.797, 0.8558),
        ("sboth", "smulti"): (-0.08560255, 0.3312440, 129.09, -0.258, 0.9939),
        ("sboth", "snone"): (0.05226108, 0.3312453, 129.09, 0.158, 0.9986),
        ("smulti", "snone"): (0.13786363, 0.3288497, 129.04, 0.419, 0.9751),
    }
    for pair, (estimate, error, df, t, p) in expected.items():
        assert found[pair].value == pytest.approx(estimate, abs=1e-6)
        assert found[pair].standard_error == pytest.approx(error, abs=1e-6)
        assert found[pair].df == pytest.approx(df, rel=1e-3)
        assert found[pair].t == pytest.approx(t, abs=1e-3)
        assert found[pair].p_tukey == pytest.approx(p, abs=1e-4)
        assert found[pair].p_holm == 1
    roles = found["agent", "user"]
    assert (roles.value, roles.p_tukey) == pytest.approx((-0.17477288, 0.4570), abs=1e-4)


def test_a_factor_of_two_levels_has_one_difference_and_nothing_to_correct():
    value, words = four_systems()
    formula = Formula.parse("value ~ role + (1 | participant)")
    (contrast,) = fit_formula(formula, value, words).contrasts
    assert contrast.p == contrast.p_tukey == contrast.p_holm


def test_covariates_have_no_levels_to_compare():
    value, words, _ = columns()
    model = fit_formula(Formula.parse("score ~ length + (1 | rater)"), value, words)
    assert model.contrasts == ()


def test_the_published_ratings_differ_between_all_systems(published):
    """van Miltenburg et al. (2024), footnote 14: all models differ, p < .0001, Tukey contrasts with
    Holm's correction. R, lmerTest and emmeans: −0.7977878, −1.1754569, −0.3776692."""
    from rejudge.judgments.read import read_table

    path = published("august2022_miltenburg2024")[0] / "judgments.csv"
    names = ("system", "category", "domain", "rater")
    table = read_table(path, beside=names)
    real = table.judgments.is_of_kind("real")
    formula = Formula.parse("score ~ system + category + domain + (1 | rater)")
    words = {name: table.beside[name].take(real) for name in names}
    model = fit_formula(formula, table.judgments.value[real], words)
    systems = [each for each in model.contrasts if each.term == "system"]
    expected = [
        (-0.79778776, 0.050915373, -0.91721162),
        (-1.17545691, 0.050596836, -1.29413364),
        (-0.37766916, 0.050629909, -0.49642345),
    ]
    for each, (value, error, low) in zip(systems, expected, strict=True):
        assert each.value == pytest.approx(value, abs=1e-6)
        assert each.standard_error == pytest.approx(error, abs=1e-7)
        assert each.interval.low == pytest.approx(low, abs=1e-5)
        assert each.p_holm < 0.0001


def test_columns_that_are_absent_or_of_another_length_are_named():
    value, words, _ = columns()
    formula = Formula.parse("score ~ system + (1 | rater)")
    with pytest.raises(DataError, match="there is no column 'rater'"):
        fit_formula(formula, value, {"system": words["system"]})
    with pytest.raises(DataError, match="Give one entry for each judgment"):
        fit_formula(formula, value[1:], words)

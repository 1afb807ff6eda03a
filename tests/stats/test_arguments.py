"""Every public function answers bad arguments with a message, and never with an error from inside.

Each function is called once as it should be (`VALID` has what its parameters take, by name), and
then with each argument replaced by what it does not take. A number or a `RejudgeError` may come
out, but no other exception, and no NaN.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import warnings
from typing import Any

import numpy as np
import pytest

from rejudge import stats
from rejudge.errors import DataError, RejudgeError
from rejudge.stats.arguments import guard

N = 48
ITEM = np.repeat(np.arange(8), 6)
PARTICIPANT = np.tile(np.repeat(np.arange(3), 2), 8)
SYSTEM = np.tile([0, 1], 24)
VALUE = np.array([1 + (7 * n + n // 5) % 5 for n in range(N)], dtype=float)
BINARY = (VALUE > 3).astype(float)
FIRST, SECOND = VALUE[:20], VALUE[20:40] + 0.5
PREFERENCE = np.resize([1.0, 0.0, 0.5, 1.0, 1.0, 0.0, 0.0], N)
SUMMARY = stats.Summary(3.4, 1.1, 40), stats.Summary(3.0, 1.2, 40)
EFFECTS = np.array([0.2, 0.4, 0.3])
FIGURE = stats.ExplainedFigure(1.5, {"cv*": 1.5}, frozenset({"cv*"}))
BOUNDARY = stats.sequential_boundary([0.5, 1.0], "pocock")
GROUPS = {"item": ITEM, "participant": PARTICIPANT}
FUNCTIONS = {
    name: each for name in stats.__all__ if inspect.isfunction(each := getattr(stats, name))
}


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@functools.cache
def comparisons() -> stats.Comparisons:
    first, second = np.tile([0, 0, 1], 16), np.tile([1, 2, 2], 16)
    return stats.Comparisons(first, second, PREFERENCE, ITEM, PARTICIPANT, 3)


@functools.cache
def sets() -> stats.JudgedSets:
    judgment = np.repeat(np.arange(16), 3)
    score = np.concatenate([np.roll([2.0, 1.0, 0.0], n * n) for n in range(16)])
    system = np.tile([0, 1, 2], 16)
    return stats.JudgedSets(judgment, system, score, judgment % 8, judgment // 6, 3)


@functools.cache
def fit() -> stats.MixedFit:
    return stats.linear_mixed(VALUE, {"system": SYSTEM}, GROUPS)


@functools.cache
def slopes() -> stats.FreeSlopesFit:
    return stats.free_slopes_model(VALUE, SYSTEM, GROUPS)


@functools.cache
def estimate() -> stats.Estimate:
    return stats.mean_difference(VALUE, SYSTEM, (0, 1), item=ITEM, participant=PARTICIPANT)


@functools.cache
def g_study() -> stats.GStudy:
    return stats.g_study(VALUE, {"system": SYSTEM, "item": ITEM, "participant": PARTICIPANT})


def table() -> stats.CountTable:
    return stats.count_table(ITEM, VALUE)


# What parameters of a name take; where a function takes something else, it is in `OF`.
VALID: dict[str, Any] = {
    "weights": stats.ItemWeights(1.0 + ITEM % 3, ITEM % 2, ITEM),
    "value": VALUE, "item": ITEM, "participant": PARTICIPANT, "system": SYSTEM, "unit": ITEM,
    "group": SYSTEM, "systems": 2, "groups": 2, "pair": (0, 1), "measured": "ordinal",
    "rng": rng, "first": FIRST, "second": SECOND, "x": FIRST, "y": SECOND, "table": table,
    "comparisons": comparisons, "sets": sets, "effect": stats.CohenF(0.2), "position": VALUE,
    "seconds": VALUE * 10, "preference": PREFERENCE, "label": BINARY.astype(int), "level": 0.9,
    "replicates": 50, "is_first": SYSTEM == 0, "is_second": PARTICIPANT > 0, "estimate": estimate,
    "mean_half_unit": 0.05, "sd_half_unit": 0.05, "half_unit": 0.05,
    "bounds": stats.RawBounds(-1, 1),
    "fixed": {"system": SYSTEM}, "correction": "holm", "sizes": (20, 20), "pairs": 30,
    "alternative": "two-sided", "standard_error": 0.2, "df": 20.0, "scores": VALUE.reshape(12, 4),
    "fit": fit, "factor": "system", "n": 20, "r": 0.4, "of": "system", "study": g_study,
    "original": FIRST, "reproduction": SECOND, "measure": "krippendorff-alpha",
}  # fmt: skip
OF: dict[str, dict[str, Any]] = {
    "adjust_p": {"p_values": [0.01, 0.04, None]},
    "always_valid_level": {"planned": 100},
    "always_valid_p": {"p": 0.01, "planned": 100},
    "anova_power": {"groups": 4, "total": 200},
    "anova_sample_size": {"groups": 4},
    "attainable_range": {"figure": lambda: (lambda x: float(x.mean())), "printed": FIRST[:3],
                   "half_units": np.full(3, 0.05)},
    "average_within": {"keys": ITEM},
    "binary_mixed": {"value": BINARY, "groups": GROUPS},
    "bradley_terry_bootstrap": {"replicates": 20},
    "clustered_estimate": {"value": 3.0, "influence": (VALUE - VALUE.mean()) / N},
    "cohen_d_from_summary": {"first": SUMMARY[0], "second": SUMMARY[1]},
    "cohen_d_range": {"first": SUMMARY[0], "second": SUMMARY[1]},
    "cohen_d_with_error": {"first": SUMMARY[0], "second": SUMMARY[1], "error": 0.2},
    "compare_participants": {"measure": "spearman"},
    "contingency_agreement": {"counts": np.array([[9, 2], [3, 8]])},
    "table_of_counts": {"counts": np.array([[2, 1], [0, 3], [3, 0]]),
                        "values": np.array([0.0, 1.0])},
    "cross_kappa": {"measured": "nominal"},
    "crossing_probabilities": {"critical": [2.5, 2.0], "fractions": [0.5, 1.0]},
    "cv_star": {"scores": [84.5, 84.2, 87.4], "scale_minimum": 0.0},
    "cv_star_interval": {"scores": [84.5, 84.2, 87.4], "scale_minimum": 0.0},
    "difference_variance": {"first": 0.2, "second": 0.3},
    "effect_difference": {"first": lambda: stats.cohen_d(FIRST, SECOND),
                          "second": lambda: stats.cohen_d(FIRST, SECOND + 1)},
    "elapsed_seconds": {
        "started": np.array(["2026-01-01T10", "2026-01-01T12"], dtype="datetime64[s]"),
        "ended": np.array(["2026-01-01T11", "2026-01-01T13"], dtype="datetime64[s]")},
    "estimated_choice_seconds": {"sizes": np.array([2, 2, 3]), "items": 8, "participants": 3},
    "estimated_fit_seconds": {"groups": GROUPS, "effects": 2},
    "estimated_kenward_roger_seconds": {"groups": GROUPS},
    "estimated_ordinal_seconds": {"groups": GROUPS, "effects": 2, "categories": 5},
    "estimated_slopes_seconds": {"groups": GROUPS},
    "few_shared": {"items": 3, "information_share": 0.5},
    "free_slopes_model": {"groups": GROUPS},
    "further_study": {"effect": EFFECTS, "variance": EFFECTS / 10},
    "g_study": {"facets": {"system": SYSTEM, "item": ITEM, "participant": PARTICIPANT}},
    "grim": {"mean": 3.4, "ratings": stats.Ratings(20, 1, 1)},
    "grimmer": {"mean": 3.4, "sd": 1.1, "ratings": stats.Ratings(20, 1, 1)},
    "histogram": {"edges": np.arange(0.0, 7.0)},
    "count_distinct": {"numbers": ITEM},
    "implied_error": {"interval": stats.Interval(0.1, 0.5, 0.95)},
    "level_contrasts": {"pairs": [(0, 1)]},
    "likeliest_definitions": {"figure": FIGURE, "table": [FIGURE]},
    "limit_of_df": {"grouping": "item", "among": ["item", "participant"]},
    "limit_of_slopes_df": {"fit": slopes, "group": "item"},
    "linear_mixed": {"groups": GROUPS},
    "marginal_means": {},
    "matching_accuracy": {"pairs": [(0, 1)]},
    "mean_by_system": {"bounds": (1.0, 5.0)},
    "normal_interval": {"value": 0.3},
    "normalise": {"bounds": (1.0, 5.0)},
    "number_codes": {"numbers": ITEM},
    "one_sided": {"p": 0.04, "difference": 0.3},
    "order_stability": {"score": np.array([0.1, 0.5, 0.3]), "draws": 100,
                        "variance": 0.02 * (1 - np.eye(3))},
    "ordinal_mixed": {"groups": GROUPS},
    "p_from_statistic": {"name": "t", "value": 2.1, "df": (20.0,)},
    "p_range": {"name": "t", "value": 2.1, "df": (20.0,)},
    "paired_t_power": {"effect": stats.CohenDz(0.4)},
    "paired_t_sample_size": {"effect": stats.CohenDz(0.4)},
    "partial_eta_squared": {"f": 4.2, "df": (3.0, 60.0)},
    "find_passes": {"attempt": SYSTEM},
    "pooled_sd": {"first": SUMMARY[0], "second": SUMMARY[1]},
    "prediction_interval": {"value": 0.3, "between": 0.1, "studies": 5},
    "random_effects": {"effect": EFFECTS, "standard_error": EFFECTS / 3},
    "reliability": {"sizes": {"item": 8, "participant": 3}},
    "reliability_curve": {"sizes": {"item": [8, 16], "participant": [3]}},
    "score_table": {"scale": np.arange(1.0, 6.0)},
    "sd_interval": {"sd": 1.1},
    "self_consistency": {"measured": "interval"},
    "share_of_first": {"shown_first": PREFERENCE},
    "side_bias": {"chose_first": PREFERENCE},
    "significance_f1": {"original": [True, False, True], "reproduction": [True, True, False]},
    "session_times": {"clock_seconds": np.arange(N) * 30.0, "session": PARTICIPANT},
    "spearman_p_range": {"rho": 0.5},
    "standardised_difference": {"first": SUMMARY[0], "second": SUMMARY[1]},
    "studentized_range_isf": {"p": 0.05, "k": 3},
    "studentized_range_sf": {"q": 3.4, "k": 3},
    "t_range": {"first": SUMMARY[0], "second": SUMMARY[1]},
    "t_half_width": {"error": 0.2},
    "t_test_from_summary": {"first": SUMMARY[0], "second": SUMMARY[1]},
    "t_test_power": {"effect": stats.CohenD(0.4), "total": 80},
    "t_test_sample_size": {"effect": stats.CohenD(0.4)},
    "tost_from_error": {"difference": 0.1},
    "tost_from_summary": {"first": SUMMARY[0], "second": SUMMARY[1]},
    "median_unbiased": {"z": 2.6, "look": 1, "boundary": BOUNDARY},
    "repeated_p": {"p": 0.01, "look": 1, "boundary": BOUNDARY},
    "sequential_boundary": {"fractions": [0.5, 1.0], "shape": "pocock"},
    "tukey_hsd": {"groups": [FIRST, SECOND, FIRST + 1]},
    "win_sd": {"score": 0.2},
    "with_items": {"items": 16},
    "with_participants": {"participants": 6},
}  # fmt: skip


def valid_call(name: str) -> dict[str, Any]:
    own = OF.get(name, {})
    given = {}
    for parameter in inspect.signature(FUNCTIONS[name]).parameters.values():
        if parameter.name in own or parameter.default is parameter.empty:
            value = own[parameter.name] if parameter.name in own else VALID[parameter.name]
            given[parameter.name] = value
        elif parameter.name in {"replicates", "level"}:
            given[parameter.name] = own.get(parameter.name, VALID[parameter.name])
    return given


def call(name: str, given: dict[str, Any]):
    ready = {
        k: v() if inspect.isfunction(v) or hasattr(v, "cache_info") else v for k, v in given.items()
    }
    keys = ready.pop("keys", None)
    if keys is not None:
        return FUNCTIONS[name](ready.pop("value"), keys)
    return FUNCTIONS[name](**ready)


BAD = {
    "None": None,
    "text": "many",
    "a number": 0.17,
    "NaN": math.nan,
    "negative": -3,
    "zero": 0,
    "infinite": math.inf,
    "empty": np.array([]),
    "no codes": np.array([], dtype=int),
    "short": np.array([1.0, 2.0]),
    "short codes": np.array([1, 2]),
    "a missing value": np.where(np.arange(N) == 3, np.nan, VALUE),
    "negative codes": ITEM - 4,
    "words": np.array(["a"] * N),
    "a table": np.ones((N, 2)),
    "all the same": np.ones(N),
    "a list of words": ["a", "b"],
    "a mapping": {},
    "something else": object(),
}


def nan_in(result: object) -> bool:
    if isinstance(result, float):
        return math.isnan(result)
    if dataclasses.is_dataclass(result):
        return any(nan_in(getattr(result, f.name, None)) for f in dataclasses.fields(result))
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_bad_arguments_are_answered_with_a_message(name):
    given = valid_call(name)
    call(name, given)
    faults = []
    for parameter in given:
        for kind, bad in BAD.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error", RuntimeWarning)
                    result = call(name, {**given, parameter: bad})
            except RejudgeError:
                continue
            except Exception as error:  # noqa: BLE001 - any other one is the fault that is looked for
                faults.append(f"{parameter} = {kind}: {type(error).__name__}: {str(error)[:60]}")
                continue
            if nan_in(result):
                faults.append(f"{parameter} = {kind}: NaN")
    assert not faults, "\n".join(faults)


def test_a_plain_number_is_answered_with_the_measures_it_could_be():
    with pytest.raises(DataError) as caught:
        stats.anova_power(0.17, groups=4, total=1200)
    assert str(caught.value) == (
        "anova_power: 'effect' is 0.17. A plain number does not say what it measures: give "
        "stats.CohenF(0.17), stats.EtaSquared(0.17) or stats.CohenD(0.17)."
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.pearson([1, 2, 3], [1, 2]), "different lengths: 'x' 3, 'y' 2"),
        (lambda: stats.pearson("abc", [1, 2]), "'x' is 'abc'. Give an array of numbers"),
        (lambda: stats.kruskal_wallis(FIRST, FIRST), "an array of whole numbers"),
        (lambda: stats.cohen_d(FIRST, SECOND, level=95), "'level' is 95. Give a number between"),
        (lambda: stats.cohen_dz(FIRST, SECOND[:5]), "arrays have different lengths"),
        (lambda: stats.sd_interval(-1.0, 20), "'sd' is -1.0. Give a number that is not negative"),
        (lambda: stats.adjust_p([0.1], "holms"), "Give 'holm'"),
        (lambda: stats.friedman(FIRST), "Give a table, with rows and columns"),
        (lambda: stats.kruskal_wallis(np.ones((4, 2)), ITEM[:4]), "'value' has 2 dimensions"),
        (lambda: stats.mean_by_system(VALUE, SYSTEM, item=ITEM - 4, participant=PARTICIPANT,
                                      systems=2), "'item' has negative codes"),
    ],
)  # fmt: skip
def test_messages_name_the_argument_and_the_remedy(call, message):
    with pytest.raises(DataError) as caught:
        call()
    assert message in str(caught.value)


def test_lists_are_as_good_as_arrays():
    listed = stats.pearson(FIRST.tolist(), SECOND.tolist())
    assert listed == stats.pearson(FIRST, SECOND)


def test_an_error_of_ours_is_not_blamed_on_the_arguments():
    @guard
    def broken(value: float) -> float:
        return {}[value]  # type: ignore[index]

    with pytest.raises(KeyError):
        broken(3.0)


def test_a_missing_argument_is_python_s_own_error():
    with pytest.raises(TypeError, match="required"):
        stats.pearson(FIRST)


def test_functions_keep_their_names_and_signatures():
    assert stats.pearson.__doc__.startswith("Linear correlation")
    assert list(inspect.signature(stats.pearson).parameters) == ["x", "y", "p_value", "level"]

"""What has another explanation than a mistake is no error, and no number breaks the audit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audited import audited, codes
from property_settings import examples
from rejudge.audit.rules import audit
from rejudge.paper.model import Paper

TWO_SCORES = """
cases:
  - scores:
      - {criterion: quality, system: a, value: 3.40, sd: 0.80, n: 120}
      - {criterion: quality, system: b, value: 3.10, sd: 0.90, n: 120}
    tests:
      - {criterion: quality, systems: [a, b], TEST}
"""
REPRODUCED = """
id: original
cases: [{scores: [{criterion: quality, system: a, value: 3.71}]}]
"""


def with_test(keys: str) -> str:
    """A paper with two scores and a test of them."""
    return TWO_SCORES.replace("TEST", keys)


EXPLAINED = {
    "a test of item means is not one of the judgments whose SD is printed": with_test(
        "test: t-test, unit: item, statistic: {name: t, value: 4.10, df: [118]}"
    ),
    "〃 when n says so": with_test(
        "test: t-test, n: [60, 60], statistic: {name: t, value: 4.10, df: [118]}"
    ),
    "a paired test does not follow from the two SDs": with_test(
        "test: paired t-test, statistic: {name: t, value: 4.10, df: [119]}"
    ),
    "nor does a test of a mixed model": with_test(
        "test: mixed model, n: [120, 120], statistic: {name: t, value: 4.1, df: [8.7]}"
    ),
    "without degrees of freedom no share of the variance follows": with_test(
        "test: one-way ANOVA, statistic: {name: F, value: 0, df: [0, 0]},"
        " effect: {name: eta-squared, value: 0}"
    ),
    "an F that rounds to 0 is not below it, nor is its share": with_test(
        "test: one-way ANOVA, statistic: {name: F, value: 0, df: [80, 40]},"
        " effect: {name: eta-squared, value: 0.31}"
    ),
    "a corrected p may be larger": with_test(
        "test: paired t-test, statistic: {name: t, value: 2.1, df: [28]}, p: 0.13, correction: holm"
    ),
    "as may one of which nothing is said": with_test(
        "test: paired t-test, statistic: {name: t, value: 2.1, df: [28]}, p: 0.13"
    ),
    "a stricter level may have been used": with_test(
        "test: paired t-test, p: 0.03, is_significant: false, correction: none"
    ),
    "the orders of four values may have been counted": """
arithmetic:
  - {kind: correlation, what: four, coefficient: pearson, value: 0.97, n: 4, p: 0.083}""",
    "ties make the p of ranks larger": """
arithmetic:
  - {kind: correlation, what: four, coefficient: spearman, value: 1.00, n: 4, p: 0.167}""",
    "programs approximate the p of ranks differently": """
arithmetic:
  - {kind: correlation, what: ten, coefficient: spearman, value: 0.60, n: 10, p: 0.074}""",
    "few degrees of freedom widen an interval": """
arithmetic:
  - kind: mixed-model
    what: ratings
    random: [{of: participant}, {of: item}]
    fixed: [{name: b, estimate: 0.80, se: 0.10, interval: [0.48, 1.12]}]""",
    "CV* may be printed as a share": """
reproduces: original
cases: [{scores: [{criterion: quality, system: a, value: 3.12}]}]
reproducibility: [{measure: cv-star, criterion: quality, system: a, value: 0.244}]
---"""
    + REPRODUCED,
    "minutes are rounded": """
arithmetic:
  - {kind: sum, what: minutes, parts: [19, 26, 37], total: 83, rounded: true}""",
    "percentages are": """
arithmetic:
  - {kind: sum, what: percent, parts: [33.3, 33.3, 33.3], total: 100}""",
    "agreement with a tie has three options": """
criteria: [{id: meaning, scale: {kind: best-worst, low: -1, high: 1}}]
cases: [{agreement: [{criterion: meaning, coefficient: percent, value: 70}]}]
conditions: {tie-allowed: true}""",
    "systems that were compared unequally often need not add up": """
criteria: [{id: meaning, scale: {kind: best-worst, low: -100, high: 100}}]
cases:
  - scores:
      - {criterion: meaning, system: a, value: 50, n: 100}
      - {criterion: meaning, system: b, value: -25, n: 200}""",
    "a one-sided power analysis has more power": """
arithmetic:
  - {kind: power, what: t, effect: d, value: 0.5, groups: 2, n: 102, power: 0.80}""",
}


@pytest.mark.parametrize("part", EXPLAINED.values(), ids=list(EXPLAINED))
def test_what_has_another_explanation_is_no_finding(part):
    assert codes(part) == []


CLEAN = """
reproduces: original
systems: [{id: a}, {id: b}, {id: c}]
cases:
  - scores:
      - {criterion: quality, system: a, value: 4.12, sd: 0.83, n: 150, place: Table 1}
      - {criterion: quality, system: b, value: 3.61, sd: 0.95, n: 150, place: Table 1}
      - {criterion: quality, system: c, value: 2.87, sd: 1.02, n: 150, place: Table 1}
    agreement: [{criterion: quality, coefficient: krippendorff-alpha, value: 0.61}]
    tests:
      - {criterion: quality, systems: [a, b], test: paired t-test, n: [50, 50], unit: item,
         statistic: {name: t, value: 3.02, df: [49]}, p: 0.008, is_significant: true,
         correction: holm, place: Table 2}
      - {criterion: quality, systems: [a, c], test: paired t-test, n: [50, 50], unit: item,
         statistic: {name: t, value: 6.41, df: [49]}, p: "< 0.001", is_significant: true,
         correction: holm, place: Table 2}
reproducibility:
  - {measure: cv-star, criterion: quality, system: a, value: 2.61, place: Table 3}
  - {measure: pearson, criterion: quality, value: 0.998, p: 0.04, place: Table 3}
  - {measure: spearman, criterion: quality, value: 1.00, p: 0.333, place: Table 3}
arithmetic:
  - {kind: product, what: judgments, factors: [50, 3, 3], product: 450, place: section 3}
  - {kind: flow, what: participants, planned: 15, collected: 15, left_out: 0, kept: 15}
  - {kind: counts, what: items by dataset, counts: {x: 25, y: 25}}
  - {kind: difference, what: a and b, first: 4.12, second: 3.61, difference: 0.51}
  - {kind: correction, what: pairs, named: holm, divided_by: [3, 2, 1]}
  - {kind: power, what: before the study, effect: f, value: 0.25, groups: 3, n: 159, power: 0.80,
     needed: 53, needed_counts: per-group}
  - {kind: mixed-model, what: ratings, random: [{of: participant}, {of: item}]}
---
id: original
systems: [{id: a}, {id: b}, {id: c}]
cases:
  - scores:
      - {criterion: quality, system: a, value: 4.20, place: Table 1}
      - {criterion: quality, system: b, value: 3.66, place: Table 1}
      - {criterion: quality, system: c, value: 3.01, place: Table 1}
"""


def test_a_clean_reproduction_has_no_finding_at_all():
    found = audited(CLEAN)
    assert found.findings == ()
    assert found.checks >= 20


NUMBERS = st.sampled_from(
    ["0", "1", "-1", "0.00", "1.0", "-0.5", "0.05", "3.14", "100", "1e-30", "99999999", "-7"]
)
COUNT = st.integers(1, 400)
MAYBE = st.one_of(st.none(), NUMBERS)


def entry(kind: str, **fields: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    fixed = {"kind": st.just(kind), "what": st.just("numbers")}
    return st.fixed_dictionaries({**fixed, **fields})


LIST = st.lists(NUMBERS, min_size=2, max_size=4)
ENTRIES = st.one_of(
    entry("sum", parts=LIST, total=NUMBERS, rounded=st.booleans()),
    entry("difference", first=NUMBERS, second=NUMBERS, difference=NUMBERS, absolute=st.booleans()),
    entry("average", parts=LIST, average=NUMBERS),
    entry("product", factors=LIST, product=NUMBERS),
    entry("ratio", part=NUMBERS, whole=NUMBERS, ratio=NUMBERS),
    entry("same", values=LIST),
    entry("from-data", printed=NUMBERS, data=NUMBERS, source=st.just("data")),
    entry("flow", planned=st.none() | COUNT, collected=COUNT, left_out=COUNT, kept=COUNT),
    entry("counts", counts=st.dictionaries(st.sampled_from(["x", "y", "z"]), COUNT)),
    entry("durations", unit=st.sampled_from(["seconds", "minutes", "hours"]), rows=st.lists(
        st.fixed_dictionaries({"who": st.just("x"), "n": st.none() | COUNT, "low": MAYBE,
                               "high": MAYBE, "mean": MAYBE, "sd": MAYBE, "total": MAYBE}),
        min_size=1, max_size=2)),
    entry("power", effect=st.sampled_from(["f", "eta-squared"]), value=NUMBERS,
          groups=st.integers(2, 5), n=COUNT, power=NUMBERS, needed=COUNT),
    entry("power", effect=st.just("d"), value=NUMBERS, groups=st.just(2), n=COUNT, power=NUMBERS,
          needed=COUNT, needed_counts=st.just("total")),
    entry("correlation", coefficient=st.sampled_from(["pearson", "spearman"]), value=NUMBERS,
          n=COUNT, p=st.sampled_from(["0.00", "< 0.05", "> 0.1", "0.5"])),
    entry("mean-with-others", table=st.lists(st.lists(MAYBE, min_size=1, max_size=4), min_size=2,
                                            max_size=4), lowest=NUMBERS, highest=MAYBE),
    entry("mixed-model", random=st.just([{"of": "participant", "variance": "0.1", "sd": "9"}]),
          fixed=st.lists(st.fixed_dictionaries({"name": st.just("x"), "estimate": NUMBERS,
                         "se": NUMBERS, "statistic": MAYBE,
                         "interval": st.tuples(NUMBERS, NUMBERS)}), max_size=2)),
    entry("correction", named=st.sampled_from(["holm", "bonferroni"]), p=LIST, adjusted=LIST),
    entry("cv-star-formula", factor=st.sampled_from(["1/(4n)", "none", "1 + 1/(4n)"])),
)  # fmt: skip
TESTS = st.fixed_dictionaries({
    "criterion": st.just("quality"), "systems": st.sampled_from([[], ["a", "b"]]),
    "test": st.sampled_from(["", "one-way ANOVA", "t-test", "paired t-test"]),
    "statistic": st.fixed_dictionaries({
        "name": st.sampled_from(["t", "F", "chi2", "z", "r", "W", "U"]), "value": NUMBERS,
        "df": st.lists(st.sampled_from([0, 1, 3.5, 40, 1e6]), max_size=2)}),
    "p": st.sampled_from(["0", "0.00", "< 0.05", "1", "0.04"]),
    "effect": st.fixed_dictionaries({
        "name": st.sampled_from(["d", "g", "eta-squared", "r"]), "value": NUMBERS}),
    "n": st.lists(COUNT, max_size=3), "is_significant": st.booleans(),
    "correction": st.sampled_from(["none", "holm", "unknown"]),
    "unit": st.sampled_from(["", "item", "judgments"]),
})  # fmt: skip
SCORES = st.lists(
    st.fixed_dictionaries({
        "criterion": st.just("quality"), "system": st.sampled_from(["a", "b"]),
        "value": st.sampled_from(["1", "5", "3.141", "2.0"]), "sd": MAYBE,
        "n": st.none() | COUNT}),
    max_size=2,
)  # fmt: skip


@settings(max_examples=examples(120), deadline=None)
@given(st.lists(ENTRIES, max_size=2), st.lists(TESTS, max_size=2), SCORES)
def test_no_number_breaks_an_audit(entries, tests, scores):
    paper = {
        "id": "odd", "reference": {"authors": "Doe", "year": 2026, "title": "Odd"},
        "systems": [{"id": "a"}, {"id": "b"}], "arithmetic": entries,
        "criteria": [{"id": "quality",
                      "scale": {"kind": "rating", "low": 1, "high": 5, "points": 5}}],
        "cases": [{"scores": scores, "tests": tests}],
    }  # fmt: skip
    for finding in audit(Paper.model_validate(paper)).findings:
        assert finding.says
        assert finding.arithmetic

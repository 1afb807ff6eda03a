"""Power analyses: correct ones are accepted, and mistakes are named."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from audited import audited, errors_of, printed, whole
from property_settings import examples
from rejudge.stats import (
    EtaSquared,
    anova_power,
    anova_sample_size,
)


@settings(max_examples=examples(60), deadline=None)
@given(st.floats(0.01, 0.4), st.integers(2, 5), st.integers(5, 120), st.booleans())
def test_a_power_analysis_that_was_done_rightly_has_no_error(share, groups, n, is_total):
    effect = EtaSquared(float(printed(share, 3)))
    reached = anova_power(effect, groups=groups, per_group=n).value
    needed = anova_sample_size(effect, groups=groups)
    entry = {
        "kind": "power", "what": "power", "effect": "eta-squared", "value": printed(share, 3),
        "groups": groups, "n": n * groups if is_total else n,
        "n_counts": "total" if is_total else "per-group", "power": printed(reached, 2),
        "needed": needed.total if is_total else needed.per_group,
        "needed_counts": "total" if is_total else "per-group",
    }  # fmt: skip
    assert errors_of(whole({"arithmetic": [entry]})) == []


def power_of(more: str) -> str:
    return f"arithmetic: [{{kind: power, what: planned, effect: f, {more}, place: section 3}}]"


def test_a_group_taken_for_the_total_is_named_as_the_only_mistake():
    """f = 0.25 and 53 in each of three groups have a power of .80; N = 53 in all has .34."""
    text = power_of("value: 0.25, groups: 3, n: 53, n_counts: per-group, power: 0.34")
    (finding,) = audited(text).findings
    assert finding.code == "A306"
    assert "53, the size of one group, is mistaken for the total" in finding.says

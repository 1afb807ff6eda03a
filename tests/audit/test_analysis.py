"""How numbers were obtained: corrections that were applied as named are accepted."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from audited import printed, whole
from property_settings import examples
from rejudge.audit.rules import audit
from rejudge.paper.model import Paper
from rejudge.stats import (
    adjust_p,
)


@settings(max_examples=examples(100))
@given(st.lists(st.floats(0.001, 0.3), min_size=2, max_size=8), st.sampled_from(["holm",
       "bonferroni"]), st.integers(3, 4))  # fmt: skip
def test_a_correction_that_was_done_as_named_is_no_finding(p_values, name, decimals):
    entry = {
        "kind": "correction", "what": "pairs", "named": name,
        "p": [printed(p, decimals) for p in p_values],
        "adjusted": [printed(p, decimals) for p in adjust_p(p_values, name)],
    }  # fmt: skip
    found = audit(Paper.model_validate(whole({"arithmetic": [entry]})))
    assert found.findings == ()

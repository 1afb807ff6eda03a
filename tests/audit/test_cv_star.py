"""Printed CV*: figures computed from unrounded scores are accepted."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from audited import PLACES, SYSTEMS, errors_of, printed, whole
from property_settings import examples
from rejudge.stats import (
    cv_star,
    spearman,
)


@settings(max_examples=examples(30))
@given(
    st.lists(st.tuples(st.floats(1, 5), st.floats(1, 5)), min_size=3, max_size=4), PLACES, PLACES
)
def test_cv_star_and_correlations_of_unrounded_scores_have_no_error(scores, decimals, fewer):
    figures = []
    for system, pair in zip(SYSTEMS, scores, strict=False):
        value = cv_star(pair, scale_minimum=1).value
        if value is not None:
            figures.append({"measure": "cv-star", "criterion": "quality", "system": system,
                            "value": printed(value, decimals)})  # fmt: skip
    ours, theirs = np.array(scores).T
    if np.ptp(ours) > 1e-3 and np.ptp(theirs) > 1e-3:
        r, p = scipy_stats.pearsonr(ours, theirs)
        figures.append({"measure": "pearson", "criterion": "quality",
                        "value": printed(r, decimals), "p": printed(p, fewer)})  # fmt: skip
        if len(set(ours)) == len(set(theirs)) == len(scores):
            rho = spearman(ours, theirs)
            figures.append({"measure": "spearman", "criterion": "quality",
                            "value": printed(rho.value, decimals),
                            "p": printed(rho.p, fewer)})  # fmt: skip

    def paper(side: int, **more: object) -> dict[str, object]:
        rows = [
            {"criterion": "quality", "system": system, "value": printed(pair[side], fewer)}
            for system, pair in zip(SYSTEMS, scores, strict=False)
        ]
        return whole({"cases": [{"scores": rows}]}, systems=len(scores), **more)

    original = {**paper(0), "id": "original"}
    assert errors_of(paper(1, reproduces="original", reproducibility=figures), original) == []

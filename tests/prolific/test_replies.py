"""What the platform answers: states in any spelling, money in whole pence, unknown keys ignored."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.prolific.client import (
    FREES_PLACE,
    HOLDS_PLACE,
    ProlificStudy,
    StudyCost,
    Submission,
    SubmissionDetail,
    SubmissionStatus,
    UrlProgress,
    read_submission_status,
)


@pytest.mark.parametrize("status", get_args(SubmissionStatus))
@pytest.mark.parametrize(
    "spell", [str.lower, lambda s: s.replace(" ", "_"), lambda s: s.replace("-", "_")]
)
def test_states_are_read_however_they_are_spelled(status, spell):
    assert read_submission_status(spell(status)) == status
    assert Submission(id="x", status=spell(status)).status == status


@given(st.text() | st.integers() | st.none())
def test_a_state_of_the_future_is_unknown_and_never_an_error(given_status):
    assert read_submission_status(given_status) in get_args(SubmissionStatus)


def test_no_state_both_holds_and_frees_a_place():
    assert not HOLDS_PLACE & FREES_PLACE
    assert "UNKNOWN" not in HOLDS_PLACE | FREES_PLACE


def test_money_with_decimals_is_read_as_whole_pence():
    """The documentation calls amounts numbers with decimals."""
    cost = StudyCost.model_validate({"total_cost": 2000.5, "fees": 12.0})
    assert (cost.total_cost, cost.fees, cost.vat) == (2000, 12, None)


def test_keys_go_by_both_of_their_names():
    for key in ("participant", "participant_id"):
        detail = SubmissionDetail.model_validate({"id": "x", key: "p", "status": "ACTIVE"})
        assert detail.participant_id == "p"
    for key in ("presentment_currency_code", "currency_code"):
        assert (
            ProlificStudy.model_validate({"id": "s", key: "GBP", "new": [1]}).currency_code == "GBP"
        )


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_an_address_never_has_less_than_no_places(total, more, allocated):
    progress = UrlProgress(
        external_url="x", total_allocation=total, capacity_increments=more, allocated=allocated
    )
    assert progress.open == max(0, total + more - allocated)

"""What cannot be told apart is shared out as in the assumed values."""

from __future__ import annotations

import pytest

from rejudge.simulate.components import share_out
from rejudge.simulate.parameters import Parameters


def test_a_shared_variance_is_divided_as_in_the_assumed_values():
    assumed = Parameters()
    parts = share_out(2.0, ("severity", "system_by_participant"))
    assert sum(parts.values()) == pytest.approx(2.0)
    ratio = (assumed.severity / assumed.system_by_participant) ** 2
    assert parts["severity"] / parts["system_by_participant"] == pytest.approx(ratio)
    assert share_out(1.0, ("item_difficulty",)) == {"item_difficulty": 1.0}

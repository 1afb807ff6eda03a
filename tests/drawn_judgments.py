"""Tables of judgments of any shape, drawn for property tests."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from rejudge.judgments.table import Judgment

NAMES = st.text(min_size=1, max_size=8).filter(lambda name: "\x00" not in name)
MOMENTS = st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1))  # noqa: DTZ001
SHARED = {
    "participant": NAMES,
    "item": NAMES,
    "question": NAMES,
    "dataset": st.none() | NAMES,
    "batch": st.none() | NAMES,
    "task": st.none() | NAMES,
    "position": st.none() | st.integers(1, 99),
    "seconds": st.none()
    | st.floats(0, 1e6, allow_subnormal=False).filter(lambda s: not 0 < s < 1e-9),
    "kind": st.sampled_from(["real", "check", "practice", "repeat", "dropped"]),
    "submitted_at": st.none() | MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC)),
    "origin": st.sampled_from(["people", "simulated"]),
    "plan": st.none() | NAMES,
    "passed": st.none() | st.booleans(),
    "state": st.none() | st.sampled_from(["held", "submitted", "surplus"]),
}
RATINGS = st.builds(
    Judgment,
    value=st.floats(-(2.0**53), 2.0**53).filter(lambda x: x == 0 or abs(x) >= 1e-50),
    system=NAMES,
    segment=st.none() | st.integers(1, 9),
    **SHARED,
)
COMPARISONS = st.builds(
    Judgment,
    value=st.sampled_from(["a", "b", "tie"]),
    system_a=NAMES,
    system_b=NAMES,
    side=st.none() | st.sampled_from(["a", "b"]),
    **SHARED,
).filter(lambda row: row.system_a != row.system_b)
TABLES = st.lists(RATINGS | COMPARISONS, max_size=12)

"""No number and no decision differs from what was recorded.

The corpus is rejudge's own output: it shows that nothing changed, not that anything is right. A
change that is meant is recorded with `tools/record_golden.py` and named in the changelog.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from golden_cases import CASES, run
from golden_rows import (
    RECORDED,
    Key,
    difference_table,
    differences,
    is_same,
    merge,
    read,
    write,
)

_MARKED = [
    pytest.param(each, id=each.name, marks=[pytest.mark.slow] if each.is_slow else [])
    for each in CASES
]
_MEAN = Key("analyse", "fluency", systems="ash", measure="mean", method="mean")
_FIT = replace(_MEAN, method="mixed-model")
_SIMULATED = replace(_MEAN, command="power", measure="power", method="cluster-robust")


@pytest.mark.parametrize("case", _MARKED)
def test_every_number_and_decision_is_as_recorded(case, tmp_path):
    if not case.has_data:
        pytest.skip(f"needs the public data '{case.needs}' (set REJUDGE_SHARED to its folder)")
    now, _ = run(case, tmp_path)
    table = difference_table(differences(read(RECORDED / f"{case.name}.csv"), now))
    assert not table, f"{case.name}, recorded -> now:\n{table}"


@pytest.mark.parametrize(
    ("key", "field", "recorded", "now", "same"),
    [
        (_MEAN, "value", {"value": 3.0}, 3.0 + 2e-9, True),
        (_MEAN, "value", {"value": 3.0}, 3.0 + 4e-9, False),
        (_MEAN, "value", {"value": 0.0}, 1e-11, True),
        (_MEAN, "value", {"value": None}, 0.0, False),
        (_MEAN, "supported", {"supported": "yes"}, "no", False),
        (_FIT, "value", {"value": 3.0}, 3.0 + 2e-6, True),
        (_FIT, "df", {"df": 12.0}, 12.01, True),
        (_FIT, "p", {"p": 1e-8}, 1.01e-8, True),
        (_FIT, "p", {"p": 0.04}, 0.041, False),
        (_SIMULATED, "power", {"power": 0.5, "power mc error": 0.01}, 0.55, True),
        (_SIMULATED, "power", {"power": 0.5, "power mc error": 0.01}, 0.56, False),
    ],
)
def test_how_close_a_number_must_be(key, field, recorded, now, same):
    assert is_same(key, field, recorded, now) == same


def test_a_difference_says_what_it_is_about():
    found = list(differences({_MEAN: {"value": 3.0, "n": 4.0}}, {_MEAN: {"value": 3.5, "n": 4.0}}))
    assert difference_table(found) == (
        "analyse | fluency | ash | mean | mean | value: 3 -> 3.5  (+0.5)"
    )


def test_rows_are_read_as_they_were_written(tmp_path):
    record = {
        _MEAN: {"value": 1 / 3, "supported": "yes", "p": None},
        replace(_MEAN, command="look"): {"value": 1 / 3, "supported": "yes", "p": None},
        _FIT: {"value": 2.0},
    }
    write(record, tmp_path / "rows.csv")
    again = read(tmp_path / "rows.csv")
    assert not list(differences(record, again))
    assert merge(again, record) == again

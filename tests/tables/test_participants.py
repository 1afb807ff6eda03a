"""Tables about the participants."""

from __future__ import annotations

import pytest

from rejudge.analysis.analyse import analyse
from rejudge.judgments.table import Judgment, Judgments
from rejudge.layout.numbers import NARROW
from rejudge.tables.participants import (
    MOST_REMARK_CHARACTERS,
    quantile_table,
    shorten_remark,
    time_tables,
)


@pytest.fixture(scope="module")
def times():
    rows = (
        Judgment(f"p{p}", f"i{i}", "q", float(1 + (p + i) % 5), system="ash", seconds=5.0 + p + i)
        for p in range(4)
        for i in range(6)
    )
    return analyse(Judgments.from_rows(rows)).times


def test_quantiles_stand_side_by_side_with_their_intervals_below(times):
    table = quantile_table(times)
    seconds, intervals = table.rows
    assert f"50{NARROW}%" in [column.name for column in table.columns]
    assert seconds == ("Seconds", *(mark.seconds for mark in times.quantiles))
    assert intervals == ("Interval", *(mark.interval for mark in times.quantiles))


def test_every_participant_has_a_row_of_times(times):
    tables = {table.name: table for table in time_tables(times)}
    assert tables["times-people"].column("participant") == ("p0", "p1", "p2", "p3")


def test_without_times_there_is_no_table():
    assert list(time_tables(None)) == []


def test_a_long_remark_is_cut():
    assert shorten_remark("short") == "short"
    cut = shorten_remark("x" * (MOST_REMARK_CHARACTERS + 1))
    assert cut == "x" * MOST_REMARK_CHARACTERS + " …"

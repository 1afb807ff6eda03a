"""Tables on how far results can be trusted."""

from __future__ import annotations

import pytest

from rejudge.analysis.analyse import analyse
from rejudge.judgments.answers import CheckCount
from rejudge.judgments.exclusions import ExclusionRules, exclude_rows
from rejudge.judgments.table import Judgment, Judgments
from rejudge.tables.quality import (
    check_table,
    drift_table,
    exclusion_table,
    planned_table,
    precision_tables,
)


@pytest.fixture(scope="module")
def results():
    rows = (
        Judgment(f"p{p}", f"i{i}", "q", float(1 + (2 * p + 3 * i + s) % 5), system=system,
                 position=i)
        for p in range(5)
        for i in range(8)
        for s, system in enumerate(("ash", "beech"))
    )  # fmt: skip
    rules = ExclusionRules(participants=("p0",))
    return analyse(exclude_rows(Judgments.from_rows(rows), rules))


def test_kept_and_excluded_add_up(results):
    collected, (what, people, rows), kept = exclusion_table(results.flow).rows
    assert (what, people, rows) == ("– left out by name", 1, 16)
    assert collected == ("collected", 5, 80)
    assert kept == ("kept", 4, 64)


def test_what_was_not_planned_is_exploratory(results):
    table = planned_table(results)
    assert set(table.column("status")) == {"exploratory"}
    assert "Drift of scores" in table.column("analysis")


def test_changes_per_task_have_four_decimals_on_pages(results):
    found = [f for f in results.findings if f.measure == "order-effect"]
    table = drift_table(found)
    assert "score" in table.column("what")
    assert table.columns[2].digits == 4


def test_a_check_that_nobody_answered_has_no_rate():
    counts = (
        CheckCount(check="c1", on_fail="flag", answered=8, failed=2),
        CheckCount(check="c2", on_fail="exclude", answered=0, failed=0),
    )
    first, second = check_table(counts, {"c1": "q"}).rows
    assert first == ("c1", "q", "is only flagged", 8, 2, 25.0)
    assert second == ("c2", None, "leads to exclusion", 0, 0, None)


def test_sensitivity_and_precision_have_a_row_per_pair(results):
    tables = {table.name: table for table in precision_tables(results, {"ash": "Ash"})}
    assert len(tables["sensitivity"].rows) >= 1
    assert "Ash" in tables["sensitivity"].rows[0]

"""A comparison in brief."""

from __future__ import annotations

from dataclasses import replace

import pytest

import rejudge as rj
from compared import select
from rejudge.compare.compare import compare
from rejudge.compare.comparison import EVERY
from rejudge.tables.comparison_summary import has_numbers, unsupported_in_words, verdict_table

NAMES = ("hosking-2021", "steen-2025", "arvan-2025")


@pytest.fixture(scope="module")
def three():
    return compare(*(rj.run_of_paper(rj.open_paper(name)) for name in NAMES))


def test_each_reproduction_has_one_row(three):
    table = verdict_table(three)
    assert table.column("reproduction") == ("Steen and Markert 2025", "Arvan and Parde 2025")
    assert table.column("claims supported") == ("1 of 2", "2 of 2")
    assert table.column("order: ρ (type II)") == ("1.00", "1.00")


def test_what_no_run_has_is_not_a_column(three):
    names = [column.name for column in verdict_table(three).columns]
    assert "labels (type III)" not in names


def test_runs_without_common_numbers_are_known_as_such(three):
    assert has_numbers(three)
    assert not has_numbers(replace(three, findings=()))


def unsupported(three, *, detectable, differs):
    """What is told where no run supports the only significant difference."""
    found = []
    for name, reach in detectable.items():
        check = select(three.findings, "confirmed", NAMES[0], name, method="significance")[0]
        extra = {"detectable": reach, "effect differs": differs, "contradicted": 0.0}
        found.append(replace(check, value=0.0, extra=extra))
    return unsupported_in_words(replace(three, findings=tuple(found)))


def test_a_difference_that_no_run_supports_is_not_called_absent(three):
    told = unsupported(three, detectable={NAMES[1]: 0.944, NAMES[2]: 0.676}, differs=0.0)
    assert told == (
        "The significant difference is not supported in either, which does not show that it is "
        "absent: the smallest difference found with 80 % power is 0.94 in Steen and Markert 2025 "
        "and 0.68 in Arvan and Parde 2025; the effects do not differ detectably from the "
        "original’s."
    )


def test_of_several_differences_those_that_are_supported_again_are_counted_first(three):
    told = unsupported_in_words(three)
    assert told.startswith(
        "Of 5 significant differences, 4 are supported again; 1 is not supported in Steen and "
        "Markert 2025, which does not show that it is absent: what it could detect is not known;"
    )
    every = select(three.findings, EVERY)
    assert {each.by for each in every} == {"pairwise-ranks", "claims", "significance"}

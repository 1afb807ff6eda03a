"""Datasheets as conditions of measurement in a comparison."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fluency_runs import FIRST, ORIGINAL, SECOND, printed
from heds_files import filled_sheet
from rejudge.compare.compare import compare
from rejudge.compare.comparison import Comparison
from rejudge.errors import UsageError
from rejudge.heds.diff import title_conditions, with_sheets
from rejudge.heds.sheet import Sheet, SheetAnswer

_LONG = "Judge the fluency. " * 40


def _sheets() -> tuple[Sheet, Sheet]:
    one = filled_sheet("3.0", "Fluency").with_answer("3.2.1", "120")
    one = one.with_answer("4.3.4", "1, 2, 3, 4", criterion="Fluency")
    one = one.with_answer("4.3.7", _LONG, criterion="Fluency")
    two = one.with_answer("3.2.1", "2 people").with_answer("1.3.1.1", "Bo")
    two = two.with_answer("4.3.4", "1 (bad) to 4 (good)", criterion="Fluency")
    two = two.with_answer("4.3.7", _LONG + "Twice.", criterion="Fluency")
    return one, two.with_answer("3.3.2", "Paper.")


def _compared(*sheets: Sheet) -> Comparison:
    runs = [printed("original", ORIGINAL), printed("ours", FIRST), printed("more", SECOND)]
    described = with_sheets(runs[: len(sheets)], sheets)
    return title_conditions(compare(*described))


def test_differing_answers_become_deviations():
    comparison = _compared(*_sheets())
    found = {each.property: each for each in comparison.deviations}
    assert set(found) == {"x-heds-3.2.1", "x-heds-4.3.7-Fluency"}
    evaluators = found["x-heds-3.2.1"]
    assert evaluators.title == "HEDS 3.2.1 Number of evaluators"
    assert (evaluators.original, evaluators.here) == ("120", "2 people")
    assert evaluators.impact == "unknown"
    assert evaluators.is_computed
    assert found["x-heds-4.3.7-Fluency"].title == "HEDS 4.3.7 Question asked (Fluency)"


def test_long_answers_are_cut_but_told_apart():
    found = {each.property: each for each in _compared(*_sheets()).deviations}
    asked = found["x-heds-4.3.7-Fluency"]
    assert asked.original != asked.here
    assert len(str(asked.original)) < 180


def test_what_the_runs_state_themselves_is_not_said_twice():
    """Both runs name their platform, so 3.3.2 is left to them."""
    comparison = _compared(*_sheets())
    assert "x-heds-3.3.2" not in {each.property for each in comparison.conditions}


def test_equal_answers_count_as_equal_conditions():
    one, two = _sheets()
    same, differing = _compared(one, one), _compared(one, two)
    assert same.deviations == ()
    assert same.similarities[0].share == 1
    assert differing.similarities[0].known_in_both == same.similarities[0].known_in_both
    assert differing.similarities[0].equal == same.similarities[0].equal - 2


def test_one_sheet_is_enough_for_all_cases_of_a_study():
    ours = replace(printed("ours", FIRST), cases=("case-1", "case-2"))
    described = with_sheets([printed("original", ORIGINAL), ours], _sheets())
    assert any(key == "x-heds-3.2.1" for key in described[1].conditions)


def test_three_runs_are_each_compared_with_the_original():
    one, two = _sheets()
    third = two.with_answer("3.2.2.2", SheetAnswer(options=(3,)))
    runs = {each.run for each in _compared(one, two, third).deviations}
    assert runs == {"ours", "more"}


def test_each_run_needs_its_sheet():
    with pytest.raises(UsageError, match="1 runs, but 2 datasheets"):
        with_sheets([printed("original", ORIGINAL)], _sheets())

"""Power analyses in tables and sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planned_powers import PLANNED, size
from rejudge.layout.latex import to_latex
from rejudge.layout.table import to_csv, to_markdown
from rejudge.stats import Interval
from rejudge.tables.power import (
    confirmation_sentences,
    effects_in_words,
    frontier,
    planned_power_sentences,
    power_method,
    power_sentences,
    power_table,
    power_tables,
    power_value,
    price_in_words,
)


def test_sentences_name_the_planned_and_the_cheapest_size():
    planned, best, missing = power_sentences(PLANNED)

    assert "50 items × 3 participants each (50 participants in all) find 0.3 points" in planned
    assert (
        "60.0\u202f% power (59.0\u202f% to 61.0\u202f%; linear mixed model, level 0.05)" in planned
    )
    assert "The cheapest size that reaches 80\u202f% is 100 items" in best
    assert "£200.00 and 10.0 hours" in best
    assert missing == "It needs 20 more items than the item file has."


def test_a_target_that_is_not_reached_is_said_with_the_best_there_is():
    *_, last = power_sentences(replace(PLANNED, cheapest=None, target=0.99))

    assert last.startswith(
        "None of these sizes reaches 99\u202f% power; the highest is 85.0\u202f%"
    )


def test_sizes_that_find_nothing_have_no_best_one():
    sizes = (size(50, 0.0, None), size(100, 0.0, None))
    *_, last = power_sentences(replace(PLANNED, cheapest=None, sizes=sizes))

    assert "the highest is 0.0\u202f%. Try larger sizes" in last


def test_without_a_difference_no_size_is_recommended():
    """A rate of false positives is not a power."""
    level = replace(PLANNED.planned.hardest, true_difference=0.0)
    sizes = tuple(replace(each, comparisons=(level,)) for each in PLANNED.sizes)
    (only,) = power_sentences(replace(PLANNED, cheapest=None, sizes=sizes))

    assert "find a difference where there is none" in only


def test_a_size_that_costs_more_and_finds_less_is_not_on_the_frontier():
    assert [each.items for each in frontier(PLANNED)] == [50, 100]


def test_without_pay_there_is_no_column_of_costs():
    free = replace(PLANNED, sizes=(size(50, 0.6, None), size(100, 0.85, None)))

    assert "cost" not in [column.name for column in power_table("power", free).columns]
    assert price_in_words(free.sizes[0]) == "5.0 hours"


@pytest.mark.parametrize("write", [to_csv, to_latex, to_markdown])
def test_every_table_is_written_in_every_format(write):
    texts = [write(table) for table in power_tables(PLANNED)]

    assert len(texts) == 3
    assert all("0.6" in text or "0.9" in text for text in texts)


def test_papers_have_room_for_every_table():
    assert all(len(table.rendering("print").columns) <= 8 for table in power_tables(PLANNED))


def test_questions_with_the_same_effect_are_named_together():
    both = (PLANNED.effects[0], replace(PLANNED.effects[0], question="meaning"))

    assert effects_in_words(replace(PLANNED, effects=both)) == (
        "0.3 points of the scale on fluency and meaning"
    )
    three = replace(PLANNED.effects[0], order=("a", "b", "c"))
    assert effects_in_words(replace(PLANNED, effects=(three,))).endswith(
        "between neighbouring systems"
    )
    pair = replace(three, pair=("a", "c"))
    assert effects_in_words(replace(PLANNED, effects=(pair,))).endswith("between a and c")


def test_power_after_data_collection_is_not_called_planned():
    before = " ".join(planned_power_sentences(PLANNED))
    after = " ".join(planned_power_sentences(replace(PLANNED, is_after_data=True)))

    assert before.startswith("Before data collection")
    assert after.startswith("After data collection had begun")


def test_a_datasheet_gets_value_method_and_assumptions():
    assert power_value(PLANNED).startswith(
        "0.60 for 0.3 points of the scale on fluency, alpha 0.05"
    )
    assert "Nobody was careless." in power_method(PLANNED)


def test_complete_studies_that_differ_are_reported():
    one = replace(PLANNED.planned.hardest, power=0.4, interval=Interval(0.31, 0.5, 0.95))
    found = replace(PLANNED, confirmed=(one,), confirmed_studies=100)
    (said,) = confirmation_sentences(found)

    assert "1 of 1 power lies outside Monte-Carlo error" in said
    assert "40.0\u202f% (31.0\u202f% to 50.0\u202f%) instead of 60.0\u202f%" in said
    assert list(confirmation_sentences(PLANNED)) == []

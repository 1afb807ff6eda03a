"""What all figures share: the order of systems and their colours."""

from __future__ import annotations

from rejudge.analysis.analyse import analyse
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.figures.context import figure_context
from rejudge.report.figures.style import SHADES
from rejudge.tables.findings import rank


def results_of(systems: int):
    """System k has scores around k, so the last one leads."""
    return analyse(
        Judgments.from_rows(
            Judgment(f"p{p}", f"i{i}", "q", float(k + (p + i) % 3), system=f"s{k:02}")
            for p in range(3)
            for i in range(4)
            for k in range(systems)
        )
    )


def test_the_best_system_comes_first():
    context = figure_context(results_of(3), {})
    assert [f.systems[0] for f in context.standings("q")] == ["s02", "s01", "s00"]


def test_what_is_undefined_comes_last():
    from dataclasses import replace

    first, second = figure_context(results_of(2), {}).standings("q")
    assert rank([replace(first, value=None), second])[0] is second


def test_few_systems_have_colours_in_the_order_of_the_study():
    styles = figure_context(results_of(3), {"s02": "Third", "s00": "First"}).systems
    assert [styles.shade(name) for name in ("s02", "s00", "s01")] == [1, 2, 3]
    assert (styles.name("s02"), styles.name("s01")) == ("Third", "s01")


def test_of_many_systems_only_the_leader_has_a_colour():
    styles = figure_context(results_of(SHADES + 1), {}).systems
    assert styles.shade(f"s{SHADES:02}") == 1
    assert styles.shade("s00") == 0


def test_captions_begin_with_simulated_only_where_a_program_answered():
    assert figure_context(results_of(2), {}).prefix == ""

"""Tables on a narrow terminal, and the progress bar of a long command."""

from __future__ import annotations

import io
import sys

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from property_settings import examples
from rejudge.cli.console import fit_to_width, render_list, render_table, step_progress
from rejudge.layout.table import Column, interval_column, p_column
from rejudge.layout.table import Table as ResultTable
from rejudge.stats import Interval

LONG = "A paraphrase system with a long name, fine-tuned for three epochs, variant 12"


def printed(piece, width):
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False)
    for part in fit_to_width(piece, console):
        console.print(part)
    return file.getvalue()


def scores(labels, columns):
    table = Table(box=None, padding=(0, 2, 0, 0), title="Scores")
    table.add_column("", no_wrap=True)
    for place in range(columns):
        table.add_column(f"run {place}", justify="right")
    for row, label in enumerate(labels):
        table.add_row(Text(label), *(f"−{row}{place}.{place:03d}" for place in range(columns)))
    return table


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_number_is_cut_or_broken_however_many_columns_there_are(width):
    text = printed(scores(["Ash", LONG], 30), width)
    assert "…" not in text
    assert all(f"−1{place}.{place:03d}" in text for place in range(30))
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [60, 80])
def test_labels_wrap_and_keep_every_word(width):
    words = printed(scores([LONG], 4), width).split()
    assert set(LONG.split()) <= set(words)


def test_a_table_that_fits_stays_one_table_with_its_title():
    text = printed(scores(["Ash", "Beech"], 3), 80)
    assert text.count("Scores") == 1
    assert text.count("Ash") == 1


def test_each_block_of_a_split_table_has_the_labels_but_one_has_the_title():
    text = printed(scores(["Ash"], 20), 60)
    assert text.count("Scores") == 1
    assert text.count("Ash") > 1


def test_an_indented_table_is_split_as_well():
    text = printed(Padding(scores(["Ash"], 20), (0, 0, 0, 2)), 60)
    assert max(map(len, text.splitlines())) <= 60
    assert "−019.019" in text


@settings(max_examples=examples(50))
@given(
    labels=st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=3),
    columns=st.integers(1, 12),
)
def test_any_label_can_stand_beside_numbers(labels, columns):
    text = printed(scores(labels, columns), 60)
    assert all(f"−0{place}.{place:03d}" in text for place in range(columns))


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)


@pytest.mark.usefixtures("terminal")
def test_a_terminal_sees_the_step_and_no_markup_of_it(capsys):
    with step_progress() as watch:
        watch("reading [bold]x\x1b[2J.csv", 0.25)
    assert "\x1b[2J" not in capsys.readouterr().err


def test_nothing_is_shown_where_no_terminal_is(capsys):
    with step_progress() as watch:
        watch("reading", 0.5)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("terminal")
def test_nothing_is_shown_beside_json(capsys):
    with click.Context(click.Command("analyse")) as context:
        context.meta["rejudge.as_json"] = True
        with step_progress() as watch:
            watch("reading", 0.5)
    assert capsys.readouterr() == ("", "")


TABLE = ResultTable(
    "made",
    "",
    (Column("test"), Column("system"), Column("value", 2), interval_column(), p_column("p")),
    (
        ("t-test", "ours", -1.234, Interval(-2.0, -0.5, 0.95), 0.0001),
        ("t-test", "base", 12.0, None, None),
        ("sign test", "ours", 3.0, None, 0.25),
    ),
)


def printed_lines(*pieces: RenderableType, width: int = 60) -> list[str]:
    console = Console(width=width, highlight=False)
    with console.capture() as caught:
        for piece in pieces:
            console.print(piece)
    return [line.rstrip() for line in caught.get().splitlines()]


def test_numbers_are_on_the_right_with_the_formats_of_screens():
    assert printed_lines(render_table(TABLE.without("test"))) == [
        "      value        interval        p",
        "ours  −1.23  −2.00 to −0.50  < 0.001",
        "base  12.00",
        "ours   3.00                    0.250",
    ]


def test_the_cells_of_a_column_become_lines_above_the_rows_that_share_them():
    lines = printed_lines(render_table(TABLE.keep("test", "system", "value"), by="test"))
    assert lines == [
        "           value",
        "t-test",
        "ours       −1.23",
        "base       12.00",
        "",
        "sign test",
        "ours        3.00",
    ]


def test_what_is_absent_can_be_a_dash():
    (*_, last) = printed_lines(
        render_table(TABLE.keep("system", "value", "p"), "corner", absent="–")
    )
    assert last.split() == ["ours", "3.00", "0.250"]
    assert printed_lines(render_table(TABLE.keep("system", "p"), absent="–"))[2].split() == [
        "base",
        "–",
    ]


def test_the_corner_is_the_heading_of_the_first_column():
    assert printed_lines(render_table(TABLE.keep("system", "value"), "hardest"))[:2] == [
        "",
        "hardest  value",
    ]


def test_headings_in_a_terminal_begin_in_lower_case_unless_they_are_symbols_or_names():
    columns = (
        Column("system"),
        Column("per item", 0, "Per item"),
        Column("variation", 1, "CV*"),
        Column("Ann", 1, "Ann"),
    )
    table = ResultTable("t", "", columns, (("ours", 3, 1.5, 2.0),))
    assert printed_lines(render_table(table))[0].split("  ")[-3:] == ["per item", "CV*", "Ann"]


def test_lists_are_indented_and_aligned_with_each_other():
    claims = ResultTable(
        "claims",
        "",
        (Column("claim"), Column("verdict"), Column("because")),
        (
            ("ours best", "supported", "ours 3.0, base 1.0; all significant"),
            ("base worst", "contradicted", "base above ours"),
        ),
    )
    assert printed_lines(*render_list(claims, by="claim"), width=40) == [
        "ours best",
        "  supported     ours 3.0, base 1.0; all",
        "                significant",
        "base worst",
        "  contradicted  base above ours",
    ]

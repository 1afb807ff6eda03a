"""Tables on the terminal: numbers on the right, lines above rows, lists with wrapped text."""

from __future__ import annotations

from rich.console import Console, RenderableType

from rejudge.cli.tables import render_list, render_table
from rejudge.layout import Column, Table, interval_column, p_column
from rejudge.stats import Interval

TABLE = Table(
    "made",
    "",
    (Column("test"), Column("system"), Column("value", 2), interval_column(), p_column("p")),
    (
        ("t-test", "ours", -1.234, Interval(-2.0, -0.5, 0.95), 0.0001),
        ("t-test", "base", 12.0, None, None),
        ("sign test", "ours", 3.0, None, 0.25),
    ),
)


def printed(*pieces: RenderableType, width: int = 60) -> list[str]:
    console = Console(width=width, highlight=False)
    with console.capture() as caught:
        for piece in pieces:
            console.print(piece)
    return [line.rstrip() for line in caught.get().splitlines()]


def test_numbers_are_on_the_right_with_the_formats_of_screens():
    assert printed(render_table(TABLE.without("test"))) == [
        "      value        interval        p",
        "ours  −1.23  −2.00 to −0.50  < 0.001",
        "base  12.00",
        "ours   3.00                    0.250",
    ]


def test_the_cells_of_a_column_become_lines_above_the_rows_that_share_them():
    lines = printed(render_table(TABLE.keep("test", "system", "value"), by="test"))
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
    (*_, last) = printed(render_table(TABLE.keep("system", "value", "p"), "corner", absent="–"))
    assert last.split() == ["ours", "3.00", "0.250"]
    assert printed(render_table(TABLE.keep("system", "p"), absent="–"))[2].split() == ["base", "–"]


def test_the_corner_is_the_heading_of_the_first_column():
    assert printed(render_table(TABLE.keep("system", "value"), "hardest"))[:2] == [
        "",
        "hardest  value",
    ]


def test_lists_are_indented_and_aligned_with_each_other():
    claims = Table(
        "claims",
        "",
        (Column("claim"), Column("verdict"), Column("because")),
        (
            ("ours best", "upheld", "ours 3.0, base 1.0; all significant"),
            ("base worst", "contradicted", "base above ours"),
        ),
    )
    assert printed(*render_list(claims, by="claim"), width=40) == [
        "ours best",
        "  upheld        ours 3.0, base 1.0; all",
        "                significant",
        "base worst",
        "  contradicted  base above ours",
    ]

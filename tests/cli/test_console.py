"""Tables on a narrow terminal, and the progress bar of a long command."""

from __future__ import annotations

import io
import sys

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rejudge.cli.console import fit_to_width, step_progress

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

"""The bar that a long command shows, and where it does not."""

from __future__ import annotations

import sys

import click
import pytest

from rejudge.cli.console import watched_steps


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)


@pytest.mark.usefixtures("terminal")
def test_a_terminal_sees_the_step_and_no_markup_of_it(capsys):
    with watched_steps() as watch:
        watch("reading [bold]x\x1b[2J.csv", 0.25)
    assert "\x1b[2J" not in capsys.readouterr().err


def test_nothing_is_shown_where_no_terminal_is(capsys):
    with watched_steps() as watch:
        watch("reading", 0.5)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("terminal")
def test_nothing_is_shown_beside_json(capsys):
    with click.Context(click.Command("analyse")) as context:
        context.meta["rejudge.as_json"] = True
        with watched_steps() as watch:
            watch("reading", 0.5)
    assert capsys.readouterr() == ("", "")

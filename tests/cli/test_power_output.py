"""A power analysis as JSON and on the screen."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from planned_powers import PLANNED, size
from rejudge.cli.power_output import power_json, render_filled, render_power
from rejudge.power.fill import FilledRule
from rejudge.study.sample_size import FilledSize


def text_of(pieces) -> str:
    console = Console(file=io.StringIO(), width=200)
    for piece in pieces:
        console.print(piece)
    return console.file.getvalue()


def test_the_document_is_json_with_the_power_of_each_size_and_exact_amounts():
    document = json.loads(json.dumps(power_json(PLANNED, ["power.json"])))
    assert [each["items"] for each in document["sizes"]] == [50, 100, 120]
    assert document["sizes"][0]["power_interval"] == [0.59, 0.61]
    assert (document["cheapest"], document["written"]) == (1, ["power.json"])
    assert document["sizes"][0]["cost"] == "100.00"


def test_the_screen_shows_sizes_assumptions_and_the_file():
    shown = text_of(render_power(PLANNED, ["power.json"]))
    assert "Sizes\n" in shown
    assert "Variation of judgments: a pilot." in shown
    assert "Nobody was careless." in shown
    assert "Written: power.json" in shown


def test_many_sizes_are_reduced_to_those_worth_their_price():
    """Thirteen sizes, of which the last is more expensive and less powerful than the rest."""
    rising = tuple(size(50 + n, 0.5 + n / 50, str(100 + n)) for n in range(12))
    worse = size(777, 0.4, "999")
    shown = text_of(render_power(replace(PLANNED, sizes=(*rising, worse), cheapest=None), []))
    assert "Sizes with more power than any cheaper one" in shown
    assert "All 13 sizes are in tables/power.csv." in shown
    assert "777" not in shown


def test_a_filled_size_says_whether_it_reaches_the_power_of_the_rule():
    reached = FilledSize(
        rule="r", pilot="p", inputs=40, participants_per_batch=3, participants=24, power=0.83,
        reached=True, judgments=240, hours=6.5, cost="120.00", currency="GBP", on="2026-11-18",
        source="a pilot", engine="balanced",
    )  # fmt: skip
    shown = text_of(render_filled(FilledRule(reached, PLANNED), Path("study"), ["size.json"]))
    assert "40 inputs and 3 participants per batch, which reaches 80" in shown
    assert "120.00 GBP, 6.5 hours" in shown
    assert "rejudge plan study --force" in shown
    missed = replace(reached, reached=False)
    assert "none reaches 80" in text_of(render_filled(FilledRule(missed, PLANNED), Path("s"), []))

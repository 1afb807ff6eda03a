"""What `rejudge analyse` prints for people."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.console import Console

from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further
from rejudge.analysis.outline import Grouping
from rejudge.analysis.results import ClaimOutcome
from rejudge.cli.console import SCREEN
from rejudge.cli.results import render_files, render_results
from rejudge.judgments.table import Judgment, Judgments


@pytest.fixture(scope="module")
def results():
    rows = (
        Judgment(f"p{p}", f"i{i}", "fluency", float(1 + (2 * p + 3 * i + s) % 5), system=system,
                 seconds=4.0 + i)
        for p in range(6)
        for i in range(8)
        for s, system in enumerate(("ash", "beech"))
    )  # fmt: skip
    groups = Grouping("role", "items", {f"i{i}": ("agent", "user")[i % 2] for i in range(8)})
    return analyse(
        Judgments.from_rows(rows), further=Further(cases=("each", "majority")), groupings=[groups]
    )


def printed(results) -> str:
    console = Console(width=100, highlight=False)
    with console.capture() as caught:
        for piece in render_results(results, {"ash": "Ash"}):
            console.print(piece)
    return "\n".join(line.rstrip() for line in caught.get().splitlines())


def test_it_begins_with_how_many_judgments_count(results):
    assert printed(results).startswith("6 of 6 participants and 96 of 96 judgments count.\n")


def test_systems_have_their_names_and_every_part_its_heading(results):
    text = printed(results)
    assert "\nfluency\n" in text
    assert "\nAsh – beech " in text
    assert text.index("\nfluency\n") < text.index("\nBy role\n")


def test_a_claim_has_its_verdict(results):
    claim = ClaimOutcome("c1", "ash best on fluency", "opposite-direction", "Ash -0.5, beech 0.2")
    text = printed(replace(results, claims=(claim,)))
    assert re.search(r"\nClaims\n +Ash is best on fluency +opposite direction, not supported", text)


def test_tables_that_were_written_are_counted():
    written = ["out/results.json", "out/tables/a.csv", "out/tables/a.tex", "out/tables/b.csv"]
    assert str(render_files(written)) == "Written: out/results.json, 2 tables in out/tables"
    assert str(render_files([])) == "Nothing was written. Use --out DIR to write the files."


def rated(systems: int, questions: int) -> Judgments:
    """Ratings of so many systems by the same people."""
    return Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", f"question {q}", 1.0 + (3 * s + 5 * p + 7 * i + s * i) % 5,
                 system=f"s{s:02d}")
        for q in range(questions) for p in range(3) for i in range(6) for s in range(systems)
    )  # fmt: skip


@pytest.mark.parametrize(("systems", "questions"), [(2, 1), (12, 1), (5, 2), (3, 9)])
def test_what_is_printed_fits_a_screen_and_what_does_not_is_named(systems, questions):
    text = printed(analyse(rated(systems, questions)))
    assert text.count("\n") + 2 <= SCREEN  # with a line on what was written
    assert "`rejudge report` shows everything" in text


def test_of_many_pairs_the_first_are_printed_and_all_are_counted():
    assert "The first 12 of 66 pairs;" in printed(analyse(rated(12, 1)))

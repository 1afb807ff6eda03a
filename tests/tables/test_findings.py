"""Findings as tables."""

from __future__ import annotations

from dataclasses import replace

from judged_study import PAIRWISE, RATING, analysed, checked_study, small_study
from rejudge.simulate.parameters import Parameters
from rejudge.tables.results import result_tables


def test_every_number_is_in_one_of_the_tables():
    results = analysed(small_study(PAIRWISE, RATING))
    beside = {"frames": (), "sensitivity": (), "precision": (), "reliability": ()}
    alone = [each for each in result_tables(replace(results, **beside)) if each.name != "summary"]
    names = [sheet.name for sheet in alone]
    assert names[:3] == ["meaning-systems", "meaning-pairs", "meaning-tests"]
    assert sum(len(sheet.rows) for sheet in alone) == len(results.findings)


def test_with_and_without_exclusions_stand_side_by_side():
    results = analysed(checked_study(PAIRWISE), parameters=Parameters(careless=0.5))
    sheet = next(sheet for sheet in result_tables(results) if sheet.name == "exclusions")
    assert [column.name for column in sheet.columns[3:]] == [
        "with",
        "with: better",
        "without",
        "without: better",
        "same outcome",
    ]


def test_the_caption_tells_n_method_and_interval():
    results = analysed(small_study(RATING))
    caption = next(sheet.caption for sheet in result_tables(results))
    assert "n = " in caption or "n from " in caption
    assert "Intervals at 95 %." in caption

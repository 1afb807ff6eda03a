"""Findings as tables: the same numbers for every medium."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from judged_study import PAIRWISE, RATING, analysed, checked_study, small_study
from rejudge.layout.latex import MOST_COLUMNS
from rejudge.layout.table import to_csv
from rejudge.simulate.parameters import Parameters
from rejudge.tables.findings import TABLES, Scope, finding_table, headlines
from rejudge.tables.results import result_tables

NAMES = ("systems", "pairs", "tests", "agreement")


@pytest.fixture(scope="module")
def results():
    return analysed(small_study(PAIRWISE, RATING))


def rows(results, name: str):
    text = to_csv(finding_table(results, name, "csv", {}))
    return list(csv.DictReader(io.StringIO(text)))


def test_every_number_is_in_one_of_the_files(results):
    assert sum(len(rows(results, name)) for name in NAMES) == len(results.findings)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("medium", ["page", "paper", "terminal"])
def test_a_table_for_people_fits_and_a_paper_has_at_most_eight_columns(results, name, medium):
    table = finding_table(results, name, medium, {})
    most = {"paper": MOST_COLUMNS, "terminal": 6, "page": 10}[medium]
    assert len(table.columns) <= most


def test_pairs_stand_in_the_order_of_the_scores(results):
    means = {f.systems[0]: f.value for f in results.select("fluency", "mean")}
    first = headlines(results, Scope("fluency"))[0]
    assert set(first.systems) == set(sorted(means, key=means.__getitem__)[-2:])


def test_without_exclusions_is_a_case_of_its_own():
    results = analysed(checked_study(PAIRWISE), parameters=Parameters(careless=0.5))
    sheet = next(sheet for sheet in result_tables(results) if sheet.name == "pairs-by-case")
    assert {row["case"] for row in csv.DictReader(io.StringIO(to_csv(sheet)))} == {
        "without exclusions"
    }


def test_p_is_called_corrected_only_where_it_is(results):
    def heads(correction: str) -> list[str]:
        signature = replace(results.signature, correction=correction)
        changed = replace(results, signature=signature)
        return [c.name for c in finding_table(changed, "pairs", "terminal", {}).columns]

    assert "p (Holm)" in heads("holm")
    assert "p" in heads("none")


def test_the_caption_says_that_intervals_are_not_corrected_where_p_is(results):
    caption = finding_table(results, "pairs", "paper", {}).caption
    assert "p after Holm correction; the intervals are not corrected." in caption


def test_decimals_follow_the_standard_error(results):
    first, *_ = results.select("fluency", "mean")
    close = replace(first, value=0.0412, standard_error=0.022)
    table = finding_table(replace(results, findings=(close,)), "systems", "page", {})
    assert "0.041" in table.on_page[0]

"""Type III from printed contingency tables.

Values for the table of RATED: scikit-learn 1.9.1 and krippendorff 0.9.0, as in
tests/stats/agreement/test_group_kappa.py.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from compared import select
from rejudge.cli import main
from rejudge.compare.alignment import rename
from rejudge.compare.compare import compare
from rejudge.compare.run import run_of_paper
from rejudge.paper.paper_file import parse
from rejudge.tables.comparison import is_from_table

FIRST = """\
id: first
reference: {authors: One, year: 2020, title: An original}
systems: [{id: a}, {id: b}]
criteria:
  - {id: fluency, scale: {kind: rating, low: 1, high: 4, points: 4}}
  - {id: meaning, scale: {kind: rating, low: 1, high: 4, points: 4}}
cases:
  - scores:
      - {criterion: fluency, system: a, value: 2.50}
      - {criterion: fluency, system: b, value: 3.10}
      - {criterion: meaning, system: a, value: 2.50}
      - {criterion: meaning, system: b, value: 3.10}
conditions: {platform: Prolific}
"""
SECOND = FIRST.replace("id: first", "id: second\nreproduces: first").replace("One", "Two")
RATED = """\
contingency:
  - criterion: fluency
    rows: first
    columns: second
    labels: [1, 2, 3, 4]
    level: ordinal
    counts: [[20, 5, 1, 0], [4, 31, 8, 2], [0, 9, 40, 6], [1, 1, 7, 25]]
    place: Table <3>
"""


def compared(tables):
    return compare(*(run_of_paper(parse(text)) for text in (FIRST, SECOND + tables)))


def from_tables(comparison):
    found = select(comparison.findings, "agreement")
    return {each.by: each for each in found if is_from_table(each)}


def test_a_table_of_two_compared_runs_is_agreement_between_them():
    found = from_tables(compared(RATED))
    assert {each.key.runs for each in found.values()} == {("first", "second")}
    assert all(each.n == 160 for each in found.values())
    assert found["percent"].value == pytest.approx(72.5)
    assert found["cohen-kappa"].value == pytest.approx(0.6230859835100118)
    assert found["cohen-kappa-linear"].value == pytest.approx(0.7140201615786086)
    assert found["cohen-kappa-quadratic"].value == pytest.approx(0.7951262454483614)
    alpha = found["krippendorff-alpha"]
    assert alpha.value == pytest.approx(0.7910403928934275)
    assert alpha.interval.low < alpha.value < alpha.interval.high
    assert "from the printed table of first and second (Two 2020, Table <3>)" in alpha.method
    assert "judged units assumed independent" in alpha.method


def test_only_criteria_without_a_table_are_said_to_have_no_labels():
    found = select(compared(RATED).findings, "agreement")
    unknown = [each for each in found if each.value is None]
    assert [(each.question, each.key.runs) for each in unknown] == [
        ("meaning", ("first", "second"))
    ]
    assert unknown[0].note == "Not computable: there are no labels for first and second."


def test_a_table_of_two_annotators_is_agreement_inside_the_run():
    tables = RATED.replace("rows: first", "rows: Ann").replace("columns: second", "columns: Bob")
    found = from_tables(compared(tables))
    assert {each.key.runs for each in found.values()} == {("second",)}


def test_a_table_with_a_run_that_is_not_compared_says_so():
    (only,) = from_tables(compared(RATED.replace("rows: first", "rows: third"))).values()
    assert only.value is None
    assert "third is not among the compared runs" in only.note


def test_undefined_coefficients_have_a_reason():
    tables = RATED.replace("[20, 5, 1, 0]", "[20, 0, 0, 0]")
    for row in ("[4, 31, 8, 2]", "[0, 9, 40, 6]", "[1, 1, 7, 25]"):
        tables = tables.replace(row, "[0, 0, 0, 0]")
    found = from_tables(compared(tables))
    assert found["percent"].value == 100
    assert "interval" not in found["percent"].method
    assert {each.value for name, each in found.items() if name != "percent"} == {None}
    assert all(each.note for each in found.values() if each.value is None)


def test_of_a_paper_with_two_cases_the_first_has_the_table():
    paper = parse(SECOND + RATED)
    cases = tuple(paper.cases[0].model_copy(update={"id": name}) for name in ("strict", "lenient"))
    second = run_of_paper(paper.model_copy(update={"cases": cases}))
    assert [len(run.contingency) for run in second.by_case()] == [1, 0]
    found = from_tables(compare(run_of_paper(parse(FIRST)), second))
    key = found["percent"].key
    assert (key.runs, key.case) == (("first", "second"), "strict")


def test_a_table_follows_its_criterion_when_that_is_renamed():
    run = run_of_paper(parse(SECOND + RATED))
    named = rename(run, systems={}, criteria={"fluency": "flow"})
    assert [table.criterion for table in named.contingency] == ["flow"]


def test_a_table_counts_in_the_fingerprint_and_an_empty_list_of_tables_does_not():
    texts = (SECOND, SECOND + RATED, SECOND + "contingency: []\n")
    without, with_table, empty = (run_of_paper(parse(text)) for text in texts)
    assert without.fingerprint != with_table.fingerprint
    assert without.fingerprint == empty.fingerprint


def written(tmp_path: Path) -> list[str]:
    (tmp_path / "one.yaml").write_text(FIRST, encoding="utf-8")
    (tmp_path / "two.yaml").write_text(SECOND + RATED, encoding="utf-8")
    return [str(tmp_path / "one.yaml"), str(tmp_path / "two.yaml")]


@pytest.mark.slow
def test_the_command_its_tables_and_its_page_show_the_table(tmp_path):
    words = ["compare", *written(tmp_path), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(main, words, env={"COLUMNS": "120"})
    assert done.exit_code == 0, done.output
    assert "Intervals from a printed table assume that judged units are independent." in done.output
    (sheet,) = (tmp_path / "out").rglob("type-3-labels.csv")
    with sheet.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    marked = [row for row in rows if row["where"] == "between, from the printed table"]
    assert [row["coefficient"] for row in marked] == [
        "Percent agreement",
        "Cohen’s kappa",
        "Cohen’s kappa, linear weights",
        "Cohen’s kappa, quadratic weights",
        "Krippendorff’s alpha",
    ]
    pages = [page.read_text("utf-8") for page in (tmp_path / "out").rglob("*.html")]
    assert any("between, from the printed table" in page for page in pages)
    assert not any("Table <3>" in page for page in pages)


def test_paper_show_prints_the_table(tmp_path):
    _, second = written(tmp_path)
    shown = CliRunner().invoke(main, ["paper", "show", second])
    assert RATED.strip() in shown.output
    as_json = CliRunner().invoke(main, ["paper", "show", second, "--json"])
    assert '"contingency"' in as_json.output

"""From paper.yaml to a paper, or to all that is wrong with it."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
import yaml

from paper_faults import PAPER, changed, only_problem, problems_of
from rejudge.paper.model import Paper
from rejudge.paper.paper_file import parse


def test_a_paper_is_read():
    paper = parse(PAPER)
    assert isinstance(paper, Paper)
    assert paper.conditions == {
        "platform": "Prolific",
        "items": 50,
        "countries": ("GB", "US"),
        "blind": True,
        "x-weather": "fine",
    }
    assert paper.claims[0].p_below == 0.05


def test_printed_numbers_keep_their_decimals():
    paper = parse(PAPER)
    (case,) = paper.cases
    assert [score.value.text for score in case.scores] == ["3.50", "2"]
    assert case.scores[0].sd.text == "0.90"
    assert case.agreement[0].value.text == "80.0"
    assert case.tests[0].p.number.text == "0.010"
    assert [end.text for end in case.tests[0].effect.interval] == ["0.10", "0.90"]
    assert paper.reproducibility[0].value.text == "3.470"


def test_numbers_in_quotes_are_printed_numbers_too():
    paper = parse(changed("value: 3.50", 'value: "3.50"'))
    assert paper.cases[0].scores[0].value.text == "3.50"


def test_a_paper_survives_its_own_json():
    paper = parse(PAPER)
    assert Paper.model_validate_json(paper.model_dump_json()) == paper


def test_every_fault_is_reported_at_once_in_the_order_of_lines():
    text = changed("year: 2024", "year: long ago").replace("says:", "sayz:")
    text = text.replace("platform: Prolific", "plattform: Prolific")
    assert [problem.line for problem in problems_of(text)] == [3, 16, 16, 17]


def test_a_fault_in_one_part_does_not_hide_what_does_not_fit_in_another():
    text = changed("year: 2024", "year: long ago").replace("system: b, value", "system: c, value")
    fields = [problem.field for problem in problems_of(text)]
    assert fields == ["reference.year", "cases[0].scores[1].system"]


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_an_empty_file_gets_advice_on_how_to_begin(text):
    (problem,) = problems_of(text)
    assert "rejudge paper new" in problem.remedy


def test_another_format_is_refused_with_advice():
    (problem,) = problems_of(f"format: 2\n{PAPER}")
    assert problem.what == "the file has format 2; this version of rejudge reads 1."
    assert "`format: 1`" in problem.remedy


def test_an_unknown_key_comes_with_the_nearest():
    missing, unknown = problems_of(changed("\nsystems:", "\nsystms:"))
    assert missing.what == "'systems' is missing."
    assert unknown.remedy == "Did you mean 'systems'?"
    problem = only_problem("place: Table 1}\n    agreement", "plaze: Table 1}\n    agreement")
    assert problem.remedy == "Did you mean 'place'?"


def test_a_number_that_is_missing_is_reported_with_its_line():
    problem = only_problem("value: 2,", "value: ,")
    assert (problem.line, problem.field) == (10, "cases[0].scores[1].value")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("value: 3.50", "value: 4.10"),
        ("value: 3.50, sd: 0.90", "value: 2.50, sd: 1.55"),
        ("sd: 0.90", "sd: -0.90"),
        ("value: 80.0", "value: 101.0"),
        ("p: 0.010", "p: 1.010"),
        ("value: 3.470", "value: -3.470"),
        ("measure: cv-star", "measure: pearson"),
        ("coefficient: percent", "coefficient: krippendorff-alpha"),
        ("[0.10, 0.90]", "[0.90, 0.10]"),
    ],
)
def test_numbers_that_cannot_be_are_entered_as_printed(before, after):
    assert problems_of(changed(before, after)) == ()


def test_an_empty_cell_is_no_score():
    """A dash is an empty cell of the paper; nothing at all is a cell that nobody filled in."""
    case = parse(changed("value: 3.50, sd: 0.90", 'value: "–", sd: "–"')).cases[0]
    assert (case.scores[0].value, case.scores[0].sd) == (None, None)
    assert [score.system for score in case.known] == ["b"]
    assert "There is no number here" in only_problem("value: 3.50", "value: ").what


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        ("value: 80.0", "value: 80.0 %", "80.0"),
        ("percent, systems: [a, b], value: 80.0", "icc, systems: [a, b], value: 80.0%", "0.800"),
    ],
)
def test_a_percent_sign_is_read_in_the_unit_of_its_figure(before, after, value):
    assert parse(changed(before, after)).cases[0].agreement[0].value.text == value


_APART = 4  # each value in every fourth place, and every place with several values


ODD = (None, "", 3, -1.5, True, "text", [], {}, [1], ["a"], {"a": 1}, [{}], "1e999", float("inf"))


def paths(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    entries = value.items() if isinstance(value, dict) else ()
    entries = enumerate(value) if isinstance(value, list) else entries
    for key, inner in entries:
        yield from paths(inner, (*path, key))


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_nothing_that_stands_in_a_file_is_more_than_a_fault_with_line_and_remedy(odd):
    arithmetic = [{"kind": "sum", "what": "parts", "parts": [1, 2], "total": 3}]
    whole = {**yaml.safe_load(PAPER), "arithmetic": arithmetic}
    for path in list(paths(whole))[1 + ODD.index(odd) % _APART :: _APART]:
        faulty = copy.deepcopy(whole)
        around = faulty
        for part in path[:-1]:
            around = around[part]
        around[path[-1]] = odd
        for problem in problems_of(yaml.safe_dump(faulty, sort_keys=False)):
            assert problem.line, path
            assert problem.remedy, (path, problem)

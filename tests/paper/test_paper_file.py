"""From paper.yaml to a paper, or to all that is wrong with it."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
import yaml

from rejudge.errors import Problem, StudyError
from rejudge.paper import PROPERTIES, Paper, parse, property_of

PAPER = """\
id: second
reproduces: first
reference: {authors: Doe, year: 2024, title: Once more}
systems: [{id: a}, {id: b}]
criteria:
  - {id: q, scale: {kind: rating, low: 1, high: 4, points: 4}}
cases:
  - scores:
      - {criterion: q, system: a, value: 3.50, sd: 0.90, n: 20, place: Table 1}
      - {criterion: q, system: b, value: 2, place: Table 1}
    agreement:
      - {criterion: q, coefficient: percent, systems: [a, b], value: 80.0}
    tests:
      - {criterion: q, systems: [a, b], p: 0.010,
         effect: {name: d, value: 0.52, interval: [0.10, 0.90]}}
claims: [{id: a-better, says: "a > b on q with p < 0.05"}]
conditions: {platform: Prolific, items: 50, countries: [GB, US], blind: true, x-weather: fine}
deviations: [{property: platform, reason: It had to be.}]
reproducibility: [{measure: cv-star, criterion: q, system: a, value: 3.470}]
"""


def problems_of(text: str) -> tuple[Problem, ...]:
    try:
        parse(text, file="p.yaml")
    except StudyError as error:
        return error.problems
    return ()


def changed(before: str, after: str) -> str:
    assert PAPER.count(before) == 1
    return PAPER.replace(before, after)


def only_problem(before: str, after: str) -> Problem:
    (problem,) = problems_of(changed(before, after))
    assert problem.file == "p.yaml"
    assert problem.line
    assert problem.remedy
    return problem


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


def test_every_fault_is_told_at_once_in_the_order_of_lines():
    text = changed("year: 2024", "year: long ago").replace("says:", "sayz:")
    text = text.replace("platform: Prolific", "plattform: Prolific")
    assert [problem.line for problem in problems_of(text)] == [3, 16, 16, 17]


def test_a_fault_in_one_part_does_not_hide_what_does_not_fit_in_another():
    text = changed("year: 2024", "year: long ago").replace("system: b, value", "system: c, value")
    fields = [problem.field for problem in problems_of(text)]
    assert fields == ["reference.year", "cases[0].scores[1].system"]


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_an_empty_file_is_told_how_to_begin(text):
    (problem,) = problems_of(text)
    assert "rejudge paper new" in problem.remedy


def test_a_later_format_is_refused_kindly():
    (problem,) = problems_of(f"format: 2\n{PAPER}")
    assert "made by a later rejudge" in problem.what
    assert problem.remedy == "Update rejudge."


def test_an_unknown_key_comes_with_the_nearest():
    missing, unknown = problems_of(changed("\nsystems:", "\nsystms:"))
    assert missing.what == "'systems' is missing."
    assert unknown.remedy == "Did you mean 'systems'?"
    problem = only_problem("place: Table 1}\n    agreement", "plaze: Table 1}\n    agreement")
    assert problem.remedy == "Did you mean 'place'?"


def test_a_number_that_is_missing_is_told_with_its_line():
    problem = only_problem("value: 2,", "value: ,")
    assert (problem.line, problem.field) == (10, "cases[0].scores[1].value")


def test_an_unknown_kind_of_arithmetic_comes_with_the_kinds():
    text = f"{PAPER}arithmetic: [{{kind: sun, what: parts, parts: [1, 2], total: 3}}]\n"
    (problem,) = problems_of(text)
    assert problem.field == "arithmetic[0].kind"
    assert "'sum'" in problem.remedy


def test_a_fault_inside_arithmetic_has_its_path_in_the_file():
    text = f"{PAPER}arithmetic: [{{kind: sum, what: parts, parts: [1, 2], total: many}}]\n"
    (problem,) = problems_of(text)
    assert problem.field == "arithmetic[0].total"


# ── names ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("system: b, value", "system: c, value", "cases[0].scores[1].system"),
        ("criterion: q, system: b", "criterion: r, system: b", "cases[0].scores[1].criterion"),
        ("percent, systems: [a, b]", "percent, systems: [a, c]", "cases[0].agreement[0].systems"),
        ("q, systems: [a, b], p", "q, systems: [a, c], p", "cases[0].tests[0].systems"),
        ("a > b on q", "a > c on q", "claims[0].says"),
        ("a > b on q", "a > b on r", "claims[0].says"),
        ("cv-star, criterion: q", "cv-star, criterion: r", "reproducibility[0].criterion"),
        ("system: a, value: 3.470", "system: c, value: 3.470", "reproducibility[0].system"),
        ("value: 3.470", "case: other, value: 3.470", "reproducibility[0].case"),
    ],
)
def test_names_that_are_used_exist(before, after, field):
    problem = only_problem(before, after)
    assert problem.field == field
    assert problem.what.startswith("there is no ")


def test_nothing_is_told_twice():
    assert "used twice" in only_problem("[{id: a}, {id: b}]", "[{id: a}, {id: b}, {id: a}]").what
    twice = only_problem("system: b, value: 2", "system: a, value: 2")
    assert twice.what == "the score of a on q is given twice, here and on line 9."
    again = "[{property: platform}, {property: platform}]"
    assert only_problem("[{property: platform, reason: It had to be.}]", again).line == 18


def test_a_claim_does_not_compare_a_system_with_itself():
    assert "with itself" in only_problem("a > b on q", "a > a on q").what


def test_a_paper_does_not_reproduce_itself():
    assert "itself" in only_problem("reproduces: first", "reproduces: second").what


def test_only_a_reproduction_has_deviations_and_reproducibility():
    problems = problems_of(changed("reproduces: first\n", ""))
    assert [problem.field for problem in problems] == ["deviations", "reproducibility"]


# ── numbers that cannot be ───────────────────────────────────────────────────────────────────────


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


def test_medians_and_means_of_one_criterion_are_two_cases():
    problem = only_problem("value: 3.50, sd: 0.90", "value: 3.5, is_median: true")
    assert "are medians, but this one is a mean" in problem.what
    assert problem.field == "cases[0].scores[1]"


def test_counts_may_have_thousands_separators():
    assert parse(changed("n: 20", 'n: "12,345"')).cases[0].scores[0].n == 12_345
    assert problems_of(changed("n: 20", 'n: "12,34"')) != ()


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        ("value: 80.0", "value: 80.0 %", "80.0"),
        ("percent, systems: [a, b], value: 80.0", "icc, systems: [a, b], value: 80.0%", "0.800"),
    ],
)
def test_a_percent_sign_is_read_in_the_unit_of_its_figure(before, after, value):
    assert parse(changed(before, after)).cases[0].agreement[0].value.text == value


def test_agreement_of_two_definitions_is_told_apart():
    one = "- {criterion: q, coefficient: kendall-w, value: 0.61"
    told = "- {criterion: q, coefficient: percent, systems: [a, b], value: 80.0}"
    found = parse(changed(told, f"{one}}}\n      {one}, variant: without ties}}"))
    assert [each.variant for each in found.cases[0].agreement] == ["", "without ties"]
    assert "kendall-w on q is given twice" in only_problem(told, f"{one}}}\n      {one}}}").what


def test_demographics_are_counts_or_summaries():
    text = PAPER + (
        "demographics:\n"
        "  - {what: gender, counts: {women: 12, men: 0}, place: section 3}\n"
        "  - {what: age, mean: 34.2, sd: 9.1, low: 18, high: 65}\n"
    )
    assert [each.what for each in parse(text).demographics] == ["gender", "age"]
    assert "is given twice" in problems_of(text.replace("what: age", "what: gender"))[0].what
    (problem,) = problems_of(text.replace("mean: 34.2, sd: 9.1, low: 18, high: 65", "n: 20"))
    assert problem.what == "there are no numbers for 'age'."


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ("{kind: rating}", "the ends of the scale are missing."),
        ("{kind: rating, low: 4, high: 1}", "is not below"),
        ("{kind: unbounded, low: 0, high: 1}", "has no ends"),
    ],
)
def test_a_scale_has_its_ends(scale, words):
    assert (
        words in problems_of(changed("{kind: rating, low: 1, high: 4, points: 4}", scale))[0].what
    )


def test_a_test_is_of_two_systems_or_of_all():
    assert problems_of(changed("criterion: q, systems: [a, b], p", "criterion: q, p")) == ()
    assert "two different" in only_problem("systems: [a, b], p", "systems: [a], p").what


# ── conditions ───────────────────────────────────────────────────────────────────────────────────


def test_an_unknown_condition_comes_with_the_nearest():
    problem = only_problem("platform: Prolific", "plattform: Prolific")
    assert problem.what == "there is no condition 'plattform'."
    assert problem.remedy.startswith("Did you mean 'platform'?")
    assert "there is no condition" in only_problem("property: platform", "property: weather").what


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("items: 50", "items: many"),
        ("platform: Prolific", "platform: 3"),
        ("blind: true", "blind: perhaps"),
        ("countries: [GB, US]", "countries: GB"),
        ("items: 50", "items: [50]"),
        ("items: 50", "items: "),
        ("items: 50", "items: {a: 1}"),
    ],
)
def test_a_condition_holds_what_it_says(before, after):
    assert only_problem(before, after).field == f"conditions.{before.partition(':')[0]}"


@pytest.mark.parametrize("value", ["3", "[a]", "", "many"])
def test_conditions_are_keys_and_values(value):
    before = PAPER.splitlines()[16]
    assert before.startswith("conditions: ")
    problem = only_problem(before, f"conditions: {value}")
    assert "platform: Prolific" in problem.remedy


def test_every_standard_condition_is_known_once_and_has_words():
    keys = [known.key for known in PROPERTIES]
    assert len(keys) == len(set(keys))
    assert all(
        known.title and known.says and property_of(known.key) == known for known in PROPERTIES
    )


def test_a_condition_of_ones_own_has_a_title():
    own = property_of("x-time-of-day")
    assert own is not None
    assert (own.title, own.group) == ("Time of day", "other")
    assert property_of("x-") is None
    assert property_of("weather") is None


# ── whatever stands in the file ──────────────────────────────────────────────────────────────────

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


def test_a_count_is_of_a_size_that_can_be_counted_with():
    assert "at most" in str(only_problem("n: 20", f"n: {10**22}"))

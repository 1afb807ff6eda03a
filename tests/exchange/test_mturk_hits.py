"""What HITs showed and asked, as far as names and values say it."""

from __future__ import annotations

from pathlib import Path

import pytest

import mturk_files as files
from rejudge.errors import FileError
from rejudge.exchange.formats import Imported
from rejudge.exchange.mturk import FORMAT
from rejudge.exchange.mturk_files import Shape
from rejudge.exchange.mturk_hits import (
    Hit,
    HitItem,
    HitOutput,
    check_question,
    find_questions,
    plain_cells,
    refuse_contradictions,
)
from rejudge.exchange.mturk_mapping import HitMapping
from rejudge.study.page_elements import LayoutControl


def test_ages_seconds_and_hidden_fields_are_no_questions(tmp_path: Path) -> None:
    rows = files.rating_rows()
    sent = [
        (n, "A100WORKER1", {"fluency": str(1 + n % 5), "age": str(20 + 7 * n), "id": f"s{n // 2}",
                            "remark": "3"})
        for n in range(8)
    ]  # fmt: skip
    layout = files.RATING_LAYOUT + "<textarea name='remark'></textarea>"
    results = files.table(files.results(rows, sent, wanted=1))
    paths = files.put(tmp_path, layout_html=layout, results_csv=results)
    found = FORMAT.read(paths, study=None, plan=None)
    assert set(found.judgments.question.used()) == {"fluency"}
    assert {each.partition(":")[0] for each in found.unmapped} >= {"age", "id", "remark"}


@pytest.mark.parametrize(
    ("bounds", "kind"),
    [(("1", "7"), "rating"), (("0", "100"), "slider"), (("-3", "3"), "rating")],
)
def test_the_range_of_a_control_decides_between_points_and_a_line(
    tmp_path: Path, bounds: tuple[str, str], kind: str
) -> None:
    layout = files.RATING_LAYOUT.replace('min="1" max="5"', 'min="{}" max="{}"'.format(*bounds))
    paths = files.put(tmp_path, layout_html=layout, input_csv=files.table(files.rating_rows()))
    study, _ = files.study_of(FORMAT.read(paths, study=None, plan=None))
    assert study.spec.questions[0].kind == kind


ONE_ITEM = Shape((), {}, ("text",))


def asked(*values: str, options: int = 1, kind: str = "choice", bounds=None):
    """The questions found in a field `q` with these values, and why others are none."""
    control = LayoutControl("q", kind, values, bounds, is_required=True, prompt="How?")
    return find_questions([control], {}, shape=ONE_ITEM, mapping=HitMapping(), options=options)


@pytest.mark.parametrize(
    ("values", "sides"),
    [
        (("A", "B"), {"A": "a", "B": "b"}),
        (("1", "2"), {"1": "a", "2": "b"}),
        (
            ("System B", "System A", "No preference"),
            {"System B": "b", "System A": "a", "No preference": "tie"},
        ),
        (("left", "right", "about the same"), {"left": "a", "right": "b", "about the same": "tie"}),
    ],
)
def test_sides_go_by_the_names_that_requesters_use(values, sides):
    ((question,), others) = asked(*values, options=2)
    assert (question.kind, question.values, others) == ("pairwise", sides, ())


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (asked("good", "bad"), "not numbers"),
        (asked("good", "bad", options=2), "not the sides of a comparison"),
        (asked("1", options=2), "one side of a comparison only"),
        (asked("1", "2", options=3), "3 texts at once"),
        (asked("a|b", "a"), "several choices"),
        (asked(kind="text"), "a text to write"),
        (asked("1", "37", "512"), "not the points of a scale"),
    ],
)
def test_fields_that_are_no_questions_say_why(found, why):
    assert found[0] == ()
    assert why in found[1][0]


def item(name: str, text: str, *, loser: str | None = None) -> HitItem:
    return HitItem(name, None, "in", "", "", (HitOutput("vae", text),), loser)


def test_one_output_with_two_texts_is_a_contradiction():
    hits = [Hit(("1",), (item("i1", "one"),)), Hit(("2",), (item("i1", "two"),))]
    with pytest.raises(FileError, match="output of 'vae' for item 'i1' differs"):
        refuse_contradictions(hits, file="in.csv")


def test_checks_may_repeat_an_item_with_other_texts():
    hits = [Hit(("1",), (item("i1", "one"), item("i1", "two", loser="copy")))]
    refuse_contradictions(hits, file="in.csv")
    assert hits[0].items[1].loser == "copy"


@pytest.mark.parametrize(
    ("loser", "question"), [("distractor", "meaning"), ("inputs", "dissim"), ("golds", None)]
)
def test_a_check_is_about_the_criterion_that_its_text_must_lose(loser, question):
    assert check_question(loser, HitMapping(), ["fluency", "meaning", "dissim"]) == question


def test_entities_are_what_people_saw():
    assert plain_cells({"x": "a&#44; b"}, HitMapping()) == {"x": "a, b"}
    assert plain_cells({"x": "a&#44; b"}, HitMapping(unescape=False)) == {"x": "a&#44; b"}


PAIRS = [
    {
        "id": str(n), "systema": "one", "systemb": "two", "outputa": f"one {n}",
        "outputb": f"two {n}",
    }
    for n in range(2)
]  # fmt: skip
GIVEN = {
    "english.0": "false", "english.1": "true", "nativeSpeaker": "1", "best_coh": "1",
    "worst_coh": "2", "least_coh": "2",
}  # fmt: skip


def imported(tmp_path: Path, mapping: str = "") -> Imported:
    """Two pairs; the second participant chooses the other sides."""
    other = {**GIVEN, "nativeSpeaker": "2", "best_coh": "2", "worst_coh": "1", "least_coh": "1"}
    sent = [(n, w, GIVEN if w == "W1" else other) for n in range(2) for w in ("W1", "W2")]
    more = {"mapping_yaml": mapping} if mapping else {}
    results = files.table(files.results(PAIRS, sent, wanted=2))
    return FORMAT.read(files.put(tmp_path, results_csv=results, **more), study=None, plan=None)


def test_questions_about_people_and_the_worst_output_are_no_preferences(tmp_path: Path) -> None:
    found = imported(tmp_path)
    assert {row.question for row in found.judgments.rows()} == {"best_coh"}
    reasons = dict(each.split(": ", 1) for each in found.unmapped)
    assert reasons["english"].startswith("probably about the participant")
    assert reasons["nativeSpeaker"].startswith("probably about the participant")
    assert reasons["worst_coh"].endswith("`values: {2: a, 1: b}`")
    assert reasons["least_coh"].endswith("`values: {2: a, 1: b}`")
    assert any("best_coh (pairwise, the answer names the better output)" in n for n in found.notes)


def test_a_mapping_that_names_a_question_restricts_the_import_to_it(tmp_path: Path) -> None:
    found = imported(tmp_path, "questions: {worst_coh: {id: coh, values: {2: a, 1: b}}}\n")
    wins = {row.value for row in found.judgments.rows() if row.participant == "p001"}
    assert {row.question for row in found.judgments.rows()} == {"coh"}
    assert wins == {"a"}
    assert "best_coh: the mapping file does not name it under `questions`" in found.unmapped


def test_a_mapping_that_names_no_field_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no answer field 'best'"):
        imported(tmp_path, "questions: {best: {}}\n")

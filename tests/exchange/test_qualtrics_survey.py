"""A plan as a survey: blocks, tags, manifest and steps."""

from __future__ import annotations

import csv
import html
import io
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qualtrics_files import (
    ALL_KINDS,
)
from rejudge.design.draw import draw
from rejudge.design.plan import Plan
from rejudge.errors import DesignError
from rejudge.exchange.qualtrics import FORMAT
from rejudge.exchange.qualtrics_survey import _text, survey_questions
from rejudge.study.model import Study
from small_study import ITEMS, parse_files


@pytest.fixture(scope="module")
def study() -> Study:
    return parse_files({"study.yaml": ALL_KINDS, "items.csv": ITEMS})


@pytest.fixture(scope="module")
def plan(study: Study) -> Plan:
    return draw(study)


def test_a_survey_has_one_block_for_each_batch_and_one_tag_for_each_control(
    study: Study, plan: Plan
) -> None:
    exported = FORMAT.write(study, plan, people=())
    text = exported.files["survey.txt"].decode()
    blocks = [line for line in text.splitlines() if line.startswith("[[Block:")]
    assert text.startswith("[[AdvancedFormat]]\n")
    assert blocks == ["[[Block:start]]", *(f"[[Block:{batch.id}]]" for batch in plan.batches)]
    tags = [line[5:-2] for line in text.splitlines() if line.startswith("[[ID:")]
    assert len(set(tags)) == len(tags)
    assert tags[2:] == [asked.tag for asked in survey_questions(study, plan)]
    assert all(tag[0].isalpha() and len(tag) <= 32 for tag in tags)


def test_only_proven_tags_are_written(study: Study, plan: Plan) -> None:
    text = FORMAT.write(study, plan, people=()).files["survey.txt"].decode()
    tags = {line.split("]]")[0].split(":Choice")[0] for line in text.splitlines() if "[[" in line}
    kinds = {tag for tag in tags if not tag.startswith(("[[ID:", "[[Block:", "[[Choice:"))}
    assert kinds == {
        "[[AdvancedFormat", "[[AdvancedChoices", "[[PageBreak", "[[Question:Text",
        "[[Question:TE:SingleLine", "[[Question:MC:Dropdown",
        "[[Question:MC:SingleAnswer:Horizontal",
    }  # fmt: skip


def test_the_manifest_says_what_every_tag_is_about(study: Study, plan: Plan) -> None:
    content = FORMAT.write(study, plan, people=()).files["manifest.csv"].decode()
    rows = {row["tag"]: row for row in csv.DictReader(io.StringIO(content))}
    asked = next(a for a in survey_questions(study, plan) if a.question.id == "meaning")
    row = rows[asked.tag]
    assert (row["item"], row["question"]) == (asked.task.item, "meaning")
    assert (row["system_a"], row["system_b"]) == asked.task.options
    assert row["choices"] == "1=a|2=b|3=tie"


@pytest.mark.parametrize(
    "hostile",
    [
        "[[Block]] of ]] text",
        "<script>alert(1)</script> <supers",
        "one\n\n\n[[PageBreak]]\ntwo",
        "${e://Field/secret}",
        "\u202eمرحبا\u202c 你好",
    ],
)
def test_texts_are_never_taken_for_commands(hostile: str) -> None:
    quoted = '"' + hostile.replace('"', '""') + '"'
    files = {"study.yaml": ALL_KINDS, "items.csv": ITEMS.replace("How do birds fly?", quoted)}
    odd = parse_files(files)
    text = FORMAT.write(odd, draw(odd), people=()).files["survey.txt"].decode()
    plain = FORMAT.write(study := parse_files({"study.yaml": ALL_KINDS, "items.csv": ITEMS}),
                         draw(study), people=()).files["survey.txt"].decode()  # fmt: skip

    def commands(survey: str) -> Counter[str]:
        return Counter(line.split(":")[0] for line in survey.splitlines() if line.startswith("[["))

    assert commands(text) == commands(plain)
    assert "<script" not in text
    assert "${" not in text


def test_a_text_that_is_only_nan_stops_the_export() -> None:
    files = {"study.yaml": ALL_KINDS, "items.csv": ITEMS.replace("How fly birds?", "nan")}
    odd = parse_files(files)
    with pytest.raises(DesignError, match="nan"):
        FORMAT.write(odd, draw(odd), people=())


def test_the_steps_tell_what_the_text_cannot_express(study: Study, plan: Plan) -> None:
    exported = FORMAT.write(study, plan, people=())
    said = " ".join(exported.steps)
    assert "Force response" in said
    assert "branch" in said
    assert exported.files["steps.txt"].decode().count("\n") == len(exported.steps)


def test_people_from_a_platform_are_not_asked_for_a_number() -> None:
    files = {"study.yaml": ALL_KINDS + "recruitment: {platform: prolific}\n", "items.csv": ITEMS}
    odd = parse_files(files)
    exported = FORMAT.write(odd, draw(odd), people=())
    assert "[[ID:participant]]" not in exported.files["survey.txt"].decode()
    assert any("Embedded data" in step for step in exported.steps)


@pytest.mark.parametrize(
    ("platform", "known"), [("qualtrics", "participant number"), ("prolific", "Prolific ID")]
)
def test_people_who_withdraw_name_what_they_have(platform: str, known: str) -> None:
    """A survey gives nobody a receipt code."""
    more = f"recruitment: {{platform: {platform}}}\ncontact: {{name: Ada, email: ada@lab.edu}}\n"
    pages = {"pages/information.md": "About. {withdrawal}"}
    asked = parse_files({"study.yaml": ALL_KINDS + more, "items.csv": ITEMS, **pages})
    survey = FORMAT.write(asked, draw(asked), people=()).files["survey.txt"].decode()
    assert f"write to ada@lab.edu and give your {known}." in survey
    assert "receipt" not in survey


@given(st.text(max_size=80))
def test_no_text_begins_a_part_of_the_survey(text: str) -> None:
    written = _text(text)
    assert "[[" not in written
    assert "${" not in written
    assert "\n" not in written
    assert html.unescape(written.replace("<br>", "")) == "".join(
        line.strip() for line in text.splitlines()
    )


def test_an_order_for_each_person_is_said_to_be_impossible() -> None:
    files = {"study.yaml": ALL_KINDS.replace("seed: 3", "seed: 3, order: participant")}
    odd = parse_files({**files, "items.csv": ITEMS})
    exported = FORMAT.write(odd, draw(odd), people=())
    assert any("in the order of the plan" in note for note in exported.notes)

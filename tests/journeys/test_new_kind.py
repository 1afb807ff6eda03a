"""A kind of question that is defined outside of rejudge is taken from study.yaml to the report."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from participants import OpenSite, made_study
from quick_sites import quick_sites  # noqa: F401 - used by all tests here
from rejudge.analysis.results import Results
from rejudge.cli import main
from rejudge.errors import DataError, StudyError
from rejudge.files.step_files import read
from rejudge.study.kinds.registry import KINDS
from rejudge.study.model import Spec, register
from rejudge.study.parse import parse
from rejudge.study.schema import schema
from toy_kind.yes_no import YesNo

QUESTION = {"kind": "yes-no", "id": "true", "prompt": "Is the sentence true?", "yes": "It is"}
STUDY = """\
id: toy
title: Is it true?
language: en
contact: {name: Ada Example, email: ada@example.com}
systems: [ash, cedar]
questions:
  - {kind: yes-no, id: truth, prompt: "Is it true?", definition: As far as the input says.}
design: {seed: 7, batch: {inputs: 6}, participants_per_batch: 3}
checks:
  - {kind: instruction, id: attention, question: truth, text: "Choose {answer}.", per_batch: 1}
practice:
  examples:
    - {input: Cats purr., outputs: [Cats do purr.], answers: {truth: "yes"}, explanation: They do.}
payment: {kind: unpaid}
analysis:
  tests: [{question: truth, test: cluster-robust}, {question: truth, test: binary-mixed-model}]
  agreement: [krippendorff-alpha]
  exclude: {failed_checks: 1}
claims: [{id: c1, says: ash > cedar on truth}]
"""
PAGES = {
    "information": "# About\n\n{duration} {payment}",
    "consent": "# Consent\n\nI am 18 or older. {withdrawal}",
    "instructions": "# What to do\n\nSay whether the sentence is true. {practice}",
    "thanks": "# Thank you\n\nThat was all.",
}


@pytest.fixture(autouse=True)
def toy_kind() -> Iterator[None]:
    register(YesNo)
    yield
    del KINDS["yes-no"]
    Spec.model_rebuild(force=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with twelve inputs and two systems."""
    study = tmp_path / "toy"
    (study / "pages").mkdir(parents=True)
    (study / "study.yaml").write_text(STUDY, "utf-8")
    rows = [
        f"i{n},Input {n} is here.,Reference {n}.,One says {n}.,Two says {n}." for n in range(12)
    ]
    (study / "items.csv").write_text("\n".join(["id,input,reference,ash,cedar", *rows]), "utf-8")
    for role, text in PAGES.items():
        (study / "pages" / f"{role}.md").write_text(text, "utf-8")
    return study


@pytest.fixture
def run(folder: Path) -> Callable[..., dict[str, Any]]:
    def command(name: str, *options: str) -> dict[str, Any]:
        result = CliRunner().invoke(main, [name, str(folder), *options, "--json"])
        assert result.exit_code == 0, f"{name}: {result.output}"
        return dict(json.loads(result.output))

    return command


def test_study_yaml_knows_the_keys_and_faults_of_a_new_kind():
    assert "YesNo" in schema()["$defs"]
    assert "Did you mean 'definition'?" in _faults(STUDY.replace("definition:", "defnition:"))
    assert "'segments', 'yes-no'." in _faults(STUDY.replace("kind: yes-no", "kind: binary"))


def _faults(text: str) -> str:
    with pytest.raises(StudyError) as caught:
        parse(text, lambda _: b"id,input,reference,ash,cedar\n1,a,r,b,c")
    return str(caught.value)


def test_the_site_asks_a_question_of_a_new_kind_and_keeps_its_answer(tmp_path: Path):
    site = OpenSite(made_study(QUESTION), tmp_path)
    try:
        person = site.person()
        person.to_tasks()
        assert "Is the sentence true?" in person.text
        assert "It is" in person.text
        assert person.answer("perhaps").status_code == 422
        person.answer("yes")
        assert [row.raw for row in site.rows()] == ["yes"]
    finally:
        site.close()


def test_a_new_kind_goes_from_its_plan_through_a_rehearsal_to_the_report(
    folder, run, undrawn_figures
):
    findings = [each["code"] for each in run("check")["findings"]]
    run("plan")
    run("freeze")
    rehearsal = run("rehearse", "--participants", "12")
    run("analyse")
    run("report")
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        values = {row["value"] for row in csv.DictReader(file)}
    results = read(Results, folder / "results.json")
    page = (folder / "report" / "index.html").read_text("utf-8")
    assert findings == ["R411"]  # an example contact
    assert not rehearsal["broken"]
    assert values == {"0", "1"}
    assert {each.question for each in results.findings} == {"truth"}
    assert "choice of Yes or No" in page


def test_an_answer_that_a_new_kind_does_not_know_is_refused():
    with pytest.raises(DataError, match="Choose yes or no"):
        YesNo.model_validate(QUESTION).parse("perhaps")

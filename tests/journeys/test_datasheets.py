"""The studies that come with rejudge, modelled on published ones, and their datasheets."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from rejudge.cli import main
from rejudge.files.step_files import open_plan, read_results
from rejudge.heds.check import check
from rejudge.heds.schema import schema
from rejudge.heds.sheet import read_sheet
from rejudge.starters.folders import LIKES

pytestmark = pytest.mark.slow
AUTOMATIC = {each.number for each in schema("3.0").questions if each.fill == "auto"}
DRAFTED = {each.number for each in schema("3.0").questions if each.fill == "draft"}
CHOSEN_ELSEWHERE = {"3.1.2", "3.3.4.1"}  # which items, and where pictures of the pages are


def run(*words: object) -> Result:
    found = CliRunner().invoke(main, [str(word) for word in words])
    assert found.exit_code in (0, 1), found.output
    return found


@pytest.mark.parametrize("name", LIKES)
def test_the_datasheet_of_a_published_design_says_what_the_study_says(name, tmp_path):
    folder = tmp_path / name
    run("new", folder, "--like", name)
    run("plan", folder)
    run("heds", "fill", folder)
    planned = read_sheet(folder / "heds-planned.json")
    run("simulate", folder)
    run("analyse", folder)
    run("heds", "fill", folder)
    sheet = read_sheet(folder / "heds.json")
    study, plan = open_plan(folder)
    results = read_results(folder, study, plan)

    assert sheet.answer("3.2.1").text == str(results.flow.participants_kept)
    judged = {task.item for task in plan.tasks() if task.is_real}
    assert sheet.answer("3.1.1").text.startswith(str(len(judged)))
    for question in study.spec.questions:
        assert sheet.answer("4.3.7", question.id).text == question.prompt
        points = len(question.values)
        assert not points or sheet.answer("4.3.3", question.id).text == str(points)
        alpha = results.select(question.id, "agreement", "krippendorff-alpha")[0]
        score = sheet.answer("4.3.11.2", question.id).text
        assert alpha.value is None or f"{alpha.value:.2f}".lstrip("-") in score
    is_elsewhere = study.spec.recruitment.platform == "spreadsheet"
    unknown = {"3.3.5"} if is_elsewhere else set()  # who sets a time for work in a spreadsheet?
    elsewhere = {"3.3.7", "3.3.8"} if is_elsewhere else set()  # or sees where it is done?
    assert open_numbers(sheet) & AUTOMATIC == unknown
    assert open_numbers(sheet) & DRAFTED <= CHOSEN_ELSEWHERE | elsewhere
    assert open_numbers(planned) & AUTOMATIC == {"4.3.11.2"} | unknown
    assert not [each for each in check(sheet) if each.severity == "error"]


def open_numbers(sheet):
    return {cell.question.number for cell, answer in sheet.answers() if answer.state == "blank"}

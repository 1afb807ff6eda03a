"""What the placeholders of pages stand for."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from math import ceil

import pytest
from paid_studies import ADA, WINTER_2023, changed, values
from studies import RATING, make_study

from rejudge.design.draw import draw
from rejudge.design.duration import estimate_duration
from rejudge.design.pages import fill_pages, page_values
from rejudge.study.conduct import Recruitment
from rejudge.study.model import PLACEHOLDERS
from rejudge.study.qualification import Qualification

_RECEIPTS = {
    "en": "receipt code",
    "de": "Belegcode",
    "nl": "ontvangstcode",
    "es": "resguardo",
    "zh": "回执码",
    "ar": "رمز الإيصال",
}
_NUMBERS = {
    "en": "participant number",
    "de": "Teilnehmernummer",
    "nl": "deelnemersnummer",
    "es": "número de participante",
    "zh": "参与者编号",
    "ar": "رقم المشارك",
}


def test_minutes_tasks_and_reward_follow_from_the_study():
    """5 inputs × 6 pairs = 30 tasks; 8 minutes at £12 are £1.60 (Arvan & Parde 2024)."""
    payment = {"minutes": 8, "living_wage": "GB"}
    found = values(changed(make_study(), payment=payment, contact=ADA, ethics=" No. \n 7 "))
    assert found["tasks"] == "30"
    assert found["minutes"] == found["total"] == "8"
    assert found["hours"] == "0.5"
    assert found["reward"] == found["earnings"] == "GBP 1.60"
    assert found["hourly"] == "GBP 12.00"
    assert found["contact"] == "Ada Lovelace (ada@lab.edu)"
    assert found["ethics"] == "No. 7"
    assert found["duration"] == "The study has 30 pages and takes about 8 minutes."
    assert found["payment"] == "You are paid GBP 1.60 for taking part."
    assert "ada@lab.edu" in found["withdrawal"]
    assert set(PLACEHOLDERS) - set(found) == {"qualification_reward"}  # there is none


@pytest.mark.parametrize(("stated", "shown"), [(0.9, "GBP 0.90"), (None, "GBP 0.20")])
def test_people_who_do_not_pass_are_told_what_they_get(stated, shown):
    """As stated, or by the hour: two attempts at one short task are a minute, at £12 an hour."""
    task = {"input": "a", "outputs": ["b", "c"], "answers": {"meaning": "a"}}
    asked = Qualification(pass_mark=1, reward=stated, tasks=[task])
    payment = {"minutes": 8, "living_wage": "GB"}
    found = values(changed(make_study(), payment=payment, qualification=asked))
    assert found["qualification_reward"] == shown
    assert set(found) >= {"reward", "earnings", "hourly"}


def test_pages_state_the_minutes_of_the_longest_batch():
    """Nobody knows who gets the batch with 2,380 words more, ten minutes in each of three pairs."""
    study = changed(make_study(inputs=20), payment={"hourly": 12})
    long = replace(study.items[0], outputs=("word " * 2380, *study.items[0].outputs[1:]))
    study = replace(study, items=(long, *study.items[1:]))
    longest = ceil(estimate_duration(study, draw(study)).longest)
    found = values(study)
    assert longest > 30
    assert found["minutes"] == str(longest)
    assert f"about {longest} minutes" in found["duration"]


def test_somebody_with_a_list_reads_the_numbers_of_that_list():
    """The long batch is not on it: pay per batch is the same for all, minutes are their own."""
    study = changed(make_study(inputs=20), payment={"hourly": 12})
    long = replace(study.items[0], outputs=("word " * 2380, *study.items[0].outputs[1:]))
    study = replace(study, items=(long, *study.items[1:]))
    plan = draw(study)
    own = [b.id for b in plan.batches if all(task.item != long.id for task in b.tasks)][:2]
    found = page_values(study, plan, on=WINTER_2023, own=own)
    everybody = page_values(study, plan, on=WINTER_2023)
    assert (found["batches"], everybody["batches"]) == ("2", "1")
    assert int(found["minutes"]) <= int(everybody["minutes"]) - 29
    assert found["reward"] == everybody["reward"]
    assert float(found["earnings"][4:]) == 2 * float(everybody["earnings"][4:])


@pytest.mark.parametrize("channel", ["spreadsheet", "qualtrics"])
@pytest.mark.parametrize("language", ["en", "de", "nl", "es", "zh", "ar"])
def test_only_the_site_promises_a_receipt_code(language, channel):
    """In workbooks and surveys people have a participant number, and no last page."""
    study = changed(make_study(), contact=ADA, language=language)
    elsewhere = changed(study, recruitment=Recruitment(platform=channel))
    here, there = values(study)["withdrawal"], values(elsewhere)["withdrawal"]
    assert here != there
    assert "ada@lab.edu" in there
    assert _NUMBERS[language] in there
    assert _RECEIPTS[language] in here
    assert _RECEIPTS[language] not in there


def test_a_voucher_is_for_all_batches_and_minutes_are_for_one():
    """Van Miltenburg et al. (2024): ten lists of 12 minutes are two hours, £24 for all of them."""
    design = {"batch": {"tasks": 30}, "batches_per_participant": 10, "participants_per_batch": 2}
    study = make_study(inputs=300, systems=1, questions=[RATING], design=design)
    payment = {"kind": "voucher", "minutes": 12, "living_wage": "GB"}
    found = values(changed(study, payment=payment))
    assert (found["batches"], found["minutes"], found["total"]) == ("10", "12", "120")
    assert (found["hours"], found["reward"]) == ("2", "GBP 24.00")
    assert found["duration"] == "Each part has 30 pages and takes about 12 minutes."
    assert found["payment"] == "As a thank-you, you get a voucher worth GBP 24.00."


def test_paid_by_the_batch_each_part_has_its_reward():
    design = {"batch": {"tasks": 30}, "batches_per_participant": 10, "participants_per_batch": 2}
    study = make_study(inputs=300, systems=1, questions=[RATING], design=design)
    found = values(changed(study, payment={"minutes": 12, "living_wage": "GB"}))
    assert (found["reward"], found["earnings"]) == ("GBP 2.40", "GBP 24.00")
    assert found["payment"] == "You are paid GBP 2.40 for each part that you finish."


def test_calibration_counts_in_all_that_one_person_does():
    """2 of 10 inputs come first: 12 tasks for everybody, then a batch of 24: half as much again."""
    study = make_study(design={"calibration": 2, "batch": {"inputs": 4}})
    found = values(changed(study, payment={"minutes": 8, "living_wage": "GB"}))
    assert (found["minutes"], found["total"]) == ("8", "12")
    assert (found["reward"], found["earnings"]) == ("GBP 1.60", "GBP 2.40")
    assert found["payment"] == "You are paid GBP 2.40 for taking part."
    assert (found["tasks"], found["pages"]) == ("24", "36")
    assert (found["inputs"], found["shared"]) == ("4", "2")
    assert found["duration"] == "The study has 36 pages and takes about 12 minutes."


def test_before_several_parts_the_shared_pages_are_announced():
    design = {"calibration": 2, "batch": {"inputs": 4}, "batches_per_participant": 2}
    found = values(changed(make_study(design=design), payment={"minutes": 8, "reward": 2}))
    assert found["pages"] == "60"
    assert found["duration"] == (
        "You start with 12 pages that everybody judges. "
        "Each part has 24 pages and takes about 8 minutes."
    )


def test_items_of_one_group_are_one_input():
    study = make_study()
    pairs = tuple(replace(item, group=f"g{n // 2}") for n, item in enumerate(study.items))
    study = replace(study, items=pairs)
    plan = draw(study)
    first = plan.main[0]
    groups = {study.item[task.item].group for task in first.tasks}
    assert page_values(study, plan, on=WINTER_2023)["inputs"] == str(len(groups))


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [("unpaid", "Taking part is not paid."), ("credit", "You get course credit for taking part.")],
)
def test_without_money_there_is_a_sentence_but_no_amount(kind, sentence):
    found = values(changed(make_study(), payment={"kind": kind}))
    assert found["payment"] == sentence
    assert not {"reward", "earnings", "hourly"} & found.keys()


def test_a_reward_of_nothing_is_said():
    found = values(changed(make_study(), payment={"reward": 0, "minutes": 5}))
    assert found["reward"] == "GBP 0.00"


def test_other_currencies_are_written_with_their_own_decimals():
    found = values(changed(make_study(), payment={"currency": "JPY", "reward": 500, "minutes": 9}))
    assert found["payment"] == "You are paid JPY 500 for taking part."


def test_nothing_is_invented_where_the_study_says_nothing():
    found = values(make_study())
    assert not {"contact", "email", "ethics", "reward", "payment", "withdrawal"} & found.keys()
    assert found["practice"] == found["ties"] == ""
    assert int(found["minutes"]) > 1  # estimated


def test_a_price_that_cannot_be_computed_leaves_the_rest():
    found = values(changed(make_study(), payment={"minutes": 8, "living_wage": "XX"}))
    assert found["minutes"] == "8"
    assert "reward" not in found


def test_one_task_is_one_page():
    study = make_study(inputs=1, systems=2, design={"batch": {"inputs": 1}})
    found = values(changed(study, payment={"minutes": 1, "reward": 1}))
    assert found["duration"] == "The study has 1 page and takes about 1 minute."


def test_pages_are_shown_with_their_values_at_the_rates_of_a_day():
    """The living wage of 2023 was £12.00, that of 2022 £10.90."""
    study = changed(make_study(), payment={"minutes": 60, "living_wage": "GB"})
    study = replace(study, pages={"information": "{reward}, {{reward}}, {other}"})
    plan = draw(study)
    page = "GBP {}, {{reward}}, {{other}}".format
    assert fill_pages(study, plan, on=WINTER_2023)["information"] == page("12.00")
    assert fill_pages(study, plan, on=date(2023, 1, 1))["information"] == page("10.90")


def test_a_crowd_platform_changes_nothing_but_the_price():
    study = changed(make_study(), recruitment=Recruitment(platform="prolific"))
    assert values(study)["tasks"] == "30"


def test_the_time_to_read_a_page_counts_the_sentences_not_the_placeholders():
    """“Taking part is not paid.” has five words: the same page written out takes as long."""
    study = changed(make_study(), payment={"kind": "unpaid"})
    filled = replace(study, pages={"information": "{payment}"})
    written = replace(study, pages={"information": "Taking part is not paid."})
    plan = draw(study)
    assert (
        estimate_duration(filled, plan).parts.pages == estimate_duration(written, plan).parts.pages
    )

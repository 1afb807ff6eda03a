"""The Responsible NLP checklist: facts of the study, and what nobody has stated."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from markdown_it import MarkdownIt

from judged_study import PAIRWISE, RATING, drawn, scored, small_study
from latex import compiled, faults
from pictured import profile_frame
from rejudge.analysis.analyse import analyse
from rejudge.design.pay import quote_price
from rejudge.findings.frame import Frame
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.judgments.table import Judgments
from rejudge.report.build import outcomes_of
from rejudge.report.checklist import SOURCE, checklist, checklist_files
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.simulate.people import judge
from rejudge.study.model import Study

IDS = ["B2", "B4", "B5", "B6", "C3", "C4", "D1", "D2", "D3", "D4", "D5"]
PUBLICATION = {
    "licence": "CC-BY-4.0",
    "item_terms": "inputs are in the public domain",
    "intended_use": "Research on evaluation.",
    "personal_information": "All texts were read by an author.",
    "risks": "None beyond reading.",
    "adequate_pay": "It is above the living wage of the region.",
    "demographics": "Six students, by their own account.",
}
PAGES = {"information": "About us.", "consent": "I agree.", "instructions": "Choose one."}


def subject_of(study, *, origin="people", **parts: object):
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1))
    cleaned = exclude(study, plan, tabulate(study, plan, answers, origin=origin))
    results = replace(analyse(cleaned, study=study, plan=plan), **parts)
    quoted = quote_price(study, plan, on=date(2026, 3, 1)) if study.spec.payment else None
    return Subject(results, study.spec.title, designed=PlannedStudy(study, plan, quote=quoted))


def items_of(subject):
    return {item.id: item for item in checklist(subject, outcomes_of(subject))}


def with_pages(study):
    return Study(study.spec, study.items, PAGES)


def keys_of(items):
    return {missing.key for item in items.values() for missing in item.missing if missing.key}


def test_every_item_is_there_and_nothing_is_invented():
    items = items_of(subject_of(small_study(RATING)))

    assert list(items) == IDS
    assert keys_of(items) == {
        *(f"publication.{key}" for key in PUBLICATION if key != "demographics"),
        "site.exit_questions, or publication.demographics",
        "ethics",
        "pages.instructions",
        "pages.consent",
        "payment",
    }
    assert items["D4"].facts == ()
    assert items["B2"].facts == ()


def test_facts_are_those_of_the_study():
    study = small_study(
        PAIRWISE,
        ethics="Board of Hill University, 12-34",
        publication=PUBLICATION,
        payment={"currency": "GBP", "reward": 3, "minutes": 12},
        recruitment={"platform": "prolific", "regions": ["GB"], "languages": ["en"]},
        site={"consent_statements": [{"id": "adult", "text": "I am 18 or older."}]},
    )
    steps = ({"step": "came", "people": 9}, {"step": "consented", "people": 7})
    items = items_of(subject_of(with_pages(study), frames=(Frame.of("arrivals", steps),)))

    assert keys_of(items) == set()
    assert items["B2"].paragraph == (
        "The data of this evaluation are published under CC-BY-4.0. "
        "Inputs are in the public domain."
    )
    assert "12 inputs (6 from hills and 6 from woods)" in items["B6"].paragraph
    assert "“Which keeps the meaning?”" in items["D1"].paragraph
    assert "GBP 3.00 per batch, GBP 15.00 an hour" in items["D2"].paragraph
    assert "on Prolific (first language: en and living in GB)" in items["D2"].paragraph
    assert "Of 9 people who opened the study, 7 agreed" in items["D3"].paragraph
    assert "“I am 18 or older.”" in items["D3"].paragraph
    assert items["D4"].paragraph == "Ethics review: Board of Hill University, 12-34."
    assert items["D5"].paragraph == "Six students, by their own account."


def test_adequate_pay_is_a_human_answer():
    study = small_study(RATING, payment={"currency": "GBP", "reward": 30, "minutes": 5})
    missing = [each.key for each in items_of(subject_of(study))["D2"].missing]

    assert missing == [None, "publication.adequate_pay"]  # and how the minutes were determined


def test_unpaid_work_needs_no_adequate_pay():
    study = small_study(RATING, payment={"kind": "unpaid"})
    item = items_of(subject_of(study))["D2"]

    assert "Participants were not paid." in item.facts
    assert item.missing == ()


def test_agreement_is_not_claimed_without_a_record():
    item = items_of(subject_of(with_pages(small_study(RATING))))["D3"]

    assert item.facts == ("The consent form is in Appendix [X].",)
    assert any("no record" in each.what for each in item.missing)


def test_answers_about_participants_are_counted():
    own = {"18–30": (4, 4), "over 30": (1, 1), None: (2, 2)}
    age = profile_frame(own, about="age", asked="How old are you?", source="exit-question")
    device = profile_frame({"phone": (7, 7)}, about="device", source="device")
    both = Frame.of("profile", (*age.rows, *device.rows), facts=age.facts)
    item = items_of(subject_of(small_study(RATING), frames=(both,)))["D5"]

    assert item.facts == (
        "“How old are you?” (by their own account): 18–30 4, over 30 1, not given 2.",
    )
    assert item.missing == ()


def test_many_different_answers_are_not_listed_one_by_one():
    town = profile_frame({f"town {n}": (1, 1) for n in range(40)}, about="town", source="platform")
    item = items_of(subject_of(small_study(RATING), frames=(town,)))["D5"]

    assert item.paragraph.endswith("(as they told the platform): 40 different answers.")


def test_simulated_judgments_are_called_so():
    items = items_of(subject_of(small_study(RATING), origin="simulated"))

    assert "made by a program" in items["B6"].paragraph


def test_a_table_without_a_study_states_little():
    rows = [
        scored(f"p{p}", f"i{i}", system, (p + i) % 5 + 1)
        for p in range(3)
        for i in range(4)
        for system in "xy"
    ]
    table = Judgments.from_rows(rows)
    items = items_of(Subject(analyse(table), "ratings"))

    assert list(items) == IDS
    assert all(items[name].missing for name in ("B2", "D1", "D2", "D3", "D4", "D5"))


ODD = "50% of <b>x</b> & # _y_ \\z | مرحبا {a} [l](http://h) ~"


def test_odd_texts_stay_texts_in_both_files():
    study = small_study(RATING, ethics=ODD, publication={"risks": f"# {ODD}\n- second"})
    subject = subject_of(study)
    files = checklist_files(checklist(subject, outcomes_of(subject)))
    page = MarkdownIt("commonmark").render(files["checklist.md"].decode())

    assert set(files) == {"checklist.md", "checklist.tex"}
    assert page.count("<h1>") == 1
    assert "<b>" not in page
    assert re.findall('href="([^"]+)"', page) == [SOURCE]
    assert (
        "50% of &lt;b&gt;x&lt;/b&gt; &amp; # _y_ \\z | \u2068مرحبا\u2069 {a} [l](http://h) ~"
        in page
    )
    assert r"50\% of" in files["checklist.tex"].decode()
    assert faults(files["checklist.tex"].decode()) == []


@pytest.mark.slow
def test_the_latex_file_compiles(tmp_path):
    subject = subject_of(small_study(RATING, ethics=ODD, publication=PUBLICATION))
    files = checklist_files(checklist(subject, outcomes_of(subject)))

    assert compiled({"checklist": files["checklist.tex"].decode()}, tmp_path) == []

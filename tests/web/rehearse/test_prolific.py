"""Studies rehearsed against a fake Prolific over HTTP: every batch at exactly its size."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_settings import examples
from rejudge.analysis.analyse import analyse
from rejudge.design.pay import quote_price
from rejudge.judgments.exclusions import exclude
from rejudge.prolific.fake import BEHAVIOURS, Behaviour
from rejudge.report.blocks import to_html
from rejudge.report.build import build
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.simulate.parameters import Parameters
from rejudge.store.analysis_input import judgments_of
from rejudge.web.rehearse.prolific import PlatformRehearsal, PlatformRehearser
from small_site import START, study_of

PAID = "payment: {currency: GBP, minutes: 10, hourly: 12}"


SCREENING = """
recruitment:
  platform: prolific
  screening:
    reward: 0.5
    places: 3
    questions: [{id: fluent, prompt: 'Do you speak it?', options: ['yes', 'no'], admit: ['yes']}]
"""
CHECKED = """
checks: [{kind: instruction, id: told, question: meaning, per_batch: 2, on_fail: reject}]
analysis: {tests: [{question: meaning, test: cluster-robust}], exclude: {failed_checks: 1}}
"""


def rehearse(
    path: Any,
    batches: int,
    people: int,
    behaviours: list[Behaviour],
    follows: str,
    *,
    more: str = PAID,
    **options: bool,
) -> PlatformRehearsal:
    rehearser = PlatformRehearser(
        *study_of(batches, people, more=more),
        str(path / "rehearsal.db"),
        start=START,
        seed=len(behaviours),
        **options,
    )
    try:
        return rehearser.run(behaviours, follows=follows)
    finally:
        rehearser.close()


@pytest.mark.parametrize(
    "follows", ["notifications", pytest.param("polling", marks=pytest.mark.slow)]
)
def test_every_story_ends_with_each_batch_at_its_size_and_a_ledger_that_adds_up(tmp_path, follows):
    behaviours = [*BEHAVIOURS, *["normal"] * 8]
    found = rehearse(tmp_path, 4, 2, behaviours, follows)
    assert found.broken == ()
    assert found.is_complete
    assert found.adds_up
    assert found.approved >= 8


@pytest.mark.parametrize("frees", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_with_taskflow_each_batch_ends_at_its_size_too(tmp_path, frees):
    behaviours = [*BEHAVIOURS, *["normal"] * 4]
    found = rehearse(
        tmp_path, 4, 2, behaviours, "polling", is_taskflow=True, returns_free_urls=frees
    )
    assert found.broken == ()
    assert found.is_complete
    assert found.adds_up


@pytest.mark.parametrize("is_taskflow", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_screened_out_people_are_paid_and_careless_ones_replaced(tmp_path, is_taskflow):
    behaviours = ["screened out", "careless", "normal", "screened out", "declines"]
    more = PAID + SCREENING + CHECKED
    found = rehearse(tmp_path, 2, 2, behaviours, "polling", more=more, is_taskflow=is_taskflow)
    assert found.broken == ()
    assert found.is_complete
    assert found.adds_up
    assert (found.screened_out, found.screen_outs_paid) == (2, 100)
    states = Counter(status for each in found.visits.visits for status in each.statuses)
    assert states == {"excluded": 1, "submitted": 4}


@pytest.mark.slow
@pytest.mark.parametrize(("follows", "is_taskflow"), [("polling", False), ("notifications", True)])
def test_two_hundred_people_with_returns_and_time_outs_fill_every_batch_exactly(
    tmp_path, follows, is_taskflow
):
    rng = random.Random(7)  # noqa: S311 - a script
    behaviours = rng.choices(BEHAVIOURS, weights=[8] + [1] * (len(BEHAVIOURS) - 1), k=200)
    found = rehearse(tmp_path, 30, 5, behaviours, follows, is_taskflow=is_taskflow)
    assert found.broken == ()
    assert found.is_complete
    assert found.adds_up
    assert len(found.people) >= 200
    counts = found.visits.counts()
    # the four cases: nobody handed in there without data here, but who found no task left
    without = [each for each in found.visits.visits if each.quadrant == "only submission"]
    assert {each.code for each in without} <= {"full"}
    assert counts["both"] + counts["only data"] >= 150  # who timed out there may be complete here


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(BEHAVIOURS), max_size=8),
    st.sampled_from(["polling", "notifications"]),
    st.integers(1, 3),
    st.sampled_from([{}, {"is_taskflow": True}, {"is_taskflow": True, "returns_free_urls": False}]),
)
@settings(max_examples=examples(6))
def test_no_script_breaks_a_guarantee(behaviours, follows, places, options):
    with TemporaryDirectory() as folder:
        found = rehearse(Path(folder), 2, places, behaviours, follows, **options)
    assert found.broken == ()
    assert found.is_complete
    assert found.adds_up


LOOKS = PAID + (
    "\nanalysis: {tests: [{question: meaning, test: cluster-robust}]}"
    "\nstop: {looks: 4, question: meaning, systems: [north, south]}\n"
)


def rehearse_looks(path: Path, batches: int, people: int, behaviours: list[Behaviour], gap: float):
    """A rehearsal with planned looks, and its report."""
    study, plan = study_of(batches, people, more=LOOKS)
    rehearser = PlatformRehearser(
        study, plan, str(path / "rehearsal.db"), start=START, seed=3,
        parameters=Parameters(quality={"north": gap / 2, "south": -gap / 2}),
    )  # fmt: skip
    try:
        found = rehearser.run(behaviours)
        judgments, log = judgments_of(rehearser.store), rehearser.store.look_log()
        status = next(iter(rehearser.world.studies.values())).status
        unpaid = [
            each
            for each in rehearser.world.submissions.values()
            if each.status in {"AWAITING REVIEW", "ACTIVE", "RESERVED"}
        ]
        quoted = quote_price(study, plan, on=START.date())
    finally:
        rehearser.close()
    results = analyse(exclude(study, plan, judgments), study=study, plan=plan, looks=log)
    planned = PlannedStudy(study, plan, quote=quoted)
    page = to_html(build(Subject(results, "Looks", designed=planned)))
    assert found.looks == log.looks
    assert not unpaid
    assert found.broken == ()
    assert found.is_complete
    assert found.adds_up
    return found, status, page


def test_a_study_stops_at_a_look_and_everybody_is_paid(tmp_path):
    found, status, page = rehearse_looks(tmp_path, 8, 3, ["normal"] * 12, gap=2.0)
    assert [look.decision for look in found.looks] == ["go on", "stop"]
    assert status == "COMPLETED"
    assert sum(each.done for each in found.batches) == 12
    assert "stopped early, at look 2 of 4" in page


@pytest.mark.slow
def test_two_hundred_people_and_a_clear_difference_stop_at_the_first_look(tmp_path):
    rng = random.Random(7)  # noqa: S311 - a script
    behaviours = rng.choices(BEHAVIOURS, weights=[8] + [1] * (len(BEHAVIOURS) - 1), k=200)
    found, status, page = rehearse_looks(tmp_path, 40, 5, behaviours, gap=1.4)
    (look,) = found.looks
    assert (look.decision, look.places, look.planned_places) == ("stop", 50, 200)
    assert look.p is not None
    assert look.p < 5.2e-5  # O'Brien & Fleming, first of four looks: z = 4.05
    assert status == "COMPLETED"
    assert found.approved >= 50
    assert "50 of 200 planned places were used" in page
    saved = re.search(r"saved about GBP ([\d,.]+) of the GBP ([\d,.]+) planned", page)
    assert saved is not None
    part, whole = (float(each.replace(",", "")) for each in saved.groups())
    assert part == pytest.approx(0.75 * whole, abs=0.01)


@pytest.mark.slow
def test_two_hundred_people_and_no_difference_go_on_to_the_end(tmp_path):
    rng = random.Random(7)  # noqa: S311 - a script
    behaviours = rng.choices(BEHAVIOURS, weights=[8] + [1] * (len(BEHAVIOURS) - 1), k=200)
    found, status, page = rehearse_looks(tmp_path, 40, 5, behaviours, gap=0.0)
    assert [look.places for look in found.looks] == [50, 100, 150, 200]
    assert [look.decision for look in found.looks] == ["go on", "go on", "go on", "end"]
    assert status == "COMPLETED"
    assert found.approved >= 200
    assert "ran to its last look, 4 of 4" in page

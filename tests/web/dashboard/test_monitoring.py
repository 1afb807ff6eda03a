"""What is known so far is what the analysis gives on the same judgments."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, checked_study, drawn
from pictured import found
from rejudge.analysis.analyse import analyse
from rejudge.analysis.monitoring import monitor, monitored_findings
from rejudge.errors import DataError
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.simulate.people import judge
from rejudge.stats import Interval
from rejudge.web.dashboard import figures
from rejudge.web.dashboard.monitoring import (
    PastFinding,
    Snapshot,
    SnapshotCache,
    StoreReading,
    done,
    history_points,
    page_seconds,
    past,
)

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
STUDY = checked_study(PAIRWISE, RATING)
PLAN = drawn(STUDY)


@pytest.fixture(scope="module")
def judgments():
    answers = judge(STUDY, PLAN, rng=np.random.default_rng(1))
    works = list(dict.fromkeys((a.participant, a.batch) for a in answers))
    moments = {work: START + timedelta(minutes=n) for n, work in enumerate(works)}
    timed = [replace(a, submitted_at=moments[a.participant, a.batch]) for a in answers]
    return tabulate(STUDY, PLAN, timed)


@pytest.fixture(scope="module")
def known(judgments):
    return Snapshot(monitor(STUDY, PLAN, judgments))


def test_the_page_shows_these_numbers(known):
    alpha = next(f for f in known.monitoring.findings if f.id == "meaning.krippendorff-alpha")
    row = next(
        r
        for r in figures.agreements(known)
        if (r.question, r.coefficient) == ("meaning", "Krippendorff’s alpha")
    )
    assert row.value == f"{alpha.value:.2f}".replace("-", "−")
    assert row.n == alpha.n
    low = float(row.low_label.replace("−", "-"))
    assert row.reach.at == pytest.approx(100 * (alpha.value - low) / (1 - low), abs=0.01)


def test_agreement_below_chance_is_drawn_where_it_is():
    """α = −0.25 with its interval from −0.38: the axis runs from −0.4 to 1, with a mark at 0."""
    alpha = found(
        (), -0.25, Interval(-0.38, -0.1, 0.95), measure="agreement", by="krippendorff-alpha"
    )
    row = figures._agreement_row(alpha, ())
    assert row.low_label == "−0.4"
    assert row.reach.at == pytest.approx(100 * 0.15 / 1.4, abs=0.01)
    assert row.reach.low == pytest.approx(100 * 0.02 / 1.4, abs=0.01)
    assert row.reach.reference == pytest.approx(100 * 0.4 / 1.4, abs=0.01)


def test_the_course_of_agreement_below_chance_is_drawn_where_it_was():
    then, now = (found((), value, measure="agreement", by="fleiss-kappa") for value in (-0.5, 0.25))
    history = [PastFinding(then, START, 1), PastFinding(now, START, 2)]
    row = figures._agreement_row(now, history)
    assert (row.low_label, row.line) == ("−0.5", "M50.00 100.00L100.00 50.00")


def test_page_times_are_those_of_the_analysis(judgments):
    cleaned = exclude(STUDY, PLAN, judgments)
    times = analyse(cleaned, study=STUDY, plan=PLAN).frame("times")
    seconds = page_seconds(cleaned.kept)
    assert len(seconds) == times.facts["pages"]
    marks = {row["share"]: row["seconds"] for row in times.rows}
    assert np.median(seconds) == pytest.approx(marks[0.5])


def test_the_past_is_what_was_known_when_so_many_batches_were_done(judgments, known):
    kept = known.monitoring.cleaned.kept
    first = done(kept)[:4]
    then = kept.take(kept.submitted_at <= np.datetime64(first[-1].moment.replace(tzinfo=None)))
    expected = {f.id: f.value for f in monitored_findings(STUDY, then)}
    assert {p.finding.id: p.finding.value for p in past(STUDY, kept, 4)} == expected


@pytest.mark.parametrize(
    ("places", "expected"),
    [(4, (1, 2, 3, 4)), (24, tuple(range(2, 25, 2))), (100, tuple(range(10, 101, 10)))],
)
def test_the_past_is_looked_at_a_dozen_times_at_most(places, expected):
    assert history_points(places) == expected


# Kept fresh


def watch(read):
    return SnapshotCache(STUDY, PLAN, read, clock=lambda: 0.0)


def test_the_past_is_filled_in_piece_by_piece(judgments):
    watching = watch(lambda: StoreReading(judgments))
    watching.refresh("a")
    before = len(watching.latest("a")[0].history_of("meaning.percent"))
    watching.refresh("a")
    assert len(watching.latest("a")[0].history_of("meaning.percent")) == before + 1


@pytest.mark.slow
def test_nothing_is_read_again_while_nothing_changed(judgments):
    reads = []
    watching = watch(lambda: reads.append(1) or StoreReading(judgments))
    for _ in range(20):
        watching.refresh("a")
    count = len(reads)
    watching._due = -1.0
    watching.latest("a")
    assert len(reads) == count


def test_soon_after_a_computation_the_old_numbers_are_shown(judgments):
    reads = []
    watching = watch(lambda: reads.append(1) or StoreReading(judgments))
    watching.refresh("a")
    assert watching.latest("b")[0] is not None
    assert len(reads) == 1


def test_the_first_who_asks_waits_for_the_numbers(judgments):
    known, note = watch(lambda: StoreReading(judgments)).latest("a", patience=60)
    assert known is not None
    assert note == ""


def test_what_cannot_be_computed_is_reported():
    def fail() -> StoreReading:
        raise DataError("Something is odd.")

    watching = watch(fail)
    assert watching.latest("a", patience=60) == (None, "Something is odd.")


def test_after_a_withdrawal_nothing_is_remembered(judgments):
    watching = watch(lambda: StoreReading(judgments))
    watching.refresh("a")
    watching.forget()
    assert watching._known is None
    assert not watching._past


@pytest.mark.parametrize("rule", [False, True])
def test_who_cannot_have_read_is_flagged_whether_they_count_or_not(rule):
    """Everybody at 0.2 seconds a page: nobody is faster than the others."""
    exclude_by = {"faster_than_reading": rule, "failed_checks": None}
    study = checked_study(PAIRWISE, analysis={"exclude": exclude_by})
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1))
    hurried = [replace(answer, seconds=0.2) for answer in answers]
    known = Snapshot(monitor(study, plan, tabulate(study, plan, hurried)))
    everybody = {answer.participant for answer in answers}
    told = figures.flags(known)
    assert {who for who, flags in told.items() if "faster than reading" in flags} == everybody


def test_nobody_who_reads_is_flagged_for_haste(known):
    assert known.monitoring.hasty == frozenset()
    assert not [flags for flags in figures.flags(known).values() if "faster than reading" in flags]

"""What a study will need, known before anybody takes part."""

from __future__ import annotations

from datetime import date

from rejudge.cli.study_estimates import estimate_study, estimate_table, estimates_json
from small_site import study_of

DAY = date(2026, 3, 1)


def test_without_a_plan_one_is_drawn_and_nothing_is_written(tmp_path):
    study, plan = study_of(2, 3)
    known = estimate_study(study, tmp_path, on=DAY)
    assert (known.source, known.stored, known.is_frozen) == ("drawn", None, False)
    assert known.plan is not None
    assert known.plan.fingerprint == plan.fingerprint
    assert list(tmp_path.iterdir()) == []


def test_programs_get_every_estimate_and_null_for_what_is_not_planned(tmp_path):
    study, plan = study_of(2, 3)
    said = estimates_json(study, estimate_study(study, tmp_path, on=DAY))
    assert said["size"]["batches"] == len(plan.batches)
    assert said["looks"] is None
    assert said["qualification"] is None


def test_people_get_one_table(tmp_path):
    study, _ = study_of(2, 3)
    (table,) = estimate_table(study, estimate_study(study, tmp_path, on=DAY))
    assert table.row_count >= 2

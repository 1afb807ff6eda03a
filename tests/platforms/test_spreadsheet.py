"""Workbooks: nobody comes to our site with an id of another platform."""

from __future__ import annotations

from judged_study import small_study
from rejudge.collect import platform_arrival, recruiter_of
from rejudge.platforms import platform
from rejudge.platforms.spreadsheet import PLATFORM


def test_it_is_known_by_the_name_in_a_study():
    assert platform("spreadsheet") is PLATFORM
    assert (
        small_study(recruitment={"platform": "spreadsheet"}).spec.recruitment.platform
        == "spreadsheet"
    )


def test_visitors_of_our_site_come_by_a_link_and_carry_no_ids():
    study = small_study(recruitment={"platform": "spreadsheet"})
    assert recruiter_of(study) == "link"
    assert platform_arrival(recruiter_of(study), {"PROLIFIC_PID": "5f" * 12}) == "missing"
    assert (PLATFORM.completion_url, PLATFORM.is_crowd) == (None, False)

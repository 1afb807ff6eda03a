"""Conditions of a study become screeners, found by name among those that the platform has now."""

from __future__ import annotations

import pytest
from fake_account import Account, study_body

from rejudge.errors import StudyError
from rejudge.prolific.client import ProlificFilter
from rejudge.prolific.study import resolve_screeners
from rejudge.study.conduct import Recruitment

REPROHUM = Recruitment(
    platform="prolific",
    regions=("GB", "US", "CA", "AU"),
    languages=("en",),
    approval_percent=99,
    previous_submissions=200,
)


def select(title: str, *labels: str, name: str = "x") -> ProlificFilter:
    choices = {str(number): label for number, label in enumerate(labels)}
    return ProlificFilter(filter_id=name, title=title, type="select", choices=choices)


@pytest.mark.parametrize("drifts", [0, 1, 5])
def test_the_profile_of_a_study_resolves_whatever_the_ids_are_now(drifts):
    account = Account()
    for _ in range(drifts):
        account.world.drift()
    found = resolve_screeners(
        REPROHUM, account.api.filters(), exclude_studies=["a1", "a1", "b2"], exclude_groups=["g"]
    )
    assert [(each.title, each.meaning) for each in found] == [
        (
            "Current country of residence",
            "United Kingdom, United States, Canada or Australia",
        ),
        ("First language", "English"),
        ("Approval rate", "99 to 100"),
        ("Number of previous submissions", "200 to 10000"),
        ("Exclude participants from previous studies", "studies a1 and b2"),
        ("Participant group blocklist", "groups g"),
    ]
    account.api.create_study(study_body(filters=[each.filter for each in found]))


def test_no_conditions_need_no_screeners():
    assert resolve_screeners(Recruitment(platform="prolific"), []) == ()


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("Korea, South", "KR"),
        ("Türkiye", "TR"),
        ("Turkey", "TR"),
        ("Czechia", "CZ"),
        ("Bosnia & Herzegovina", "BA"),
        ("UNITED STATES", "US"),
        ("Cote d'Ivoire", "CI"),
        ("Netherlands (the)", "NL"),
    ],
)
def test_countries_are_found_however_they_are_written(label, code):
    filters = [select("Current Country of Residence", "Elsewhere", label, "North Korea")]
    (found,) = resolve_screeners(Recruitment(regions=(code,)), filters)
    assert found.filter == {"filter_id": "x", "selected_values": ["1"]}


def test_a_name_within_another_is_not_enough_where_two_have_it():
    filters = [select("First Language", "Chinese (Wu)", "Chinese (Hakka)")]
    with pytest.raises(StudyError, match="no answer “Chinese”"):
        resolve_screeners(Recruitment(languages=("zh",)), filters)
    filters = [select("First Language", "Chinese (Cantonese)", "Chinese (Mandarin)")]
    (found,) = resolve_screeners(Recruitment(languages=("zh-Hans", "zh-Hant")), filters)
    assert found.filter["selected_values"] == ["1"]


def test_a_renamed_screener_is_found_by_its_id_without_its_version():
    filters = [select("Mother tongue", "English", name="first_language_old")]
    (found,) = resolve_screeners(Recruitment(languages=("en",)), filters)
    assert found.filter["filter_id"] == "first_language_old"


def test_the_newer_of_two_screeners_with_one_title_is_taken():
    filters = [
        select("First language", "English", name="first-language_old"),
        select("First language", "English", name="first-language"),
    ]
    (found,) = resolve_screeners(Recruitment(languages=("en",)), filters)
    assert found.filter["filter_id"] == "first-language"


def test_everything_that_is_missing_is_reported_at_once():
    filters = [select("Current country of residence", "Germany", "Australia")]
    with pytest.raises(StudyError) as caught:
        resolve_screeners(
            Recruitment(regions=("AT", "GB-LON", "DE"), languages=("en",)),
            filters,
            exclude_groups=["g"],
        )
    fields = [problem.field for problem in caught.value.problems]
    assert fields == [
        "recruitment.regions",
        "recruitment.regions",
        "recruitment.languages",
        "--exclude-group",
    ]
    assert "Did you mean 'Australia'?" in str(caught.value)
    assert all(problem.remedy for problem in caught.value.problems)


def test_bounds_are_those_of_the_platform():
    limited = ProlificFilter(filter_id="r", title="Approval rate", type="range", max=100)
    (found,) = resolve_screeners(Recruitment(approval_percent=97.5), [limited])
    assert found.filter["selected_range"] == {"lower": 97.5, "upper": 100}
    unlimited = ProlificFilter(filter_id="t", title="Total approvals", type="range")
    (found,) = resolve_screeners(Recruitment(previous_submissions=50), [unlimited])
    assert found.filter["selected_range"] == {"lower": 50, "upper": 100_000}

"""What venues ask and only authors can say: optional, checked, and no part of what is frozen."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from judged_study import RATING, small_study
from rejudge.design.freeze import study_differences
from rejudge.study.model import Spec
from rejudge.study.publication import Publication
from rejudge.study.schema import schema


def test_everything_is_optional():
    assert small_study(RATING).spec.publication == Publication()


def test_it_can_be_completed_after_the_study_was_frozen():
    before = small_study(RATING)
    after = small_study(RATING, publication={"licence": "CC-BY-4.0", "risks": "None."})

    assert after.fingerprint == before.fingerprint
    assert "publication" not in after.spec.to_json()
    assert study_differences(before, after) == ()


@pytest.mark.parametrize(
    "publication",
    [
        {"orcid": "0000-0002-1825-0097"},
        {"licence": ["CC-BY-4.0"]},
        {"authors": "Ada"},
        {"authors": [{"affiliation": "x"}]},
        {"authors": [{"name": ""}]},
        {"authors": [{"name": "A", "orcid": "https://orcid.org/0000-0002-1825-0097"}]},
        {"authors": [{"name": "A", "orcid": "1234"}]},
    ],
)
def test_what_cannot_be_meant_is_refused(publication):
    with pytest.raises(ValidationError):
        small_study(RATING, publication=publication)


def test_names_in_any_script_are_names():
    authors = [{"name": "李, 雷"}, {"name": "عمر"}, {"name": "O’Neill, Zoë"}]
    study = small_study(RATING, publication={"authors": authors})

    assert [each.name for each in study.spec.publication.authors] == [a["name"] for a in authors]


def test_editors_know_every_key():
    known = schema()["$defs"]["Publication"]["properties"]

    assert set(known) == set(Publication.model_fields)
    assert all(each["description"] for each in known.values())


def test_statements_have_ids_of_their_own():
    statements = [{"id": "a", "text": "One."}, {"id": "a", "text": "Two."}]
    with pytest.raises(ValidationError, match="'a' is used twice"):
        small_study(RATING, site={"consent_statements": statements})
    spec = small_study(RATING, site={"consent_statements": statements[:1]}).spec
    assert Spec.model_validate(spec.model_dump()) == spec

"""Whole visits and several studies in one store."""

from __future__ import annotations

import pytest
from walking import NOW, begin, complete, counts, plan_of, study_of

from rejudge.errors import DataError, StoreUnavailable
from rejudge.store.store import open_existing, open_store


def test_several_studies_live_in_one_database_apart(open_one):
    one, two = open_one(1, name="one"), open_one(1, name="two")
    complete(one, 1)
    mine = begin(two, 1)
    assert (counts(one), counts(two)) == ({"b1": (1, 1, 0)}, {"b1": (1, 0, 1)})
    assert one.assignment(mine.id) is None
    assert one.visit(mine.visit) is None
    assert [each.participant for each in two.people(now=NOW)] == ["p0001"]


def test_an_unknown_study_is_not_made_by_those_who_only_look(database):
    study = study_of()
    with pytest.raises(DataError, match="does not contain the study 'small'"):
        open_existing(database, study, plan_of(study, 2))


def test_a_missing_file_is_not_made_by_those_who_only_look(tmp_path):
    study = study_of()
    with pytest.raises(DataError, match="there is no study here"):
        open_existing(str(tmp_path / "none.db"), study, plan_of(study, 2))
    assert not (tmp_path / "none.db").exists()


def test_a_file_that_is_no_database_is_told(tmp_path):
    file = tmp_path / "study.db"
    file.write_text("Dear diary, " * 100)
    study = study_of()
    with pytest.raises(StoreUnavailable, match=r"study\.db"):
        open_store(str(file), study, plan_of(study, 2), now=NOW)

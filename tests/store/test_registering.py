"""How a study is registered, and what it refuses afterwards."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from walking import (
    NOW,
    begin,
    opened,
    plan_of,
    study_of,
)

from rejudge.errors import DataError
from rejudge.store.store import open_store


def test_codes_are_made_once_and_given_ones_are_taken(open_one):
    first = open_one(1, name="one").codes
    assert len({first.completed, first.declined, first.full}) == 3
    assert open_one(1, name="one").codes == first
    given = open_one(1, name="two", codes={"completed": "C1A2B3"}).codes
    assert given.completed == "C1A2B3"
    assert given.full


def test_a_site_keeps_its_secret(open_one):
    assert len(open_one(1, name="one").secret) == 32
    assert open_one(1, name="one").secret == open_one(1, name="one").secret
    assert open_one(1, name="one").secret != open_one(1, name="two").secret


def test_another_plan_is_refused_once_somebody_has_begun(database, open_one):
    store = open_one(2)
    open_one(3)  # nobody has begun: taken
    assert store.occupancies()[0].places == 3
    begin(open_one(3), 1)
    with pytest.raises(DataError, match="different plan of the study 'small'"):
        opened(database, 2)


@pytest.mark.parametrize("edit", ["id = id + 100", "name = name || 'x'"], ids=["id", "name"])
def test_batches_that_were_edited_in_the_database_are_told(tmp_path, edit):
    path = tmp_path / "study.db"
    begin(store := opened(str(path), 2), 1)
    store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"update batch set {edit}")  # noqa: S608 - fixed words
    with pytest.raises(DataError, match="not those of the plan"):
        opened(str(path), 2).assignments()


def test_a_changed_wording_is_noted(database, open_one):
    store = open_one(2)
    begin(store, 1)
    study = study_of()
    changed = type(study)(study.spec, study.items, {**study.pages, "consent": "Agree?"})
    open_store(database, changed, plan_of(changed, 2), now=NOW).close()
    assert [entry.what for entry in store.log()] == ["wording changed"]


def test_a_rehearsal_and_people_do_not_share_a_study(database, open_one):
    open_one(2)
    study = study_of()
    with pytest.raises(DataError, match="work of people"):
        open_store(database, study, plan_of(study, 2), now=NOW, is_rehearsal=True)

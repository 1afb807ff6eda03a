"""Everything that is stored about one person, and nothing about anybody else."""

from __future__ import annotations

import pytest
from walking import NOW, come, complete

from rejudge.errors import DataError


def test_all_that_is_stored_of_a_person_is_given(open_one):
    store, other = open_one(2, 2), open_one(2, 2, name="other")
    for each in (store, other):
        complete(each, 1)
        complete(each, 2)
    found = store.person("p0001")
    assert (found.participant, found.recruiters) == ("p0001", ("prolific",))
    assert len(found.answers) == 3
    assert {row["batch"] for row in found.answers} == {found.assignments[0]["batch"]}
    assert found.visits[0]["arrived_at"] == NOW
    assert {row["what"] for row in found.events} >= {"arrived", "consented", "submitted"}
    assert list(found.consent_texts.values()) == ["What it is about.\n\nDo you agree?"]
    assert "person-1" not in repr(found)
    assert "person-2" not in repr(found)


def test_what_researchers_decided_is_part_of_it(open_one):
    store = open_one(2, 2)
    done = complete(store, 1)
    store.change(done.id, "exclude", who="owner 1", reason="too fast", now=NOW)
    assert [row["reason"] for row in store.person("p0001").decisions] == ["too fast"]


def test_somebody_without_answers_and_nobody(open_one):
    store = open_one(2, 2)
    come(store, 1)
    assert store.person("p0001").answers == ()
    with pytest.raises(DataError, match="nothing is stored about 'p0002'"):
        store.person("p0002")
    store.withdraw("p0001", who="owner", now=NOW)
    with pytest.raises(DataError):
        store.person("p0001")

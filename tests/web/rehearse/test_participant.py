"""Who comes to a rehearsal."""

from __future__ import annotations

from collections import Counter

from rejudge.web.rehearse.participant import CHARACTERS, assign_characters


def test_a_round_of_twenty_has_each_character_as_often_as_its_share():
    found = Counter(character.name for character in assign_characters(20))
    assert found == {character.name: character.share for character in CHARACTERS}


def test_more_people_come_in_the_same_order_again():
    assert assign_characters(45)[20:40] == assign_characters(20)
    assert len(assign_characters(45)) == 45


def test_everything_that_real_people_do_is_done_by_somebody():
    names = {character.name for character in CHARACTERS}
    assert names >= {
        "careful", "careless", "fast", "one-sided", "returning", "two tabs", "leaving",
        "refreshing", "late", "scripted", "declining",
    }  # fmt: skip

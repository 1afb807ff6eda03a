"""Lists of participants that can be shared: hashes that match with the same key and no other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.collect.panels import (
    PANEL_KEY,
    PanelKey,
    merge_panels,
    panel_key,
    panel_text,
    read_panel,
)
from rejudge.errors import DataError, UsageError
from rejudge.tables_in import NamedFile

OURS = PanelKey(b"a long random text of ours")
THEIRS = PanelKey(b"another long random text")
ANN = ("prolific", "5f3c00112233445566778899")
BOB = ("prolific", "5f3c00112233445566778800")


def test_a_list_names_nobody():
    text = panel_text(OURS, [ANN, BOB])
    assert ANN[1] not in text
    assert "prolific" not in text
    assert text.count("\n") == 3


@given(st.lists(st.tuples(st.sampled_from(["prolific", "mturk", "link"]), st.text(min_size=1))))
def test_a_list_is_read_back_whoever_is_on_it(people):
    hashes = read_panel(NamedFile("list.csv", panel_text(OURS, people).encode()), OURS)
    assert hashes == {OURS.hash_id(*person) for person in people}
    assert all(merge_panels(OURS, [hashes], []).bars(*person) for person in people)


def test_the_order_of_a_list_says_nothing():
    assert panel_text(OURS, [ANN, BOB]) == panel_text(OURS, [BOB, ANN, ANN])


def test_a_list_made_with_another_key_is_noticed():
    with pytest.raises(DataError, match="a different key"):
        read_panel(NamedFile("list.csv", panel_text(THEIRS, [ANN]).encode()), OURS)


def test_the_same_id_of_another_platform_is_another_person():
    hashes = read_panel(NamedFile("list.csv", panel_text(OURS, [ANN]).encode()), OURS)
    assert not merge_panels(OURS, [hashes], []).bars("mturk", ANN[1])


def test_who_alone_may_take_part_can_also_be_excluded():
    both = read_panel(NamedFile("list.csv", panel_text(OURS, [ANN, BOB]).encode()), OURS)
    bob = read_panel(NamedFile("list.csv", panel_text(OURS, [BOB]).encode()), OURS)
    panels = merge_panels(OURS, [bob], [both])
    assert [panels.bars(*who) for who in (ANN, BOB, ("prolific", "stranger"))] == [
        False,
        True,
        True,
    ]


def test_an_empty_list_admits_nobody_and_excludes_nobody():
    nobody = read_panel(NamedFile("list.csv", panel_text(OURS, []).encode()), OURS)
    assert merge_panels(OURS, [], [nobody]).bars(*ANN)
    assert not merge_panels(OURS, [nobody], []).bars(*ANN)


@pytest.mark.parametrize(
    ("environment", "said"),
    [({}, f"{PANEL_KEY} is not set"), ({PANEL_KEY: "short"}, "shorter than 16")],
)
def test_without_a_good_key_the_message_says_what_to_set(environment, said):
    with pytest.raises(UsageError, match=said):
        panel_key(environment)


def test_a_key_is_not_shown():
    assert "random" not in repr(OURS)
    assert OURS.id != THEIRS.id


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id\n5f3c00112233445566778899\n", "not a list of participants"),
        (f"key,participant\n{OURS.id},5f3c00112233445566778899\n", "no hash of a participant"),
        (f"key,participant\n{OURS.id}\n", "1 cell"),
        ("", "no rows"),
    ],
)
def test_other_files_are_refused_without_repeating_ids(text, said):
    with pytest.raises(Exception, match=said) as caught:
        read_panel(NamedFile("list.csv", text.encode()), OURS)
    assert "5f3c" not in str(caught.value)

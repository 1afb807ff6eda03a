"""How many people do each batch, and who does which: read, or refused with every problem."""

from __future__ import annotations

import pytest
from given_tables import problems, read
from studies import RATING, make_study

from rejudge.errors import DesignError

FOUR = "batch,item,system\nl1,i0,sys0\nl2,i1,sys0\nl3,i2,sys0\nl4,i3,sys0\n"


@pytest.fixture
def four():
    return make_study(systems=1, inputs=4, questions=[RATING])


def test_batches_can_have_different_numbers_of_participants(four):
    column = FOUR.replace("system\n", "system,participants\n").replace("sys0\n", "sys0,2\n")
    column = column.replace("l3,i2,sys0,2", "l3,i2,sys0,5")
    by_file = read(four, FOUR, "batch,participants\nl1,2\nl2,2\nl3,5\nl4,2\n").plan
    by_column = read(four, column).plan
    assert [b.participants for b in by_file.batches] == [2, 2, 5, 2]
    assert by_column.fingerprint == by_file.fingerprint
    assert by_file.people == 11
    assert "Batches are done by different numbers of people: 2 to 5." in by_file.notes


def test_named_participants_have_their_own_lists_in_their_order(four):
    people = "participant,batch,position\nr1,l1,2\nr1,l3,1\nr2,l2,1\nr2,l1,2\nr2,l3,3\nr2,l4,4\n"
    plan = read(four, FOUR, people).plan
    assert plan.lists == {"r1": ("l3", "l1"), "r2": ("l2", "l1", "l3", "l4")}
    assert {b.id: b.participants for b in plan.batches} == {"l1": 2, "l2": 1, "l3": 2, "l4": 1}
    assert (plan.people, plan.batches_per_participant) == (2, 4)


def test_lists_can_stand_in_one_cell(four):
    plan = read(four, FOUR, 'participant,lists\nr1,"l2, l1"\nr2,l3 l4\n').plan
    assert plan.lists == {"r1": ("l2", "l1"), "r2": ("l3", "l4")}


def test_lists_change_the_fingerprint_of_a_plan(four):
    one = read(four, FOUR, "participant,batch\nr1,l1 l2\nr2,l3 l4\n").plan
    other = read(four, FOUR, "participant,batch\nr1,l1 l3\nr2,l2 l4\n").plan
    assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize(
    ("people", "said"),
    [
        ("participant,batch\nr1,l9\n", "people.csv:2: there is no batch 'l9'"),
        ("participant,batch\nr1,l1 l1\n", "has the batch 'l1' twice"),
        ("participant,batch\nann@lab.edu,l1\n", "named by an e-mail address"),
        ("participant,batch\nAnn Lee,l1\n", "cannot name a participant"),
        ("participant,batch\nr1,l1\nR1,l2\n", "differ only in capitals"),
        ("participant,batch\nr1,\n", "has no batch in this row"),
        ("participant,batch\nr1,l1 l2 l3\n", "the batch 'l4' is on nobody's list"),
        ("participant,batch,position\nr1,l1,1\nr1,l2,1\n", "two batches in position 1"),
        ("batch,participants\nl1,0\n", "not a number of participants"),
        ("batch,participants\nl1,2\nl1,2\n", "given twice"),
        ("batch,participants\nl1,2\n", "the batch 'l2' is missing"),
        ("who,what\nr1,l1\n", "participant,batch"),
    ],
)
def test_wrong_lists_are_found(four, people, said):
    assert any(said in each for each in problems(four, FOUR, people))


def test_a_batch_with_a_wrong_number_is_not_called_missing(four):
    found = problems(four, FOUR, "batch,participants\nl1,x\nl2,1\nl3,1\nl4,1\n")
    assert len(found) == 1
    assert "'x' is not a number of participants" in found[0]


@pytest.mark.parametrize("huge", ["1" * 5000, "10000000", "²", "٣", "1e3", "-1", "1.0"])
def test_numbers_that_no_study_can_mean_are_refused(four, huge):
    sizes = f"batch,participants\nl1,{huge}\nl2,1\nl3,1\nl4,1\n"
    assert any("not a number of participants" in each for each in problems(four, FOUR, sizes))
    lists = f"participant,batch,position\nr1,l1,{huge}\nr2,l2 l3 l4,1\n"
    assert any("is not a whole number" in each for each in problems(four, FOUR, lists))


def test_a_column_with_a_huge_number_is_no_task(four):
    """A range up to it would fill the memory."""
    text = FOUR.replace("\n", ",\n").replace("system,", "system,input99999999999999999999", 1)
    assert read(four, text).plan.main == read(four, FOUR).plan.main


def test_a_number_that_is_spelt_in_two_ways_is_reported(four):
    text = "item1,systema1,systemb1,item01,systema01,systemb01\ni1,ash,beech,i2,ash,beech\n"
    assert any("task 1 are spelt in two ways" in each for each in problems(four, text))


def test_an_address_is_never_repeated_in_a_message(four):
    found = problems(four, FOUR, "participant,batch\nann@lab.edu,l1\n")
    assert not any("ann@lab.edu" in each for each in found)


def test_numbers_in_two_places_must_agree(four):
    column = FOUR.replace("system\n", "system,participants\n").replace("sys0\n", "sys0,2\n")
    people = "batch,participants\nl1,2\nl2,2\nl3,3\nl4,2\n"
    assert "has 2 participants in the batches and 3 here" in problems(four, column, people)[0]


def test_no_file_is_half_used(four):
    with pytest.raises(DesignError):
        read(four, FOUR, "participant,batch\nr1,l1\n")

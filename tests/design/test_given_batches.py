"""Batches of an earlier study: read as they are, or refused with every problem and its line."""

from __future__ import annotations

import pytest
from given_tables import long_table, mturk_input, paraphrase_study
from hypothesis import given as forall
from hypothesis import strategies as st
from studies import RATING, make_study

from rejudge.design import NamedFile, Plan, check_plan, draw, measure, order_for, plan_from_batches
from rejudge.errors import DesignError, RejudgeError
from rejudge.files import from_bytes, to_bytes
from rejudge.spreadsheet import csv_text


def read(study, text: str | bytes, participants: str | None = None):
    content = text if isinstance(text, bytes) else text.encode()
    people = None if participants is None else NamedFile("people.csv", participants.encode())
    return plan_from_batches(study, NamedFile("batches.csv", content), people)


def problems(study, text: str | bytes, participants: str | None = None) -> list[str]:
    with pytest.raises(RejudgeError) as caught:
        read(study, text, participants)
    return [str(problem) for problem in caught.value.problems]


# ── the input file of MTurk ──────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def original():
    study = paraphrase_study()
    return study, mturk_input(study)


def test_sixty_rows_of_32_tasks_become_sixty_batches(original):
    study, text = original
    assert text.split("\n")[0].count(",") + 1 == 32 * 7
    plan = read(study, text).plan
    assert len(plan.batches) == 60
    assert {len(batch.tasks) for batch in plan.batches} == {32}
    assert {len(batch.real) for batch in plan.batches} == {30}
    assert plan.judgments_per_question == 60 * 30 * 3
    assert check_plan(study, plan) == ()


def test_order_and_sides_are_those_of_the_file(original):
    study, text = original
    header, first = (line.split(",") for line in text.split("\n")[:2])
    row = dict(zip(header, first, strict=True))
    tasks = read(study, text).plan.batches[0].tasks
    shown = [(task.item, *task.options) for task in tasks]
    for slot in (0, 10, 31):
        item = f"{row[f'dataset{slot}']}-{row[f'ix{slot}']}"
        assert shown[slot] == (item, row[f"systema{slot}"], row[f"systemb{slot}"])


def test_every_seat_sees_the_order_of_the_file(original):
    plan = read(*original).plan
    batch = plan.batches[0]
    assert {order_for(plan, batch, seat) for seat in range(5)} == {batch.tasks}


def test_the_control_tasks_are_recognised_with_their_answers(original):
    study, text = original
    checks = [task for task in read(study, text).plan.batches[0].tasks if task.check]
    assert [task.check for task in checks] == ["other", "copy"]
    assert [task.expected.question for task in checks if task.expected] == [
        "meaning",
        "dissimilarity",
    ]
    assert [task.expected.best for task in checks if task.expected] == ["a", "b"]


def test_an_uneven_sample_is_reported_as_it_is(original):
    """The original had 100, 102 and 98 inputs of its datasets, which its reproduction noticed."""
    study, text = original
    balance = measure(study, read(study, text).plan)
    assert balance.inputs_by_dataset == {"mscoco": 102, "paralex": 98, "qqp": 100}
    assert not next(s for s in balance.statements if s.what == "inputs per dataset").is_even
    assert next(s for s in balance.statements if s.what == "tasks per system").is_even


def test_a_changed_output_is_found_with_its_line_and_task(original):
    study, text = original
    broken = text.replace("vae asks for mscoco 3,", "vae asked for mscoco 3,", 1)
    found = problems(study, broken)
    assert len(found) == 1
    assert "batches.csv:" in found[0]
    assert "task" in found[0]
    assert "“vae asked for mscoco 3” here, “vae asks for mscoco 3” there" in found[0]


def test_a_missing_column_of_one_task_is_named(original):
    study, text = original
    found = problems(study, text.replace("ix17,", "ixx,", 1))
    assert any("task 17 has no column for 'item'" in each for each in found)


def test_numbers_at_the_end_of_names_are_read_to_the_last_digit():
    study = make_study(systems=2, inputs=12)
    slots = range(12)
    header = ",".join(f"ix{n},systema{n},systemb{n}" for n in slots)
    row = ",".join(f"i{n},sys0,sys1" for n in slots)
    plan = read(study, f"{header}\n{row}\n").plan
    assert [task.item for task in plan.batches[0].tasks] == [f"i{n}" for n in slots]


def test_a_shorter_last_batch_leaves_its_columns_empty():
    study = make_study(systems=2, inputs=3)
    text = (
        "ix0,systema0,systemb0,ix1,systema1,systemb1\ni0,sys0,sys1,i1,sys1,sys0\ni2,sys0,sys1,,,\n"
    )
    plan = read(study, text).plan
    assert [len(batch.tasks) for batch in plan.batches] == [2, 1]
    assert "Batches are not equally long: 1 to 2 tasks." in plan.notes


def test_entities_of_a_layout_are_the_characters_they_stand_for():
    study = make_study(systems=1, inputs=1, questions=[RATING])
    item = study.items[0]
    text = item.outputs[0].replace("0/0", "0&#x2F;0")
    assert text != item.outputs[0]
    assert read(study, f"batch,item,system,output\nx,i0,sys0,{text}\n").plan.batches[0].id == "x"


# ── one row per task ─────────────────────────────────────────────────────────────────────────────


@forall(st.integers(1, 6), st.integers(2, 5), st.integers(0, 2**16))
def test_a_drawn_plan_survives_the_way_through_a_table(inputs, systems, seed):
    study = make_study(inputs=inputs, systems=systems, seed=seed)
    plan = draw(study)
    again = read(study, long_table(plan)).plan
    assert [(b.id, b.tasks, b.participants) for b in again.batches] == [
        (b.id, b.tasks, b.participants) for b in plan.batches
    ]
    assert measure(study, again).sides_by_pair == measure(study, plan).sides_by_pair


def test_a_plan_from_a_file_is_written_and_read_back():
    study = make_study(systems=2, inputs=2)
    plan = read(study, "batch,item,a,b\nx,i0,sys1,sys0\ny,i1,sys0,sys1\n").plan
    stored = from_bytes(Plan, to_bytes(plan, made_from={}), file="plan.json").content
    assert stored == plan
    assert stored.fingerprint == plan.fingerprint
    assert stored.source is not None
    assert stored.source.startswith("batches.csv (")


def test_a_drawn_plan_says_nothing_of_files():
    plan = draw(make_study())
    written = to_bytes(plan, made_from={})
    assert b'"source"' not in written
    assert b'"lists"' not in written


def test_positions_give_the_order():
    study = make_study(systems=1, inputs=3, questions=[RATING])
    text = "batch,position,item,system\nx,3,i0,sys0\nx,1,i1,sys0\nx,2,i2,sys0\n"
    assert [t.item for t in read(study, text).plan.batches[0].tasks] == ["i1", "i2", "i0"]


def test_texts_in_any_script_match_however_they_are_composed():
    study = make_study(systems=1, inputs=1, questions=[RATING])
    item = study.items[0]
    odd = type(item)(item.id, item.group, "", "مرحبا  é", None, ("日本語\u00e9",), "ar", 2)
    changed = type(study)(study.spec, (odd,), {})
    text = "batch,item,input,system,output\nx,i0,مرحبا e\u0301,sys0,日本語e\u0301\n"
    assert len(read(changed, text).plan.batches) == 1


def test_items_can_be_found_by_their_input_alone():
    study = make_study(systems=2, inputs=2)
    text = f'batch,input,a,b\nx,"{study.items[1].input}",sys0,sys1\n'
    given = read(study, text)
    assert given.plan.batches[0].tasks[0].item == "i1"
    assert any("by their input" in each for each in given.remarks)


def test_an_input_that_two_items_share_needs_an_id():
    study = make_study(systems=2, inputs=2)
    twin = type(study.items[0])("i9", "i9", "", study.items[0].input, "r", ("a", "b"), "en", 9)
    text = f'batch,input,a,b\nx,"{study.items[0].input}",sys0,sys1\n'
    found = problems(type(study)(study.spec, (*study.items, twin), {}), text)
    assert found[0].startswith("batches.csv:2: 2 items have this input")


def test_all_problems_are_reported_at_once_with_their_lines():
    study = make_study(systems=2, inputs=3)
    text = (
        "batch,item,a,b\n"
        "x,i0,sys0,sys1\n"
        "x,i0,sys1,sys0\n"
        "x,i77,sys0,sys1\n"
        "x,i1,sys0,sys5\n"
        "X,i2,sys0,sys0\n"
        ",i2,sys0,sys1\n"
    )
    found = problems(study, text)
    assert [each.partition(": ")[0] for each in found] == [
        f"batches.csv:{line}" for line in (3, 4, 5, 6, 6, 7)
    ]
    assert "already shows 'i0' with these systems on line 2" in found[0]
    assert "no item 'i77'" in found[1]
    assert "no system 'sys5'. Did you mean" in found[2]
    assert "differ only in capitals" in found[3]
    assert "same system is shown twice" in found[4]
    assert "the batch is empty" in found[5]


def test_a_misspelt_system_with_its_text_is_not_taken_for_a_check():
    study = paraphrase_study()
    item = study.items[0]
    text = (
        "batch,item,a,b,outputa,outputb\n"
        f"x,{item.id},vaee,dips,vae asks for mscoco 0,dips asks for mscoco 0\n"
    )
    assert "no system 'vaee'. Did you mean 'vae'?" in problems(study, text)[0]


def test_a_control_task_without_a_check_in_the_study_says_what_to_add():
    study = make_study(systems=2, inputs=2)
    found = problems(study, "batch,item,a,b\nx,i0,reference,input\n")
    assert "contrast: input" in found[0]


def test_a_repeat_is_only_one_when_it_is_called_so():
    study = make_study(systems=2, inputs=2)
    text = "batch,item,a,b,kind\nx,i0,sys0,sys1,\nx,i1,sys0,sys1,\nx,i0,sys1,sys0,repeat\n"
    tasks = read(study, text).plan.batches[0].tasks
    assert [task.kind for task in tasks] == ["real", "real", "repeat"]
    assert tasks[2].repeats == tasks[0].id


def test_an_instruction_check_needs_its_answer():
    checks = [{"kind": "instruction", "id": "look", "question": "meaning"}]
    study = make_study(systems=2, inputs=2, checks=checks)
    head = "batch,item,a,b,check,answer\nx,i0,sys0,sys1,,\nx,i1,sys0,sys1,look,"
    assert "answer that this instruction asks for is missing" in problems(study, head + "\n")[0]
    task = read(study, head + "B\n").plan.batches[0].tasks[1]
    assert task.expected is not None
    assert (task.expected.best, task.instruction) == (
        "b",
        "This is an attention check. Please choose B.",
    )


def test_shared_items_are_a_calibration_batch_for_everybody():
    study = make_study(systems=1, inputs=4, questions=[RATING])
    text = (
        "batch,item,system,calibration\nown,i2,sys0,\nall,i0,sys0,yes\nall,i1,sys0,yes\n"
        "more,i3,sys0,\n"
    )
    plan = read(study, text).plan
    assert [(b.id, b.is_calibration, b.participants) for b in plan.batches] == [
        ("all", True, 6),
        ("own", False, 3),
        ("more", False, 3),
    ]


def test_batches_that_share_an_input_are_kept_apart_where_the_study_says_so():
    study = make_study(systems=2, inputs=2, questions=[RATING], design={"inputs": "apart"})
    text = "batch,item,system\nx,i0,sys0\ny,i0,sys1\nz,i1,sys0\n"
    assert read(study, text).plan.conflicts == {"x": ("y",), "y": ("x",)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,a,b\ni0,sys0,sys1\n", "no column for 'batch'"),
        ("batch,item\nx,i0\n", "no column for 'system'"),
        ("batch,a,b\nx,sys0,sys1\n", "no column for 'item'"),
        ("ix0,ix1\ni0,i1\n", "no column for 'system'"),
        ("batch,item,a,b\nx y,i0,sys0,sys1\n", "cannot name a batch"),
        ("batch,item,a,b,participants\nx,i0,sys0,sys1,many\n", "not a number of participants"),
        ("batch,item,a,b,position\nx,i0,sys0,sys1,first\n", "is not a whole number"),
        ("batch,item,a,b,calibration\nx,i0,sys0,sys1,yes\n", "every batch is calibration"),
        ("batch,item,a\nx,i0,sys0\n", "which no question asks about"),
        ("", "no rows"),
        ("batch,item,a,b\n", "no rows"),
        ("batch,item,a,b\nx,i0,sys0\n", "3 cells"),
    ],
)
def test_a_table_that_cannot_be_used_says_why(text, said):
    assert any(said in each for each in problems(make_study(systems=2, inputs=2), text))


@pytest.mark.parametrize("content", [b"\xff\xfeb\x00", b"batch,item\n\xe4,1\n", b"a\x00b\n"])
def test_files_in_other_encodings_are_refused(content):
    assert problems(make_study(systems=2), content)


def test_a_thousand_problems_are_counted():
    study = make_study(systems=2, inputs=2)
    text = "batch,item,a,b\n" + "".join(f"x,q{n},sys0,sys1\n" for n in range(1000))
    found = problems(study, text)
    assert len(found) == 21
    assert found[-1] == "and 980 more problems."


# ── people ───────────────────────────────────────────────────────────────────────────────────────

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


def test_texts_that_a_spreadsheet_would_compute_are_the_same_texts():
    study = make_study(systems=1, inputs=1, questions=[RATING])
    item = study.items[0]
    odd = type(item)(item.id, item.group, "", "in", None, ("=1+1",), "en", 2)
    text = csv_text([["batch", "item", "system", "output"], ["x", "i0", "sys0", "=1+1"]])
    assert "'=1+1" in text
    assert len(read(type(study)(study.spec, (odd,), {}), text).plan.batches) == 1


def test_semicolons_of_other_countries_are_understood():
    study = make_study(systems=2, inputs=1)
    assert len(read(study, "batch;item;a;b\nx;i0;sys0;sys1\n").plan.batches) == 1

"""Batches of an earlier study: read as they are, or refused with every problem and its line."""

from __future__ import annotations

import pytest
from given_tables import long_table, mturk_input, paraphrase_study, problems, read
from hypothesis import given as forall
from hypothesis import strategies as st
from studies import RATING, make_study

from rejudge.design.balance import measure_balance
from rejudge.design.draw import draw
from rejudge.design.order import order_for
from rejudge.design.plan import Plan, check_plan
from rejudge.files.step_files import from_bytes, to_bytes

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


def test_an_uneven_sample_is_reported_as_it_is(original):
    """The original had 100, 102 and 98 inputs of its datasets, which its reproduction noticed."""
    study, text = original
    balance = measure_balance(study, read(study, text).plan)
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
    assert measure_balance(study, again).sides_by_pair == measure_balance(study, plan).sides_by_pair


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


def test_a_repeat_is_only_one_when_it_is_called_so():
    study = make_study(systems=2, inputs=2)
    text = "batch,item,a,b,kind\nx,i0,sys0,sys1,\nx,i1,sys0,sys1,\nx,i0,sys1,sys0,repeat\n"
    tasks = read(study, text).plan.batches[0].tasks
    assert [task.kind for task in tasks] == ["real", "real", "repeat"]
    assert tasks[2].repeats == tasks[0].id


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


def test_a_thousand_problems_are_counted():
    study = make_study(systems=2, inputs=2)
    text = "batch,item,a,b\n" + "".join(f"x,q{n},sys0,sys1\n" for n in range(1000))
    found = problems(study, text)
    assert len(found) == 21
    assert found[-1] == "and 980 more problems."

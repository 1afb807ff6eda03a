"""When a look is due, and the log that is kept."""

from __future__ import annotations

from dataclasses import replace

from looked_study import looked_study
from rejudge.collect.looks import Look, LookLog, Peek, look_state
from small_site import START, study_of

STUDY, PLAN = looked_study(4, 2)
MADE = Look(
    number=1, looks=2, at=START, who="ada", decision="go on", boundary="pocock",
    question="meaning", systems=("north", "south"), places=4, planned_places=8, fraction=0.5,
    level=0.03, alpha=0.05, judgments="f",
)  # fmt: skip


def opened(look: int) -> dict[str, int]:
    state = look_state(STUDY, PLAN, {}, LookLog())
    assert state is not None
    return dict(state.stages.open_places[look - 1])


def test_a_study_without_looks_has_no_state():
    assert look_state(*study_of(2), {}, LookLog()) is None


def test_a_look_is_due_when_its_stage_is_done_and_nobody_is_at_work():
    done = opened(1)
    state = look_state(STUDY, PLAN, done, LookLog())
    assert state is not None
    assert (state.is_due, state.number, state.done, state.open, state.planned) == (True, 1, 4, 4, 8)
    assert state.sentence == "Look 1 of 2 is due: 4 of 8 places are done."
    waiting = look_state(STUDY, PLAN, done, LookLog(), held=1)
    assert waiting is not None
    assert not waiting.is_due
    short = look_state(STUDY, PLAN, done | {next(b for b in done if done[b]): 1}, LookLog())
    assert short is not None
    assert short.sentence == "Look 1 of 2 is due at 4 of 8 places; 3 are done."


def test_work_in_a_later_stage_makes_no_look_due():
    done = {batch: 2 - n for batch, n in opened(1).items()}
    state = look_state(STUDY, PLAN, done, LookLog())
    assert state is not None
    assert (state.is_due, state.done) == (False, 0)


def test_the_next_look_follows_the_one_before():
    log = LookLog().with_look(MADE)
    state = look_state(STUDY, PLAN, opened(1), log)
    assert state is not None
    assert (state.number, state.is_due, log.is_over) == (2, False, False)
    state = look_state(STUDY, PLAN, opened(2), log)
    assert state is not None
    assert state.is_due


def test_nothing_is_due_after_a_study_has_stopped():
    log = LookLog().with_look(replace(MADE, decision="stop"))
    state = look_state(STUDY, PLAN, opened(2), log)
    assert state is not None
    assert (state.is_due, state.is_over, state.number) == (False, True, 1)
    assert state.sentence == "The study ended at look 1 of 2."


def test_the_log_keeps_analyses_in_between():
    log = LookLog().with_peek(Peek(START, "ada", 3, 8))
    assert (len(log.peeks), log.last, log.is_over) == (1, None, False)
    assert not MADE.is_crossed
    assert replace(MADE, p_looks=0.04).is_crossed

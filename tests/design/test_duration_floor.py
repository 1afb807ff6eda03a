"""The least time that a batch takes somebody who reads what they judge."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, SEGMENTS, gold_task, hand_plan, small_study
from rejudge.design.draw import draw
from rejudge.design.duration import ReadingFloor, fastest_reading_seconds
from rejudge.design.plan import Task, option_text
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import Crowd, Seat
from rejudge.starters.folders import folder_files, starter_names
from rejudge.study.parse import parse

# An output of the small study, `By ash: path 0 climbs. It is long.`, has eight words: 0.48 s.
WORDS = 60 * 8 / 1000
ANSWER = 0.5


def floor_of(*tasks: Task, questions=(PAIRWISE,)):
    study = small_study(*questions)
    return ReadingFloor(study, hand_plan(study, *tasks))


def test_a_thousand_words_take_a_minute_in_english():
    assert fastest_reading_seconds("word " * 1000, "en") == pytest.approx(60)
    assert fastest_reading_seconds("word " * 1000, "en-GB") == pytest.approx(60)


@pytest.mark.parametrize(
    ("language", "text", "per_minute"),
    [
        ("de", "Wort " * 100, 179 * 1000 / 183),
        ("ar", "كلمة " * 100, 138 * 1000 / 183),
        ("fi", "sana " * 100, 161 * 1000 / 183),
        ("zh", "字" * 100, 255 * 1000 / 183),
    ],
)
def test_other_languages_are_scaled_from_reading_aloud(language, text, per_minute):
    """Trauzettel-Klosinski & Dietz (2012) aloud; English aloud is 183 (Brysbaert 2019)."""
    assert fastest_reading_seconds(text, language) == pytest.approx(60 * 100 / per_minute)


def test_each_judged_text_counts_once_and_inputs_not_at_all():
    """ash/beech and ash/cedar of one item: three texts, two answers."""
    floor = floor_of(Task("t1", "i0", ("ash", "beech")), Task("t2", "i0", ("ash", "cedar")))
    assert floor.seconds("b1") == pytest.approx(3 * WORDS + 2 * ANSWER)


def test_the_same_system_on_another_item_is_another_text():
    floor = floor_of(Task("t1", "i0", ("ash", "beech")), Task("t2", "i1", ("ash", "beech")))
    assert floor.seconds("b1") == pytest.approx(4 * WORDS + 2 * ANSWER)


def test_every_question_of_a_page_and_every_segment_is_an_answer():
    """One output with two scored sentences, for fluency and for facts: three answers."""
    floor = floor_of(Task("t1", "i0", ("ash",)), questions=(RATING, SEGMENTS))
    assert floor.seconds("b1") == pytest.approx(WORDS + 3 * ANSWER)


def test_references_of_checks_are_read_too():
    """`Path 8 climbs a hill.` and `Path 9 …` have five words each."""
    assert floor_of(gold_task()).seconds("b1") == pytest.approx(60 * 10 / 1000 + ANSWER)


def test_for_some_tasks_only_their_texts_count():
    tasks = (Task("t1", "i0", ("ash", "beech")), Task("t2", "i1", ("ash", "beech")))
    floor = floor_of(*tasks)
    assert floor.seconds("b1", ["t2"]) == pytest.approx(2 * WORDS + ANSWER)
    assert floor.seconds("b1", ["t1", "t2"]) == floor.seconds("b1")


def test_what_the_plan_does_not_have_has_no_floor():
    floor = floor_of(Task("t1", "i0", ("ash", "beech")), Task("t2", "i1", ("ash", "beech")))
    assert floor.seconds("b9") is None
    assert floor.seconds("b1", ["t9"]) is None


def test_texts_that_one_person_meets_in_several_batches_do_not_count():
    study = small_study()
    plan = hand_plan(study, Task("t1", "i0", ("ash", "beech")))
    (batch,) = plan.batches
    other = replace(batch, id="b2", tasks=(Task("t2", "i0", ("ash", "cedar")),))
    plan = replace(plan, batches=(batch, other))
    assert ReadingFloor(study, plan).seconds("b1") == pytest.approx(2 * WORDS + ANSWER)
    several = replace(plan, batches_per_participant=2)
    assert ReadingFloor(study, several).seconds("b1") == pytest.approx(WORDS + ANSWER)


# ── honest people, at published speeds ───────────────────────────────────────────────────────────

HONEST = {  # words a minute, seconds for an answer, share of each text that is read
    "reads (Brysbaert 2019)": (238, 2.0, 1.0),
    "reads fast": (400, 1.2, 1.0),
    "skims (Carver 1992)": (450, 1.0, 1.0),
    "skims and stops after 60 %": (450, 0.8, 0.6),
    "reads as fast as the best (Carver 1985)": (600, 0.8, 1.0),
}


@functools.cache
def starter(name: str):
    files = folder_files(name)
    study = parse(files["study.yaml"].decode("utf-8"), files.__getitem__)
    return study, draw(study)


def honest_times(name: str, person: tuple[float, float, float], people: int):
    """The floor of a batch, and the times of people who read each judged text once, inputs never.

    How fast somebody reads and decides differs between people and from text to text (log-normal).
    """
    study, plan = starter(name)
    batch = plan.main[0]
    least = ReadingFloor(study, plan).seconds(batch.id)
    texts = {(task.item, option): task for task in batch.tasks for option in task.options}
    reading = [
        fastest_reading_seconds(option_text(study, plan, task, option), study.spec.language)
        for (_, option), task in texts.items()
    ]
    answers = round((least - sum(reading)) / ANSWER)
    assert answers >= len(batch.tasks)
    rng = np.random.default_rng(1)
    pace, seconds, share = person
    own = pace * rng.lognormal(0, 0.1, (people, 1))
    read = share * np.array(reading) * (1000 / own) * rng.lognormal(0, 0.3, (people, len(reading)))
    decided = seconds * rng.lognormal(0, 0.4, (people, answers))
    return least, read.sum(axis=1) + decided.sum(axis=1)


@pytest.mark.parametrize("person", HONEST.values(), ids=list(HONEST))
@pytest.mark.parametrize("name", starter_names())
def test_honest_people_are_practically_never_below_the_floor(name, person):
    """At most one in a thousand, also of those who skim and answer in less than a second."""
    least, times = honest_times(name, person, 2000)
    assert (times < least).mean() <= 0.001


@pytest.mark.parametrize("name", starter_names())
def test_a_script_is_always_below_the_floor(name):
    """0.2 seconds a page."""
    study, plan = starter(name)
    floor = ReadingFloor(study, plan)
    assert all(0.2 * len(batch.tasks) < floor.seconds(batch.id) for batch in plan.batches)


@pytest.mark.parametrize("name", starter_names())
def test_simulated_people_are_below_it_only_if_they_are_careless(name):
    """Careless ones take 1.4 seconds for each question, whatever there is to read."""
    study, plan = starter(name)
    floor = ReadingFloor(study, plan)
    seat = Seat(plan.main[0], 0)
    careful = Crowd(study, plan, rng=np.random.default_rng(1)).person("p")
    assert spent(careful.answers(seat)) > floor.seconds(seat.batch.id)
    all_careless = Parameters(careless=1.0)
    careless = Crowd(study, plan, rng=np.random.default_rng(1), parameters=all_careless).person("p")
    assert spent(careless.answers(seat)) < spent(careful.answers(seat))


def spent(answers) -> float:
    return sum({answer.task: answer.seconds for answer in answers}.values())

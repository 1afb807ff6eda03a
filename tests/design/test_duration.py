"""How long a batch takes, from what is read and what is decided."""

from __future__ import annotations

import csv
import statistics
from dataclasses import replace

import pytest
from studies import PAIRWISE, RATING, make_study

from rejudge.design import duration
from rejudge.design.draw import draw
from rejudge.design.duration import estimate_duration, reading_seconds
from rejudge.design.plan import Plan, Task
from rejudge.study.model import Item
from rejudge.study.qualification import Practice


def of_nine_words(study):
    """The same study, every text being nine words long."""

    def shortened(item: Item) -> Item:
        text = f"what {item.id} is it that we learn from this"
        return replace(item, input=text, reference=text, outputs=(text,) * 4)

    return replace(study, items=tuple(shortened(item) for item in study.items))


def thirty_two_pairs():
    checks = [{"id": "gold", "kind": "gold", "question": "meaning", "per_batch": 2}]
    return of_nine_words(make_study(inputs=40, sample=10, checks=checks))


def task_seconds(study):
    parts = estimate_duration(study, draw(study)).parts
    return 60 * (parts.reading + parts.deciding)


@pytest.mark.parametrize(
    ("text", "language", "seconds"),
    [
        ("", "en", 0),
        ("word " * 238, "en", 60),
        ("word " * 238, "en-GB", 60),
        ("كلمة " * 138, "ar", 60),
        ("Wort " * 179, "de", 60),
        ("ord " * 184, "sv", 60),
        ("字" * 255, "zh", 60),
        ("字" * 357, "ja", 60),
        ("ก" * 882, "th", 60),
        ("一二三。「四五」！", "zh", 60 * 5 / 255),
        ("一二三 BERT 四五", "zh", 60 * (5 / 255 + 1 / 184)),
        ("one – two", "en", 60 * 2 / 238),
        ("caffè – tè", "it", 60 * 2 / 188),
        ("[" * 300_000, "en", 0),  # read in one pass
        ("[" * 300_000 + "x", "en", 60 / 238),
    ],
)
def test_reading_takes_as_long_as_the_published_speeds_say(text, language, seconds):
    """238 words (Brysbaert 2019); 255 characters and others (Trauzettel-Klosinski & Dietz 2012)."""
    assert reading_seconds(text, language) == pytest.approx(seconds)


def test_thirty_two_short_pairs_take_as_long_as_by_hand():
    """Input and two outputs, 27 words at 238 a minute, and 5 seconds for the choice; 32 times."""
    assert task_seconds(thirty_two_pairs()) == pytest.approx(32 * (60 * 27 / 238 + 5))


def test_thirty_two_short_pairs_lie_between_the_published_medians(published):
    """328 seconds are printed for one study; the responses of another are public."""
    folder, _ = published("hosking2021_arvan2025")
    with (folder / "judgments.csv").open(encoding="utf-8") as stream:
        seconds = {row["rater"]: float(row["task_page_seconds"]) for row in csv.DictReader(stream)}
    assert 328 < task_seconds(thirty_two_pairs()) < statistics.median(seconds.values())


def test_thirty_definitions_take_about_the_published_seven_minutes():
    """A list of 30 one-sentence definitions (here 24 words with the term) had a median of 7."""
    study = make_study(inputs=30, systems=1, questions=[RATING], design={"batch": {"tasks": 30}})
    items = tuple(replace(i, input="term", outputs=("word " * 23,)) for i in study.items)
    assert task_seconds(replace(study, items=items)) == pytest.approx(7 * 60, rel=0.02)


def test_two_criteria_on_a_page_share_the_reading():
    second = {**PAIRWISE, "id": "fluency"}
    one, two = make_study(), make_study(questions=[PAIRWISE, second])
    before, after = (estimate_duration(study, draw(study)).parts for study in (one, two))
    assert after.reading == before.reading
    assert after.deciding == 2 * before.deciding


def test_what_is_shown_beside_the_outputs_is_read():
    """The reference is shown as well, which has the nine words of every other text."""
    both = {**PAIRWISE, "beside": ["input", "reference"]}
    alone, beside = of_nine_words(make_study()), of_nine_words(make_study(questions=[both]))
    before, after = (estimate_duration(study, draw(study)).parts for study in (alone, beside))
    assert after.reading / before.reading == pytest.approx(4 / 3)


def test_every_sentence_to_be_scored_takes_its_time():
    """Outputs have two sentences (“Output … . And more.”), 6 seconds each; 5 inputs × 4 systems."""
    question = {"id": "red", "kind": "segments", "prompt": "Redundant?", "points": 3, "lowest": 0}
    study = make_study(questions=[question])
    assert estimate_duration(study, draw(study)).parts.deciding * 60 == pytest.approx(5 * 4 * 2 * 6)


@pytest.mark.parametrize(
    ("question", "seconds"),
    [
        ({"kind": "best-worst", "of": 4}, 4 * 4),
        ({"kind": "ranking"}, 4 * 5),
    ],
)
def test_more_options_take_longer_to_order(question, seconds):
    study = make_study(questions=[{"id": "q", "prompt": "Which?", **question}])
    parts = estimate_duration(study, draw(study)).parts
    assert parts.deciding * 60 == pytest.approx(5 * seconds)


def test_pages_and_the_wording_of_questions_are_read_before():
    """238 words of information take a minute, its button 5 seconds; five words of question."""
    study = replace(make_study(), pages={"information": "word " * 238, "thanks": "word " * 999})
    parts = estimate_duration(study, draw(study)).parts
    assert parts.pages * 60 == pytest.approx(60 + 5 + 60 * 5 / 238)


def test_practice_is_read_decided_and_explained():
    """Input, two outputs and an explanation of one word each, and one choice between two."""
    example = {
        "input": "in",
        "outputs": ["one", "two"],
        "answers": {"meaning": "a"},
        "explanation": "because",
    }
    study = make_study()
    practice = Practice.model_validate({"examples": [example]})
    study = replace(study, spec=study.spec.model_copy(update={"practice": practice}))
    parts = estimate_duration(study, draw(study)).parts
    assert parts.practice * 60 == pytest.approx(60 * 4 / 238 + 5)


def test_the_parts_add_up_and_lie_between_shortest_and_longest():
    study = make_study(inputs=13, design={"batch": {"inputs": 4}})
    found = estimate_duration(study, draw(study))
    assert found.parts.minutes == pytest.approx(found.minutes)
    assert found.shortest < found.longest
    assert found.shortest <= found.minutes <= found.longest


def test_calibration_is_counted_apart():
    study = of_nine_words(make_study(inputs=20, design={"calibration": 5}))
    found = estimate_duration(study, draw(study))
    assert found.calibration == pytest.approx(found.parts.reading + found.parts.deciding)
    assert estimate_duration(make_study(), draw(make_study())).calibration is None


def test_an_instruction_is_read_in_place_of_the_input():
    study = of_nine_words(make_study())
    plan = draw(study)
    plain = Task("t", "i0", ("sys0", "sys1"))
    told = replace(plain, kind="check", instruction="word " * 238)

    def reading(task: Task) -> float:
        batch = replace(plan.batches[0], tasks=(task,))
        return estimate_duration(study, replace(plan, batches=(batch,))).parts.reading

    assert reading(told) - reading(plain) == pytest.approx(1 - 9 / 238)


def test_a_plan_without_batches_takes_only_the_pages():
    study = make_study()
    plan = Plan(study.design_fingerprint, 1, "batch", 1, (), {}, {}, {})
    found = estimate_duration(study, plan)
    assert found.minutes == found.parts.once == found.longest


def test_each_text_is_measured_once_however_often_it_is_shown(monkeypatch):
    """50 inputs with 4 outputs each, 6 pairs per input: 250 texts on 900 places of 300 pages."""
    study = make_study(inputs=50)
    plan = draw(study)
    measured = []
    monkeypatch.setattr(duration, "reading_seconds", lambda text, _: measured.append(text) or 1.0)
    estimate_duration(study, plan)
    assert len(measured) == 50 * 5 + 1  # and the wording of the one question


def test_the_method_says_what_is_published_and_what_is_assumed():
    study = make_study()
    method = estimate_duration(study, draw(study)).method
    assert "Brysbaert 2019" in method
    assert "assumed" in method

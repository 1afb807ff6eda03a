"""How long a batch takes, estimated from what is read and what is decided.

Reading speeds are published. Seconds per decision are assumptions of ours, set so that the estimate
lies between published medians for the same kind of page (see the module of each kind). A pilot
with a few people is better than any estimate; `payment.minutes` then says what it showed.

The reading floor is the least time that a batch takes somebody who reads what they judge.

A floor, not a norm: faster than this the texts cannot have been read. It is set so that honest
people practically never fall below it, however fast they are.

Reading: 1,000 words a minute. More is impossible for anatomical and cognitive reasons (Rayner and
others 2016, Psychological Science in the Public Interest 17; Brysbaert 2019). The mean for English
non-fiction is 238, most adults read at 175 to 300 (Brysbaert 2019), and of the best readers that
could be found none understood three quarters of an easy text at more than 600 (Carver 1985, Reading
Research Quarterly 20). So those who skim, or stop once they have seen enough, stay above the floor.
The speeds known for other languages are for reading aloud, which is slower (183 in English,
Brysbaert 2019), so they are scaled by 1,000/183.
Only what is judged has to be read, and once: inputs and references may be known or not needed, and
a text that comes back, here or in another batch of the same person, is not read again.

Answering: half a second for each answer, an assumption of ours: 0.3 to see and choose, 0.2 to press
a key (the keystroke of Card, Moran & Newell 1983; pointing with a mouse takes a second).
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Literal

from rejudge.design.phrases import draft_values
from rejudge.design.plan import INPUT, REFERENCE, Batch, Plan, Task, answers_needed, option_text
from rejudge.english import count as counted
from rejudge.study.conduct import Payment
from rejudge.study.kinds.question import Question
from rejudge.study.kinds.registry import KINDS
from rejudge.study.model import Study, fill_placeholders
from rejudge.study.qualification import GoldTask

# Silent reading of English non-fiction by adults: Brysbaert (2019), Journal of Memory and
# Language 109, a meta-analysis of 190 studies. The others are means of native speakers who read
# aloud: Trauzettel-Klosinski & Dietz (2012), the International Reading Speed Texts, Investigative
# Ophthalmology & Visual Science 53. Aloud is slower, so these estimates err towards more time.
WORDS_PER_MINUTE = {
    "en": 238.0,
    "ar": 138.0,
    "de": 179.0,
    "es": 218.0,
    "fi": 161.0,
    "fr": 195.0,
    "he": 187.0,
    "it": 188.0,
    "nl": 202.0,
    "pl": 166.0,
}
OTHER_WORDS_PER_MINUTE = 184.0  # mean of the 17 languages of the same study
CHARACTERS_PER_MINUTE = {"ja": 357.0}  # kanji and kana together; 〃
OTHER_CHARACTERS_PER_MINUTE = 255.0  # Chinese; 〃
LETTERS_PER_MINUTE = 882.0  # 68 ms per letter, mean of 14 alphabets; for Thai, Lao, Khmer, Burmese

_CHARACTER = re.compile(  # kana, Chinese characters and their extensions
    "[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_UNSPACED_LETTER = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_LETTER = re.compile(r"\w")  # a dash between blanks is not a word

_SECONDS_PER_PAGE = 5.0  # to find one's way and to go on
_PAGES = ("information", "consent", "instructions")


def _method() -> str:
    """How the time is estimated, with the assumed seconds of every kind of question."""
    assumed = [
        f"{name} {kind.seconds:g}"
        + ("" if kind.seconds_per == "answer" else f" per {kind.seconds_per}")
        for name, kind in KINDS.items()
    ]
    return (
        "Reading at published speeds (English 238 words a minute, Brysbaert 2019; other languages "
        "as read aloud, Trauzettel-Klosinski & Dietz 2012), each text whenever it is shown; plus "
        f"assumed seconds per decision: {', '.join(assumed)}. Pauses are not counted. A pilot is "
        "better."
    )


@dataclass(frozen=True, slots=True)
class Parts:
    """What the minutes of one batch are spent on."""

    pages: float  # information, consent, instructions, and the questions' own words
    practice: float
    reading: float
    deciding: float
    qualification: float = 0.0  # one attempt

    @property
    def minutes(self) -> float:
        """All parts together."""
        return self.once + self.reading + self.deciding

    @property
    def once(self) -> float:
        """What a participant does only before the first batch."""
        return self.pages + self.practice + self.qualification


@dataclass(frozen=True, slots=True)
class Duration:
    """Minutes per batch for somebody who begins with it, pages and practice included."""

    minutes: float  # of the median batch (the shorter of two in the middle)
    shortest: float
    longest: float
    parts: Parts  # of the median batch
    calibration: float | None  # minutes of what everybody does first; None without calibration
    batches: tuple[float, ...]  # minutes of each batch, from shortest to longest
    method: str = field(default_factory=_method)


def estimate_duration(study: Study, plan: Plan) -> Duration:
    """How long the batches of a plan take, from the length of every text that is shown."""
    clock = _Clock(study, plan)
    once = clock.pages() / 60, clock.practice() / 60
    test = clock.qualification() / 60
    timed = [Parts(*once, *clock.minutes(batch), test) for batch in plan.main]
    batches = sorted(timed, key=lambda parts: parts.minutes) or [Parts(*once, 0, 0, test)]
    middle = batches[(len(batches) - 1) // 2]
    calibration = [sum(clock.minutes(batch)) for batch in plan.batches if batch.is_calibration]
    return Duration(
        minutes=middle.minutes,
        shortest=batches[0].minutes,
        longest=batches[-1].minutes,
        parts=middle,
        calibration=sum(calibration) if calibration else None,
        batches=tuple(parts.minutes for parts in batches),
    )


def reading_seconds(text: str, language: str) -> float:
    """How long a text takes to read, counted in words or characters as its scripts ask."""
    tongue = language.split("-", maxsplit=1)[0]
    minutes = 0.0
    if not text.isascii():
        pace = CHARACTERS_PER_MINUTE.get(tongue, OTHER_CHARACTERS_PER_MINUTE)
        text, characters = _CHARACTER.subn(" ", text)
        text, letters = _UNSPACED_LETTER.subn(" ", text)
        minutes = characters / pace + letters / LETTERS_PER_MINUTE
    words = sum(_LETTER.search(word) is not None for word in text.split())
    return 60 * (minutes + words / WORDS_PER_MINUTE.get(tongue, OTHER_WORDS_PER_MINUTE))


def text_length(text: str) -> str:
    """How long a text is, in words; in characters where its script writes none; empty: no text."""
    _, characters = _CHARACTER.subn(" ", text)
    _, letters = _UNSPACED_LETTER.subn(" ", text)
    if characters + letters:
        return counted(characters + letters, "character")
    words = len(text.split())
    return counted(words, "word") if words else ""


class _Clock:
    """Times the tasks of a plan; each text is measured once, however often it is shown."""

    def __init__(self, study: Study, plan: Plan) -> None:
        self._study = study
        self._plan = plan
        self._read: dict[tuple[str, str], float] = {}
        self._asked: dict[int, tuple[Question, ...]] = {
            width: study.questions_beside(width)
            for width in {len(task.options) for task in plan.tasks()}
        }

    def minutes(self, batch: Batch) -> tuple[float, float]:
        """Minutes of reading and of deciding in a batch."""
        reading = sum(self._reading(task) for task in batch.tasks)
        deciding = sum(self._deciding(task) for task in batch.tasks)
        return reading / 60, deciding / 60

    def pages(self) -> float:
        """Seconds for the pages before the first task, and for the wording of the questions."""
        spec = self._study.spec
        values = draft_values(spec)
        pages = (self._study.shown_pages.get(role, "") for role in _PAGES)
        texts = [fill_placeholders(page, values) for page in pages if page]
        wording = [f"{question.prompt} {question.definition}" for question in spec.questions]
        reading = sum(reading_seconds(text, spec.language) for text in (*texts, *wording))
        return reading + _SECONDS_PER_PAGE * len(texts)

    def practice(self) -> float:
        """Seconds for the examples, each tried once and its explanation read."""
        spec = self._study.spec
        examples = spec.practice.examples if spec.practice else ()
        read = sum(reading_seconds(each.explanation, spec.language) for each in examples)
        return read + sum(self._gold_task(each) for each in examples)

    def qualification(self) -> float:
        """Seconds for one attempt at the qualification."""
        asked = self._study.spec.qualification
        if asked is None:
            return 0.0
        return sum(self._gold_task(asked.tasks[place]) for place in asked.places(1))

    def _gold_task(self, task: GoldTask) -> float:
        shown = (task.input, task.reference, *task.outputs)
        seconds = sum(reading_seconds(text, self._study.spec.language) for text in shown)
        for question in self._study.questions_beside(len(task.outputs)):
            parts = task.answers.get(question.id, "").count(",") + 1
            seconds += question.expected_seconds(len(task.outputs), parts)
        return seconds

    def _reading(self, task: Task) -> float:
        seconds = sum(self._text(task, option) for option in task.options)
        beside = {part for question in self._asked[len(task.options)] for part in question.beside}
        if task.instruction is not None:
            seconds += reading_seconds(task.instruction, self._study.spec.language)
        elif "input" in beside:
            seconds += self._text(task, INPUT)
        return seconds + (self._text(task, REFERENCE) if "reference" in beside else 0.0)

    def _text(self, task: Task, option: str) -> float:
        key = (task.item, option)
        if key not in self._read:
            text = option_text(self._study, self._plan, task, option)
            self._read[key] = reading_seconds(text, self._study.item[task.item].language)
        return self._read[key]

    def _deciding(self, task: Task) -> float:
        options = len(task.options)
        return sum(
            question.expected_seconds(options, answers_needed(self._plan, task, question))
            for question in self._asked[options]
        )


FASTEST_WORDS_PER_MINUTE = 1000.0
FASTEST_ANSWER_SECONDS = 0.5
_ALOUD_WORDS_PER_MINUTE = 183.0  # English; the other languages were measured so
# A page counts no more than this while nobody moves the pointer, however long they read.
_MOST_SECONDS_PER_PAGE = 30.0

FLOOR_IN_WORDS = (
    f"nobody reads more than {FASTEST_WORDS_PER_MINUTE:,.0f} words a minute (Rayner et al. 2016) "
    f"or answers in less than {FASTEST_ANSWER_SECONDS:g} seconds; only the judged texts count, "
    "each once"
)


class ReadingFloor:
    """The least seconds that the tasks of a plan take, for each batch or for some of its tasks."""

    def __init__(self, study: Study, plan: Plan) -> None:
        self._study = study
        self._plan = plan
        self._read: dict[tuple[str, str], float] = {}
        self._whole: dict[str, float] = {}

    def seconds(self, batch: str, tasks: Collection[str] | None = None) -> float | None:
        """The least seconds for some tasks of a batch, or for all; None where one is unknown."""
        planned = self._plan.batch.get(batch)
        if planned is None:
            return None
        if tasks is None or len(tasks) == len(planned.tasks):
            if batch not in self._whole:
                self._whole[batch] = self._least(planned.tasks)
            return self._whole[batch]
        known = {task.id: task for task in planned.tasks}
        if not known.keys() >= set(tasks):
            return None
        return self._least(known[task] for task in tasks)

    def _least(self, tasks: Iterable[Task]) -> float:
        known: set[tuple[str, str]] = set()
        seconds = 0.0
        for task in tasks:
            new = {(task.item, option) for option in task.options} - known
            known |= new
            reading = sum(self._text(task, option) for _, option in sorted(new))
            seconds += min(reading, _MOST_SECONDS_PER_PAGE)
            seconds += FASTEST_ANSWER_SECONDS * self._answers(task)
        return seconds

    def _answers(self, task: Task) -> int:
        asked = [q for q in self._study.questions_beside(len(task.options)) if q.required]
        return sum(answers_needed(self._plan, task, each) for each in asked) if asked else 1

    def _text(self, task: Task, option: str) -> float:
        key = (task.item, option)
        if key in self._met_again:
            return 0.0
        if key not in self._read:
            language = self._study.item[task.item].language
            text = option_text(self._study, self._plan, task, option)
            self._read[key] = fastest_reading_seconds(text, language)
        return self._read[key]

    @cached_property
    def _met_again(self) -> frozenset[tuple[str, str]]:
        """Texts that one person can meet in several batches."""
        has_calibration = any(batch.is_calibration for batch in self._plan.batches)
        if self._plan.batches_per_participant == 1 and not has_calibration:
            return frozenset()
        shown = Counter(
            text
            for batch in self._plan.batches
            for text in {(task.item, option) for task in batch.tasks for option in task.options}
        )
        return frozenset(text for text, batches in shown.items() if batches > 1)


def fastest_reading_seconds(text: str, language: str) -> float:
    """The least seconds in which a text can be read at all."""
    is_english = language.partition("-")[0] == "en"
    usual = WORDS_PER_MINUTE["en"] if is_english else _ALOUD_WORDS_PER_MINUTE
    return reading_seconds(text, language) * usual / FASTEST_WORDS_PER_MINUTE


_MUCH_LONGER = 1.25  # from here on the longest batch is worth a word


@dataclass(frozen=True, slots=True)
class Workload:
    """What is paid for: so many rewards, each for so many minutes.

    Nobody knows beforehand who gets which batch, so a reward is for the longest one.
    """

    unit: Literal["batch", "participant"]  # a voucher is given once, for all batches of a person
    rewards: int  # how many are paid in all
    rewards_per_participant: int
    participants: int
    minutes: Decimal  # of work for one reward: the longest batch, or the longest of a person
    usual_minutes: Decimal  # the same for the median batch
    minutes_are: Literal["stated", "estimated"]
    calibration_minutes: Decimal  # before the first batch, paid on their own; 0 for a voucher
    duration: Duration
    notes: tuple[str, ...]

    @property
    def hours(self) -> Fraction:
        """The time of somebody who does all batches one person may do."""
        batches = Fraction(self.minutes) * self.rewards_per_participant
        return (batches + Fraction(self.calibration_minutes)) / 60


def workload(study: Study, plan: Plan) -> Workload:
    """The work of a plan, from the minutes that the study states or from those we estimate."""
    payment = study.spec.payment
    duration = estimate_duration(study, plan)
    batches = max(1, min(plan.batches_per_participant, len(plan.main)))
    spent = _spent(payment, plan, duration, duration.batches[-batches:])
    usual = _spent(payment, plan, duration, (duration.minutes,) * batches)
    is_voucher = payment is not None and payment.kind == "voucher"
    minutes, usual_minutes = (
        _minutes(each.whole if is_voucher else each.first, is_stated=each.is_stated)
        for each in (spent, usual)
    )
    return Workload(
        unit="participant" if is_voucher else "batch",
        rewards=plan.people if is_voucher else plan.places,
        rewards_per_participant=1 if is_voucher else batches,
        participants=plan.people,
        minutes=minutes,
        usual_minutes=usual_minutes,
        minutes_are="stated" if spent.is_stated else "estimated",
        calibration_minutes=Decimal(0 if is_voucher else ceil(spent.calibration)),
        duration=duration,
        notes=_notes(spent, duration, batches if is_voucher else 1),
    )


@dataclass(frozen=True, slots=True)
class _Spent:
    """Exact minutes of one participant."""

    first: Fraction  # the first batch, with the pages before it
    whole: Fraction  # all batches, and the calibration
    calibration: Fraction
    is_stated: bool


def _spent(
    payment: Payment | None, plan: Plan, duration: Duration, batches: Sequence[float]
) -> _Spent:
    """The minutes of somebody who does batches that take so long; the last one is the longest."""
    if payment is None or payment.minutes is None:
        pages = Fraction(duration.parts.once) * (len(batches) - 1)  # are read once
        calibration = Fraction(duration.calibration or 0)
        whole = sum(map(Fraction, batches), calibration) - pages
        return _Spent(Fraction(batches[-1]), whole, calibration, is_stated=False)
    each = Fraction(str(payment.minutes))
    usual = statistics.median_low([len(batch.tasks) for batch in plan.main] or [1]) or 1
    extra = sum(len(batch.tasks) for batch in plan.batches if batch.is_calibration)
    calibration = each * extra / usual
    return _Spent(each, each * len(batches) + calibration, calibration, is_stated=True)


def _minutes(exact: Fraction, *, is_stated: bool) -> Decimal:
    """Stated minutes as they are; an estimate is not finer than a whole minute, and rounded up."""
    decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
    return decimal if is_stated and Fraction(decimal) == exact else Decimal(ceil(exact))


def _notes(spent: _Spent, duration: Duration, batches: int) -> tuple[str, ...]:
    notes = []
    if not spent.is_stated:
        notes.append(
            f"Minutes are estimated ({duration.longest:.1f} for the longest batch, rounded up), "
            "because `payment.minutes` is not given. Time a few people and state how long they "
            "took."
        )
        if duration.longest > _MUCH_LONGER * duration.minutes:
            notes.append(
                f"The longest batch takes about {duration.longest:.0f} minutes and the median "
                f"batch {duration.minutes:.0f}. Everybody is paid for the longest: batches of "
                "similar length cost less."
            )
    elif spent.calibration:
        notes.append("The calibration is counted with as many minutes per task as a batch.")
    if batches > 1:
        notes.append(f"A voucher is given once, for all {batches} batches of a participant.")
    return tuple(notes)

"""How long a batch takes, estimated from what is read and what is decided.

Reading speeds are published. Seconds per decision are assumptions of ours, set so that the estimate
lies between published medians for the same kind of page (see the module of each kind). A pilot
with a few people is better than any estimate; `payment.minutes` then says what it showed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rejudge.design.phrases import draft_values
from rejudge.design.plan import INPUT, REFERENCE, Batch, Plan, Task, answers_needed, option_text
from rejudge.study import KINDS, Question, Study, fill

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
_WORD = re.compile(r"\S*\w\S*")  # a dash between blanks is no word

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

    @property
    def minutes(self) -> float:
        """All parts together."""
        return self.pages + self.practice + self.reading + self.deciding

    @property
    def once(self) -> float:
        """What a participant does only before the first batch."""
        return self.pages + self.practice


@dataclass(frozen=True, slots=True)
class Duration:
    """Minutes per batch for somebody who begins with it, pages and practice included."""

    minutes: float  # of the median batch (the shorter of two in the middle)
    shortest: float
    longest: float
    parts: Parts  # of the median batch
    calibration: float | None  # minutes of what everybody does first; None without calibration
    method: str = field(default_factory=_method)


def estimate(study: Study, plan: Plan) -> Duration:
    """How long the batches of a plan take, from the length of every text that is shown."""
    clock = _Clock(study, plan)
    pages, practice = clock.pages() / 60, clock.practice() / 60
    timed = [Parts(pages, practice, *clock.minutes(batch)) for batch in plan.main]
    batches = sorted(timed, key=lambda parts: parts.minutes) or [Parts(pages, practice, 0, 0)]
    middle = batches[(len(batches) - 1) // 2]
    calibration = [sum(clock.minutes(batch)) for batch in plan.batches if batch.is_calibration]
    return Duration(
        minutes=middle.minutes,
        shortest=batches[0].minutes,
        longest=batches[-1].minutes,
        parts=middle,
        calibration=sum(calibration) if calibration else None,
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
    words = len(_WORD.findall(text))
    return 60 * (minutes + words / WORDS_PER_MINUTE.get(tongue, OTHER_WORDS_PER_MINUTE))


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
        pages = (self._study.pages.get(role, "") for role in _PAGES)
        texts = [fill(page, values) for page in pages if page]
        wording = [f"{question.prompt} {question.definition}" for question in spec.questions]
        reading = sum(reading_seconds(text, spec.language) for text in (*texts, *wording))
        return reading + _SECONDS_PER_PAGE * len(texts)

    def practice(self) -> float:
        """Seconds for the examples, each tried once and its explanation read."""
        spec = self._study.spec
        seconds = 0.0
        for example in spec.practice.examples if spec.practice else ():
            shown = (example.input, example.reference, *example.outputs, example.explanation)
            seconds += sum(reading_seconds(text, spec.language) for text in shown)
            for question in self._study.questions_beside(len(example.outputs)):
                parts = example.answers.get(question.id, "").count(",") + 1
                seconds += question.expected_seconds(len(example.outputs), parts)
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

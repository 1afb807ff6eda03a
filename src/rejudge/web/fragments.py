"""A task as a piece of a page: rendered once for all participants, filled in for each.

What differs between people (what they chose, what is missing, where the task stands) are slots in
a text that is otherwise the same, so a page costs little more than joining strings.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, count

from jinja2 import Environment
from markupsafe import Markup, escape

from rejudge.design.plan import Plan, Task, option_text, segment_key, segmented_text
from rejudge.study.kinds.question import LETTERS, Question
from rejudge.study.model import Study
from rejudge.study.qualification import GoldTask
from rejudge.web.forms import FormFault, field_name
from rejudge.web.wording import Words

_KEPT = 1_500  # tasks whose rendering is kept in memory; more are rendered when asked for
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class DisplayedText:
    """A text on a page, with its language."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Content:
    """Everything that a task shows: its texts and its questions."""

    language: str
    sources: tuple[tuple[str, DisplayedText], ...]  # key of the label, text
    options: tuple[str, ...]
    questions: tuple[Question, ...]
    sentences: tuple[tuple[str, ...], ...]  # for each question; none where it has no segments

    @property
    def shape(self) -> Hashable:
        """What determines the rendered template, apart from the texts."""
        return (
            self.language,
            tuple((label, shown.language) for label, shown in self.sources),
            len(self.options),
            tuple(question.id for question in self.questions),
            tuple(map(len, self.sentences)),
        )

    @property
    def texts(self) -> list[str]:
        """The texts, in the order in which `with_gaps` counts them."""
        return [
            *(shown.text for _, shown in self.sources),
            *self.options,
            *chain.from_iterable(self.sentences),
        ]

    def with_gaps(self, gaps: Iterator[str]) -> Content:
        """The same with a gap for each text."""
        return replace(
            self,
            sources=tuple(
                (label, replace(shown, text=next(gaps))) for label, shown in self.sources
            ),
            options=tuple(next(gaps) for _ in self.options),
            sentences=tuple(tuple(next(gaps) for _ in each) for each in self.sentences),
        )

    def parts(self, place: int) -> int:
        """How many parts the answer to each question has, by its position."""
        is_cut = self.questions[place].is_segmented
        return len(self.sentences[place]) if is_cut else len(self.options)


@dataclass(frozen=True, slots=True)
class Choice:
    """An option: the value it sends, its label, and its keyboard shortcut."""

    value: str
    label: str
    text: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question in the form that its template needs."""

    question: Question
    name: str
    parts: int
    choices: tuple[Choice, ...] = ()
    sentences: tuple[str, ...] = ()

    @property
    def template(self) -> str:
        """The name of the template with its controls."""
        return f"questions/{self.question.kind}.html"


@dataclass(frozen=True, slots=True)
class View:
    """A task in the form that its template needs."""

    number: str  # place in the batch: the beginning of the names of its controls
    language: str
    sources: tuple[tuple[str, DisplayedText], ...]  # key of the label, text
    options: tuple[Choice, ...]
    asked: tuple[QuestionView, ...]
    is_compared: bool  # several outputs stand side by side

    @property
    def shows_options(self) -> bool:
        """Whether outputs are shown above the questions, not on their buttons."""
        return not self.is_compared or len(self.asked) > 1


@dataclass(frozen=True, slots=True)
class Fragment:
    """A rendered task: texts with slots between them."""

    parts: tuple[str, ...]  # text, slot, text, slot, …, text
    asked: tuple[tuple[Question, int], ...]

    def fill(
        self, values: Mapping[str, str], faults: Sequence[FormFault], place: str, words: Words
    ) -> str:
        """Fill in the slots for one participant."""
        messages = {fault.field: words(fault.words) for fault in faults}
        done = list(self.parts)
        for at in range(1, len(done), 2):
            done[at] = _fill(done[at], values, messages, place)
        return "".join(done)


_MARK = f"<!--{secrets.token_hex(16)}-->"  # no text of a study can contain it
_GAP = secrets.token_hex(16)  # where the texts of a task go
_GAPS = re.compile(f"{_GAP}-([0-9]+)-")
_PLACE = f"{_GAP}-place"  # the position of the task among all tasks


class Slots:
    """The marks that templates write where pages differ between people."""

    @staticmethod
    def checked(name: str, value: str) -> Markup:
        """A slot on a radio button: whether it is checked."""
        return Markup(f"{_MARK}checked {name} {value}{_MARK}")  # noqa: S704 - our own names

    @staticmethod
    def selected(name: str, value: str) -> Markup:
        """A slot on an option of a list: whether it is selected."""
        return Markup(f"{_MARK}selected {name} {value}{_MARK}")  # noqa: S704 - our own names

    @staticmethod
    def value(name: str) -> Markup:
        """A slot in an input field: its value."""
        return Markup(f"{_MARK}value {name} -{_MARK}")  # noqa: S704 - our own names

    @staticmethod
    def fault(name: str) -> Markup:
        """A slot next to a question: what is missing."""
        return Markup(f"{_MARK}fault {name} -{_MARK}")  # noqa: S704 - our own names

    @staticmethod
    def place() -> Markup:
        """A slot for the position of the task."""
        return Markup(f"{_MARK}place - -{_MARK}")  # noqa: S704 - our own names


def _fill(slot: str, values: Mapping[str, str], messages: Mapping[str, str], place: str) -> str:
    kind, name, value = slot.split(" ")
    if kind == "place":
        return place
    if kind == "fault":
        return str(escape(messages.get(name, "")))
    if kind == "value":
        return f'value="{escape(values[name])}"' if name in values else ""
    return kind if values.get(name) == value else ""


@dataclass(frozen=True, slots=True)
class Outline:
    """The rendered template of all tasks of one shape: text, number of a gap, text, …"""

    whole: tuple[str, ...]  # with slots in its texts
    blank: tuple[str, ...]  # nothing chosen, nothing missing; one more gap for the place

    @classmethod
    def of(cls, rendered: str) -> Outline:
        """From a page with gaps for its texts."""
        parts = rendered.split(_MARK)
        parts[1::2] = [_fill(slot, {}, {}, _PLACE) for slot in parts[1::2]]
        return cls(tuple(_GAPS.split(rendered)), tuple(_GAPS.split("".join(parts))))


class Fragments:
    """The tasks of a plan, the practice examples and the gold tasks as fragments of pages."""

    def __init__(self, study: Study, plan: Plan, words: Words, environment: Environment) -> None:
        self._study = study
        self._plan = plan
        self._words = words
        self._template = environment.get_template("task_body.html")
        self.task = lru_cache(maxsize=_KEPT)(self._task)
        self.example = lru_cache(maxsize=_KEPT)(self._example)
        self.gold = lru_cache(maxsize=_KEPT)(self._gold)
        self.questions = lru_cache(maxsize=_KEPT)(self._questions)
        self._halves = lru_cache(maxsize=_KEPT)(self._blank_halves)
        self._outlines: dict[Hashable, Outline] = {}  # by the shape of a task

    def blank(self, batch: str, number: int, place: str) -> str:
        """A task of a batch without answers."""
        return place.join(self._halves(batch, number))

    def _task(self, batch: str, number: int) -> Fragment:
        """A task of a batch, by its position in the planned batch."""
        return self._render(self._content(batch, number), number)

    def _example(self, number: int) -> Fragment:
        """A practice example, counted from 1; it asks only questions with a correct answer."""
        practice = self._study.spec.practice
        if practice is None:
            raise LookupError(number)
        return self._render(self._example_content(practice.examples[number - 1]), 0)

    def _gold(self, place: int) -> Fragment:
        """A task of the qualification, by its place in study.yaml."""
        asked = self._study.spec.qualification
        if asked is None:
            raise LookupError(place)
        return self._render(self._example_content(asked.tasks[place]), 0)

    def _questions(self, batch: str, number: int) -> tuple[tuple[Question, int], ...]:
        """The questions of a task, each with the number of parts of its answer."""
        return _questions_with_parts(self._content(batch, number))

    def _blank_halves(self, batch: str, number: int) -> tuple[str, ...]:
        """An unanswered task as two halves, before and after its position."""
        content = self._content(batch, number)
        return tuple(_fill_in(self._outline(content).blank, content, number).split(_PLACE))

    def _render(self, content: Content, number: int) -> Fragment:
        parts = tuple(_fill_in(self._outline(content).whole, content, number).split(_MARK))
        return Fragment(parts, _questions_with_parts(content))

    def _outline(self, content: Content) -> Outline:
        """Tasks of one shape differ in their texts alone: the template is run once for all."""
        shape = content.shape
        if shape not in self._outlines:
            gaps = (f"{_GAP}-{number}-" for number in count())
            number = next(gaps)
            self._outlines[shape] = Outline.of(
                self._template.render(
                    view=_view(content.with_gaps(gaps), number),
                    t=self._words,
                    slots=Slots,
                    study=self._study.spec,
                )
            )
        return self._outlines[shape]

    def _content(self, batch: str, number: int) -> Content:
        task = self._plan.batch[batch].tasks[number]
        item = self._study.item[task.item]
        questions = self._study.questions_beside(len(task.options))
        beside = {each for question in questions for each in question.beside}
        sources: list[tuple[str, DisplayedText]] = []
        if task.instruction is not None:
            sources.append(("instead", DisplayedText(task.instruction, self._study.spec.language)))
        elif "input" in beside and item.input:
            sources.append(("input", DisplayedText(item.input, item.language)))
        if "reference" in beside and item.reference:
            sources.append(("reference", DisplayedText(item.reference, item.language)))
        return Content(
            language=item.language,
            sources=tuple(sources),
            options=tuple(
                option_text(self._study, self._plan, task, option) for option in task.options
            ),
            questions=questions,
            sentences=tuple(self._cut(task, question) for question in questions),
        )

    def _cut(self, task: Task, question: Question) -> tuple[str, ...]:
        cut, option = question.segmentation, segmented_text(task, question)
        if cut is None or option is None:
            return ()
        text = option_text(self._study, self._plan, task, option)
        return cut.visible_segments(text, self._plan.segments[segment_key(task.item, option)])

    def _example_content(self, example: GoldTask) -> Content:
        language = self._study.spec.language
        beside = self._study.questions_beside(len(example.outputs))
        questions = tuple(question for question in beside if question.id in example.answers)
        wanted = {each for question in questions for each in question.beside}
        sources = [("input", DisplayedText(example.input, language))]
        if "reference" in wanted and example.reference:
            sources.append(("reference", DisplayedText(example.reference, language)))
        return Content(
            language=language,
            sources=tuple(sources),
            options=tuple(example.outputs),
            questions=questions,
            sentences=tuple(_cut_example(example, q, language) for q in questions),
        )


def _fill_in(outline: Sequence[str], content: Content, number: int) -> str:
    """An outline with the texts of a task in its gaps; gap 0 is the number of the task."""
    done = list(outline)
    texts = [str(number), *(str(escape(text)) for text in content.texts)]
    done[1::2] = [texts[int(gap)] for gap in done[1::2]]
    return "".join(done)


def _questions_with_parts(content: Content) -> tuple[tuple[Question, int], ...]:
    return tuple((q, content.parts(place)) for place, q in enumerate(content.questions))


def _view(content: Content, number: str) -> View:
    options = _options(content.options)
    return View(
        number=number,
        language=content.language,
        sources=content.sources,
        options=options,
        asked=tuple(
            QuestionView(
                question=question,
                name=field_name(number, question.id),
                parts=content.parts(place),
                choices=_points(question) if question.has_points else options,
                sentences=content.sentences[place],
            )
            for place, question in enumerate(content.questions)
        ),
        is_compared=len(options) > 1,
    )


def _cut_example(example: GoldTask, question: Question, language: str) -> tuple[str, ...]:
    cut = question.segmentation
    if cut is None:
        return ()
    text = example.reference if cut.unit == "reference" else example.outputs[0]
    return cut.visible_segments(text, cut.cut(text, language))


def _options(texts: Iterable[str]) -> tuple[Choice, ...]:
    return tuple(
        Choice(LETTERS[place], LETTERS[place].upper(), text, str(place + 1))
        for place, text in enumerate(texts)
    )


def _points(question: Question) -> tuple[Choice, ...]:
    """The points of a scale; a point that is a digit is chosen by that digit."""
    values = [f"{value:.12g}" for value in question.values]
    are_digits = all(value.isdigit() and int(value) <= _DIGITS for value in values)
    keys = values if are_digits else [str(n + 1) for n in range(len(values))]
    last = "" if are_digits and "0" in keys else "0"  # ten is the key 0, where 0 is free
    return tuple(
        Choice(
            value, value, question.labels_by_value.get(point, ""), key if len(key) == 1 else last
        )
        for value, point, key in zip(values, question.values, keys, strict=True)
    )

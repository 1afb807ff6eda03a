"""A task as a piece of a page: rendered once for all participants, filled in for each.

What differs between people (what they chose, what is missing, where the task stands) are slots in
a text that is otherwise the same, so a page costs little more than joining strings.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count

from jinja2 import Environment
from markupsafe import Markup, escape

from rejudge.design import REFERENCE, Batch, Plan, Task, option_text, segment_key
from rejudge.study import (
    LETTERS,
    Example,
    Question,
    Rating,
    Segments,
    Study,
    cut,
    shown_pieces,
)
from rejudge.web.forms import Fault, field_name
from rejudge.web.wording import Words

_KEPT = 1_500  # tasks whose rendering is kept in memory; more are rendered when asked for
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Shown:
    """A text on the page, with its language."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose: what is sent, what stands on it, and the key that chooses it."""

    value: str
    label: str
    text: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as its template needs it."""

    question: Question
    name: str
    parts: int
    choices: tuple[Choice, ...] = ()
    sentences: tuple[str, ...] = ()

    @property
    def template(self) -> str:
        """Where its controls are written."""
        return f"questions/{self.question.kind}.html"


@dataclass(frozen=True, slots=True)
class View:
    """A task as its template needs it."""

    number: int | str  # place in the batch: the beginning of the names of its controls
    language: str
    sources: tuple[tuple[str, Shown], ...]  # key of the label, text
    options: tuple[Choice, ...]
    asked: tuple[Asked, ...]
    is_compared: bool  # several outputs stand side by side

    @property
    def shows_options(self) -> bool:
        """Whether outputs stand above the questions and not on their controls."""
        return not self.is_compared or len(self.asked) > 1


@dataclass(frozen=True, slots=True)
class Fragment:
    """A rendered task: texts with slots between them."""

    parts: tuple[str, ...]  # text, slot, text, slot, …, text
    asked: tuple[tuple[Question, int], ...]

    def filled(
        self, values: Mapping[str, str], faults: Sequence[Fault], place: str, words: Words
    ) -> str:
        """The task as one person sees it."""
        told = {fault.field: words(fault.words) for fault in faults}
        done = list(self.parts)
        for at in range(1, len(done), 2):
            done[at] = _fill(done[at], values, told, place)
        return "".join(done)


_MARK = f"<!--{secrets.token_hex(16)}-->"  # no text of a study can contain it
_GAP = secrets.token_hex(16)  # where the texts of a task go
_GAPS = re.compile(f"{_GAP}-([0-9]+)-")


class Slots:
    """What templates write where something differs between people."""

    @staticmethod
    def checked(name: str, value: str) -> Markup:
        """On a radio button or an option: whether it is the chosen one."""
        return Markup(f"{_MARK}checked {name} {value}{_MARK}")  # noqa: S704 - our own names

    @staticmethod
    def selected(name: str, value: str) -> Markup:
        """On an option of a list: whether it is the chosen one."""
        return Markup(f"{_MARK}selected {name} {value}{_MARK}")  # noqa: S704 - our own names

    @staticmethod
    def value(name: str) -> Markup:
        """On a field to write in: what stands in it."""
        return Markup(f"{_MARK}value {name} -{_MARK}")  # noqa: S704 - our own names

    @staticmethod
    def fault(name: str) -> Markup:
        """Beside a question: what is missing."""
        return Markup(f"{_MARK}fault {name} -{_MARK}")  # noqa: S704 - our own names

    @staticmethod
    def place() -> Markup:
        """Where the task stands."""
        return Markup(f"{_MARK}place - -{_MARK}")  # noqa: S704 - our own names


def _fill(slot: str, values: Mapping[str, str], told: Mapping[str, str], place: str) -> str:
    kind, name, value = slot.split(" ")
    if kind == "place":
        return place
    if kind == "fault":
        return str(escape(told.get(name, "")))
    if kind == "value":
        return f'value="{escape(values[name])}"' if name in values else ""
    return kind if values.get(name) == value else ""


class Fragments:
    """The tasks of a plan, and practice, as pieces of pages."""

    def __init__(self, study: Study, plan: Plan, words: Words, environment: Environment) -> None:
        self._study = study
        self._plan = plan
        self._words = words
        self._template = environment.get_template("task_body.html")
        self.task = lru_cache(maxsize=_KEPT)(self._task)
        self.example = lru_cache(maxsize=_KEPT)(self._example)
        self._outlines: dict[Hashable, tuple[str, ...]] = {}  # by the shape of a task

    def _task(self, batch: str, number: int) -> Fragment:
        """A task of a batch, by its place in the batch as it was planned."""
        found = self._plan.batch[batch]
        return self._rendered(self._view(found, number))

    def _example(self, number: int) -> Fragment:
        """An example for practice, counted from 1; only what has a right answer is asked."""
        practice = self._study.spec.practice
        if practice is None:
            raise LookupError(number)
        return self._rendered(self._example_view(practice.examples[number - 1]))

    def _rendered(self, view: View) -> Fragment:
        """Tasks of one shape differ in their texts alone: the template is run once for all."""
        shape = _shape(view)
        if shape not in self._outlines:
            outlined = self._template.render(
                view=_with_gaps(view), t=self._words, slots=Slots, study=self._study.spec
            )
            self._outlines[shape] = tuple(_GAPS.split(outlined))
        done = list(self._outlines[shape])
        texts = [str(view.number), *(str(escape(text)) for text in _texts(view))]
        done[1::2] = [texts[int(gap)] for gap in done[1::2]]
        parts = tuple("".join(done).split(_MARK))
        return Fragment(parts, tuple((each.question, each.parts) for each in view.asked))

    def _view(self, batch: Batch, number: int) -> View:
        task = batch.tasks[number]
        item = self._study.item[task.item]
        questions = self._study.questions_beside(len(task.options))
        texts = [option_text(self._study, self._plan, task, option) for option in task.options]
        beside = {each for question in questions for each in question.beside}
        sources: list[tuple[str, Shown]] = []
        if task.instruction is not None:
            sources.append(("instead", Shown(task.instruction, self._study.spec.language)))
        elif "input" in beside and item.input:
            sources.append(("input", Shown(item.input, item.language)))
        if "reference" in beside and item.reference:
            sources.append(("reference", Shown(item.reference, item.language)))
        return View(
            number=number,
            language=item.language,
            sources=tuple(sources),
            options=_options(texts),
            asked=tuple(self._asked(number, q, texts, self._cut(task, q)) for q in questions),
            is_compared=len(texts) > 1,
        )

    def _cut(self, task: Task, question: Question) -> tuple[str, ...]:
        if not isinstance(question, Segments):
            return ()
        option = task.options[0] if question.unit == "output" else REFERENCE
        ends = self._plan.segments[segment_key(task.item, option)]
        marker = question.marker if question.split == "marker" else ""
        text = option_text(self._study, self._plan, task, option)
        return shown_pieces(text, ends, marker=marker)

    def _example_view(self, example: Example) -> View:
        language = self._study.spec.language
        beside = self._study.questions_beside(len(example.outputs))
        questions = [question for question in beside if question.id in example.answers]
        wanted = {each for question in questions for each in question.beside}
        sources = [("input", Shown(example.input, language))]
        if "reference" in wanted and example.reference:
            sources.append(("reference", Shown(example.reference, language)))
        return View(
            number="0",
            language=language,
            sources=tuple(sources),
            options=_options(example.outputs),
            asked=tuple(
                self._asked("0", q, example.outputs, _cut_example(example, q, language))
                for q in questions
            ),
            is_compared=len(example.outputs) > 1,
        )

    def _asked(
        self,
        number: int | str,
        question: Question,
        texts: Sequence[str],
        sentences: tuple[str, ...],
    ) -> Asked:
        return Asked(
            question=question,
            name=field_name(number, question.id),
            parts=len(sentences) if isinstance(question, Segments) else len(texts),
            choices=_points(question)
            if isinstance(question, Rating | Segments)
            else _options(texts),
            sentences=sentences,
        )


def _shape(view: View) -> Hashable:
    """All that the template goes by, but for the texts of the item."""
    return (
        view.language,
        view.is_compared,
        tuple((label, shown.language) for label, shown in view.sources),
        len(view.options),
        tuple((each.question.id, each.parts, len(each.sentences)) for each in view.asked),
    )


def _texts(view: View) -> list[str]:
    """The texts of the item, in the order in which `_with_gaps` counts them."""
    return [
        *(shown.text for _, shown in view.sources),
        *(option.text for option in view.options),
        *(sentence for each in view.asked for sentence in each.sentences),
    ]


def _with_gaps(view: View) -> View:
    """The same task with a numbered gap for each text; gap 0 is its number."""
    gaps = (f"{_GAP}-{number}-" for number in count())
    number = next(gaps)
    sources = tuple((label, replace(shown, text=next(gaps))) for label, shown in view.sources)
    options = tuple(replace(option, text=next(gaps)) for option in view.options)
    return replace(
        view,
        number=number,
        sources=sources,
        options=options,
        asked=tuple(
            replace(
                each,
                name=field_name(number, each.question.id),
                choices=options if each.choices == view.options else each.choices,
                sentences=tuple(next(gaps) for _ in each.sentences),
            )
            for each in view.asked
        ),
    )


def _cut_example(example: Example, question: Question, language: str) -> tuple[str, ...]:
    if not isinstance(question, Segments):
        return ()
    text = example.reference if question.unit == "reference" else example.outputs[0]
    marker = question.marker if question.split == "marker" else ""
    ends = cut(text, split=question.split, marker=question.marker, language=language)
    return shown_pieces(text, ends, marker=marker)


def _options(texts: Iterable[str]) -> tuple[Choice, ...]:
    return tuple(
        Choice(LETTERS[place], LETTERS[place].upper(), text, str(place + 1))
        for place, text in enumerate(texts)
    )


def _points(question: Rating | Segments) -> tuple[Choice, ...]:
    """The points of a scale; a point that is a digit is chosen by that digit."""
    values = [f"{value:.12g}" for value in question.values]
    are_digits = all(value.isdigit() and int(value) <= _DIGITS for value in values)
    keys = values if are_digits else [str(n + 1) for n in range(len(values))]
    last = "" if are_digits and "0" in keys else "0"  # ten is the key 0, where 0 is free
    return tuple(
        Choice(value, value, question.labels.get(point, ""), key if len(key) == 1 else last)
        for value, point, key in zip(values, question.values, keys, strict=True)
    )

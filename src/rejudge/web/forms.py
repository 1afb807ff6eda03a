"""What a form brings, as answers; and answers as a form shows them again.

A control is named by the place of its task in the batch, the question, and the part of it:
`3:meaning`, `3:facts:0` (the first sentence), `3:best:best`, `3:order:b` (the place of version B).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rejudge.errors import DataError
from rejudge.study.kinds.question import Question
from rejudge.study.site import ExitQuestion

Form: TypeAlias = Mapping[str, str]
LONGEST_TEXT = 5000  # characters of a comment or a written answer that are kept


@dataclass(frozen=True, slots=True)
class FormFault:
    """What is missing or invalid: the control, and the catalogue key of the message."""

    field: str
    words: str


@dataclass(frozen=True, slots=True)
class FormAnswers:
    """The complete answers of a form by question, and what is wrong with the others."""

    answers: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[FormFault, ...] = ()


def field_name(place: int | str, question: str, part: object = None) -> str:
    """The name of a control."""
    return f"{place}:{question}" if part is None else f"{place}:{question}:{part}"


def answers_key(key: str, answers: Mapping[str, str]) -> str:
    """The key under which answers are saved: the same for the same answers alone.

    A form that comes back from the browser's memory with other answers says something new.
    """
    spelt = json.dumps(answers, sort_keys=True)  # nothing that is typed can pass for another answer
    return f"{key}-{hashlib.sha256(spelt.encode()).hexdigest()[:16]}"


def read_task(form: Form, place: int | str, asked: Iterable[tuple[Question, int]]) -> FormAnswers:
    """Read the answers to the questions of one task; each question has a number of parts."""
    answers: dict[str, str] = {}
    faults: list[FormFault] = []
    for question, parts in asked:
        name = field_name(place, question.id)
        raw = question.raw_answer(form, name, parts)
        if raw is None:
            if question.required:
                faults.append(FormFault(name, question.fault_if_blank or question.fault))
            continue
        try:
            question.parse(raw, parts)
        except DataError:
            faults.append(FormFault(name, question.fault))
        else:
            answers[question.id] = raw
    return FormAnswers(answers, tuple(faults))


def read_exit(form: Form, questions: tuple[ExitQuestion, ...]) -> FormAnswers:
    """Read the answers to the exit questions; a blank is not an answer."""
    answers: dict[str, str] = {}
    faults: list[FormFault] = []
    for question in questions:
        name = field_name("exit", question.id)
        text = form.get(name, "").strip()[:LONGEST_TEXT]
        fault = _exit_fault(question, text)
        if fault is not None:
            faults.append(FormFault(name, fault))
        elif text:
            answers[question.id] = text
    return FormAnswers(answers, tuple(faults))


def _exit_fault(question: ExitQuestion, text: str) -> str | None:
    words = {"choice": "fault_options", "text": "fault_text", "number": "fault_number"}
    if not text:
        return words[question.kind] if question.required else None
    if question.kind == "choice" and text not in question.options:
        return words["choice"]
    if question.kind == "number" and not _is_number(text):
        return words["number"]
    return None


def _is_number(text: str) -> bool:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return False
    return number == number and abs(number) != float("inf")  # noqa: PLR0124 - NaN differs from itself

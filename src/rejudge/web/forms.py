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
from rejudge.study import (
    LETTERS,
    BestWorst,
    ExitQuestion,
    Pairwise,
    Question,
    Ranking,
    Rating,
    Segments,
    Slider,
)

Form: TypeAlias = Mapping[str, str]
LONGEST_TEXT = 5000  # characters of a comment or a written answer that are kept


@dataclass(frozen=True, slots=True)
class FormFault:
    """What is missing or impossible, beside which control, as a key of the catalogue."""

    field: str
    words: str


@dataclass(frozen=True, slots=True)
class FormAnswers:
    """What a form says: whole answers by question, and what is wrong with the others."""

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
    """The answers to the questions of one task; each comes with the number of its parts."""
    answers: dict[str, str] = {}
    faults: list[FormFault] = []
    for question, parts in asked:
        name = field_name(place, question.id)
        raw = raw_answer(form, name, question, parts)
        if raw is None:
            if question.required:
                is_contest = isinstance(question, BestWorst)
                faults.append(
                    FormFault(name, "best_worst_hint" if is_contest else _missing(question))
                )
            continue
        try:
            question.parse(raw, parts)
        except DataError:
            faults.append(FormFault(name, _missing(question)))
        else:
            answers[question.id] = raw
    return FormAnswers(answers, tuple(faults))


def raw_answer(form: Form, name: str, question: Question, parts: int) -> str | None:
    """The raw answer that the controls of a question say together; None: nothing was touched."""
    if isinstance(question, Segments):
        return _joined(form.get(f"{name}:{number}", "") for number in range(parts))
    if isinstance(question, BestWorst):
        return _joined(form.get(f"{name}:{part}", "") for part in ("best", "worst"))
    if isinstance(question, Ranking):
        return _ranked({letter: form.get(f"{name}:{letter}", "") for letter in LETTERS[:parts]})
    return form.get(name, "").strip() or None


def controls(name: str, question: Question, raw: str) -> dict[str, str]:
    """The controls of a question with a raw answer in them; the inverse of `raw_answer`."""
    if isinstance(question, Segments):
        return {f"{name}:{number}": point for number, point in enumerate(raw.split(","))}
    if isinstance(question, BestWorst):
        return {
            f"{name}:{part}": x for part, x in zip(("best", "worst"), raw.split(","), strict=True)
        }
    if isinstance(question, Ranking):
        return {f"{name}:{letter}": str(n) for n, letter in enumerate(raw.split(","), start=1)}
    return {name: raw}


def read_exit(form: Form, questions: tuple[ExitQuestion, ...]) -> FormAnswers:
    """The answers to the questions at the end; what was left blank is no answer."""
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
    return number == number and abs(number) != float("inf")  # noqa: PLR0124 - NaN is no number


def _joined(parts: Iterable[str]) -> str | None:
    given = [part.strip() for part in parts]
    return ",".join(given) if any(given) else None


def _ranked(places: Mapping[str, str]) -> str | None:
    """Letters in the order of the places given; what is no order cannot be parsed as one."""
    if not any(places.values()):
        return None
    wanted = [str(number) for number in range(1, len(places) + 1)]
    if sorted(places.values()) != sorted(wanted):
        return ",".join(places.values())
    return ",".join(sorted(places, key=lambda letter: int(places[letter])))


def _missing(question: Question) -> str:
    kinds: dict[type[Question], str] = {
        Pairwise: "fault_choose",
        Rating: "fault_choose",
        Slider: "fault_slider",
        BestWorst: "fault_best_worst",
        Ranking: "fault_ranking",
        Segments: "fault_segments",
    }
    return kinds[type(question)]

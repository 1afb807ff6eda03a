"""Answers of another tool as judgments of a study: its items, systems, questions and tasks.

An item is found by its id, or by a text that only one item has; a system by its id or name, or by
its output to the item. Texts count as equal whatever their line ends, the blanks around them and
their Unicode normal form. Nothing is guessed: what fits nothing, or two things, is not matched.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rejudge.design.plan import Plan
from rejudge.exchange.opening import Record
from rejudge.judgments.table import Judgment
from rejudge.study.kinds.question import Question
from rejudge.study.model import Study

_DEPTH: Final = 4  # of fields in fields in which texts are looked for
_FLIPPED: Final[Mapping[Any, Any]] = {"a": "b", "b": "a"}
_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Matched:
    """A judgment of the study, or why there is none."""

    judgment: Judgment | None = None
    reason: str = ""
    is_not_asked: bool = False  # the study has no such question


class StudyMatcher:
    """What a study and its plan know, by the names and texts under which tools may have it."""

    def __init__(self, study: Study, plan: Plan) -> None:
        self._study = study
        self._plan = plan
        self._items = {_name(item.id): item.id for item in study.items}
        self._systems = _unique(
            (_name(name), system.id)
            for system in study.spec.systems
            for name in (system.id, system.name)
        )
        self._questions = _unique(
            (_name(name), question.id)
            for question in study.spec.questions
            for name in (question.id, question.prompt)
        )
        self._by_text = self._items_by_text()
        self._tasks = self._tasks_by_item()

    # ── while files are read ─────────────────────────────────────────────────────────────────────

    def resolve(self, names: Iterable[str | None], data: Record) -> tuple[str | None, Record]:
        """The item that is meant, and the systems that its texts show; None if there is none."""
        known = (self._items.get(_name(name)) for name in names if name)
        texts = [_text(each) for each in _texts(data)]
        item = next((each for each in known if each is not None), None)
        if item is None:
            fitting = [self._by_text[text] for text in texts if text in self._by_text]
            common = set.intersection(*fitting) if fitting else set()
            item = next(iter(common)) if len(common) == 1 else None
        return item, {} if item is None else self._systems_by_text(item, texts)

    def _systems_by_text(self, item: str, texts: Sequence[str]) -> Record:
        outputs = self._outputs(item)
        shown = list(dict.fromkeys(outputs[text] for text in texts if text in outputs))
        if any(system is None for system in shown):  # two systems wrote the same
            return {}
        if len(shown) == 1:
            return {"system": shown[0]}
        if len(shown) == _PAIR:
            return {"system_a": shown[0], "system_b": shown[1]}
        return {"systems": shown} if shown else {}

    def _outputs(self, item: str) -> dict[str, str | None]:
        """The systems of an item by their outputs; None for an output of two."""
        found: dict[str, str | None] = {}
        outputs = self._study.item[item].outputs
        for system, output in zip(self._study.system_ids, outputs, strict=True):
            if output and output.strip():
                text = _text(output)
                found[text] = None if text in found else system
        return found

    def _items_by_text(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for item in self._study.items:
            for text in (item.input, *item.outputs):
                if text and text.strip():
                    found.setdefault(_text(text), set()).add(item.id)
        return found

    def asks(self, name: str) -> bool:
        """Whether the study has a question of this name."""
        return _name(name) in self._questions

    # ── when all are read ────────────────────────────────────────────────────────────────────────

    def match(self, judgments: Sequence[Judgment]) -> list[Matched]:
        """The judgments as the study has them, in the same order."""
        matched = [self._match(each) for each in judgments]
        batches = self._batches_by_participant(matched)
        return [self._with_task(each, batches) for each in matched]

    def _match(self, given: Judgment) -> Matched:
        question = self._study_question(given.question)
        if question is None:
            return Matched(is_not_asked=True)
        item = self._items.get(_name(given.item))
        if item is None:
            return Matched(reason="the study has no such item, by id or by text.")
        named = [given.system] if given.system is not None else [given.system_a, given.system_b]
        systems = [self._systems.get(_name(name or "")) for name in named]
        for name, system in zip(named, systems, strict=True):
            if system is None:
                return Matched(reason=f"the study has no system '{name}'.")
        reason = _misfit(question, given)
        if reason:
            return Matched(reason=reason)
        return Matched(
            self._ordered(
                replace(
                    given,
                    item=item,
                    question=question.id,
                    dataset=self._study.item[item].dataset or None,
                    plan=self._plan.fingerprint,
                ),
                [system for system in systems if system is not None],
            )
        )

    def _study_question(self, name: str) -> Question | None:
        known = self._questions.get(_name(name))
        return next((each for each in self._study.spec.questions if each.id == known), None)

    def _ordered(self, given: Judgment, systems: Sequence[str]) -> Judgment:
        """With the study's names; of two systems the one that it lists first is system_a."""
        if len(systems) == 1:
            return replace(given, system=systems[0])
        order = self._study.system_place
        if order[systems[0]] <= order[systems[1]]:
            return replace(given, system_a=systems[0], system_b=systems[1])
        return replace(
            given,
            system_a=systems[1],
            system_b=systems[0],
            value=_FLIPPED.get(given.value, given.value),
            side=_FLIPPED.get(given.side),
        )

    # ── tasks ────────────────────────────────────────────────────────────────────────────────────

    def _tasks_by_item(self) -> dict[str, list[tuple[str, str, frozenset[str]]]]:
        found: dict[str, list[tuple[str, str, frozenset[str]]]] = {}
        for batch in self._plan.batches:
            for task in batch.real:
                entry = (batch.id, task.id, frozenset(task.options))
                found.setdefault(task.item, []).append(entry)
        return found

    def _places(self, judgment: Judgment) -> Iterator[tuple[str, str]]:
        """Batches and tasks of the plan in which it could have been given."""
        pair = {judgment.system_a, judgment.system_b}
        wanted = {judgment.system} if judgment.system is not None else pair
        asked = [q for q in self._study.spec.questions if q.id == judgment.question]
        for batch, task, options in self._tasks.get(judgment.item, ()):
            beside = self._study.questions_beside(len(options))
            if wanted <= options and any(question in beside for question in asked):
                yield batch, task

    def _batches_by_participant(self, matched: Iterable[Matched]) -> dict[str | None, Counter[str]]:
        """How many judgments of each participant fit each batch: most people did whole ones."""
        found: dict[str | None, Counter[str]] = {}
        for each in matched:
            if each.judgment is not None:
                counts = found.setdefault(each.judgment.participant, Counter())
                counts.update({batch for batch, _ in self._places(each.judgment)})
        return found

    def _with_task(self, matched: Matched, batches: Mapping[str | None, Counter[str]]) -> Matched:
        judgment = matched.judgment
        if judgment is None:
            return matched
        places = list(self._places(judgment))
        if not places:
            return Matched(reason="the plan does not ask this about the item and the system.")
        counts = batches[judgment.participant]
        batch, task = max(places, key=lambda place: counts[place[0]])
        return Matched(replace(judgment, batch=batch, task=task))


def _misfit(question: Question, given: Judgment) -> str:
    """Why a value is not an answer to a question; an empty text if it is one."""
    if question.is_segmented:
        return f"`{question.id}` is scored by segment, and the answer is for the whole text."
    if question.is_comparison != isinstance(given.value, str):
        kind = "compares systems" if question.is_comparison else "rates one system"
        return f"`{question.id}` {kind}, and the answer does not."
    if given.value == "tie" and not (question.allows_tie or question.is_order):
        return f"`{question.id}` has no ties."
    if isinstance(given.value, str):
        return ""
    low, high = question.bounds or (float("-inf"), float("inf"))
    points = question.values if question.has_points else ()
    if not low <= given.value <= high or (points and given.value not in points):
        return f"{given.value:g} is not on the scale of `{question.id}`."
    return ""


def _unique(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Ids by name, without names that two of them have; an id itself always stands for itself."""
    listed = list(pairs)
    owners: dict[str, set[str]] = {}
    for name, id_ in listed:
        owners.setdefault(name, set()).add(id_)
    found = {name: next(iter(ids)) for name, ids in owners.items() if len(ids) == 1}
    return found | {_name(id_): id_ for _, id_ in listed}


def _texts(value: Any, depth: int = 0) -> Iterator[str]:  # JSON values
    if isinstance(value, str):
        yield value
    elif depth < _DEPTH and isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each, depth + 1)
    elif depth < _DEPTH and isinstance(value, list):
        for each in value:
            yield from _texts(each, depth + 1)


def _text(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def _name(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip()

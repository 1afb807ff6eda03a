"""Whether a page layout fits a study: it shows the texts and asks every question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from rejudge.errors import DataError
from rejudge.study.kinds.question import Question
from rejudge.study.model import Spec
from rejudge.study.page_elements import LayoutControl
from rejudge.study.page_layout import PageLayout
from rejudge.study.procedure import Instruction
from rejudge.study.site import LayoutField, SiteLayout
from rejudge.study.yaml_file import Path

LayoutFault: TypeAlias = tuple[Path, str, str]  # below site.layout; what is wrong; what to do
_MOST = 5  # names in a message


def layout_slots(described: SiteLayout, layout: PageLayout) -> tuple[int | None, ...]:
    """The numbers of the items that a layout has room for; `(None,)` if names have no numbers."""
    if not described.numbered:
        return (None,)
    wanted = {each.name for each in described.fields}
    found = (described.split(control.name) for control in layout.controls)
    return tuple(sorted({n for stem, n in found if stem in wanted and n is not None}))


def layout_faults(spec: Spec, layout: PageLayout) -> Iterator[LayoutFault]:
    """Everything for which participants could not answer, or not see what they judge."""
    described = spec.site.layout
    if described is None:
        return
    if spec.site.show != "list":
        yield (), "a layout shows a whole batch at a time.", "Write `show: list` under `site`."
    slots = layout_slots(described, layout)
    yield from _placeholder_faults(described, layout, slots)
    yield from _question_faults(spec, described)
    questions = {question.id: question for question in spec.questions}
    controls = {described.split(control.name): control for control in layout.controls}
    for place, each in enumerate(described.fields):
        path = ("fields", place, "name")
        gone = [_spell(each.name, n) for n in slots if (each.name, n) not in controls]
        if gone or not slots:
            names = ", ".join(gone[:_MOST]) or each.name
            yield path, f"the layout has no field {names}.", _fields_there(described, layout)
        elif each.question in questions:
            for slot in slots:
                control = controls[each.name, slot]
                yield from _answer_faults(path, each, control, questions[each.question])


def _placeholder_faults(
    described: SiteLayout, layout: PageLayout, slots: tuple[int | None, ...]
) -> Iterator[LayoutFault]:
    shown = {described.split(name): name for name in layout.placeholders}
    known = {(stem, slot) for stem in described.texts for slot in slots}
    known |= {(stem, None) for stem in described.texts if stem not in described.outputs}
    strange = [name for key, name in shown.items() if key not in known]
    if strange:
        names = ", ".join(f"${{{name}}}" for name in strange[:_MOST])
        remedy = "Name it as `input`, `reference`, `dataset` or one of `outputs`, or remove it."
        yield (), f"it is not stated what {names} in the layout stands for.", remedy
    unseen = [_spell(o, n) for o in described.outputs for n in slots if (o, n) not in shown]
    if unseen:
        what = f"the layout does not show the output {', '.join(unseen[:_MOST])}."
        yield ("outputs",), what, f"Write `${{{unseen[0]}}}` there, or correct the name here."


def _question_faults(spec: Spec, described: SiteLayout) -> Iterator[LayoutFault]:
    asked = [each.question for each in described.fields]
    known = [question.id for question in spec.questions]
    for place, name in enumerate(asked):
        if name not in known or name in asked[:place]:
            what = f"'{name}' is {'asked by two fields' if name in known else 'not a question'}."
            yield ("fields", place, "question"), what, f"The questions are {', '.join(known)}."
    for question in spec.questions:
        if question.id not in asked:
            remedy = "Name the field that asks it, or remove the question."
            yield ("fields",), f"no field of the layout asks '{question.id}'.", remedy
        elif question.is_implied or question.is_segmented:
            what = f"a layout cannot ask '{question.id}', which is a {question.kind} question."
            yield ("fields",), what, "Remove `layout`: rejudge's own pages ask it."
        elif question.shows(len(spec.systems)) != len(described.outputs):
            number = question.shows(len(spec.systems))
            what = f"'{question.id}' is asked about {number} outputs at a time."
            yield ("outputs",), what, f"Name {number} under `outputs`, in the order shown."
    if described.input is None and any(isinstance(each, Instruction) for each in spec.checks):
        what = "the layout has no place for the instruction of a check."
        yield (), what, "Name the placeholder of the input under `input`."


def _answer_faults(
    path: Path, described: LayoutField, control: LayoutControl, question: Question
) -> Iterator[LayoutFault]:
    """Values that say nothing, and answers that nobody could give."""
    if control.kind == "choices":
        what = f"several choices can be made at once in the field '{control.name}'."
        yield path, what, "Use radio buttons or a list."
        return
    raw = {value: described.answers.get(value, value) for value in control.values}
    wrong = [value for value, answer in raw.items() if not _is_answer(question, answer)]
    if wrong:
        what = f"'{wrong[0]}' in the field '{control.name}' is not an answer to '{question.id}'."
        yield (*path[:-1], "answers"), what, f"Say what it means: `answers: {{{wrong[0]}: …}}`."
        return
    missing = sorted(_needed(question) - _numbers(raw)) if control.kind == "choice" else []
    if missing:
        what = f"the field '{control.name}' does not offer the answer {missing[0]}."
        yield path, what, f"Offer every answer to '{question.id}', or change its scale."


def _is_answer(question: Question, raw: str) -> bool:
    try:
        question.parse(raw, 1 if not question.is_comparison else 2)
    except DataError:
        return False
    return True


def _needed(question: Question) -> set[str]:
    if question.has_points:
        return {f"{value:g}" for value in question.values}
    if not question.is_comparison:
        return set()
    return {"a", "b", "tie"} if question.allows_tie else {"a", "b"}


def _numbers(raw: Mapping[str, str]) -> set[str]:
    """Answers, with every number spelt in one way."""
    return {f"{float(each):g}" if _is_number(each) else each for each in raw.values()}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _spell(stem: str, slot: int | None) -> str:
    return stem if slot is None else f"{stem}{slot}"


def _fields_there(described: SiteLayout, layout: PageLayout) -> str:
    stems = list(dict.fromkeys(described.split(control.name)[0] for control in layout.controls))
    if not stems:
        return "It has no fields at all: give the layout that people answered in."
    return f"Its fields are {', '.join(stems[:20])}."

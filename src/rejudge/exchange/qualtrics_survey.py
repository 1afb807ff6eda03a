"""A plan as a survey for Qualtrics: its Advanced Format text, a manifest, and the steps by hand.

Only tags are written that surveys of published studies were imported with. Flow, forced answers and
redirects cannot be expressed in that format, so a person sets them; `steps` says how.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from rejudge.collect.visit import recruiter_of
from rejudge.design.pages import values_of
from rejudge.design.phrases import withdrawal_elsewhere
from rejudge.design.plan import Batch, Plan, Task
from rejudge.errors import DesignError, Problem
from rejudge.exchange.form_controls import Control, controls_of, shown_texts
from rejudge.exchange.formats import Exported
from rejudge.platforms import own_platforms, platform
from rejudge.spreadsheet import csv_text
from rejudge.study.kinds.question import Question
from rejudge.study.model import Study, fill_placeholders, placeholders

SURVEY: Final = "survey.txt"
MANIFEST: Final = "manifest.csv"
STEPS: Final = "steps.txt"
PARTICIPANT: Final = "participant"  # the export tags of the first block
LIST: Final = "list"
CONSENT: Final = "consent"
URL_IDS: Final = tuple(  # how platforms call the id of a person
    next(iter(each.link_ids)) for each in own_platforms().values() if each.link_ids
)
INVISIBLE: Final = "\u2062"  # stands for an empty label, which Qualtrics would drop

MANIFEST_COLUMNS: Final = (
    "tag", "batch", "position", "task", "kind", "item", "dataset", "question", "control",
    "system", "system_a", "system_b", "choices",
)  # fmt: skip
_PAIR = 2
_NOT_IN_A_TAG = re.compile(r"[\[\]\s]+")


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """One question of the survey: its export tag, and what an answer to it means."""

    tag: str
    batch: Batch
    position: int  # of the task in its batch, from 1
    task: Task
    question: Question
    control: Control
    codes: tuple[int, ...]  # of the options, as a numeric export has them


def survey_questions(study: Study, plan: Plan) -> Iterator[SurveyQuestion]:
    """All questions in the order of the survey. The same plan always gives the same tags.

    A tag ends with the plan's fingerprint, so answers to an earlier plan are never mistaken.
    """
    mark = plan.fingerprint[:6]
    for number, batch in enumerate(plan.batches, start=1):
        for position, task in enumerate(batch.tasks, start=1):
            asked = study.questions_beside(len(task.options))
            for place, question in enumerate(asked, start=1):
                controls = controls_of(study, plan, task, question)
                for part, control in enumerate(controls, start=1):
                    suffix = f"p{part}" if len(controls) > 1 else ""
                    tag = f"b{number:02}t{position:02}q{place}{suffix}_{mark}"
                    yield SurveyQuestion(
                        tag, batch, position, task, question, control, _codes(control)
                    )


def write_survey(study: Study, plan: Plan) -> Exported:
    """The survey text, the manifest and the steps."""
    _refuse_missing_texts(study, plan)
    asked = tuple(survey_questions(study, plan))
    steps = _steps(study, plan)
    lines = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
    files = {
        SURVEY: "".join(_survey_parts(study, plan, asked)).encode(),
        MANIFEST: csv_text(
            [MANIFEST_COLUMNS, *(_manifest_row(study, each) for each in asked)]
        ).encode(),
        STEPS: f"{lines}\n".encode(),
    }
    return Exported(files, steps, tuple(_notes(study, plan)))


# ── the text ─────────────────────────────────────────────────────────────────────────────────────


def _survey_parts(study: Study, plan: Plan, asked: Sequence[SurveyQuestion]) -> Iterator[str]:
    yield "[[AdvancedFormat]]\n\n"
    yield from _first_block(study, plan)
    for batch in plan.batches:
        yield f"[[Block:{_NOT_IN_A_TAG.sub(' ', batch.id)}]]\n\n"
        own = [each for each in asked if each.batch is batch]
        for position, task in enumerate(batch.tasks, start=1):
            yield _question("Text", "", _texts(study, plan, task))
            for each in (each for each in own if each.position == position):
                yield _controlled(each.tag, each.control, each.codes)
            if position < len(batch.tasks):
                yield "[[PageBreak]]\n\n"
    yield from _last_block(study)


def _first_block(study: Study, plan: Plan) -> Iterator[str]:
    yield "[[Block:start]]\n\n"
    for role in ("information", "consent"):
        if role in study.shown_pages:
            yield _question("Text", "", _page(study, plan, role))
    if "consent" in study.shown_pages:
        yield _choice(CONSENT, "Do you agree to take part?", ((1, "Yes"), (2, "No")))
        yield "[[PageBreak]]\n\n"
    if not _brings_ids(study):
        yield _question("TE:SingleLine", PARTICIPANT, "Please enter your participant number.")
    if len(plan.batches) > 1:
        lists = tuple((number, batch.id) for number, batch in enumerate(plan.batches, start=1))
        yield _choice(LIST, "Which list are you working on now?", lists, kind="MC:Dropdown")
    if "instructions" in study.pages:
        yield "[[PageBreak]]\n\n"
        yield _question("Text", "", _page(study, plan, "instructions"))


def _last_block(study: Study) -> Iterator[str]:
    asked = study.spec.site.exit_questions
    if asked:
        yield "[[Block:end]]\n\n"
    for number, each in enumerate(asked, start=1):
        prompt, tag = _text(each.prompt), f"exit{number}"
        if each.kind == "choice":
            yield _choice(tag, prompt, tuple(enumerate(each.options, start=1)))
        else:
            yield _question("TE:SingleLine", tag, prompt)


def _controlled(tag: str, control: Control, codes: Sequence[int]) -> str:
    prompt = _text(control.prompt)
    if not control.options:
        low, high = control.bounds or (0, 0)
        return _question("TE:SingleLine", tag, f"{prompt} ({low:g} to {high:g})")
    labels = [option.label for option in control.options]
    return _choice(tag, prompt, tuple(zip(codes, labels, strict=True)))


def _choice(
    tag: str,
    text: str,
    choices: Sequence[tuple[int, str]],
    *,
    kind: str = "MC:SingleAnswer:Horizontal",
) -> str:
    listed = "".join(f"[[Choice:{code}]]\n{_text(label) or INVISIBLE}\n" for code, label in choices)
    return f"{_question(kind, tag, text)[:-1]}[[AdvancedChoices]]\n{listed}\n"


def _question(kind: str, tag: str, text: str) -> str:
    identity = f"[[ID:{tag}]]\n" if tag else ""
    return f"[[Question:{kind}]]\n{identity}{text}\n\n"


def _texts(study: Study, plan: Plan, task: Task) -> str:
    return "<br>\n".join(
        f"<p>{f'<strong>{heading}</strong><br>' if heading else ''}{_text(text)}</p>"
        for heading, text in shown_texts(study, plan, task)
    )


def _page(study: Study, plan: Plan, role: str) -> str:
    """A page in HTML. Pay depends on the day, so its placeholders stay as they are."""
    from markdown_it import MarkdownIt

    text = _filled(study, plan, role)
    html = MarkdownIt("commonmark", {"html": False}).render(text)
    return _without_tags(_without_blank_lines(html.strip()))


def _filled(study: Study, plan: Plan, role: str) -> str:
    return fill_placeholders(study.shown_pages[role], _values(study, plan))


def _values(study: Study, plan: Plan) -> dict[str, str]:
    sender = platform(study.spec.recruitment.platform).title if _brings_ids(study) else None
    withdrawal = withdrawal_elsewhere(study.spec, platform=sender)
    return values_of(study, plan, None) | ({"withdrawal": withdrawal} if withdrawal else {})


def _text(text: str) -> str:
    """A text that neither HTML nor Qualtrics takes for a command: one line, all escaped."""
    lines = [line.strip() for line in escape(text).splitlines()]
    return _without_tags("<br>".join(lines))


def _without_tags(html: str) -> str:
    """`[[` begins a tag, `${` a piped text; both may be in data."""
    html = html.replace("[[", "&#91;&#91;").replace("]]", "&#93;&#93;")
    return html.replace("${", "&#36;{")


def _without_blank_lines(text: str) -> str:
    """A blank line ends a part of the survey."""
    return re.sub(r"\n\s*\n+", "\n", text)


def _codes(control: Control) -> tuple[int, ...]:
    """The numbers of the options in an export: the points themselves where they can be."""
    numbers = [_whole(option.raw) for option in control.options]
    if numbers and all(number is not None and number > 0 for number in numbers):
        return tuple(number for number in numbers if number is not None)
    return tuple(range(1, len(control.options) + 1))


def _whole(raw: str) -> int | None:
    return int(raw) if raw.isascii() and raw.isdigit() else None


# ── beside the text ──────────────────────────────────────────────────────────────────────────────


def _manifest_row(study: Study, asked: SurveyQuestion) -> tuple[str | int | None, ...]:
    task, options = asked.task, asked.task.options
    pair = options if len(options) == _PAIR else (None, None)
    choices = zip(asked.codes, asked.control.options, strict=bool(asked.control.options))
    return (
        asked.tag, asked.batch.id, asked.position, task.id, task.kind, task.item,
        study.item[task.item].dataset, asked.question.id, asked.control.name,
        options[0] if len(options) == 1 else None, *pair,
        "|".join(f"{code}={option.raw}" for code, option in choices),
    )  # fmt: skip


def _refuse_missing_texts(study: Study, plan: Plan) -> None:
    """A missing value that became the text “nan” would be judged as an output."""
    found = [
        task.item
        for task in plan.tasks()
        if any(
            text.strip().lower() in {"nan", "none", "null"}
            for _, text in shown_texts(study, plan, task)
        )
    ]
    if found:
        what = f"a text of item '{found[0]}' is only the word nan, none or null."
        remedy = "It is probably a missing value: correct the item file, or take the item out."
        raise DesignError(Problem(what, remedy, file=study.spec.items.file))


def _steps(study: Study, plan: Plan) -> tuple[str, ...]:
    several = len(plan.batches) > 1
    brings_ids = _brings_ids(study)
    return (
        "Create a project in Qualtrics: Survey, Create a blank survey project.",
        f"Open Tools, Import/Export, Import survey, and choose {SURVEY}.",
        "Delete the empty default block.",
        "Select all questions of the blocks and turn on Add requirements, Force response.",
        *_number_steps(study, plan),
        *(_list_steps(plan, is_random=brings_ids) if several else ()),
        *(_consent_steps(study) if "consent" in study.shown_pages else ()),
        *(_platform_steps() if brings_ids else ()),
        *_page_steps(study, plan),
        "Preview the survey once for every list, then publish it.",
        "When it is done: Data & Analysis, Export & Import, Export data, CSV.",
        "Read it with `rejudge import STUDY responses.csv --from qualtrics`.",
    )


def _brings_ids(study: Study) -> bool:
    """Whether a recruiting platform sends people with ids of their own."""
    return recruiter_of(study) not in {"link", "open"}


def _list_steps(plan: Plan, *, is_random: bool) -> tuple[str, ...]:
    names = f"{plan.batches[0].id} to {plan.batches[-1].id}"
    branches = (
        f"In Survey flow, add a branch for each of the blocks {names}: if `{LIST}` is equal to its "
        "name, show the block."
    )
    if not is_random:
        return (branches,)
    randomizer = (
        f"In Survey flow, put the blocks {names} under a Randomizer that presents 1 of them, "
        f"evenly, and delete the question `{LIST}`."
    )
    return (randomizer,)


def _consent_steps(study: Study) -> tuple[str, ...]:
    branch = f"In Survey flow, add a branch: if `{CONSENT}` is No, end the survey."
    boxes = (
        "The statements of the consent page are shown as a list. To have each of them ticked, "
        "add a question of kind Multiple choice, Allow multiple answers, with them as choices."
    )
    return (branch, boxes) if study.spec.site.consent_statements else (branch,)


def _platform_steps() -> tuple[str, ...]:
    embedded = (
        "In Survey flow, add Embedded data as the first element, with the ids that the recruiting "
        f"platform adds to the URL ({', '.join(URL_IDS)})."
    )
    return (
        embedded,
        "In Survey options, Responses, redirect at the end of the survey to the completion URL.",
        "In Survey options, Security, turn on Prevent multiple submissions.",
    )


def _page_steps(study: Study, plan: Plan) -> tuple[str, ...]:
    """What the pages say about pay is not known before the day of the study."""
    roles = [role for role in ("information", "consent", "instructions") if role in study.pages]
    known = _values(study, plan)
    named = {name for role in roles for name in placeholders(study.pages[role])}
    left = sorted(named - set(known))
    if not left:
        return ()
    names = ", ".join(f"{{{name}}}" for name in left)
    return (f"Replace these words in the texts of block start: {names}.",)


def _number_steps(study: Study, plan: Plan) -> tuple[str, ...]:
    widths = {len(task.options) for task in plan.tasks()}
    asked = [q for width in widths for q in study.questions_beside(width)]
    typed = sorted({q.id for q in asked if not q.is_comparison and not q.has_points})
    if not typed:
        return ()
    validation = (
        f"For every question about {', '.join(typed)}, turn on Add validation, Content type, "
        "Number, with the range given in its text."
    )
    return (validation,)


def _notes(study: Study, plan: Plan) -> Iterator[str]:
    yield (
        "Qualtrics files of the other kind (QSF) are not written: their format is not published."
    )
    if _number_steps(study, plan):
        yield "Sliders become numbers to type: the text format has no slider."
    if study.spec.practice is not None:
        yield "Practice with feedback is left out: it needs display logic, which is set by hand."
    if plan.order in {"participant", "latin-square"}:
        yield (
            "Everybody sees the tasks in the order of the plan. Do not randomize questions in "
            "Qualtrics: it would separate texts from their questions."
        )
    if len(plan.batches) > 1 and not _brings_ids(study):
        yield "Nothing stops a person from choosing a list twice; the import keeps the first."
    if not study.spec.language.startswith("en"):
        words = "Input, Reference, Best, Worst, About the same, and the questions of block start"
        yield f"Translate these words of the survey in Qualtrics: {words}."

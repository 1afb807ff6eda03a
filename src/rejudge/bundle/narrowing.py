"""A study that asks only some of its questions, changed in every place that depends on them.

Questions, practice and qualification answers, checks, planned tests, derived scores and claims are
removed together, and the plan keeps its batches. Sentences that still speak of what was removed
are pointed out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from rejudge.bundle.yaml_edit import Path, drop_path, set_path
from rejudge.design.narrowed_plan import narrow_plan
from rejudge.design.plan import Plan
from rejudge.english import count, did_you_mean, join_quoted, number_word
from rejudge.errors import Problem, UsageError
from rejudge.files.step_files import STUDY
from rejudge.study.kinds.question import Question
from rejudge.study.model import Study
from rejudge.study.procedure import Check, Gold, Instruction
from rejudge.study.qualification import GoldTask
from rejudge.study.yaml_file import YamlFile, read_yaml

_WORD = re.compile(r"[^\W\d_]{4,}")
_LEAST_STEM = 5
_ENDING = 3  # letters in which fluency and fluent may differ
_LONG_WORD = 6
_COUNTED = r"(questions?|criteria|criterion|categories|aspects|scales|buttons)"


# Names of fields in a layout, which nobody reads
_FIELD_NAMES = re.compile(r"""\b(?:name|id|for)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HandEdit:
    """A sentence that has to be checked by hand."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What is removed from a study so that only some criteria are left."""

    kept: tuple[str, ...]
    questions: tuple[str, ...]  # removed
    checks: tuple[str, ...]  # 〃
    replacement: str | None  # the check that takes the places of removed ones
    aimed: dict[str, str]  # instruction checks that are about another question now
    removals: tuple[Path, ...]  # in study.yaml, the last places first
    changes: tuple[tuple[Path, str | int], ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of study.yaml that change with the questions."""
        paths = (*self.removals, *(path for path, _ in self.changes))
        parts = dict.fromkeys(_key(path) for path in paths)
        return tuple(part for part in parts if part != "questions")


def plan_narrowing(study: Study, criteria: Sequence[str], *, keep_length: bool) -> Narrowing:
    """What has to be removed so that only these criteria are asked about."""
    _refuse_unknown(study, criteria)
    kept = tuple(q.id for q in study.spec.questions if q.id in criteria)
    gone = tuple(q.id for q in study.spec.questions if q.id not in criteria)
    aimed = dict(_aimed(study, kept))
    dropped = [c for c in study.spec.checks if c.question in gone and c.id not in aimed]
    replacement = _replacement(study, kept, dropped) if keep_length and dropped else None
    changes: list[tuple[Path, str | int]] = [
        (("checks", place, "question"), aimed[check.id])
        for place, check in enumerate(study.spec.checks)
        if check.id in aimed
    ]
    if replacement is not None:
        place, check = replacement
        more = sum(each.per_batch for each in dropped)
        changes.append((("checks", place, "per_batch"), check.per_batch + more))
    changes += _pass_mark(study, gone)
    removals = [
        *(("questions", p) for p, q in enumerate(study.spec.questions) if q.id in gone),
        *_removed("checks", [check in dropped for check in study.spec.checks]),
        *_practice(study, gone),
        *_qualification(study, gone),
        *_analysis(study, gone),
        *_claims(study, gone),
        *_layout_fields(study, gone),
    ]
    return Narrowing(
        kept,
        gone,
        tuple(check.id for check in dropped),
        None if replacement is None else replacement[1].id,
        aimed,
        tuple(reversed(removals)),
        tuple(changes),
    )


def covered_keys(original: Study, study: Study) -> tuple[str, ...]:
    """The keys of study.yaml and the pages that change because a study asks fewer questions."""
    kept = [question.id for question in study.spec.questions]
    narrowing = plan_narrowing(original, kept, keep_length=False)
    mentions = _mentions(original, narrowing)
    pages = [f"pages.{role}" for role, text in original.pages.items() if mentions.search(text)]
    return (*narrowing.keys, *pages)


def narrow_text(text: str, narrowing: Narrowing) -> str:
    """study.yaml without what is removed; the rest stays as written."""
    for path, value in narrowing.changes:
        text = set_path(text, path, value)
    for path in narrowing.removals:
        text = drop_path(text, path)
    return text


def narrowed_plan(plan: Plan, study: Study, narrowing: Narrowing) -> Plan:
    """The plan of the original for the narrowed study."""
    return narrow_plan(
        plan,
        study,
        aimed=narrowing.aimed,
        dropped=narrowing.checks,
        replacement=narrowing.replacement,
    )


def _refuse_unknown(study: Study, criteria: Sequence[str]) -> None:
    known = [question.id for question in study.spec.questions]
    problems = [
        Problem(
            f"the study does not ask about '{each}'.",
            did_you_mean(each, known) or f"It asks about {join_quoted(known)}.",
        )
        for each in criteria
        if each not in known
    ]
    if not problems and not criteria:
        remedy = f"Name some of {join_quoted(known)}."
        problems = [Problem("--criteria names nothing.", remedy)]
    if not problems and set(criteria) == set(known):
        what = "these are all criteria of the study, so nothing is narrowed."
        problems = [Problem(what, "Leave out --criteria, or name fewer.")]
    if problems:
        raise UsageError(*problems)


def _aimed(study: Study, kept: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Instructions say which button to press; any question with the same buttons will do."""
    by_id = {question.id: question for question in study.spec.questions}
    for check in study.spec.checks:
        if isinstance(check, Instruction) and check.question not in kept:
            asked = by_id.get(check.question)
            alike = [name for name in kept if asked is not None and _is_alike(by_id[name], asked)]
            if alike:
                yield check.id, alike[0]


def _is_alike(one: Question, other: Question) -> bool:
    return (one.kind, one.bounds, one.stated_outputs) == (
        other.kind,
        other.bounds,
        other.stated_outputs,
    )


def _replacement(
    study: Study, kept: Sequence[str], dropped: Sequence[Check]
) -> tuple[int, Check] | None:
    """The first check of another criterion that shows as many outputs as those removed."""
    width = {q.id: q.shows(len(study.system_ids)) for q in study.spec.questions}
    wanted = {width.get(check.question) for check in dropped}
    for place, check in enumerate(study.spec.checks):
        if isinstance(check, Gold) and check.question in kept and wanted == {width[check.question]}:
            return place, check
    what = "no check of the remaining criteria can take the places of those that are removed."
    raise UsageError(Problem(what, "Leave out --keep-length; batches will be a little shorter."))


def _removed(key: str, gone: Sequence[bool]) -> list[Path]:
    """The places of a list that are removed, or the whole list."""
    if gone and all(gone):
        return [(key,)]
    return [(key, place) for place, is_gone in enumerate(gone) if is_gone]


def _practice(study: Study, gone: Collection[str]) -> Iterator[Path]:
    practice = study.spec.practice
    if practice is not None:
        yield from _gold_tasks(practice.examples, gone, "practice", "examples")


def _qualification(study: Study, gone: Collection[str]) -> Iterator[Path]:
    qualification = study.spec.qualification
    if qualification is not None:
        yield from _gold_tasks(qualification.tasks, gone, "qualification", "tasks")


def _gold_tasks(
    tasks: Sequence[GoldTask], gone: Collection[str], section: str, key: str
) -> Iterator[Path]:
    """The answers to removed questions, tasks without any other, or the whole section."""
    empty = [set(task.answers) <= set(gone) for task in tasks]
    if all(empty):
        yield (section,)
        return
    for place, task in enumerate(tasks):
        if empty[place]:
            yield (section, key, place)
        else:
            answers = [name for name in task.answers if name in gone]
            yield from ((section, key, place, "answers", name) for name in answers)


def _pass_mark(study: Study, gone: Collection[str]) -> Iterator[tuple[Path, str | int]]:
    """The pass mark and the tasks of an attempt, in proportion to what is left."""
    asked = study.spec.qualification
    if asked is None:
        return
    left = [task for task in asked.tasks if not set(task.answers) <= set(gone)]
    before = sum(len(task.answers) for task in asked.tasks)
    after = sum(name not in gone for task in left for name in task.answers)
    if not left or before == after:
        return
    yield ("qualification", "pass_mark"), ceil(asked.pass_mark * after / before)
    if asked.tasks_per_attempt is not None and len(left) < len(asked.tasks):
        each = asked.tasks_per_attempt * len(left) // len(asked.tasks)
        yield ("qualification", "tasks_per_attempt"), max(1, each)


def _analysis(study: Study, gone: Collection[str]) -> Iterator[Path]:
    analysis = study.spec.analysis
    if analysis is None:
        return
    scores = _derived_gone(study, gone)
    unplanned = [test.question in {*gone, *scores} for test in analysis.tests]
    if all(unplanned):
        what = "the analysis plans no test of the remaining criteria."
        remedy = "Plan one in the original, or reproduce it whole and edit `analysis` yourself."
        raise UsageError(Problem(what, remedy))
    yield from (("analysis", *path) for path in _removed("tests", unplanned))
    if analysis.pooled_agreement and len(study.spec.questions) - len(gone) == 1:
        yield ("analysis", "pooled_agreement")
    derived = [each.id in scores for each in analysis.derived]
    yield from (("analysis", *path) for path in _removed("derived", derived))


def _derived_gone(study: Study, gone: Collection[str]) -> set[str]:
    analysis = study.spec.analysis
    derived = () if analysis is None else analysis.derived
    return {each.id for each in derived if set(each.parsed.parts) & set(gone)}


def _claims(study: Study, gone: Collection[str]) -> list[Path]:
    about = {*gone, *_derived_gone(study, gone)}
    return _removed("claims", [claim.question in about for claim in study.spec.claims])


def _layout_fields(study: Study, gone: Collection[str]) -> list[Path]:
    """Fields that ask nothing any more are not shown."""
    described = study.spec.site.layout
    fields = () if described is None else described.fields
    removed = enumerate(field.question in gone for field in fields)
    return [("site", "layout", "fields", place) for place, is_gone in removed if is_gone]


def _key(path: Path) -> str:
    names = [str(step) for step in path if isinstance(step, str)]
    return ".".join(names[:2]) if names[0] in {"analysis", "site"} else names[0]


def hand_edits(original: Study, study: Study, text: str, narrowing: Narrowing) -> list[HandEdit]:
    """Where the narrowed study still speaks of what was removed, and what no longer holds."""
    mentions = _mentions(original, narrowing)
    edits = [
        HandEdit(file, number, f"mentions “{found[0]}”.")
        for file, page in _pages(study)
        for number, line in enumerate(page.split("\n"), start=1)
        for found in mentions.finditer(line)
    ]
    written = read_yaml(text, file=STUDY)
    edits += [
        HandEdit(STUDY, written.line(path), f"mentions “{found[0]}”.")
        for path, words in _texts(study)
        for found in mentions.finditer(words)
    ]
    return [*dict.fromkeys(edits), *_outdated(study, written, narrowing)]


def _pages(study: Study) -> Iterator[tuple[str, str]]:
    """What participants read, by file."""
    for role, page in study.pages.items():
        yield getattr(study.spec.pages, role), page
    described, layout = study.spec.site.layout, study.layout
    if described is not None and layout is not None:
        yield described.file, _FIELD_NAMES.sub("", layout.html)


def _outdated(study: Study, written: YamlFile, narrowing: Narrowing) -> Iterator[HandEdit]:
    """Numbers that were right for more questions or more checks."""
    payment, analysis = study.spec.payment, study.spec.analysis
    for key in ("minutes", "reward"):
        if payment is not None and getattr(payment, key) is not None:
            more = count(len(narrowing.questions), "more question")
            what = f"payment.{key} was set for {more} per page."
            yield HandEdit(STUDY, written.line(("payment", key)), what)
    limit = None if analysis is None else analysis.exclude.failed_checks
    left = sum(check.per_batch for check in study.spec.checks)
    if limit is not None and narrowing.checks and limit > left:
        what = f"exclude.failed_checks is {limit}, but a batch has only {left} checks now."
        yield HandEdit(STUDY, written.line(("analysis", "exclude", "failed_checks")), what)


def _texts(study: Study) -> Iterator[tuple[Path, str]]:
    """What participants read in study.yaml."""
    spec = study.spec
    yield ("title",), spec.title
    for place, question in enumerate(spec.questions):
        yield ("questions", place, "prompt"), question.prompt
        yield ("questions", place, "definition"), question.definition
    for place, check in enumerate(spec.checks):
        if isinstance(check, Instruction):
            yield ("checks", place, "text"), check.text
    for place, example in enumerate(spec.practice.examples if spec.practice else ()):
        yield ("practice", "examples", place, "explanation"), example.explanation
    for place, asked in enumerate(spec.site.exit_questions):
        yield ("site", "exit_questions", place, "prompt"), asked.prompt


def _mentions(original: Study, narrowing: Narrowing) -> re.Pattern[str]:
    """Finds the words of a text that are about what was removed."""
    by_id = {question.id: question for question in original.spec.questions}
    kept = _stems(by_id[name] for name in narrowing.kept)
    gone = [
        stem
        for stem in _stems(by_id[name] for name in narrowing.questions)
        if not any(stem.startswith(other) or other.startswith(stem) for other in kept)
    ]
    many = len(by_id)
    numbers = f"{many}|{number_word(many)}" + ("|both" if many == 2 else "")
    patterns = [rf"\b{re.escape(stem)}\w*" for stem in gone]
    patterns.append(rf"\b(?:{numbers})\s+(?:\w+\s+)?{_COUNTED}\b")
    return re.compile("|".join(patterns), re.IGNORECASE)


def _stems(questions: Iterable[Question]) -> list[str]:
    """Beginnings of the words that name a criterion: those of its id, and long ones of its text."""
    stems: dict[str, None] = {}
    for question in questions:
        named = _WORD.findall(question.id.replace("-", " ").replace("_", " "))
        asked = [
            word
            for word in _WORD.findall(f"{question.prompt} {question.definition}")
            if len(word) >= _LONG_WORD
        ]
        for word in (*named, *asked):
            stems[word.casefold()[: max(_LEAST_STEM, len(word) - _ENDING)]] = None
    return list(stems)

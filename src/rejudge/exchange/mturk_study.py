"""HITs as a study: study.yaml, items.csv, a plan with the original batches and sides; its page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from rejudge.design.plan import Batch, Expected, Plan, Task, made_text
from rejudge.english import count
from rejudge.errors import StudyError
from rejudge.exchange.mturk_files import Shape
from rejudge.exchange.mturk_hits import Hit, HitItem, HitQuestion, check_question
from rejudge.exchange.mturk_mapping import HitMapping, Roles
from rejudge.spreadsheet import text_csv
from rejudge.starters.folders import folder_files
from rejudge.study.kinds.question import LETTERS
from rejudge.study.model import Study
from rejudge.study.page_layout import PageLayout, split_name
from rejudge.study.parse import parse
from rejudge.study.yaml_file import write_yaml

STUDY: Final = "study.yaml"
ITEMS: Final = "items.csv"
CONSENT: Final = "pages/consent.md"
INSTRUCTIONS: Final = "pages/instructions.md"
_OWN_PAGES: Final = "Remove `site` from study.yaml to use rejudge's own pages."
_BRACES = re.compile(r"[{}]")
PAGE: Final = "pages/layout.html"
_PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class OriginalStudy:
    """A study made from HITs, its plan, and the files to write."""

    study: Study
    plan: Plan
    files: Mapping[str, bytes]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OriginalFiles:
    """A study and the files that describe it."""

    study: Study
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class OriginalPage:
    """The page on which the original's participants answered."""

    file: str
    content: bytes
    site: Mapping[str, Any]  # as study.yaml describes it


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the original was run, as far as its files say."""

    assignments: int  # per HIT
    hits_per_worker: int  # the most that one did
    reward: float | None = None
    minutes: float | None = None  # median
    title: str = ""


def build_study(
    hits: Sequence[Hit],
    questions: Sequence[HitQuestion],
    *,
    mapping: HitMapping,
    conditions: Conditions,
    source: str,
    introduction: Sequence[str] = (),
    page: OriginalPage | None = None,
) -> OriginalStudy | str:
    """The study and its plan; where that is impossible, the reason.

    Where participants cannot answer on the original's page, the study has rejudge's own.
    """
    builder = _StudyBuilder(hits, questions, mapping, conditions, source=source)
    if not questions:
        return "No question was recognised, so no study was written."
    gaps = builder.missing_outputs()
    if gaps:
        return (
            f"{count(len(gaps), 'item')}, such as '{gaps[0]}', have no output of some systems, so "
            "no study was written; the judgments are complete."
        )
    files = {ITEMS: text_csv(builder.item_rows()).encode()} | _usual_pages()
    if introduction:
        text = _BRACES.sub(lambda found: found[0] * 2, "\n\n".join(introduction)) + "\n"
        files[INSTRUCTIONS] = text.encode()
    notes = builder.notes()
    if page is not None:
        built = _parse(builder.spec() | {"site": page.site}, {**files, page.file: page.content})
        if isinstance(built, OriginalFiles):
            notes.append(f"Participants answer on the original's page, {page.file}. {_OWN_PAGES}")
            return OriginalStudy(built.study, builder.plan(built.study), built.files, tuple(notes))
        notes.append(f"Participants answer on rejudge's own pages, not on the original's: {built}")
    built = _parse(builder.spec(), files)
    if isinstance(built, str):
        return f"No study was written: {built}"
    return OriginalStudy(built.study, builder.plan(built.study), built.files, tuple(notes))


def _parse(spec: Mapping[str, Any], files: Mapping[str, bytes]) -> OriginalFiles | str:
    """The study that files describe, or what is wrong with it."""
    text = write_yaml(dict(spec))
    whole = {STUDY: text.encode(), **files}
    try:
        return OriginalFiles(parse(text, lambda name: _content(whole, name)), whole)
    except StudyError as error:
        return str(error.problems[0])


def _usual_pages() -> dict[str, bytes]:
    """Consent as in a new study; on Mechanical Turk it was part of the layout."""
    return {CONSENT: folder_files("pairwise")[CONSENT]}


def _content(files: Mapping[str, bytes], name: str) -> bytes:
    if name not in files:
        raise FileNotFoundError(name)
    return files[name]


def system_slug(name: str) -> str:
    """The id of a system in a study; its name in the files may have any characters."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-_.")[:64] or "system"


def batch_id(number: int, of: int) -> str:
    """The name of a HIT in the plan, counted from 1 in the order of the input."""
    return f"b{number:0{max(2, len(str(of)))}}"


def task_id(batch: str, position: int) -> str:
    """The name of an item of a HIT in the plan."""
    return f"{batch}-{position:02}"


class _StudyBuilder:
    def __init__(
        self,
        hits: Sequence[Hit],
        questions: Sequence[HitQuestion],
        mapping: HitMapping,
        conditions: Conditions,
        *,
        source: str,
    ) -> None:
        self._hits = hits
        self._source = source
        self._questions = questions
        self._mapping = mapping
        self._conditions = conditions
        real = [item for hit in hits for item in hit.items if item.loser is None]
        self._systems = tuple(dict.fromkeys(s.system for item in real for s in item.options))
        self._items: dict[str, HitItem] = {}
        self._outputs: dict[str, dict[str, str]] = {}
        for item in real:
            self._items.setdefault(item.item, item)
            texts = self._outputs.setdefault(item.item, {})
            texts.update((shown.system, shown.text) for shown in item.options)

    def missing_outputs(self) -> list[str]:
        return [name for name, texts in self._outputs.items() if set(self._systems) - set(texts)]

    # ── study.yaml and items.csv ─────────────────────────────────────────────────────────────────

    def spec(self) -> dict[str, Any]:  # the values of a YAML file
        conditions, criteria = self._conditions, self._mapping.criteria
        recruitment: dict[str, Any] = {"platform": "mturk"}
        recruitment |= {
            key: value
            for key, value in (
                ("approval_percent", criteria.approval_percent),
                ("previous_submissions", criteria.previous_submissions),
                ("regions", list(criteria.regions)),
            )
            if value
        }
        spec: dict[str, Any] = {
            "format": 1,
            "id": system_slug(self._mapping.id),
            "title": self._mapping.title or conditions.title or "A study from Mechanical Turk",
            "systems": [self._system(name) for name in self._systems],
            "items": {"file": ITEMS},
            "questions": [self._question(each) for each in self._questions],
            "design": self._design(),
            "recruitment": recruitment,
        }
        if checks := self._checks():
            spec["checks"] = list(checks.values())
        if conditions.reward is not None:
            spec["payment"] = {"currency": "USD", "reward": conditions.reward}
            if conditions.minutes:
                spec["payment"]["minutes"] = round(conditions.minutes, 1)
        return spec

    def item_rows(self) -> list[tuple[str, ...]]:
        has = {
            role: any(getattr(item, role) for item in self._items.values())
            for role in ("dataset", "input", "reference")
        }
        roles = [role for role, is_there in has.items() if is_there]
        rows = [("id", *roles, *map(system_slug, self._systems))]
        for name, item in self._items.items():
            texts = (self._outputs[name][system] for system in self._systems)
            rows.append((name, *(getattr(item, role) for role in roles), *texts))
        return rows

    def _system(self, name: str) -> dict[str, str]:
        slug = system_slug(name)
        return {"id": slug} if slug == name else {"id": slug, "name": name}

    def _question(self, asked: HitQuestion) -> dict[str, Any]:
        beside = ["input"] if any(item.input for item in self._items.values()) else []
        found: dict[str, Any] = {
            "kind": asked.kind,
            "id": asked.id,
            "prompt": asked.prompt,
            "beside": beside,
        }
        if asked.kind == "pairwise" and "tie" in asked.values.values():
            found["tie"] = True
        if asked.kind == "rating" and asked.bounds is not None:
            low, high = asked.bounds
            found |= {"points": round(high - low) + 1, "lowest": low}
            if asked.labels:
                found["labels"] = dict(asked.labels)
        if asked.kind == "slider":
            found |= {"low": "0", "high": "100"}
        return found

    def _design(self) -> dict[str, Any]:
        sizes = [sum(item.loser is None for item in hit.items) for hit in self._hits]
        return {
            "seed": 0,
            "inputs": "anywhere",
            "batch": {"tasks": max(1, *sizes)},
            "participants_per_batch": self._conditions.assignments,
            "batches_per_participant": max(1, self._conditions.hits_per_worker),
            "order": "listed",
        }

    def _losers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(i.loser for hit in self._hits for i in hit.items if i.loser))

    def _checks(self) -> dict[str, dict[str, Any]]:
        """A check for every control text that tests a question; the others have no right answer."""
        ids = [each.id for each in self._questions]
        asked = {loser: check_question(loser, self._mapping, ids) for loser in self._losers()}
        return {
            loser: {
                "kind": "gold",
                "id": system_slug(loser),
                "question": question,
                "contrast": "input" if loser.casefold().startswith("input") else "other-reference",
                "on_fail": "exclude",
            }
            for loser, question in asked.items()
            if question is not None
        }

    # ── the plan ─────────────────────────────────────────────────────────────────────────────────

    def plan(self, study: Study) -> Plan:
        texts: dict[str, str] = {}
        batches = []
        for number, hit in enumerate(self._hits, start=1):
            name = batch_id(number, len(self._hits))
            tasks = tuple(
                self._task(task_id(name, position), item, hit, texts)
                for position, item in enumerate(hit.items, start=1)
            )
            batches.append(Batch(name, tasks, self._conditions.assignments))
        return Plan(
            study=study.design_fingerprint,
            seed=study.spec.design.seed,
            order="listed",
            batches_per_participant=study.spec.design.batches_per_participant,
            batches=tuple(batches),
            texts=texts,
            segments={},
            conflicts={},
            notes=("Batches, order and sides are those of the original on Mechanical Turk.",),
            source=self._source,
        )

    def _task(self, name: str, item: HitItem, hit: Hit, texts: dict[str, str]) -> Task:
        if item.loser is None:
            options = tuple(system_slug(shown.system) for shown in item.options)
            return Task(name, item.item, options)
        # The systems wrote nothing for a control item, so it is not among the study's items: its
        # texts are in the plan, and it is filed under the first item of its HIT.
        host = next((each.item for each in hit.items if each.loser is None), item.item)
        keys = [f"{name}-{letter}" for letter, _ in zip(LETTERS, item.options, strict=False)]
        texts.update((key, shown.text) for key, shown in zip(keys, item.options, strict=True))
        expected = self._expected(item)
        return Task(
            name,
            host,
            tuple(map(made_text, keys)),
            "check",
            check=None if expected is None else system_slug(item.loser),
            expected=expected,
            instruction=item.input or None,
        )

    def _expected(self, item: HitItem) -> Expected | None:
        ids = [each.id for each in self._questions]
        question = check_question(item.loser or "", self._mapping, ids)
        if question is None:
            return None
        place = next(n for n, shown in enumerate(item.options) if shown.system == item.loser)
        return Expected(question, worst=LETTERS[place])

    def notes(self) -> list[str]:
        ids = [each.id for each in self._questions]
        usual = f"{CONSENT} is the usual text of a new study: put your own there."
        silent = [x for x in self._losers() if check_question(x, self._mapping, ids) is None]
        return [
            usual,
            *(
                f"The control texts '{name}' test no question that was asked; they are shown, "
                "but count neither as a check nor as judgments."
                for name in silent
            ),
        ]


def site_of(
    shape: Shape, roles: Roles, questions: Sequence[HitQuestion], mapping: HitMapping
) -> dict[str, Any]:  # the values of a YAML file
    """What study.yaml says under `site` so that the layout is shown."""
    texts = {"input": roles.input, "reference": roles.reference, "dataset": roles.dataset}
    layout: dict[str, Any] = {
        "file": PAGE,
        "numbered": bool(shape.indices),
        "outputs": list(roles.outputs),
        **{role: name for role, name in texts.items() if name is not None},
    }
    if shown := [name for name in mapping.html if name in roles.used]:
        layout["html"] = shown
    layout["fields"] = [_field(question) for question in questions]
    return {"show": "list", "layout": layout}


def _field(question: HitQuestion) -> dict[str, Any]:
    field: dict[str, Any] = {"name": question.stem, "question": question.id}
    differing = {value: raw for value, raw in question.values.items() if value != raw}
    return {**field, "answers": differing} if differing else field


def page_file(layout: PageLayout, rows: Sequence[Mapping[str, str]], used: Sequence[str]) -> bytes:
    """The layout with what is the same in every HIT filled in; `used` are names with a role."""

    def fill(found: re.Match[str]) -> str:
        name = found[1]
        values = {row.get(name, "") for row in rows}
        if name in used or split_name(name)[0] in used or len(values) != 1:
            return found[0]
        return escape(values.pop()).replace("${", "$<!-- -->{")  # so that it is no placeholder

    return _PLACEHOLDER.sub(fill, layout.html).encode()

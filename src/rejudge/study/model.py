"""What a study is: the words of study.yaml (`Spec`), with its items and pages (`Study`).

Placeholders in the pages, such as `{minutes}`, stand for what study.yaml and the plan say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from pydantic import Field, field_validator

from rejudge import fingerprint
from rejudge.study.analysis_plan import Analysis
from rejudge.study.baselines import Baseline
from rejudge.study.claims import Claim
from rejudge.study.conduct import (
    Contact,
    Language,
    Pages,
    Payment,
    Processing,
    Recruitment,
    Retention,
)
from rejudge.study.item_sample import Sample
from rejudge.study.kinds.question import Question
from rejudge.study.kinds.registry import KINDS, AnyQuestion
from rejudge.study.page_layout import PageLayout
from rejudge.study.parts import Part, Slug, Text
from rejudge.study.procedure import Check, Design
from rejudge.study.publication import DeviationNote, Publication, Reproduces
from rejudge.study.qualification import Practice, Qualification
from rejudge.study.sample_size import FilledSize, SizeRule, Stop
from rejudge.study.site import Site

FORMAT = 1  # of study.yaml


class System(Part):
    """A system whose outputs are judged. Participants never see its id or its name."""

    id: Slug = Field(description="Short name, as in the item file.", examples=["baseline"])
    name: str = Field("", description="The name for tables and figures; the id when left out.")
    column: str = Field("", description="Its column in a wide item file, when that is not its id.")

    @property
    def label(self) -> str:
        """The name for tables and figures."""
        return self.name or self.id

    @property
    def output_column(self) -> str:
        """The column of a wide item file that holds its outputs."""
        return self.column or self.id


class Columns(Part):
    """What the columns of the item file are called, where they are not called so."""

    id: Text = Field("id", description="The column of the items' ids.")
    input: Text = Field("input", description="The column of the inputs.")
    reference: Text = Field("reference", description="The column of the references.")
    dataset: Text = Field("dataset", description="The column of the datasets the items are from.")
    group: Text = Field("group", description="The column that says which items share one input.")
    language: Text = Field("language", description="The column of the texts' languages.")
    system: Text = Field("system", description="Long layout: the column of the systems' ids.")
    output: Text = Field("output", description="Long layout: the column of the outputs.")


class Items(Part):
    """Where the inputs and the systems' outputs are."""

    file: Text = Field(
        "items.csv", description="CSV, TSV, JSONL, Excel or Parquet beside study.yaml."
    )
    layout: Literal["auto", "wide", "long"] = Field(
        "auto", description="wide: one output column per system; long: one row per output."
    )
    columns: Columns = Field(Columns(), description="Names of the columns, where they differ.")
    sample: Sample | None = Field(None, description="Draw some of the inputs; all when left out.")


class Spec(Part):
    """All that study.yaml can say."""

    format: Literal[1] = Field(1, description="The format of this file.")
    id: Slug = Field(
        description="Short name of the study, used in file names and links.", examples=["my-study"]
    )
    title: Text = Field(
        description="What participants read at the top of every page.",
        examples=["Which text is clearer?"],
    )
    language: Language = Field("en", description="The language of the texts, such as en or pt-BR.")
    contact: Contact | None = Field(
        None,
        description="Who answers participants' questions.",
        examples=[{"name": "Ada Example", "email": "ada@example.org"}],
    )
    ethics: str = Field("", description="Who approved the study, and the number of the approval.")
    systems: tuple[System, ...] = Field(
        min_length=1,
        description="The systems whose outputs are judged: ids, or mappings with id and name.",
        examples=[["baseline", "ours"]],
    )
    items: Items = Field(Items(), description="Where the inputs and the systems' outputs are.")
    questions: tuple[AnyQuestion, ...] = Field(
        min_length=1,
        description="What participants are asked, one entry per criterion.",
        examples=[[{"kind": "rating", "id": "fluency", "prompt": "How fluent is this text?"}]],
    )
    design: Design = Field(
        description="Who sees what, in which order.",
        examples=[{"seed": 2024, "batch": {"inputs": 5}}],
    )
    checks: tuple[Check, ...] = Field((), description="Tasks whose right answer is known.")
    practice: Practice | None = Field(None, description="Examples with feedback, shown first.")
    qualification: Qualification | None = Field(
        None, description="A gold batch with a pass mark, done before any other."
    )
    recruitment: Recruitment = Field(Recruitment(), description="Who may take part.")
    retention: Retention | None = Field(
        None, description="How long data about participants are kept."
    )
    processing: Processing | None = Field(
        None, description="Facts for the record of processing (data protection)."
    )
    payment: Payment | None = Field(
        None, description="What people are paid, and how it is computed."
    )
    pages: Pages = Field(Pages(), description="Markdown files that participants read.")
    site: Site = Field(Site(), description="How the participants' own site behaves.")
    sample_size: SizeRule | None = Field(
        None,
        description="A rule for the size of the study that a pilot fills in (`rejudge power "
        "--fill`).",
    )
    analysis: Analysis | None = Field(None, description="What will be computed, fixed beforehand.")
    claims: tuple[Claim, ...] = Field((), description="What the numbers are expected to show.")
    baselines: tuple[Baseline, ...] = Field(
        (), description="Rules that answer without judging, for `rejudge baseline`."
    )
    stop: Stop | None = Field(
        None, description="Planned looks at the results, at which the study may stop early."
    )
    reproduces: Reproduces | None = Field(
        None,
        description="Which study this one repeats: the name of a paper, a bundle or a folder. It "
        "can be written at any time: it is not frozen with the study.",
        examples=[{"original": "hosking-2021", "lab": "Our Lab"}],
    )
    deviations: dict[str, DeviationNote] = Field(
        {},
        description="Why something is not as in the original, by key of study.yaml or by "
        "condition of measurement; a text is the reason. It can be written at any time, like "
        "`reproduces`.",
        examples=[{"payment.reward": {"reason": "Wages have risen.", "impact": "low"}}],
    )
    publication: Publication = Field(
        Publication(),
        description="What venues and archives ask that only the authors can answer. It can be "
        "completed at any time: it is not frozen with the study.",
    )

    @field_validator("systems", mode="before")
    @classmethod
    def _a_bare_name_is_a_system(cls, systems: object) -> object:
        if isinstance(systems, list | tuple):
            return tuple({"id": entry} if isinstance(entry, str) else entry for entry in systems)
        return systems

    @field_validator("reproduces", mode="before")
    @classmethod
    def _a_bare_name_is_the_original(cls, reproduces: object) -> object:
        return {"original": reproduces} if isinstance(reproduces, str) else reproduces

    @field_validator("deviations", mode="before")
    @classmethod
    def _a_bare_text_is_the_reason(cls, deviations: object) -> object:
        if not isinstance(deviations, Mapping):
            return deviations
        return {
            key: {"reason": note} if isinstance(note, str) else note
            for key, note in deviations.items()
        }

    def to_json(self) -> dict[str, Any]:  # JSON values
        """All that the study says, as JSON.

        What can be written at any time is left out: it says nothing about what is asked of whom.
        """
        return self.model_dump(mode="json", exclude=set(WRITTEN_LATER))


WRITTEN_LATER: Final = ("reproduces", "deviations", "publication")


def register(kind: type[Question]) -> None:
    """Let study.yaml ask questions of a further kind."""
    KINDS[kind.kind_name()] = kind
    Spec.model_rebuild(force=True)


@dataclass(frozen=True, slots=True)
class Item:
    """One input with the outputs of the systems, and its line in the file."""

    id: str
    group: str  # items of one group are one input to a participant (two summaries of one dialogue)
    dataset: str
    input: str
    reference: str | None
    outputs: tuple[str | None, ...]  # in the order of the study's systems; None: not given
    language: str
    line: int
    stratum: str | None = None  # of a sample by strata that names a column
    weight: float | None = None  # of a weighted sample
    is_listed: bool = False  # chosen by the researcher
    further: tuple[tuple[str, str], ...] = ()  # other columns of the file that are not empty

    def column(self, name: str) -> str:
        """What the file says of the item in a column by which results are grouped."""
        if name in {"dataset", "language"}:
            return str(getattr(self, name))
        return dict(self.further).get(name, "")

    @property
    def sampling(self) -> tuple[str | float | bool | None, ...]:
        """What decides whether it is selected; empty where nothing about it does."""
        known = (self.stratum, self.weight, self.is_listed)
        return () if known == (None, None, False) else known

    @property
    def has_reference(self) -> bool:
        """Whether a check can be made from this item's reference."""
        return bool(self.reference)


@dataclass(frozen=True)
class Study:
    """A study with all its files read: what is asked, about which items, with which pages."""

    spec: Spec
    items: tuple[Item, ...]
    pages: Mapping[str, str]  # by role: information, consent, instructions, thanks
    layout: PageLayout | None = None  # the page of an original study, if participants answer there
    size: FilledSize | None = None  # what the rule for the size came to, once it is filled in
    interface: str | None = None  # the study's own words of buttons and messages, as JSON
    notes: tuple[str, ...] = ()  # what was assumed when the item file was read

    @cached_property
    def shown_pages(self) -> Mapping[str, str]:
        """The pages with the statements that are ticked one by one, which follow the consent."""
        statements = self.spec.site.consent_statements
        if not statements:
            return self.pages
        listed = "\n".join(f"- ☐ {each.text}" for each in statements)
        consent = self.pages.get("consent", "").rstrip()
        return {**self.pages, "consent": f"{consent}\n\n{listed}\n".lstrip()}

    @cached_property
    def item(self) -> Mapping[str, Item]:
        """Items by id."""
        return {item.id: item for item in self.items}

    @cached_property
    def system_ids(self) -> tuple[str, ...]:
        """The systems' ids, in the order of the study."""
        return tuple(system.id for system in self.spec.systems)

    @cached_property
    def system_place(self) -> Mapping[str, int]:
        """The place of each system among the outputs of an item."""
        return {system: place for place, system in enumerate(self.system_ids)}

    def output(self, item: str, system: str) -> str | None:
        """What a system wrote for an item."""
        return self.item[item].outputs[self.system_place[system]]

    def questions_beside(self, options: int) -> tuple[Question, ...]:
        """The questions asked on a page with so many outputs side by side."""
        systems = len(self.spec.systems)
        return tuple(q for q in self.spec.questions if q.shows(systems) == options)

    @cached_property
    def fingerprint(self) -> str:
        """Names the study with all its texts; any change of a word of them changes it."""
        return fingerprint.of_json(
            {
                "spec": self.spec.to_json(),
                "items": self.items_fingerprint,
                "pages": dict(self.pages),
                **({} if self.layout is None else {"layout": self.layout.html}),
                **({} if self.interface is None else {"interface": self.interface}),
                **_groups(self),
            }
        )

    @cached_property
    def design_fingerprint(self) -> str:
        """Names what a plan is drawn from; a corrected page or title leaves it as it is."""
        parts = {"language", "systems", "items", "questions", "design", "checks"}
        return fingerprint.of_json(
            {
                "spec": self.spec.model_dump(mode="json", include=parts),
                "items": self.items_fingerprint,
            }
        )

    @cached_property
    def items_fingerprint(self) -> str:
        """Names the items with all their texts."""
        return fingerprint.of_json([_row(item) for item in self.items])


def _groups(study: Study) -> dict[str, fingerprint.Json]:
    """The groups of items, by columns that nothing but the analysis uses."""
    named = study.spec.analysis.groups if study.spec.analysis else ()
    own = [name for name in named if name not in {"dataset", "language"}]
    return {f"groups by {name}": [item.column(name) for item in study.items] for name in own}


def _row(item: Item) -> list[fingerprint.Json]:
    """All that an item says; how it was sampled only where it is said."""
    texts: list[fingerprint.Json] = [item.id, item.group, item.dataset, item.input, item.reference]
    return [*texts, list(item.outputs), item.language, *item.sampling]


# What each one stands for; the guide and the error messages list them.
PLACEHOLDERS: Final[Mapping[str, str]] = {
    "title": "the title of the study",
    "contact": "name and address of the contact, such as Ada Example (ada@lab.edu)",
    "email": "the address of the contact alone",
    "ethics": "who approved the study, from `ethics`",
    "tasks": "number of tasks in a batch, including checks and repeats",
    "inputs": "number of inputs in a batch, without checks",
    "shared": "number of inputs that everybody judges first, from `design.calibration`",
    "batches": "number of batches one person can do",
    "pages": "number of tasks one person can do in total, including calibration",
    "minutes": "minutes of the longest batch: `payment.minutes`, or the estimate if not given",
    "total": "minutes for everything one person can do, including calibration",
    "hours": "the same in hours, rounded up to half an hour",
    "reward": "the amount for one batch (a voucher: for everything), such as GBP 2.10",
    "hourly": "the resulting amount per hour, such as GBP 12.60",
    "qualification_reward": "the amount for people who do not pass the qualification",
    "earnings": "the amount for everything one person can do, including calibration",
    "duration": "a sentence about the number of pages and the minutes",
    "payment": "a sentence about the pay, also for course credit and unpaid work",
    "wage": "a sentence about the living or minimum wage that the pay meets; empty if there is "
    "none",
    "practice": "a sentence about the practice examples; empty if there are none",
    "ties": 'a sentence about "about the same"; empty if this cannot be chosen',
    "retention": "a sentence on what is deleted when, from `retention`; empty without it",
    "withdrawal": "a sentence on how to withdraw answers with the receipt code; in workbooks and "
    "Qualtrics, with the participant number",
}

# Braces around a word are a placeholder; doubled braces are braces; all others are text.
_MARK = re.compile(r"\{\{|\}\}|\{([A-Za-z][A-Za-z0-9_-]*)\}")


def placeholders(text: str) -> Iterator[str]:
    """The names in braces, in the order of the text, whether they are known or not."""
    return (found[1] for found in _MARK.finditer(text) if found[1])


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """The text with its placeholders replaced; a name without a value stays as it is."""

    def replaced(found: re.Match[str]) -> str:
        return values.get(found[1], found[0]) if found[1] else found[0][0]

    return _MARK.sub(replaced, text)

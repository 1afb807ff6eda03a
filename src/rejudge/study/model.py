"""What a study is: the words of study.yaml (`Spec`) with the items and pages it points to (`Study`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, field_validator
from pydantic import model_validator as validate_model

from rejudge import fingerprint
from rejudge.study.claims import Claim
from rejudge.study.questions import Part, Question, Slug, Text

FORMAT = 1  # of study.yaml; files of an older format are upgraded when read

Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Count: TypeAlias = Annotated[int, Field(ge=1)]
Money: TypeAlias = Annotated[float, Field(ge=0)]
Currency: TypeAlias = Annotated[str, Field(pattern="^[A-Z]{3}$")]
Region: TypeAlias = Annotated[str, Field(pattern="^[A-Z]{2}(-[A-Z0-9]{1,3})?$")]


class System(Part):
    """A system whose outputs are judged. Participants never see its id or its name."""

    id: Slug = Field(description="Short name, as in the item file.")
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

    id: str = "id"
    input: str = "input"
    reference: str = "reference"
    dataset: str = "dataset"
    group: str = "group"
    language: str = "language"
    system: str = "system"
    output: str = "output"


class Sample(Part):
    """How many inputs are drawn from the item file."""

    inputs: Count = Field(description="How many inputs take part; the rest can serve as checks.")
    balance: bool = Field(True, description="The same number from each dataset, as far as can be.")


class Items(Part):
    """Where the inputs and the systems' outputs are."""

    file: Text = Field("items.csv", description="CSV, TSV or JSONL beside study.yaml.")
    layout: Literal["auto", "wide", "long"] = Field(
        "auto", description="wide: one output column per system; long: one row per output."
    )
    columns: Columns = Field(Columns(), description="Names of the columns, where they differ.")
    sample: Sample | None = Field(None, description="Draw some of the inputs; all when left out.")


class BatchSize(Part):
    """How much one participant gets at a time: so many inputs, or so many tasks."""

    inputs: Count | None = Field(None, description="Inputs per batch, each with all its tasks.")
    tasks: Count | None = Field(None, description="Tasks per batch, checks and repeats not counted.")

    @validate_model(mode="after")
    def _one_of_both(self) -> Self:
        if (self.inputs is None) == (self.tasks is None):
            raise ValueError("give either `inputs` or `tasks`, not both and not neither")
        return self


class Repeats(Part):
    """Tasks shown a second time in the same batch, to see how far people agree with themselves."""

    share: Annotated[float, Field(gt=0, le=0.5)] = Field(
        description="Repeated tasks per real task of a batch, such as 0.1."
    )
    mirrored: bool = Field(
        True, description="Whether options change places, so that a habit of side does not agree."
    )


class Design(Part):
    """Who sees what, in which order."""

    seed: int = Field(description="The whole plan follows from this number and the files.")
    pairs: Literal["all"] | tuple[tuple[Slug, Slug], ...] = Field(
        "all", description="Pairs of systems that pairwise questions compare."
    )
    inputs: Literal["together", "apart", "anywhere"] = Field(
        "together",
        description="Tasks of one input: in one batch; in different batches, so that nobody meets "
        "an input twice; or dealt without regard to the input.",
    )
    batch: BatchSize = Field(description="How much one participant gets at a time.")
    participants_per_batch: Count = Field(3, description="How many people judge each batch.")
    batches_per_participant: Count = Field(1, description="At most so many batches for one person.")
    calibration: int = Field(0, ge=0, description="Inputs that every participant judges first.")
    order: Literal["batch", "participant", "latin-square", "listed"] = Field(
        "batch",
        description="Order of tasks: shuffled once per batch, anew for each participant, by Latin "
        "square over participants, or as in the item file.",
    )
    break_every: Count | None = Field(None, description="A pause is offered after so many tasks.")
    repeats: Repeats | None = Field(None, description="Tasks shown twice.")


class Gold(Part):
    """A comparison whose right answer is known from the references."""

    kind: Literal["gold"]
    id: Slug
    question: Slug = Field(description="The criterion this check is aimed at.")
    contrast: Literal["other-reference", "input"] = Field(
        "other-reference",
        description="other-reference: the reference of another item must lose (meaning); input: "
        "the unchanged input must lose (dissimilarity).",
    )
    at_most: float | None = Field(None, description="For one output: the highest right answer.")
    per_batch: Count = 1
    on_fail: Literal["exclude", "flag", "reject"] = Field(
        "exclude", description="exclude and replace; only flag; or reject (where rules allow it)."
    )


class Instruction(Part):
    """A task that says which answer to give."""

    kind: Literal["instruction"]
    id: Slug
    question: Slug = Field(description="The criterion under which the instruction stands.")
    text: Text = Field(
        "This is an attention check. Please choose {answer}.",
        description="Shown instead of the input; {answer} is replaced by the answer to give.",
    )
    per_batch: Count = 1
    on_fail: Literal["exclude", "flag", "reject"] = "exclude"

    @field_validator("text")
    @classmethod
    def _says_what_to_answer(cls, text: str) -> str:
        if "{answer}" not in text:
            raise ValueError("the text must contain {answer}, where the answer to give is put")
        return text


class Nonsense(Part):
    """An output made of shuffled words, which no criterion can favour."""

    kind: Literal["nonsense"]
    id: Slug
    question: Slug = Field(description="The criterion this check is aimed at.")
    at_most: float | None = Field(None, description="For one output: the highest right answer.")
    per_batch: Count = 1
    on_fail: Literal["exclude", "flag", "reject"] = "exclude"


Check: TypeAlias = Annotated[Gold | Instruction | Nonsense, Field(discriminator="kind")]


class Example(Part):
    """A practice task with its right answer and the reason, shown before the real ones."""

    input: Text
    reference: str = ""
    outputs: tuple[Text, ...] = Field(min_length=1, max_length=8)
    answers: dict[Slug, str] = Field(description="The right answer by question, such as meaning: a.")
    explanation: Text


class Practice(Part):
    """Examples with feedback; nobody is turned away for them."""

    attempts: int = Field(2, ge=1, description="Tries per example before the answer is shown.")
    examples: tuple[Example, ...] = Field(min_length=1)


class Payment(Part):
    """What people get, and the rule it follows."""

    kind: Literal["paid", "voucher", "credit", "unpaid"] = "paid"
    currency: Currency = "GBP"
    minutes: Annotated[float, Field(gt=0)] | None = Field(
        None, description="Expected minutes per batch; estimated from the texts when left out."
    )
    living_wage: Region | None = Field(None, description="Region whose living wage is the floor.")
    minimum_wage: Region | None = Field(None, description="Region whose legal minimum is a floor.")
    hourly: Money | None = Field(None, description="Your own rate per hour, when it is higher.")
    reward: Money | None = Field(None, description="The amount per batch, when it is fixed.")
    exchange: dict[Currency, Annotated[float, Field(gt=0)]] = Field(
        default_factory=dict,
        description="What one unit of another currency costs in the currency of payment.",
    )
    fee_percent: Money | None = Field(None, description="The platform's fee on top.")
    vat_percent: Money = Field(0, description="Tax on the fee.")
    round_up_to: Annotated[float, Field(gt=0)] = Field(
        0.01, description="Rewards are rounded up to a multiple of this, such as 5 for vouchers."
    )


class Recruitment(Part):
    """Where people come from and who may take part."""

    platform: Literal["link", "prolific", "mturk", "qualtrics", "spreadsheet"] = "link"
    regions: tuple[Region, ...] = ()
    languages: tuple[str, ...] = ()
    approval_percent: Annotated[float, Field(ge=0, le=100)] | None = None
    previous_submissions: Annotated[int, Field(ge=0)] | None = None


class Pages(Part):
    """Markdown files that participants read."""

    information: str = "pages/information.md"
    consent: str = "pages/consent.md"
    instructions: str = "pages/instructions.md"
    thanks: str = "pages/thanks.md"


Test: TypeAlias = Literal[
    "cluster-robust", "sign-flip", "bradley-terry", "friedman", "hotelling", "repeated-measures",
    "mixed-model", "ordinal-mixed-model",
    "one-way-anova", "t-test", "welch", "paired-t", "wilcoxon", "mann-whitney",
]  # fmt: skip


class PlannedTest(Part):
    """One comparison of systems that is fixed before anybody is asked."""

    question: Slug
    test: Test


class Exclude(Part):
    """Whose answers are left out; each left-out row is kept with its rule."""

    failed_checks: Count | None = Field(None, description="Failed checks that lead to exclusion.")
    faster_than_seconds: Annotated[float, Field(gt=0)] | None = None
    incomplete: bool = True


class Analysis(Part):
    """The plan of analysis; whatever else is computed is marked as exploratory."""

    tests: tuple[PlannedTest, ...] = Field(min_length=1)
    correction: Literal["holm", "bonferroni", "benjamini-hochberg", "none"] = "holm"
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05
    agreement: tuple[
        Literal["percent", "krippendorff-alpha", "cohen-kappa", "fleiss-kappa", "icc"], ...
    ] = ("percent", "krippendorff-alpha")
    exclude: Exclude = Exclude()


class Contact(Part):
    """Whom participants can ask."""

    name: Text
    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$")]


class Spec(Part):
    """All that study.yaml can say."""

    format: Literal[1] = Field(1, description="The format of this file.")
    id: Slug = Field(description="Short name of the study, used in file names and links.")
    title: Text = Field(description="What participants read at the top of every page.")
    language: str = Field("en", pattern="^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    contact: Contact | None = None
    ethics: str = Field("", description="Who approved the study, and the number of the approval.")
    systems: tuple[System, ...] = Field(min_length=1)
    items: Items = Items()
    questions: tuple[Question, ...] = Field(min_length=1)
    design: Design
    checks: tuple[Check, ...] = ()
    practice: Practice | None = None
    recruitment: Recruitment = Recruitment()
    payment: Payment | None = None
    pages: Pages = Pages()
    analysis: Analysis | None = None
    claims: tuple[Claim, ...] = ()

    @field_validator("systems", mode="before")
    @classmethod
    def _a_bare_name_is_a_system(cls, systems: object) -> object:
        if isinstance(systems, list):
            return [{"id": entry} if isinstance(entry, str) else entry for entry in systems]
        return systems


@dataclass(frozen=True, slots=True)
class Item:
    """One input with the outputs of the systems, and where it stands in its file."""

    id: str
    group: str  # items of one group are one input to a participant (two summaries of one dialogue)
    dataset: str
    input: str
    reference: str | None
    outputs: tuple[str | None, ...]  # in the order of the study's systems; None: not given
    language: str
    line: int

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
        """Where each system stands among the outputs of an item."""
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
        """Names the study with all its texts; any change of a word changes it."""
        return fingerprint.of_json(
            {
                "spec": self.spec.model_dump(mode="json"),
                "items": self.items_fingerprint,
                "pages": dict(self.pages),
            }
        )

    @cached_property
    def items_fingerprint(self) -> str:
        """Names the items with all their texts."""
        return fingerprint.of_json(
            [
                [i.id, i.group, i.dataset, i.input, i.reference, list(i.outputs), i.language]
                for i in self.items
            ]
        )

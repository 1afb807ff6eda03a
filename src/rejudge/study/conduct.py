"""How the study is conducted: who takes part, for what pay, and what will be computed."""

from __future__ import annotations

import difflib
from datetime import date as Day  # noqa: N812 - a type, beside a field of that name
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    Field,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    field_validator,
    model_serializer,
    model_validator,
)

from rejudge.platforms import own_platforms, platform_names
from rejudge.study.methods import USUAL_AGREEMENT, Coefficient, Test, has_direction
from rejudge.study.parts import Count, Part, Slug, Text
from rejudge.study.score_formula import ScoreFormula
from rejudge.study.screening import Screening

CURRENCY = "^[A-Z]{3}$"
REGION = "^[A-Z]{2}(-[A-Z0-9]{1,3})?$"
LANGUAGE = "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
EMAIL = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"


def _known_platform(name: str) -> str:
    if name not in own_platforms() and name not in platform_names():
        near = difflib.get_close_matches(name, platform_names(), n=1)
        hint = (
            f"Did you mean '{near[0]}'?" if near else f"Use one of: {', '.join(platform_names())}."
        )
        raise ValueError(f"there is no platform '{name}'. {hint}")
    return name


PlatformName: TypeAlias = Annotated[
    str,
    AfterValidator(_known_platform),
    WithJsonSchema({"enum": list(own_platforms()), "type": "string"}),
]
Money: TypeAlias = Annotated[float, Field(ge=0)]
Currency: TypeAlias = Annotated[str, Field(pattern=CURRENCY)]
Region: TypeAlias = Annotated[str, Field(pattern=REGION)]
Language: TypeAlias = Annotated[str, Field(pattern=LANGUAGE)]


class Payment(Part):
    """What people get, and the rule it follows."""

    kind: Literal["paid", "voucher", "credit", "unpaid"] = Field(
        "paid", description="Money, vouchers, course credit or nothing."
    )
    currency: Currency = Field("GBP", description="The currency of payment, three letters.")
    minutes: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="Expected minutes per batch; estimated from the texts when left out.",
        examples=[12],
    )
    living_wage: Region | None = Field(
        None, description="Region whose living wage is the floor.", examples=["GB"]
    )
    minimum_wage: Region | None = Field(
        None, description="Region whose legal minimum is a floor.", examples=["GB"]
    )
    hourly: Money | None = Field(
        None, description="Your own rate per hour, when it is higher.", examples=[15]
    )
    reward: Money | None = Field(
        None,
        description="The amount per batch, when it is fixed; of a voucher, per participant.",
        examples=[3.5],
    )
    exchange: dict[Currency, Annotated[float, Field(gt=0)]] = Field(
        default_factory=dict,
        description="What one unit of another currency costs in the currency of payment.",
        examples=[{"EUR": 0.85}],
    )
    fee_percent: Money | None = Field(
        None, description="The platform's fee on top.", examples=[33.3]
    )
    vat_percent: Money = Field(0, description="Tax on the fee.")
    round_up_to: Annotated[float, Field(gt=0)] = Field(
        0.01, description="Rewards are rounded up to a multiple of this, such as 5 for vouchers."
    )
    date: Day | None = Field(
        None,
        description="The day whose wage rates apply, such as the first day of the study; when left "
        "out, the day of the command, or the first day of judgments.",
        examples=["2024-02-15"],
    )

    @model_serializer(mode="wrap")
    def _leave_out_newer_keys(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Studies that were frozen before the key existed keep their fingerprint."""
        written: dict[str, Any] = plain(self)
        if self.date is None:
            written.pop("date", None)
        return written


class Recruitment(Part):
    """Where people come from and who may take part."""

    platform: PlatformName = Field("link", description="Where people come from.")
    open: bool = Field(
        False,
        description="Whether anyone with the address may take part; if not, each person "
        "needs their own link (`rejudge links`). For `platform: link` only.",
    )
    regions: tuple[Region, ...] = Field(
        (), description="Where participants live; anywhere when left out.", examples=[["GB", "US"]]
    )
    languages: tuple[Language, ...] = Field(
        (), description="First languages of participants; any when left out.", examples=[["en"]]
    )
    approval_percent: Annotated[float, Field(ge=0, le=100)] | None = Field(
        None, description="Minimum percentage of approved work on the platform.", examples=[95]
    )
    previous_submissions: Annotated[int, Field(ge=0)] | None = Field(
        None, description="Minimum number of earlier submissions on the platform.", examples=[100]
    )

    exclude_lists: tuple[Text, ...] = Field(
        (),
        description="Lists of participants (`rejudge panel`) who may not take part; files beside "
        "study.yaml.",
        examples=[["lists/pilot.csv"]],
    )
    admit_lists: tuple[Text, ...] = Field(
        (),
        description="Lists of participants (`rejudge panel`); only these people may take part.",
        examples=[["lists/panel.csv"]],
    )

    pass_mark: Count | None = Field(
        None,
        description="Checks of a batch that must be right to qualify. `rejudge panel --who passed` "
        "lists who did; people who have passed get no further batch.",
        examples=[8],
    )
    screening: Screening | None = Field(
        None,
        description="Who is screened out before the tasks, and their pay.",
        examples=[{"questions": [], "reward": 0.5}],
    )

    @model_validator(mode="after")
    def _only_a_link_is_open(self) -> Recruitment:
        if self.open and self.platform != "link":
            raise ValueError(
                f"`open` is for `platform: link`; people from {self.platform} bring their own ids. "
                "Remove one of the two."
            )
        return self


class Pages(Part):
    """Markdown files that participants read."""

    information: Text = Field("pages/information.md", description="What the study is about.")
    consent: Text = Field("pages/consent.md", description="What participants agree to.")
    instructions: Text = Field("pages/instructions.md", description="How to judge.")
    thanks: Text = Field("pages/thanks.md", description="The last page.")


Unit: TypeAlias = Literal["judgment", "item", "participant", "batch"]
Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
DfMethod: TypeAlias = Literal["satterthwaite", "kenward-roger"]
Slopes: TypeAlias = Literal["equal", "free"]


class PlannedTest(Part):
    """One comparison of systems that is fixed before anybody is asked."""

    question: Slug = Field(description="The criterion that is compared.", examples=["fluency"])
    test: Test = Field(description="The method.", examples=["cluster-robust"])
    unit: Unit | None = Field(
        None,
        description="What counts once in a classical test: a judgment, or the mean of an item, a "
        "participant or a batch; the usual unit of the test when left out.",
        examples=["item"],
    )
    alternative: Alternative = Field(
        "two-sided",
        description="What is expected of each pair of systems, taken in the order of `systems`: "
        "`greater` that the first is higher (or preferred), `less` that the second is; the test is "
        "then one-sided.",
        examples=["greater"],
    )
    df: DfMethod = Field(
        "satterthwaite",
        description="Degrees of freedom of a `mixed-model` of scores. `kenward-roger` also widens "
        "the errors, since the variances are estimated; it is meant for few participants or items.",
        examples=["kenward-roger"],
    )
    slopes: Slopes = Field(
        "equal",
        description="How systems vary over items and participants in a `mixed-model` of scores: "
        "`equal`, all alike, or `free`, each with a variance of its own and any correlations. "
        "`free` needs clearly more participants than systems.",
        examples=["free"],
    )
    pairs: tuple[tuple[Slug, Slug], ...] = Field(
        (),
        description="The pairs of systems to test, each in the order in which "
        "`alternative` takes it; all pairs when left out.",
        examples=[[["ours", "baseline"]]],
    )

    @model_validator(mode="after")
    def _has_degrees_of_freedom(self) -> PlannedTest:
        if self.df != "satterthwaite" and self.test != "mixed-model":
            raise ValueError(
                f"`df: {self.df}` is for a mixed-model, not for {self.test}. Leave out `df`, or "
                "plan a mixed-model."
            )
        return self

    @model_validator(mode="after")
    def _has_slopes(self) -> PlannedTest:
        if self.slopes == "free" and self.test != "mixed-model":
            raise ValueError(
                f"`slopes: free` is for a mixed-model, not for {self.test}. Leave out `slopes`, or "
                "plan a mixed-model."
            )
        if self.slopes == "free" and self.df == "kenward-roger":
            raise ValueError(
                "`df: kenward-roger` is not available with `slopes: free`. Leave out one of the "
                "two."
            )
        return self

    @model_validator(mode="after")
    def _compares_pairs(self) -> PlannedTest:
        if self.pairs and not has_direction(self.test):
            raise ValueError(
                f"{self.test} compares all systems at once and cannot be limited to pairs. Leave "
                "out `pairs`, or plan a test of pairs such as mixed-model."
            )
        return self

    @model_validator(mode="after")
    def _has_a_direction(self) -> PlannedTest:
        if self.alternative != "two-sided" and not has_direction(self.test):
            raise ValueError(
                f"{self.test} compares all systems at once and has no direction. Leave out "
                "`alternative`, or plan a test of pairs such as paired-t."
            )
        return self

    @model_serializer(mode="wrap")
    def _without_the_usual(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Studies that were frozen before tests had a direction or pairs keep their fingerprint."""
        whole: dict[str, Any] = dump(self)
        if self.alternative == "two-sided":
            del whole["alternative"]
        if self.df == "satterthwaite":
            del whole["df"]
        if self.slopes == "equal":
            del whole["slopes"]
        if not self.pairs:
            del whole["pairs"]
        return whole


class Derived(Part):
    """A score that is computed from the answers to other questions, and analysed like them."""

    id: Slug = Field(description="Short name of the score.", examples=["overall"])
    formula: Text = Field(
        description="How it is computed from the scores of one output by one participant: ids of "
        "questions (in quotes where they have a hyphen), numbers, + - * /, min, max, mean.",
        examples=["(fluency + adequacy) / 2"],
    )

    @field_validator("formula")
    @classmethod
    def _can_be_read(cls, formula: str) -> str:
        return ScoreFormula.parse(formula).text

    @property
    def parsed(self) -> ScoreFormula:
        """The formula as a tree."""
        return ScoreFormula.parse(self.formula)


class MultipleCase(Part):
    """One way to treat outputs that several people judged, computed beside the others."""

    id: Slug = Field(description="Short name of the case.", examples=["averaged"])
    multiple: Annotated[
        str, Field(pattern="^(first|each|mean|median|majority|drop|participant:.+)$")
    ] = Field(
        description="What counts: the `first` judgment, `each`, their `mean`, `median` or "
        "`majority`, that of one person (`participant:ID`), or none of them (`drop`).",
        examples=["mean"],
    )


class Exclude(Part):
    """Whose answers are left out; each left-out row is kept with its rule."""

    failed_checks: Count | None = Field(
        None, description="Failed checks that lead to exclusion.", examples=[2]
    )
    faster_than_seconds: Annotated[float, Field(gt=0)] | None = Field(
        None, description="Answers given faster than this are left out.", examples=[1.5]
    )
    incomplete: bool = Field(True, description="Whether unfinished batches are left out.")
    participants: tuple[Text, ...] = Field(
        (), description="Participants who are left out by name.", examples=[["p017"]]
    )
    straight_lining: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None,
        description="Participants who give one answer, or choose one side, in this share of their "
        "real tasks or more are left out. This needs at least ten tasks.",
        examples=[0.95],
    )
    too_fast_total_seconds: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="Batches done in less time than this, all tasks together, are left out.",
        examples=[120],
    )
    faster_than_reading: bool = Field(
        False,
        description="Whether batches are left out if they were done faster than their texts can be "
        "read: 1,000 words a minute of what is judged, and half a second for each answer.",
    )
    surplus: bool = Field(
        False,
        description="Whether to leave out people who finished a batch after its planned number.",
    )

    @model_serializer(mode="wrap")
    def _leave_out_newer_keys(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """New keys are written only if they are set, so that old studies keep their hashes."""
        written: dict[str, Any] = plain(self)
        if not self.faster_than_reading:
            written.pop("faster_than_reading", None)
        return written


class Analysis(Part):
    """The analysis plan; whatever else is computed is marked as exploratory."""

    tests: tuple[PlannedTest, ...] = Field(
        min_length=1,
        description="The planned comparisons.",
        examples=[[{"question": "fluency", "test": "cluster-robust"}]],
    )
    correction: Literal["holm", "bonferroni", "benjamini-hochberg", "none"] = Field(
        "holm", description="How p values are corrected for the number of comparisons."
    )
    alpha: Annotated[float, Field(gt=0, lt=1)] = Field(
        0.05, description="Level of significance; intervals cover 1 − alpha."
    )
    agreement: tuple[Coefficient, ...] = Field(
        USUAL_AGREEMENT,
        description="Measures of agreement among participants.",
    )
    exclude: Exclude = Field(Exclude(), description="Whose answers are left out.")
    cases: tuple[MultipleCase, ...] = Field(
        (),
        description="Ways to treat outputs that several people judged, side by side.",
        examples=[[{"id": "averaged", "multiple": "mean"}]],
    )
    groups: tuple[Literal["dataset", "language"], ...] = Field(
        (),
        description="Columns of the item file by whose groups systems are also estimated and "
        "compared: within each group, and whether their differences differ between groups.",
        examples=[["dataset"]],
    )
    derived: tuple[Derived, ...] = Field(
        (),
        description="Scores that are computed from others, such as an overall score. Tests and "
        "claims can name them.",
        examples=[[{"id": "overall", "formula": "(fluency + adequacy) / 2"}]],
    )
    pooled_agreement: bool = Field(
        False,
        description="Whether agreement is also computed over all criteria of the same scale, their "
        "values one after another.",
    )
    items_dealt_at_random: bool = Field(
        False,
        description="Whether items were assigned to systems at random. Systems that "
        "share no items can then be compared by their means.",
    )
    item_weights: bool = Field(
        True,
        description="Whether inputs count by the inverse of the probability with which "
        "`items.sample.method` selected them. Without it, results are for the selected items only.",
    )

    @model_serializer(mode="wrap")
    def _leave_out_newer_keys(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Studies that were frozen before the key existed keep their fingerprint."""
        written: dict[str, Any] = plain(self)
        if not self.items_dealt_at_random:
            written.pop("items_dealt_at_random", None)
        if self.item_weights:
            written.pop("item_weights", None)
        for key in ("groups", "derived", "pooled_agreement"):
            if not getattr(self, key):
                written.pop(key, None)
        return written


class Contact(Part):
    """Who answers participants' questions."""

    name: Text = Field(description="The name of a person.", examples=["Ada Example"])
    email: Annotated[str, Field(pattern=EMAIL)] = Field(
        description="An e-mail address that somebody reads.", examples=["ada@example.org"]
    )

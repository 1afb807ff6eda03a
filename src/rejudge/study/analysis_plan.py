"""The analysis plan in study.yaml: tests, agreement, exclusions, derived scores and cases."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import (
    Field,
    field_validator,
    model_validator,
)

from rejudge.study.methods import USUAL_AGREEMENT, Coefficient, Test, has_direction
from rejudge.study.parts import Count, Part, Slug, Text
from rejudge.study.score_formula import ScoreFormula

Unit: TypeAlias = Literal["judgment", "item", "participant", "batch"]
Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
DfMethod: TypeAlias = Literal["satterthwaite", "kenward-roger"]
Slopes: TypeAlias = Literal["equal", "free"]
MULTIPLE = "^(first|each|mean|median|majority|drop|participant:.+)$"


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
    multiple: Annotated[str, Field(pattern=MULTIPLE)] = Field(
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
    groups: tuple[Text, ...] = Field(
        (),
        description="Columns of the item file by whose groups systems are also estimated and "
        "compared: within each group, and whether their differences differ between groups.",
        examples=[["dataset"]],
    )
    show: Literal["scores", "normalised"] = Field(
        "scores",
        description="Whether the summary table for papers has means on the scale of the question, "
        "or normalised, from 0 at its lowest to 1 at its highest score.",
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

"""A published study as data: what its tables print, each number with its place."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from rejudge.paper.arithmetic import Arithmetic
from rejudge.paper.printed import (
    Contingency,
    Count,
    CountOrZero,
    OptionalPrintedCell,
    Printed,
    PrintedCell,
    PrintedNumber,
    PrintedP,
    as_share,
)
from rejudge.study.claims import Claim
from rejudge.study.parts import Part, Slug, Text
from rejudge.study.publication import Correction, Impact

FORMAT = 1

PrintedCoefficient: TypeAlias = Literal[
    "percent",
    "krippendorff-alpha",
    "cohen-kappa",
    "fleiss-kappa",
    "gwet-ac1",
    "gwet-ac2",
    "icc",
    "kendall-w",
]
PropertyValue: TypeAlias = "bool | int | float | str | tuple[str, ...]"


def _plain(given: Any) -> Any:  # whatever is in a file
    if given is None or given == "":
        raise ValueError("This is empty. Omit what is not known.")
    if isinstance(given, dict):
        raise ValueError(  # noqa: TRY004 - pydantic reports only ValueErrors
            "This is a mapping. Write text, a number, true, false or a list."
        )
    if isinstance(given, list | tuple) and not all(isinstance(entry, str) for entry in given):
        raise ValueError("Every entry of this list must be text. Put numbers in quotes.")
    return tuple(given) if isinstance(given, list) else given


StatedValue: TypeAlias = Annotated[PropertyValue, BeforeValidator(_plain)]


class NamedSystem(Part):
    """A system that was judged."""

    id: Slug = Field(
        description="Short name; the same in every paper that is compared.", examples=["baseline"]
    )
    name: str = Field("", description="As the paper prints it.")


class PaperScale(Part):
    """What scores are measured on."""

    kind: Literal["rating", "slider", "best-worst", "win-rate", "percent", "unbounded"] = Field(
        description="Ratings, a slider, best–worst scores, win rates, percentages, or no bounds."
    )
    low: float | None = Field(None, description="The lower end; none for an unbounded scale.")
    high: float | None = Field(None, description="The upper end.")
    points: int | None = Field(None, ge=2, description="How many points a rating scale has.")


class NamedGroup(Part):
    """Some of the items or participants, on which a question was asked."""

    column: Text = Field(description="What distinguishes the groups.", examples=["role"])
    name: Text = Field(description="Which of them.", examples=["user"])


class PaperCriterion(Part):
    """What was asked about the outputs."""

    id: Slug = Field(
        description="Short name; the same in every paper that is compared.", examples=["fluency"]
    )
    name: str = Field("", description="As the paper prints it.")
    definition: str = Field("", description="The definition that participants read.")
    scale: PaperScale = Field(
        description="What its scores are measured on.",
        examples=[{"kind": "rating", "low": 1, "high": 5, "points": 5}],
    )
    better: Literal["higher", "lower"] = Field("higher", description="Which scores are better.")
    question: Slug | None = Field(
        None,
        description="The question that was asked, where several criteria are one question in "
        "several groups; the id of the criterion when left out.",
        examples=["fluency"],
    )
    group: NamedGroup | None = Field(
        None,
        description="In which group it was asked. A study's groups of the same names are compared "
        "with it.",
        examples=[{"column": "role", "name": "user"}],
    )


class Score(Part):
    """One printed score of one system."""

    criterion: Slug = Field(description="Which criterion.", examples=["fluency"])
    system: Slug = Field(description="Which system.", examples=["baseline"])
    value: PrintedCell = Field(
        description="As printed; its decimals are kept. `–` where the cell is empty.",
        examples=["3.12"],
    )
    is_median: bool = Field(False, description="Whether the value is a median, not a mean.")
    sd: OptionalPrintedCell = Field(None, description="Standard deviation, as printed.")
    median: OptionalPrintedCell = Field(None, description="The median, if it is printed as well.")
    n: Count | None = Field(None, description="How many judgments the value summarises.")
    wins: CountOrZero | None = Field(None, description="How many comparisons the system won.")
    losses: CountOrZero | None = Field(None, description="How many it lost.")
    ties: CountOrZero | None = Field(None, description="How many were ties; 0 when left out.")
    place: str = Field("", description="Where it is printed, such as `Table 2`.")

    @property
    def number(self) -> PrintedNumber:
        """The value of a score whose cell is not empty."""
        if self.value is None:
            raise ValueError(f"The cell of {self.system} on {self.criterion} is empty.")
        return self.value


class PrintedAgreement(Part):
    """One printed coefficient of agreement."""

    criterion: Slug | None = Field(None, description="Which criterion; omit for all together.")
    coefficient: PrintedCoefficient = Field(
        description="Which coefficient.", examples=["krippendorff-alpha"]
    )
    value: Printed = Field(description="As printed.", examples=["0.52"])
    variant: str = Field(
        "",
        description="The definition it follows, where papers differ, such as `without correction "
        "for ties`. Coefficients of different definitions are not compared.",
    )
    systems: tuple[Slug, ...] = Field((), description="A pair of systems, if it is about one pair.")
    n: Count | None = Field(None, description="How many units it is based on.")
    place: str = Field("", description="Where it is printed.")

    @field_validator("value", mode="before")
    @classmethod
    def _in_its_unit(cls, given: Any, known: ValidationInfo) -> Any:  # whatever is in a file
        """Only percent agreement is counted in percent."""
        return given if known.data.get("coefficient") == "percent" else as_share(given)


class PrintedStatistic(Part):
    """A test statistic with its degrees of freedom."""

    name: Literal["t", "F", "chi2", "z", "r", "W", "U"] = Field(
        description="Which statistic.", examples=["t"]
    )
    value: Printed = Field(description="As printed.", examples=["0.52"])
    df: tuple[float, ...] = Field((), description="Its degrees of freedom.")


class PrintedEffect(Part):
    """A printed effect size."""

    name: Literal["d", "g", "eta-squared", "partial-eta-squared", "omega-squared", "r", "f"] = (
        Field(description="Which effect size.", examples=["d"])
    )
    value: Printed = Field(description="As printed.", examples=["0.52"])
    interval: tuple[Printed, Printed] | None = Field(None, description="Its 95 % interval.")


class PrintedTest(Part):
    """One printed comparison of systems by a test."""

    criterion: Slug = Field(description="Which criterion.", examples=["fluency"])
    systems: tuple[Slug, ...] = Field(
        (), description="First and second system; omit for a test of all systems at once."
    )
    test: str = Field("", description="Which test, such as `t-test` or `one-way ANOVA`.")
    is_significant: bool | None = Field(None, description="What the paper says about it.")
    difference: Printed | None = Field(None, description="First minus second, as printed.")
    statistic: PrintedStatistic | None = Field(None, description="The test statistic.")
    p: PrintedP | None = Field(None, description="As printed, such as `0.208` or `< 0.001`.")
    effect: PrintedEffect | None = Field(None, description="How large the difference is.")
    n: tuple[Count, ...] = Field((), description="Judgments per system that went into it.")
    correction: Literal["none", "bonferroni", "holm", "bh", "tukey", "unknown"] = Field(
        "unknown", description="How p values were corrected for their number."
    )
    unit: str = Field("", description="What counts as one observation, such as `batch`.")
    place: str = Field("", description="Where it is printed.")


class PaperCase(Part):
    """One set of numbers of the study; papers that analyse in several ways have several."""

    id: Slug = Field("main", description="Short name of this analysis.")
    says: str = Field("", description="What is done in it.")
    scores: tuple[Score, ...] = Field((), description="Printed scores.")
    agreement: tuple[PrintedAgreement, ...] = Field((), description="Printed agreement.")
    tests: tuple[PrintedTest, ...] = Field((), description="Printed tests.")

    @property
    def known(self) -> tuple[Score, ...]:
        """The scores whose cells are not empty."""
        return tuple(score for score in self.scores if score.value is not None)


class PaperClaim(Claim):
    """A claim of the paper, in a form that can be tested again."""

    words: str = Field("", description="In plain words, if the form is terse.")
    place: str = Field("", description="Where the paper makes it.")


class StatedDeviation(Part):
    """What a reproduction did differently, as its authors state it."""

    property: Text = Field(description="The condition that differs.", examples=["platform"])
    reason: str = Field("", description="Why.")
    impact: Impact = Field(
        "unknown", description="How much it matters, in the reproducers' opinion."
    )
    note: str = Field("", description="What exactly differs, if the two values do not show it.")
    original: Correction | None = Field(
        None, description="The condition of the original, where the one that is known is wrong."
    )
    here: Correction | None = Field(
        None, description="The condition of the reproduction, where the computed one is wrong."
    )
    place: str = Field("", description="Where it is stated.")
    covers: tuple[Text, ...] = Field(
        (),
        description="Other conditions that differ only because of this one; they are listed with "
        "it.",
        examples=[["definitions"]],
    )


class Reproducibility(Part):
    """A reproducibility figure that the paper prints; `compare` computes its own."""

    measure: Literal[
        "cv-star", "pearson", "spearman", "kendall-tau", "kendall-w", "matching-accuracy",
        "significance-f1", "pairwise-ranks", "claims",
    ] = Field(description="Which measure.", examples=["cv-star"])  # fmt: skip
    value: PrintedCell = Field(
        description="As printed; – where the cell is empty.", examples=["0.52"]
    )
    p: PrintedP | None = Field(None, description="Its p value, as printed.")
    criterion: Slug | None = Field(None, description="Which criterion; omit for all together.")
    system: Slug | None = Field(None, description="Which system, for a figure of one system.")
    case: Slug = Field("main", description="Which case of this paper.")
    among: tuple[Slug, ...] = Field(
        (), description="Ids of the papers it compares with; the original when left out."
    )
    variant: str = Field("", description="The definition it follows, if it is not the usual one.")
    place: str = Field("", description="Where it is printed.")

    @property
    def number(self) -> PrintedNumber:
        """The value of a figure whose cell is not empty."""
        if self.value is None:
            raise ValueError(f"The cell of {self.measure} is empty.")
        return self.value

    @field_validator("value", mode="before")
    @classmethod
    def _in_its_unit(cls, given: Any, known: ValidationInfo) -> Any:  # whatever is in a file
        """Only CV* is counted in percent."""
        return given if known.data.get("measure") == "cv-star" else as_share(given)


class Demographic(Part):
    """What a paper prints about its participants: counts by group, or a summary of numbers."""

    what: Slug = Field(
        description="Which property, the same word in every paper.", examples=["gender"]
    )
    counts: dict[Text, CountOrZero] = Field(
        default_factory=dict,
        description="How many participants, by group.",
        examples=[{"women": 12, "men": 10}],
    )
    percent: dict[Text, Printed] = Field(
        default_factory=dict,
        description="How many percent of the participants, by group.",
        examples=[{"women": "54 %", "men": "46 %"}],
    )
    n: Count | None = Field(None, description="How many participants answered.")
    low: OptionalPrintedCell = Field(None, description="The smallest, such as the youngest age.")
    high: OptionalPrintedCell = Field(None, description="The largest.")
    mean: OptionalPrintedCell = Field(None, description="The mean.")
    median: OptionalPrintedCell = Field(None, description="The median.")
    sd: OptionalPrintedCell = Field(None, description="The standard deviation.")
    place: str = Field("", description="Where it is printed.")


class Reference(Part):
    """Where the study was published."""

    authors: Text = Field(description="As cited.", examples=["Steen and Markert"])
    year: int = Field(ge=1900, le=2200, description="Year of publication.", examples=[2025])
    title: Text = Field(description="Title of the paper.", examples=["A title"])
    venue: str = Field("", description="Where it appeared.")
    url: str = Field("", description="Where it can be read.")


class Paper(Part):
    """A published human evaluation, as far as its text describes it."""

    format: int = Field(FORMAT, description="Version of this file's format.")
    id: Slug = Field(description="Short name of the study.", examples=["steen-2025"])
    reference: Reference = Field(
        description="Where it was published.",
        examples=[{"authors": "Steen and Markert", "year": 2025, "title": "A title"}],
    )
    reproduces: Slug | None = Field(None, description="Id of the original; omit for an original.")
    lab: str = Field("", description="Who carried it out, if papers of several labs are shown.")
    systems: Annotated[tuple[NamedSystem, ...], Field(min_length=1)] = Field(
        description="The systems that were judged.", examples=[[{"id": "baseline"}, {"id": "ours"}]]
    )
    criteria: Annotated[tuple[PaperCriterion, ...], Field(min_length=1)] = Field(
        description="What was asked; a reproduction names only what it asked.",
        examples=[[{"id": "fluency", "scale": {"kind": "rating", "low": 1, "high": 5}}]],
    )
    cases: tuple[PaperCase, ...] = Field(
        (), description="The printed numbers; the first set is the main one."
    )
    contingency: tuple[Contingency, ...] = Field(
        (), description="Printed tables of the labels of two runs or annotators."
    )
    claims: tuple[PaperClaim, ...] = Field((), description="What the paper says its numbers show.")
    conditions: dict[Text, StatedValue] = Field(
        default_factory=dict,
        description="Conditions of measurement by property; what is not known is left out.",
        examples=[{"platform": "Prolific", "participants-per-item": 3}],
    )
    demographics: tuple[Demographic, ...] = Field(
        (), description="Who the participants were, as far as printed."
    )
    deviations: tuple[StatedDeviation, ...] = Field((), description="What was done differently.")
    reproducibility: tuple[Reproducibility, ...] = Field(
        (), description="Reproducibility figures that the paper prints."
    )
    arithmetic: tuple[Arithmetic, ...] = Field(
        (), description="Further printed numbers that must be consistent."
    )

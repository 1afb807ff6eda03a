"""What participants are given: who sees what, in which order, with which checks."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, field_validator
from pydantic import model_validator as validate_model

from rejudge.study.parts import Count, Part, Slug, Text

OnFail: TypeAlias = Literal["exclude", "flag", "reject"]


class BatchSize(Part):
    """How much one participant gets at a time: so many inputs, or so many tasks."""

    inputs: Count | None = Field(
        None, description="Inputs per batch, each with all its tasks.", examples=[5]
    )
    tasks: Count | None = Field(
        None, description="Tasks per batch, checks and repeats not counted.", examples=[30]
    )

    @validate_model(mode="after")
    def _one_of_both(self) -> Self:
        if (self.inputs is None) == (self.tasks is None):
            given = "neither is" if self.inputs is None else "both are"
            raise ValueError(
                f"a batch is counted in inputs or in tasks, and {given} given. "
                "Write `inputs: 5` or `tasks: 30`."
            )
        return self


class Repeats(Part):
    """Tasks shown a second time in the same batch, to see how far people agree with themselves."""

    share: Annotated[float, Field(gt=0, le=0.5)] = Field(
        description="Repeated tasks per real task of a batch, such as 0.1.", examples=[0.1]
    )
    mirrored: bool = Field(
        True,
        description="Whether options swap places, so that always choosing one side is noticed.",
    )


class Design(Part):
    """Who sees what, in which order."""

    seed: int = Field(
        description="The seed: with the files, it determines the whole plan.", examples=[2024]
    )
    pairs: Literal["all"] | tuple[tuple[Slug, Slug], ...] = Field(
        "all",
        description="Pairs of systems that pairwise questions compare: all, or a list.",
    )
    tuples_per_input: Count | None = Field(
        None,
        description="Best-worst or ranking tasks per input, where not all systems are shown "
        "side by side; a whole balanced block design when left out.",
    )
    inputs: Literal["together", "apart", "anywhere"] = Field(
        "together",
        description="Tasks of one input: in one batch; in different batches, so that nobody sees "
        "an input twice; or in any batch.",
    )
    batch: BatchSize = Field(
        description="How much one participant gets at a time.", examples=[{"inputs": 5}]
    )
    participants_per_batch: Count = Field(3, description="How many people judge each batch.")
    batches_per_participant: Count = Field(1, description="The most batches one person can do.")
    calibration: int = Field(0, ge=0, description="Inputs that every participant judges first.")
    order: Literal["batch", "participant", "latin-square", "listed"] = Field(
        "batch",
        description="Order of tasks: shuffled once per batch, separately for each participant, "
        "by Latin "
        "square over participants, or as in the item file.",
    )
    break_every: Count | None = Field(
        None, description="Offer a pause after this many tasks.", examples=[10]
    )
    repeats: Repeats | None = Field(
        None, description="Tasks shown twice.", examples=[{"share": 0.1}]
    )


_CHECK_ID = "Short name of the check, used in reports."
_ON_FAIL = "exclude and replace; only flag; or reject (where the platform's rules allow it)."


class Gold(Part):
    """A comparison whose right answer is known from the references."""

    kind: Literal["gold"] = Field(description="A pair or an output whose right answer is known.")
    id: Slug = Field(description=_CHECK_ID, examples=["attention"])
    question: Slug = Field(description="The criterion this check is about.", examples=["fluency"])
    contrast: Literal["other-reference", "input"] = Field(
        "other-reference",
        description="other-reference: the reference of another item must lose (meaning); input: "
        "the unchanged input must lose (dissimilarity).",
    )
    at_most: float | None = Field(
        None, description="For one output: the highest right answer.", examples=[2]
    )
    per_batch: Count = Field(1, description="How many of these are in each batch.")
    on_fail: OnFail = Field("exclude", description=_ON_FAIL)


class Instruction(Part):
    """A task that says which answer to give."""

    kind: Literal["instruction"] = Field(description="A task that says which answer to give.")
    id: Slug = Field(description=_CHECK_ID, examples=["attention"])
    question: Slug = Field(
        description="The criterion under which the instruction is shown.", examples=["fluency"]
    )
    text: Text = Field(
        "This is an attention check. Please choose {answer}.",
        description="Shown instead of the input; {answer} is replaced by the answer to give.",
    )
    per_batch: Count = Field(1, description="How many of these are in each batch.")
    on_fail: OnFail = Field("exclude", description=_ON_FAIL)

    @field_validator("text")
    @classmethod
    def _says_what_to_answer(cls, text: str) -> str:
        if "{answer}" not in text:
            raise ValueError(
                "the text does not say which answer to give. "
                "Write {answer} where the answer belongs."
            )
        return text


class Nonsense(Part):
    """An output made of shuffled words, which no criterion can favour."""

    kind: Literal["nonsense"] = Field(description="An output of shuffled words.")
    id: Slug = Field(description=_CHECK_ID, examples=["attention"])
    question: Slug = Field(description="The criterion this check is about.", examples=["fluency"])
    at_most: float | None = Field(
        None, description="For one output: the highest right answer.", examples=[2]
    )
    per_batch: Count = Field(1, description="How many of these are in each batch.")
    on_fail: OnFail = Field("exclude", description=_ON_FAIL)


Check: TypeAlias = Annotated[Gold | Instruction | Nonsense, Field(discriminator="kind")]

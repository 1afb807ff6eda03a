"""How the participants' own site behaves; a study that is run elsewhere needs none of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from rejudge.study.conduct import Language
from rejudge.study.parts import Part, Slug, Text


class ExitQuestion(Part):
    """Something asked once, after the last task: about the person or the study, not the outputs."""

    id: Slug = Field(description="Short name, used in exports.", examples=["experience"])
    prompt: Text = Field(
        description="The question as participants read it.",
        examples=["How often do you read texts of this kind?"],
    )
    kind: Literal["choice", "text", "number"] = Field(
        "choice", description="One of the options, a few words, or a number."
    )
    options: tuple[Text, ...] = Field(
        (), description="What can be chosen.", examples=[["daily", "sometimes", "never"]]
    )
    required: bool = Field(False, description="Whether an answer is needed to finish.")

    @model_validator(mode="after")
    def _a_choice_has_options(self) -> ExitQuestion:
        if self.kind == "choice" and len(self.options) < 2:  # noqa: PLR2004 - else nothing to choose
            raise ValueError(
                "a choice needs two options or more. Add `options:`, or write `kind: text`."
            )
        return self


class Codes(Part):
    """What the platform takes as proof; each is made at random when left out."""

    completed: Text | None = Field(
        None, description="Shown to those who finished.", examples=["C1A2B3"]
    )
    declined: Text | None = Field(
        None, description="Shown to those who did not consent.", examples=["D1A2B3"]
    )
    full: Text | None = Field(
        None, description="Shown when there is no task left.", examples=["F1A2B3"]
    )


class Site(Part):
    """How the participants' pages behave."""

    show: Literal["one", "list"] = Field(
        "one", description="One task on a screen, or the whole batch as one list."
    )
    back: bool = Field(True, description="Whether people may go back and change an answer.")
    language: Language | None = Field(
        None, description="Language of buttons and messages; that of the study when left out."
    )
    exit_questions: tuple[ExitQuestion, ...] = Field(
        (), description="What is asked once after the last task."
    )
    comment: bool = Field(True, description="Whether a comment can be left at the end.")
    minutes_held: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="How long a batch is kept for somebody who does nothing; three times the "
        "expected duration, at least 30 minutes, when left out.",
        examples=[60],
    )
    minutes_to_begin: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="How long a batch is kept for somebody who has not answered anything yet; "
        "three times what there is to read and practise first, at least 15 minutes, when left out.",
        examples=[20],
    )
    places_per_address: Annotated[int, Field(ge=1)] = Field(
        10,
        description="How many places without an answer one internet address may hold at a time, "
        "where links prove nothing (platforms and open links).",
        examples=[40],
    )
    codes: Codes = Field(Codes(), description="Completion codes, where the platform gave them.")
    exclude_studies: tuple[Slug, ...] = Field(
        (),
        description="Studies in the same database whose participants may not take part.",
        examples=[["pilot"]],
    )

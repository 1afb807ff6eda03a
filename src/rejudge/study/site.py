"""The participants' site: how its pages behave, what it asks at the end, and its layout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from rejudge.study.conduct import Language
from rejudge.study.page_layout import split_name
from rejudge.study.parts import Answer, Part, Slug, Text, answer_text


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
        if self.kind == "choice" and len(self.options) < 2:
            raise ValueError(
                "a choice needs two options or more. Add `options:`, or write `kind: text`."
            )
        return self


class ConsentStatement(Part):
    """A sentence of the consent page with a box of its own to tick."""

    id: Slug = Field(description="Short name, used in exports.", examples=["adult"])
    text: Text = Field(
        description="What participants confirm, in the first person; placeholders are filled.",
        examples=["I am at least 18 years old."],
    )
    required: bool = Field(
        True, description="Whether it must be ticked to take part; if not, it is a choice."
    )


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
    not_qualified: Text | None = Field(
        None,
        description="Shown to those who did not pass the qualification, or for whom no place was "
        "left when they passed; they are paid for it.",
        examples=["Q1A2B3"],
    )
    screened_out: Text | None = Field(
        None,
        description="Shown to those who are screened out (`recruitment.screening`).",
        examples=["S1A2B3"],
    )
    failed_checks: Text | None = Field(
        None,
        description="Shown to those who finished but failed as many attention checks with "
        "`on_fail: reject` as allow the platform a rejection.",
        examples=["A1A2B3"],
    )


class LayoutField(Part):
    """A field of a layout that asks one of the study's questions about every item."""

    name: Text = Field(
        description="The name of the field; without the number of the item, where it has one.",
        examples=["meaning"],
    )
    question: Slug = Field(description="The question that it asks.", examples=["meaning"])
    answers: Mapping[str, Answer] = Field(
        {},
        description="What each value of the field means: a, b, tie, or a number. Needed where the "
        "values differ from these.",
        examples=[{"A": "a", "B": "b"}],
    )

    @field_validator("answers", mode="before")
    @classmethod
    def _numbers_are_texts(cls, answers: object) -> object:
        if isinstance(answers, Mapping):
            return {answer_text(key): answer for key, answer in answers.items()}
        return answers


class SiteLayout(Part):
    """An HTML page of another tool in which participants read and answer; scripts do not run."""

    file: Text = Field("pages/layout.html", description="HTML with `${…}` for texts, and fields.")
    numbered: bool = Field(
        True, description="Whether the names of placeholders and fields end in the item's number."
    )
    outputs: tuple[Text, ...] = Field(
        min_length=1,
        description="The placeholders of the outputs, in the order shown.",
        examples=[["outputa", "outputb"]],
    )
    input: Text | None = Field(None, description="The placeholder of the input.")
    reference: Text | None = Field(None, description="The placeholder of the reference.")
    dataset: Text | None = Field(None, description="The placeholder of the dataset's name.")
    html: tuple[Text, ...] = Field(
        (), description="Placeholders whose texts have markup, which is cleaned and shown."
    )
    fields: tuple[LayoutField, ...] = Field(
        min_length=1,
        description="The fields of the layout that ask the study's questions.",
        examples=[[{"name": "meaning", "question": "meaning", "answers": {"A": "a", "B": "b"}}]],
    )

    @property
    def texts(self) -> tuple[str, ...]:
        """All placeholders, without numbers."""
        others = (self.input, self.reference, self.dataset)
        return (*self.outputs, *(name for name in others if name is not None))

    def split(self, name: str) -> tuple[str, int | None]:
        """A name in the layout without the number of its item, and the number."""
        return split_name(name) if self.numbered else (name, None)


class Site(Part):
    """How the participants' pages behave."""

    show: Literal["one", "list"] = Field(
        "one", description="One task on a screen, or the whole batch as one list."
    )
    layout: SiteLayout | None = Field(
        None,
        description="The page of an original study, in which participants answer; needs "
        "`show: list`. rejudge's own pages when left out.",
    )
    back: bool = Field(True, description="Whether people may go back and change an answer.")
    language: Language | None = Field(
        None, description="Language of buttons and messages; that of the study when left out."
    )
    consent_statements: tuple[ConsentStatement, ...] = Field(
        (),
        description="Statements of the consent page that are ticked one by one.",
        examples=[[{"id": "adult", "text": "I am at least 18 years old."}]],
    )
    exit_questions: tuple[ExitQuestion, ...] = Field(
        (), description="Questions asked once, after the last task."
    )
    comment: bool = Field(True, description="Whether a comment can be left at the end.")
    minutes_held: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="How long a batch is kept for an inactive participant; three times the "
        "longest batch, at least 30 minutes, when left out.",
        examples=[60],
    )
    minutes_to_begin: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="How long a batch is kept before the first answer; when left out, three times "
        "what there is to read and practise first, at least 15 minutes, or with `show: list` as "
        "long as `minutes_held`.",
        examples=[20],
    )
    places_per_address: Annotated[int, Field(ge=1)] = Field(
        10,
        description="How many places without an answer one internet address may hold at a time, "
        "if links do not identify people (platforms and open links).",
        examples=[40],
    )
    hold_after_calibration: bool = Field(
        False,
        description="Whether people who have judged the shared inputs (`design.calibration`) wait "
        "until an owner opens the rest in the dashboard.",
    )
    codes: Codes = Field(Codes(), description="Completion codes, where the platform gave them.")
    exclude_studies: tuple[Slug, ...] = Field(
        (),
        description="Studies in the same database whose participants may not take part.",
        examples=[["pilot"]],
    )

    @field_validator("consent_statements")
    @classmethod
    def _statements_have_their_own_ids(
        cls, statements: tuple[ConsentStatement, ...]
    ) -> tuple[ConsentStatement, ...]:
        ids = [each.id for each in statements]
        twice = next((name for name in ids if ids.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"the id '{twice}' is used twice. Give each statement its own id.")
        return statements

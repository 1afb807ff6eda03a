"""Who is screened out before the tasks: questions after consent, and what the time is paid."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from rejudge.study.parts import Count, Part, Slug, Text


class ScreeningQuestion(Part):
    """Something asked after consent that decides whether a person may take part."""

    id: Slug = Field(
        description="Short name under which the answer is stored.", examples=["fluent"]
    )
    prompt: Text = Field(
        description="The question as participants read it.",
        examples=["Which language do you use most of the day?"],
    )
    options: tuple[Text, ...] = Field(
        min_length=2, description="What can be chosen.", examples=[["English", "another"]]
    )
    admit: tuple[Text, ...] = Field(
        min_length=1,
        description="The options with which people may take part; with any other they are "
        "screened out.",
        examples=[["English"]],
    )

    @model_validator(mode="after")
    def _decides_something(self) -> ScreeningQuestion:
        if len(set(self.options)) < len(self.options):
            raise ValueError("an option is listed twice. Remove one of them.")
        unknown = [each for each in self.admit if each not in self.options]
        if unknown:
            raise ValueError(
                f"“{unknown[0]}” is not one of the options. `admit` repeats options word by word."
            )
        if set(self.admit) == set(self.options):
            raise ValueError("every option is admitted. Leave some out of `admit`.")
        return self


class Screening(Part):
    """Who is screened out before the tasks, and what they are paid for the time it took."""

    questions: tuple[ScreeningQuestion, ...] = Field(
        (),
        description="Asked after consent, before a place is taken.",
        examples=[[{"id": "q", "prompt": "…", "options": ["yes", "no"], "admit": ["yes"]}]],
    )
    reward: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="What a person who is screened out is paid, less than the reward; when left "
        "out, they are asked to return their place without pay.",
        examples=[0.5],
    )
    places: Count = Field(
        20,
        description="How many people who are screened out are paid at most; some platforms then "
        "pause the study.",
    )

    @model_validator(mode="after")
    def _asks_each_question_once(self) -> Screening:
        names = [each.id for each in self.questions]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(f"two screening questions have the id '{twice[0]}'. Rename one.")
        return self

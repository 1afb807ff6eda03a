"""Tasks whose right answer participants are shown or measured by: practice and qualification."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from rejudge.study.parts import Answer, Count, Part, Slug, Text


class GoldTask(Part):
    """A task with its right answer, as the study gives it; not an item of the item file."""

    input: Text = Field(description="The input, as for an item.", examples=["How far is the moon?"])
    reference: str = Field("", description="The reference, where a question shows or scores it.")
    outputs: tuple[Text, ...] = Field(
        min_length=1,
        max_length=8,
        description="As many outputs as the question shows.",
        examples=[["What is the distance to the moon?", "How far the moon?"]],
    )
    answers: dict[Slug, Answer] = Field(
        min_length=1,
        description="The right answer by question, such as meaning: a.",
        examples=[{"meaning": "a"}],
    )


class Example(GoldTask):
    """A practice task with its right answer and the reason, shown before the real ones."""

    explanation: Text = Field(
        description="Why it is right; shown after the answer.", examples=["B is not a sentence."]
    )


class Practice(Part):
    """Examples with feedback; nobody is turned away for them unless there is a pass mark."""

    attempts: int = Field(2, ge=1, description="Tries per example before the answer is shown.")
    pass_mark: Count | None = Field(
        None,
        description="Examples that must be answered correctly within `attempts` to go on; other "
        "participants are screened out (`recruitment.screening`).",
        examples=[2],
    )
    examples: tuple[Example, ...] = Field(
        min_length=1,
        description="The practice tasks, in the order shown.",
        examples=[[{"input": "…", "outputs": ["…"], "answers": {"q": "a"}, "explanation": "…"}]],
    )

    @model_validator(mode="after")
    def _can_be_passed(self) -> Practice:
        if self.pass_mark is not None and self.pass_mark > len(self.examples):
            raise ValueError(
                f"`pass_mark: {self.pass_mark}` cannot be reached with {len(self.examples)} "
                "examples. Lower it, or add examples."
            )
        return self


class Qualification(Part):
    """A gold batch that people do first; only those who pass get a place. Everybody is paid."""

    pass_mark: Count = Field(
        description="How many answers of an attempt must be right.", examples=[8]
    )
    attempts: Count = Field(2, description="How often somebody may try.")
    tasks_per_attempt: Count | None = Field(
        None,
        description="Number of new tasks in each attempt, in the order of the list. "
        "When left out, every attempt shows all tasks, from the second on in another order.",
        examples=[10],
    )
    within: Annotated[float, Field(ge=0)] = Field(
        0, description="How far a score may be from the right one and still be right."
    )
    reward: Annotated[float, Field(ge=0)] | None = Field(
        None,
        description="Payment for people who do not pass; when left out, the hourly rate for the "
        "time it takes.",
        examples=[0.9],
    )
    skip_lists: tuple[Text, ...] = Field(
        (),
        description="Lists of participants (`rejudge panel --who passed`) who need not qualify "
        "again.",
        examples=[["lists/passed.csv"]],
    )
    tasks: tuple[GoldTask, ...] = Field(
        min_length=1,
        description="Tasks with their right answers, in the order shown.",
        examples=[[{"input": "…", "outputs": ["…"], "answers": {"q": "a"}}]],
    )

    @model_validator(mode="after")
    def _has_tasks_for_each_attempt(self) -> Self:
        each = self.tasks_per_attempt
        if each is not None and each * self.attempts > len(self.tasks):
            raise ValueError(
                f"{self.attempts} attempts with {each} other tasks each need "
                f"{each * self.attempts} tasks, and there are {len(self.tasks)}. Add tasks, or "
                "remove `tasks_per_attempt` to show the same ones again."
            )
        return self

    def places(self, attempt: int) -> tuple[int, ...]:
        """The tasks of an attempt (from 1) by their places in the list, the first one first."""
        each = self.tasks_per_attempt
        if each is None:
            return tuple(range(len(self.tasks)))
        return tuple(range((attempt - 1) * each, attempt * each))

    def gold_answers(self, attempt: int = 1) -> int:
        """How many right answers the tasks of an attempt have."""
        return sum(len(self.tasks[place].answers) for place in self.places(attempt))

"""What participants are given: who sees what, the checks, the practice, and the site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator, model_validator
from pydantic import model_validator as validate_model

from rejudge.study.conduct import Language
from rejudge.study.page_layout import split_name
from rejudge.study.parts import Count, Part, Slug, Text

OnFail: TypeAlias = Literal["exclude", "flag", "reject"]


def _as_text(answer: object) -> object:
    """People write an answer as `4` or `[a, c]`; it is kept as `"4"` and `"a,c"`."""
    if isinstance(answer, list | tuple):
        return ",".join(str(_as_text(part)) for part in answer)
    is_number = isinstance(answer, int | float) and not isinstance(answer, bool)
    return f"{answer:.12g}" if is_number else answer


Answer: TypeAlias = Annotated[
    str,
    BeforeValidator(_as_text),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": ["string", "number"]},
                {"type": "array", "items": {"type": ["string", "number"]}},
            ]
        }
    ),
]


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
        description="The whole plan follows from this number and the files.", examples=[2024]
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
        description="Tasks of one input: in one batch; in different batches, so that nobody meets "
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
        description="Order of tasks: shuffled once per batch, anew for each participant, by Latin "
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
        description="Each attempt shows so many other tasks, the first ones of the list first. "
        "When left out, every attempt shows all tasks, from the second on in another order.",
        examples=[10],
    )
    within: Annotated[float, Field(ge=0)] = Field(
        0, description="How far a score may be from the right one and still be right."
    )
    reward: Annotated[float, Field(ge=0)] | None = Field(
        None,
        description="What those get who do not pass; the hourly rate for the time it takes when "
        "left out.",
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
        description="What each value of the field says: a, b, tie, or a number. Needed where the "
        "values differ from these.",
        examples=[{"A": "a", "B": "b"}],
    )

    @field_validator("answers", mode="before")
    @classmethod
    def _numbers_are_texts(cls, answers: object) -> object:
        if isinstance(answers, Mapping):
            return {_as_text(key): answer for key, answer in answers.items()}
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

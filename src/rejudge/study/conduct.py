"""How the study is conducted: who takes part and is screened out, pay, pages, data protection."""

from __future__ import annotations

import difflib
from datetime import date as Day  # noqa: N812 - a type, beside a field of that name  # noqa: N812 - a type
from typing import Annotated, Final, Literal, Self, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    Field,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from rejudge.platforms import own_platforms, platform_names
from rejudge.study.parts import Count, Part, Slug, Text

CURRENCY = "^[A-Z]{3}$"
REGION = "^[A-Z]{2}(-[A-Z0-9]{1,3})?$"
LANGUAGE = "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
EMAIL = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"
Money: TypeAlias = Annotated[float, Field(ge=0)]
Currency: TypeAlias = Annotated[str, Field(pattern=CURRENCY)]
Region: TypeAlias = Annotated[str, Field(pattern=REGION)]
Language: TypeAlias = Annotated[str, Field(pattern=LANGUAGE)]
Erasure: TypeAlias = Literal["platform-ids", "times", "free-text", "everything"]
ERASURES: Final[tuple[Erasure, ...]] = get_args(Erasure)
_MOST_DAYS = 36_500  # a century


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
                f"“{unknown[0]}” is not one of the options. `admit` repeats options word for word."
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


class Payment(Part):
    """What people get, and the rule it follows."""

    kind: Literal["paid", "voucher", "credit", "unpaid"] = Field(
        "paid", description="Money, vouchers, course credit or nothing."
    )
    currency: Currency = Field("GBP", description="The currency of payment, three letters.")
    minutes: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="Minutes of the longest batch; estimated from the texts when left out.",
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


class Contact(Part):
    """Who answers participants' questions."""

    name: Text = Field(description="The name of a person.", examples=["Ada Example"])
    email: Annotated[str, Field(pattern=EMAIL)] = Field(
        description="An e-mail address that somebody reads.", examples=["ada@example.org"]
    )


class Retention(Part):
    """Until when data about people are kept, and what is deleted then by `rejudge purge`."""

    until: Day | None = Field(
        None, description="The day on which they are deleted.", examples=["2028-06-30"]
    )
    days: Annotated[int, Field(ge=0, le=_MOST_DAYS)] | None = Field(
        None,
        description="Instead of a date: the number of days after the last answer.",
        examples=[365],
    )
    delete: tuple[Erasure, ...] = Field(
        ("platform-ids",),
        min_length=1,
        description="What is deleted: platform ids and their hashes; times, events and what "
        "browsers said; free text; or everything about participants.",
        examples=[["platform-ids", "free-text"]],
    )

    @field_validator("delete", mode="before")
    @classmethod
    def _one_may_stand_alone(cls, given: object) -> object:
        if isinstance(given, list):
            return tuple(given)
        return (given,) if isinstance(given, str) else given

    @model_validator(mode="after")
    def _has_one_end(self) -> Self:
        if (self.until is None) == (self.days is None):
            raise ValueError(
                "give either a date or a number of days, such as `until: 2028-06-30` or "
                "`days: 365`."
            )
        return self

    @property
    def erased(self) -> tuple[Erasure, ...]:
        """What is deleted, in one order and without what is said twice."""
        if "everything" in self.delete:
            return ("everything",)
        return tuple(each for each in ERASURES if each in self.delete)


class Processing(Part):
    """Facts for the record of processing that the study itself cannot know."""

    controller: str = Field(
        "", description="Who is responsible, with address.", examples=["University of Example"]
    )
    officer: str = Field(
        "", description="The data protection officer.", examples=["dpo@example.org"]
    )
    purpose: str = Field("", description="What the data are used for, in a sentence.")
    legal_basis: str = Field(
        "", description="The legal basis, in your own words.", examples=["consent"]
    )
    recipients: str = Field("", description="Who else receives data.")
    location: str = Field("", description="Where the site and the database run.")
    transfers: str = Field("", description="Countries that data are transferred to.")
    safeguards: str = Field("", description="What protects the data beyond what rejudge does.")

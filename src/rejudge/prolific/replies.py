"""What Prolific's API answers: only what rejudge uses; unknown keys and states are tolerated.

Money is in sub-units (pence, cents) everywhere but in the lines of a bonus payment.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

StudyStatus: TypeAlias = Literal[
    "UNPUBLISHED", "SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED", "AWAITING REVIEW", "COMPLETED",
    "UNKNOWN",
]  # fmt: skip
SubmissionStatus: TypeAlias = Literal[
    "RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED", "REJECTED",
    "RETURNED", "TIMED-OUT", "SCREENED OUT", "UNKNOWN",
]  # fmt: skip
StudyAction: TypeAlias = Literal["PUBLISH", "PAUSE", "START", "STOP"]
RejectionCategory: TypeAlias = Literal[
    "TOO_QUICKLY", "TOO_SLOWLY", "FAILED_INSTRUCTIONS", "INCOMP_LONGITUDINAL", "FAILED_CHECK",
    "LOW_EFFORT", "MALINGERING", "NO_CODE", "BAD_CODE", "NO_DATA", "UNSUPP_DEVICE", "OTHER",
]  # fmt: skip
LEAST_REJECTION_MESSAGE = 100  # characters

HOLDS_PLACE: frozenset[SubmissionStatus] = frozenset(
    {"RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED"}
)
FREES_PLACE: frozenset[SubmissionStatus] = frozenset({"RETURNED", "REJECTED", "TIMED-OUT"})


def _status_of(kind: Any) -> BeforeValidator:  # a Literal, which no type describes
    """Read a state however it is spelled (AWAITING_REVIEW, TIMED-OUT); new ones are UNKNOWN."""
    known = {_plain(name): name for name in get_args(kind)}
    return BeforeValidator(lambda given: known.get(_plain(str(given)), "UNKNOWN"))


def _plain(name: str) -> str:
    return name.upper().replace("_", " ").replace("-", " ")


def _round(amount: object) -> object:
    """Money as whole sub-units: the API documents it as a number with decimals."""
    return round(amount) if isinstance(amount, float) else amount


_SubUnits = Annotated[int, BeforeValidator(_round)]
_AnyStudyStatus = Annotated[StudyStatus, _status_of(StudyStatus)]
_AnySubmissionStatus = Annotated[SubmissionStatus, _status_of(SubmissionStatus)]


def read_submission_status(given: object) -> SubmissionStatus:
    """The state of a submission however it is spelled; a new one is UNKNOWN."""
    known: dict[str, SubmissionStatus] = {_plain(name): name for name in get_args(SubmissionStatus)}
    return known.get(_plain(str(given)), "UNKNOWN")


class PlatformReply(BaseModel):
    """Something that Prolific answered; keys that are not used are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Account(PlatformReply):
    """The researcher's account."""

    id: str = ""
    currency_code: str | None = None
    balance: _SubUnits | None = None
    available_balance: _SubUnits | None = None


class Workspace(PlatformReply):
    """A workspace of the account."""

    id: str
    title: str = ""


class ProlificStudy(PlatformReply):
    """A study on Prolific."""

    id: str
    name: str = ""
    internal_name: str | None = None
    metadata: str | None = None
    status: _AnyStudyStatus = "UNPUBLISHED"
    reward: _SubUnits | None = None
    currency_code: str | None = Field(
        None, validation_alias=AliasChoices("presentment_currency_code", "currency_code")
    )
    total_available_places: int = 0
    places_taken: int | None = None
    estimated_completion_time: int | None = None
    maximum_allowed_time: int | None = None
    external_study_url: str | None = None
    published_at: datetime | None = None
    total_cost: float | None = None


class StudyCost(PlatformReply):
    """What a study costs in all, and its parts where Prolific tells them."""

    total_cost: _SubUnits
    rewards: _SubUnits | None = None
    fees: _SubUnits | None = None
    vat: _SubUnits | None = None


class RewardRecommendation(PlatformReply):
    """Hourly pay in a currency: the platform's minimum, and what it recommends."""

    currency: str = ""
    min_reward_per_hour: _SubUnits
    recommended_reward_per_hour: _SubUnits


class ProlificFilter(PlatformReply):
    """A screener: a choice of answers, or a range of numbers."""

    filter_id: str
    title: str = ""
    type: str = ""  # select, range, …
    choices: dict[str, str] = Field(default_factory=dict)  # labels by id
    min: float | None = None
    max: float | None = None


class Submission(PlatformReply):
    """One participant's submission, as lists have it. Its id is the SESSION_ID of our links."""

    id: str
    participant_id: str = ""
    status: _AnySubmissionStatus
    started_at: datetime | None = None
    completed_at: datetime | None = None
    study_code: str | None = None  # as the participant entered it
    time_taken: float | None = None  # seconds
    return_requested: datetime | bool | None = None
    has_siblings: bool = False


class SubmissionDetail(PlatformReply):
    """One submission with all that is known of it."""

    id: str
    participant_id: str = Field("", validation_alias=AliasChoices("participant_id", "participant"))
    study_id: str = ""
    status: _AnySubmissionStatus
    entered_code: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    return_requested: datetime | bool | None = None
    bonus_payments: tuple[_SubUnits, ...] = ()


class BonusBatch(PlatformReply):
    """Bonuses that were set up; they are paid by a request of their own, once."""

    id: str
    study: str = ""
    amount: _SubUnits = 0
    fees: _SubUnits = 0
    vat: _SubUnits = 0
    total_amount: _SubUnits = 0


class UrlProgress(PlatformReply):
    """How far one address of a Taskflow study is."""

    external_url: str
    total_allocation: int = 0
    allocated: int = 0
    capacity_increments: int = 0

    @property
    def open(self) -> int:
        """How many more people can be sent there."""
        return max(0, self.total_allocation + self.capacity_increments - self.allocated)


class Subscription(PlatformReply):
    """A webhook: where events of a kind are sent."""

    id: str
    event_type: str = ""
    target_url: str = ""
    is_enabled: bool = True
    workspace_id: str = ""


class HookSecret(PlatformReply):
    """What webhooks are signed with."""

    id: str = ""
    value: str = Field(repr=False)
    workspace_id: str = ""

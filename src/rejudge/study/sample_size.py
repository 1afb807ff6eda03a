"""How large a study becomes: a size fixed as a rule, filled in by a pilot; and planned looks.

The rule is part of study.yaml and frozen with it. `rejudge power --fill` computes the size from the
rule and a pilot, and writes it to a file of its own; the study then has that size wherever it is
read, so that plan, cost and site follow from rule and pilot.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError, field_validator, model_validator

from rejudge import fingerprint
from rejudge.errors import Problem, StudyError
from rejudge.study.item_sample import Sample
from rejudge.study.parts import Count, Part, Slug, Text

if TYPE_CHECKING:
    from rejudge.study.model import Spec


FILLED_SIZE: Final = "sample-size.json"
_REMEDY: Final = "Fill in the size again with `rejudge power STUDY --fill --force`."
StopBoundary: TypeAlias = Literal["obrien-fleming", "pocock", "always-valid"]
_LEAST_GAP = 0.01


class SizeRule(Part):
    """How large the study will be: the cheapest size that finds what matters, given a pilot."""

    effect: dict[Slug, Annotated[float, Field(gt=0)]] = Field(
        min_length=1,
        description="The smallest difference of interest for each question: points of the scale, "
        "or percentage points of wins above 50.",
        examples=[{"fluency": 0.3}],
    )
    pair: tuple[Slug, Slug] | None = Field(
        None,
        description="The only two systems that differ by the effect, with all others between them; "
        "each system is better than the next by the effect when left out.",
        examples=[["ours", "baseline"]],
    )
    power: Annotated[float, Field(gt=0, lt=1)] = Field(
        0.8, description="The power to be reached by the planned tests."
    )
    pilot: Text = Field(
        description="The folder of the pilot, beside study.yaml; it shows how much judgments "
        "vary, not which difference matters.",
        examples=["pilot"],
    )
    inputs: tuple[Count, ...] = Field(
        min_length=1,
        description="Numbers of inputs to choose from.",
        examples=[[50, 100, 150, 200]],
    )
    participants_per_batch: tuple[Count, ...] = Field(
        (),
        description="Numbers of people per batch to choose from; the one of the design when left "
        "out.",
        examples=[[3, 5]],
    )
    most_cost: Annotated[float, Field(gt=0)] | None = Field(
        None, description="The maximum cost, in the currency of payment.", examples=[500]
    )
    most_participants: Count | None = Field(
        None, description="The maximum number of participants.", examples=[120]
    )
    otherwise: Literal["largest", "none"] = Field(
        "largest",
        description="If no size within the limits reaches the power: the most powerful of them, or "
        "no study.",
    )
    seed: Annotated[int, Field(ge=0)] = Field(1, description="Seed of the simulation.")

    @model_validator(mode="after")
    def _a_pair_differs(self) -> Self:
        if self.pair is not None and self.pair[0] == self.pair[1]:
            raise ValueError("a pair has two systems. Name two different ones.")
        return self

    @property
    def fingerprint(self) -> str:
        """Names the rule; any change of it changes this."""
        return fingerprint.of_json(self.model_dump(mode="json"))


@dataclass(frozen=True, slots=True)
class FilledSize:
    """What a rule and a pilot came to."""

    rule: str  # fingerprint
    pilot: str  # fingerprint of its judgments
    inputs: int
    participants_per_batch: int
    participants: int
    power: float
    reached: bool  # the target; False: the most powerful size within the limits
    judgments: int
    hours: float
    cost: str | None
    currency: str | None
    on: str  # the day of the wages
    source: str  # of the parameters, in words
    engine: str


def read_filled_size(content: bytes, rule: SizeRule) -> FilledSize:
    """The size that was filled in for this rule; refuses one that was edited or is of another."""
    try:
        document = json.loads(content)
        filled = TypeAdapter(FilledSize).validate_python(document["content"])
    except (ValueError, KeyError, TypeError, ValidationError):
        raise _refused("this is not a sample size that rejudge wrote.") from None
    if document.get("checksum") != _checksum(document):
        raise _refused("this file was edited after rejudge wrote it: its checksum does not match.")
    if filled.rule != rule.fingerprint:
        raise _refused("the size was filled in for another rule than `sample_size` states now.")
    return filled


def with_inputs(spec: Spec, inputs: int, participants_per_batch: int) -> Spec:
    """The study with another number of inputs and of people per batch."""
    sample = spec.items.sample or Sample(inputs=inputs)
    items = spec.items.model_copy(update={"sample": sample.model_copy(update={"inputs": inputs})})
    design = spec.design.model_copy(update={"participants_per_batch": participants_per_batch})
    return spec.model_copy(update={"items": items, "design": design})


def _checksum(document: Mapping[str, Any]) -> str:  # JSON of any shape
    return fingerprint.of_json({key: document[key] for key in document if key != "checksum"})


def _refused(what: str) -> StudyError:
    return StudyError(Problem(what, _REMEDY, file=FILLED_SIZE))


class Stop(Part):
    """Planned looks at the results, and the comparison that decides whether the study goes on."""

    looks: Annotated[int, Field(ge=2, le=20)] = Field(
        description="The number of looks at the results, including the last.", examples=[3]
    )
    boundary: StopBoundary = Field(
        "obrien-fleming",
        description="How strict each look is: strict at first (obrien-fleming), the same at all "
        "looks (pocock), or an interval that is valid at any time (always-valid).",
    )
    question: Slug = Field(
        description="The question of the comparison that decides.", examples=["fluency"]
    )
    systems: tuple[Slug, Slug] = Field(
        description="The two systems of the comparison that decides.",
        examples=[["ours", "baseline"]],
    )
    fractions: tuple[float, ...] | None = Field(
        None,
        description="The share of all places that is done at each look, rising to 1; equal steps "
        "when left out.",
        examples=[[0.5, 0.75, 1]],
    )

    @field_validator("systems", "fractions", mode="before")
    @classmethod
    def _a_list_will_do(cls, given: object) -> object:
        return tuple(given) if isinstance(given, list) else given

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.systems[0] == self.systems[1]:
            raise ValueError(f"'{self.systems[0]}' is compared with itself. Name two systems.")
        if self.fractions is None:
            return self
        if len(self.fractions) != self.looks:
            raise ValueError(
                f"there are {len(self.fractions)} fractions for {self.looks} looks. Give one for "
                "each look; the last is 1."
            )
        if self.fractions[-1] != 1:
            raise ValueError(
                "the last look comes at the end of the study. Write 1 as the last fraction."
            )
        if any(after - before < _LEAST_GAP for before, after in pairwise((0, *self.fractions))):
            raise ValueError(
                f"each fraction must be at least {_LEAST_GAP:g} above the one before. "
                "Write for instance [0.5, 0.75, 1]."
            )
        return self

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of all places that is to be done at each look."""
        if self.fractions is not None:
            return self.fractions
        return tuple(look / self.looks for look in range(1, self.looks + 1))

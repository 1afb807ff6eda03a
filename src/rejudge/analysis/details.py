"""The details behind the findings: scores, wins, units, participants and what they wrote.

All of it describes; nothing here is tested, and no p value counts in a correction. Lists that could
grow without bound are cut, and say how long they are in truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Flag: TypeAlias = Literal[
    "one-answer",  # the same answer throughout
    "fast",  # much faster than the others
    "faster-than-reading",  # did a batch faster than its texts can be read
    "one-side",  # prefers one side, whichever output is shown there
]
Likeness: TypeAlias = Literal["spearman", "pearson", "percent"]
Stated: TypeAlias = Literal[
    "percentage points",
    "points of best–worst score",
    "points of the scale",
    "points from −1 to 1",
    "log odds",
]
Page: TypeAlias = Literal["consent", "instructions", "practice", "task", "batch", "exit"]
ProfileSource: TypeAlias = Literal["exit-question", "device", "language", "column", "platform"]
RemarkSource: TypeAlias = Literal["exit-question", "comment", "column"]


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest true difference that a test at `alpha` detects with this `power`."""

    power: float
    alpha: float
    is_corrected: bool  # for the other tests of the family, at its strictest step
    difference: float | None  # None: there is no such difference on the scale, or see the note


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What one comparison of two systems could detect. None with a note if undefined."""

    finding: str  # its id
    question: str
    by: str  # the test
    systems: tuple[str, ...]
    unit: Stated  # of the standard error and the differences
    n: int  # judgments, outputs, items …: as the finding counts them
    standard_error: float | None
    df: float | None
    tests: int  # that are corrected together, this one among them
    correction: str
    detects: tuple[Detectable, ...] = ()  # 80 and 90 % power, uncorrected and corrected
    items: int | None = None
    participants: int | None = None
    is_planned: bool = True
    method: str = ""
    note: str = ""

    def smallest(self, power: float = 0.8, *, corrected: bool = True) -> float | None:
        """The difference that is found with this power; None where it is undefined."""
        return next(
            (
                each.difference
                for each in self.detects
                if each.power == power and each.is_corrected == corrected
            ),
            None,
        )


@dataclass(frozen=True, slots=True)
class PrecisionPoint:
    """How wide the interval of a study of another size would be."""

    participants: int
    items: int
    judgments: int
    standard_error: float | None
    half_width: float | None  # of the interval
    cost: float | None = None  # of all participants with the fee; None where no pay is known


@dataclass(frozen=True, slots=True)
class Precision:
    """How the interval of one comparison narrows with more participants, or with more items."""

    finding: str
    question: str
    systems: tuple[str, ...]
    unit: Stated
    level: float
    from_items: float | None  # variance of the estimate that comes from items,
    from_participants: float | None  # from participants,
    from_rest: float | None  # and from each judgment alone
    by_participants: tuple[PrecisionPoint, ...] = ()  # items as they are
    by_items: tuple[PrecisionPoint, ...] = ()  # participants as they are, each judging more
    currency: str | None = None  # of the cost
    method: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Visitor:
    """What the site recorded about one participant in addition to their judgments."""

    participant: str  # pseudonym
    answers: Mapping[str, str] = field(default_factory=dict)  # to exit questions, as given
    device: str | None = None
    language: str | None = None  # of the browser
    seconds: Mapping[Page, tuple[float, ...]] = field(default_factory=dict)  # on pages before
    # and after the tasks, in order
    comment: str = ""  # left at the end
    told_platform: Mapping[str, str | None] = field(default_factory=dict)  # such as their country
    has_qualified: bool | None = None  # None: was not tested, or is not through with it

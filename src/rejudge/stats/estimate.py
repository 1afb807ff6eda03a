"""What every statistic returns: a number with what is needed to interpret it, and its test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from rejudge.errors import DataError, Problem
from rejudge.stats.reasons import Reason, WithReasons, note, unique

if TYPE_CHECKING:
    from rejudge.stats.clusters import ClusterSums

Counted: TypeAlias = Literal[
    "judgments", "scores", "comparisons", "units", "items", "participants", "batches", "blocks",
    "pairs", "values", "studies", "systems",
]  # fmt: skip
Alternative: TypeAlias = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval and its level, such as 0.95."""

    low: float
    high: float
    level: float

    def hull(self, other: Interval | None) -> Interval:
        """From the lowest to the highest end of both."""
        if other is None:
            return self
        return Interval(min(self.low, other.low), max(self.high, other.high), self.level)


@dataclass(frozen=True, slots=True)
class Effect(WithReasons):
    """A difference in units that other studies share: d, g, r, eta². None if undefined."""

    value: float | None
    measure: str
    n: int
    interval: Interval | None = None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Test(WithReasons):
    """A test of one hypothesis. `p` is None where there is none; `reasons` say why."""

    p: float | None  # of this test alone
    name: str = ""  # t, z, F, chi2, q, W, U; "" for signs flipped at random
    statistic: float | None = None
    df: tuple[float, ...] = ()
    _: KW_ONLY
    n: int | None = None  # of what was tested: values, blocks, items
    groups: int | None = None
    null: float = 0.0
    alternative: Alternative = "two-sided"
    method: str = ""  # in full, such as "Welch's t"
    is_exact: bool = False  # all arrangements counted, or a finite number of them drawn
    p_adjusted: float | None = None  # for all that were tested together
    simultaneous: bool = False  # p itself allows for all pairs already, as in Tukey's HSD
    effects: tuple[Effect, ...] = ()
    reasons: tuple[Reason, ...] = ()

    __test__ = False  # pytest collects classes of this name


@dataclass(frozen=True, slots=True)
class Estimate(WithReasons):
    """A number and the data behind it. Undefined values are None, never 0 or NaN."""

    value: float | None
    n: int = 0  # how many of `counted`
    items: int = 0  # 0 where they do not matter or are unknown
    participants: int = 0  # 〃
    interval: Interval | None = None
    standard_error: float | None = None
    df: float | None = None  # of Student's t; None beside an error: normal
    _: KW_ONLY
    counted: Counted = "judgments"
    judgments: int | None = None  # where something else is counted
    other: Interval | None = None  # for another population: new participants, a further lab
    test: Test | None = None  # that the value is `test.null`
    sums: ClusterSums | None = None  # behind a cluster-robust error
    reasons: tuple[Reason, ...] = ()

    @property
    def p(self) -> float | None:
        """Of the test that the value is the null value, where one was made."""
        return self.test.p if self.test else None

    @property
    def p_adjusted(self) -> float | None:
        """Of the same test, for all that were tested together."""
        return self.test.p_adjusted if self.test else None

    @property
    def statistic(self) -> float | None:
        """〃"""
        return self.test.statistic if self.test else None

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The same difference in units that other studies share."""
        return self.test.effects if self.test else ()

    @property
    def method(self) -> str:
        """The test by its name, such as Welch's t."""
        return self.test.method if self.test else ""

    @property
    def note(self) -> str:
        """The reasons, of the estimate and of its test, as a text."""
        return note(unique(self.reasons, self.test.reasons if self.test else ()))

    @classmethod
    def of(cls, found: Estimate, **more: Any) -> Self:  # Any: the fields of a subclass
        """The same estimate with further fields."""
        own = {each.name: getattr(found, each.name) for each in fields(found)}
        return cls(**own | more)

    def with_reasons(self, reasons: Sequence[Reason]) -> Self:
        """The same with further reasons."""
        return replace(self, reasons=unique(self.reasons, reasons))


@dataclass(frozen=True, slots=True)
class Contrast(Estimate):
    """One of two against the other: `first` minus `second`, by their codes."""

    _: KW_ONLY
    first: int = 0
    second: int = 1


def t_half_width(error: float, df: float | None, level: float) -> float:
    """The half-width of an interval: Student's t times the standard error; normal without `df`."""
    if not 0 < level < 1:
        raise DataError(Problem(f"level is {level}.", "Give a number between 0 and 1."))
    from scipy.special import stdtrit

    return float(stdtrit(math.inf if df is None else df, (1 + level) / 2)) * error


def t_interval(value: float, error: float, df: float | None, level: float) -> Interval:
    """Student's t interval; normal without degrees of freedom."""
    reach = t_half_width(error, df, level)
    return Interval(value - reach, value + reach, level)


def t_test_p(distance: float, error: float, df: float | None) -> float:
    """The two-sided p of so large a distance from the null value, by Student's t."""
    from scipy.special import stdtr

    return min(1.0, 2 * float(stdtr(math.inf if df is None else df, -abs(distance) / error)))

"""The one module that makes sentences about findings: of methods, populations and verdicts.

How a number was computed is a list of facts, each of a kind with arguments. Code asks for a kind
and reads its arguments; the sentence is for people alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from rejudge.stats.reasons import Argument, fill

POPULATIONS: Final[dict[str, str]] = {
    "items and participants": "for new items and new participants",
    "items": "for new items and these participants",
    "participants": "for new participants and these items",
    "these items and participants": "for these items and these participants",
    "batches": "for new batches",
    "judgments": "for new judgments, treated as independent",
}
_DIRECTIONS: Final = {
    "greater": "one-sided p: first higher than second",
    "less": "one-sided p: second higher than first",
}


class How(Enum):
    """A kind of fact about a method, with its words; those with a comma continue what is before.

    `How.INTERVAL(clusters="item", df=12.0)` is a fact.
    """

    PRINTED = "as printed"
    RULES = "answers of rules"
    MEAN_OF_DRAWS = ", the mean of {n} draws, with the lowest and highest"
    TEXT = "{text}"
    # ── what the number is ────────────────────────────────────────────────────────────────────
    MEAN = "mean of all scores"
    MEAN_OF_SEGMENTS = "mean over outputs of the mean of their segments"
    DIFFERENCE_OF_MEANS = "mean of the first minus mean of the second"
    WITHIN = "first minus second, compared within {within}"
    SHARE = "share of {what} with this label"
    SHARE_DIFFERENCE = "share of the first minus share of the second, in percentage points"
    WITHIN_ITEMS = ", compared within items"
    WINS = "share of comparisons won, counting a tie as half"
    BEST_WORST = "100 · ({what}) / n"
    PREFERENCE = "share preferring the first, counting a tie as half"
    FIRST_SHOWN = "share of comparisons won by the output shown first, counting a tie as half"
    SLOPE = (
        "change of the {what} from one task to the next: mean over participants of their "
        "least-squares slopes, t over participants"
    )
    WEIGHTED = ", by inverse probability of selection"
    DEALT = ", items assumed to be assigned to systems at random"
    # ── tests ─────────────────────────────────────────────────────────────────────────────────
    SIGN_FLIP = "sign-flip permutation of {n:#item|that is|that are} not tied, {patterns}"
    TEST = "{test}"
    TEST_OF_ALL = "{test} of {n} systems"
    TUKEY = "Tukey's HSD, already corrected for all pairs"
    SAME_EVERYWHERE = (
        "sign-flip permutation of the differences of {differences}, which are all the same; "
        "all sign patterns counted"
    )
    UNITS = "{what}"
    SAME_IN_GROUPS = "whether the {what} is the same in all groups: {test}"
    # ── models ────────────────────────────────────────────────────────────────────────────────
    MODEL = "{name}: {fixed} fixed, {random}"
    CHOICES = "linear mixed model of {what}, REML: {effects}"
    SCALE = "{scale}"
    STRENGTHS = "{model}"
    SANDWICH = "errors: sandwich, {clusters} clusters"
    LOG_ODDS = "log odds, t with {df} degrees of freedom and errors widened for {clusters} clusters"
    T_DF = "t with {errors}"
    T = ", t with {df:.4g} df"
    T_RANGE = ", t with {low:g} to {high:g} df"
    DF_LIMIT = (
        ", here limited to {df:g} = 2 × ({size:,} {noun} − 1), since the variance of {without} was "
        "estimated as 0"
    )
    VARIANCES = "variances: {listed}"
    MINUS = "first minus second"
    AGAINST = "p against {null}"
    # ── agreement ─────────────────────────────────────────────────────────────────────────────
    AGREEMENT = "{coefficient}"
    POOLED_KAPPA = "Cohen's kappa pooled over all pairs of judgments"
    # ── between runs ──────────────────────────────────────────────────────────────────────────
    AS_ANALYSED = "as analysed"
    CORRELATION = "{coefficient}; {p}"
    TOGETHER = "all scores together"
    MEAN_OVER = "mean over {parts}"
    MEAN_OVER_RUNS = "mean over pairs of runs, the plain mean of {values}"
    CROSS_KAPPA = (
        "cross-replication kappa (Wong, Paritosh & Aroyo 2021): judgments of different runs on "
        "the same outputs, {level} distances; interval: leaving out one output at a time, for "
        "these people"
    )
    ALPHA_OF_ALL = (
        "Krippendorff's alpha of all people of these runs together, {level} distances; interval: "
        "resamples of outputs, for these people"
    )
    FROM_TABLE = "from the printed table of {rows} and {columns} ({where}){level}{interval}"
    FROM = "{source}"
    NORMAL = "normal approximation"
    TWICE = ", differences with twice their variance, errors from {sources}"
    BOUND = "d = {reach:.3f} ({source}) × SD {sd:.3g} of {run}"
    RANDOM_EFFECTS = "{what}; {method}; I² {share:.0f} %, Q = {q:.2f}, p = {p:.3g}{shared}"
    # ── intervals ─────────────────────────────────────────────────────────────────────────────
    NO_INTERVAL = "no interval"
    CLUSTERED = "interval: cluster-robust by {clusters}, t with {df:.4g} df"
    CLUSTERED_RANGE = "interval: cluster-robust by {clusters}, t with {low:g} to {high:g} df"
    INTERVAL = "interval: {how}"
    AT_LOOKS = "interval valid at all planned looks together"

    def __call__(self, **args: Argument) -> Fact:
        """A fact of this kind."""
        return Fact(self, tuple(args.items()))


_OF_INTERVALS: Final = frozenset(
    {How.NO_INTERVAL, How.CLUSTERED, How.CLUSTERED_RANGE, How.INTERVAL, How.AT_LOOKS}
)


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing about how a number was computed. `str(fact)` is its part of the sentence."""

    how: How
    args: tuple[tuple[str, Argument], ...] = ()

    def __str__(self) -> str:
        """Its part of the sentence."""
        if self.how is not How.VARIANCES:
            return fill(self.how.value, dict(self.args))
        listed = ", ".join(
            f"{name} {value:.3g}" for name, value in sorted(self.args)
        )  # as in files
        return fill(self.how.value, {"listed": listed or "none"})

    def get(self, name: str) -> Argument | None:
        """An argument, where the fact has it."""
        return dict(self.args).get(name)


def method_text(
    facts: Iterable[Fact], *, alternative: str = "two-sided", population: str | None = None
) -> str:
    """How a number was computed, as a sentence without its full stop."""
    parts = [str(fact) for fact in facts if fact.how is not How.AT_LOOKS]
    last = [str(fact) for fact in facts if fact.how is How.AT_LOOKS]
    direction = [_DIRECTIONS[alternative]] if alternative in _DIRECTIONS else []
    people = [POPULATIONS[population]] if population else []
    return join_facts((*parts, *direction, *people, *last))


def interval_source(facts: Iterable[Fact], *, df: bool = True) -> str:
    """Where the intervals come from, as part of a sentence; empty: there are none."""
    for fact in facts:
        if fact.how in {How.CLUSTERED, How.CLUSTERED_RANGE} and not df:
            return f"cluster-robust by {fact.get('clusters')}"
        if fact.how in {How.CLUSTERED, How.CLUSTERED_RANGE, How.INTERVAL, How.SANDWICH}:
            return str(fact).partition(": ")[2]
    return ""


def estimate_text(facts: Iterable[Fact]) -> str:
    """What a number is, without its interval, as part of a sentence."""
    return join_facts([str(fact) for fact in facts if fact.how not in _OF_INTERVALS])


def with_df_range(facts: Sequence[Fact], df: Sequence[float]) -> tuple[Fact, ...]:
    """The facts of several findings that differ in their degrees of freedom alone."""
    ranges = {How.CLUSTERED: How.CLUSTERED_RANGE, How.T: How.T_RANGE}
    ends = {"low": min(df), "high": max(df)}
    return tuple(
        Fact(ranges[each.how], (*each.args, *ends.items())) if each.how in ranges else each
        for each in facts
    )


def join_facts(parts: Sequence[str]) -> str:
    """Parts of a sentence on a method; what begins with a comma continues the one before."""
    text = ""
    for part in parts:
        text += part if not text or part.startswith(",") else f"; {part}"
    return text

"""Why a number is undefined, lacks an interval or a test, or needs a remark.

Code asks for `reason.why` and `reason.lost`; the sentence, `str(reason)`, is for people alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from string import Formatter
from typing import Any, Literal, TypeAlias

from rejudge.english import count

Lost: TypeAlias = Literal[
    "",
    "value",
    "interval",
    "interval for new participants",
    "errors",
    "p",
    "test",
    "rows",
    "computation",
]
Argument: TypeAlias = str | int | float | tuple[str | int | float, ...]

_PREFIXES: dict[Lost, str] = {
    "value": "Undefined: ",
    "interval": "No interval: ",
    "interval for new participants": "No interval for new participants: ",
    "errors": "No standard errors: ",
    "p": "No p: ",
    "test": "No test: ",
    "computation": "Left out: ",
}


class Why(Enum):
    """A kind of reason: what is usually lost by it, and its sentence with places for arguments.

    `Why.NEEDS(least="two", what="items")` is a reason; `Why.NEEDS("interval", …)` states that only
    the interval is lost. `{n:#item|was|were}` is a number with its noun and verb.
    """

    # ── too little ────────────────────────────────────────────────────────────────────────────
    NEEDS = "value", "it needs at least {least} {what}."
    NEEDS_MORE = "value", "it needs at least {least} {what}, and there are {n:,}."
    NOBODY = "", "No {what}."
    NO_PAIRS = "value", "no unit was judged by two or more participants."
    NOT_JUDGED = "value", "one of the two {what} was not judged."
    NOTHING_IN_COMMON = "value", "the two {whose} judged no unit in common."
    NONE_SHARED = "value", "no item was judged for both systems."
    NOT_COMPARED = "value", "the two systems were not compared."
    FEW_PAIRS_OF_PEOPLE = (
        "value",
        (
            "participants who share {enough} units or more account for {percent:.0f} % of all "
            "pairs of judgments, and kappas of fewer units are too low to be averaged. Pooled "
            "kappa and Krippendorff's alpha use all judgments."
        ),
    )
    ONE_STUDY = "", "One study: nothing to summarise."
    TOO_FEW_PEOPLE = (
        "interval for new participants",
        "{n:#participant} cannot show how much people differ; it needs {least}.",
    )
    # ── nothing varies ────────────────────────────────────────────────────────────────────────
    SAME = "value", "all {what} are the same."
    ONE_VALUE = "value", "{who} always gave the same value, so chance agreement is complete."
    ONE_CATEGORY = "value", "only one value was given, and the other possible values are not known."
    NO_VARIATION = "value", "{what} do not vary{over}."
    NO_CLUSTER_VARIATION = (
        "interval",
        "the judgments do not vary from item to item or from participant to participant.",
    )
    COMPLETE = "interval", "agreement is complete."
    PERFECT = "interval", "the correlation is perfect."
    PERFECT_FIT = (
        "test",
        "the estimates fit every judgment exactly, so their uncertainty is unknown.",
    )
    NO_RESIDUAL = "test", "{what} explain every judgment, and no residual is left."
    ALL_TIED = "", "Every {what} is tied: p is 1 by convention, and nothing was tested."
    TIED = "value", "all {what} are tied in every {within}."
    # ── the design does not tell them apart ───────────────────────────────────────────────────
    ONE_CLUSTER_EACH = (
        "interval",
        (
            "all judgments of a system are of one item or by one participant, so they do not show"
            " how much items or participants differ."
        ),
    )
    DIFFERENT_ITEMS = (
        "value",
        (
            "no item was judged for both systems, so a difference between them cannot be "
            "separated from one between items. If items were assigned to systems at random, means"
            " can be compared instead (items_dealt_at_random)."
        ),
    )
    FEW_SHARED = (
        "",
        (
            "Only {items:#item|was|were} judged for both systems, with {percent:.0f} % of the "
            "information that a comparison of means would use. If items were assigned to "
            "systems at random, means can be compared instead (items_dealt_at_random)."
        ),
    )
    NOT_LINKED = "value", "no {what} links these groups of systems: {groups}.{advice}"
    NOT_CHAINED = "value", "no chain of judgments links the two systems."
    SEPARATED = (
        "value",
        (
            "some systems {never}, so the differences between these groups have no finite "
            "estimate: {groups} (the best first). {advice}"
        ),
    )
    TIES_BY_DISTANCE = (
        "value",
        (
            "close systems always tie and distant ones never do, so the tie parameter has no "
            "finite estimate. Count ties as half wins, or give a `prior`."
        ),
    )
    NOT_SEPARABLE = "value", "{what} cannot be separated from {other}, because {cause}."
    UNEQUAL = "value", "units have different numbers of judgments{advice}."
    INCOMPLETE = "value", "it needs every participant to have judged every unit."
    REPEATS = (
        "value",
        "{n:#judgment} of a unit that the same participant judged already. Choose which count.",
    )
    LEAVE_ONE_OUT = "interval", "without one of its {what} the coefficient is undefined."
    # ── the wrong kind, or too large ──────────────────────────────────────────────────────────
    WRONG_KIND = "value", "{what} needs {needs}, and this is {has}."
    BELOW_ZERO = "", "The estimate is below 0, which means close to 0; it was set to 0."
    NEGATIVE = "", "Below 0 only by chance; read it as 0."
    OUTSIDE = "", "{what} lies outside {limits}{cause}."
    TOO_LARGE = "value", "{what} has {size}, and can have {most} at most{advice}."
    NOT_CONVERGED = "", "The search for the {what} did not converge: do not rely on this fit."
    NO_BOUND = "interval", "{cause}."
    # ── left out ──────────────────────────────────────────────────────────────────────────────
    LEFT_OUT = "rows", "{n:,} of {total:,} {what}; left out."
    ABSENT = "rows", "{n:,} of {total:,} systems were not {what}."
    SINGLE = "rows", "{n:,} units with one judgment count only towards how common each value is."
    # ── to be read with care ──────────────────────────────────────────────────────────────────
    FEW_PEOPLE = (
        "",
        (
            "Only {n:#participant} in all: whatever the number of items, this hardly generalises "
            "to other people."
        ),
    )
    FEW = "", "With {n:,} {what} {effect}."
    FEW_LEVELS = "", "Only {n:#level} of {what}: their variance is estimated imprecisely."
    ONE_LEVEL = "", "Only one {what}{effect}."
    SINGULAR = (
        "",
        (
            "The variance of {what} was estimated as 0 (singular fit); {n:#level} cannot show "
            "that it is 0."
        ),
    )
    PRIOR = "", "With {wins} added wins each way in each pair."
    ITERATIVE = "", "Solved by iteration: variances are accurate to about 0.4 %."
    ANOTHER_METHOD = "", "{what}."
    PER_PAIR = "", "Over all pairs of judgments it is {percent:.1f} %."
    NOT_ESTIMATED = "", "{what}: {effect}."
    # ── of an analysis: what is left out, or needs a remark ───────────────────────────────────
    UNKNOWN_PEOPLE = "value", "it is not known who judged."
    SHARES = "value", "means of several people's choices are shares, not choices."
    NO_ORDER = "value", "labels without order have no mean and no ranks; look at their shares."
    ALONE = "value", "only one system was judged{where}."
    CONTRADICTORY = "value", "some answers contradict themselves, so they are not rankings."
    NO_SHARED_JUDGE = (
        "value",
        (
            "nobody judged both systems on the same item, so a difference between them cannot be "
            "distinguished from one between people, or between items."
        ),
    )
    OVER_SIZE = (
        "computation",
        "{what} takes up to {most:,} {unit}; a table of {size:,} is too large.",
    )
    TOO_FEW = (
        "computation",
        (
            "{few} cannot show how much {vary} vary, so the model would have too many false "
            "positives. To compute it anyway, plan it."
        ),
    )
    FEW_CLUSTERS = (
        "interval",
        "{few} judged by two or more people cannot show how much {vary} differ; it needs five.",
    )
    DIFFERENT_COVERAGE = (
        "",
        (
            "The systems were judged on different items or by different people, so their {what} "
            "do not show which is better. Look at the differences instead, which are estimated "
            "within items."
        ),
    )
    DIFFERENT_PEOPLE = (
        "",
        (
            "The two systems have no participants in common, even indirectly, so the difference "
            "between them may be one between the people who judged them."
        ),
    )
    COVERAGE_TERM = "", "{who} with more judgments of {system} score {where} (t = {t:.1f})."
    IMPLIED = "", "Comparisons that each answer implies."
    POOLED = (
        "",
        (
            "Single judgments were treated as independent, although those of one item or by one "
            "person are not: compare it with a test that accounts for items and participants."
        ),
    )
    ZERO_SUM = (
        "",
        "A win of one system is a loss of another, so these scores are not independent.",
    )
    NOT_BY_GROUP = "computation", "shares of labels are not computed by group."
    SOME_GROUPS_ONLY = "rows", "Left out: {n:,} of the {unit}s with judgments in some groups only."
    ONLY_OF_SCORES = "", "{what} is for scores; the model of choices was fitted without it."
    UNWEIGHTED = "", "Unweighted, for the selected items only."
    POOLED_CROWD = (
        "",
        (
            "Pooled over all pairs of judgments instead of averaged over pairs of participants: "
            "those who share enough units account for {percent:.0f} % of all pairs of judgments, "
            "and kappas of few units are too low on average."
        ),
    )
    OF_INTERVAL_ALPHA = (
        "",
        (
            "The interval for new participants is that of Krippendorff's alpha for interval "
            "values, which estimates the same quantity."
        ),
    )
    UNKNOWN_SCALE = "", "The ends of the scales are not known; they are assumed to be the same."
    FIRST_OF_ALL = (
        "",
        "Expected to be ranked first of all systems in {percent:.1f} % of rankings{ends}.",
    )
    # ── between runs ──────────────────────────────────────────────────────────────────────────
    OTHER_QUANTITY = (
        "",
        (
            "{run} measured {criterion} by {here}, the original by {there}: these are different "
            "quantities, so its scores are not compared."
        ),
    )
    UNKNOWN_ENDS = "", "The ends of the scale of {criterion} are not known in every run."
    NO_UPPER_END = (
        "",
        "The scale of {criterion} has no upper end, so {run}'s scores cannot be reversed.",
    )
    CONVERTED = "", "Scores of {run} were converted{turned} from {here} to {there}."
    OFF_SCALE = "", "{problem}"
    MEAN_OF_PARTS = "", "Mean over {parts}, from {low:.2f} to {high:.2f}."
    PARTS_LEFT_OUT = "", "{parts} left out as undefined."
    NO_SPREAD = "", "No system has a defined CV* in these runs."
    RANGE = "", "From {low:.3f} to {high:.3f}."
    ALL_UNDEFINED = "", "Undefined for all."
    IN_FEWER_RUNS = "", "{parts}."
    FISHERS_MEAN = "", "By Fisher's z (the back-transformed mean of artanh r): {value:.3f}."
    WITHOUT_SYSTEMS = "", "Without {systems}, which not all of these runs scored."
    FEW_VALUES = "", "There are too few values to interpret p."
    DIFFERENT_SCALES = (
        "",
        "Not computed: the criteria have different scales, so their scores cannot be mixed.",
    )
    NO_LABELS = "", "Not computable: there are no labels for {runs}."
    FEW_JUDGED = "", "Not computable: {many} of these runs have judgments on {criterion}."
    NO_SHARED_OUTPUT = "", "Not computable: the runs have no judged output in common."
    RELATIVE = (
        "",
        (
            "Relative to agreement inside the runs on these outputs (alpha {one:.2f} and "
            "{two:.2f}): {value:.2f}."
        ),
    )
    TURNED_CHOICES = (
        "",
        (
            "Which of two compared outputs counts as the first is drawn at random, so that chance "
            "agreement does not depend on the names of systems."
        ),
    )
    NOT_AMONG_RUNS = (
        "",
        (
            "Not computed from the printed table of {rows} and {columns}: {absent} is not among "
            "the compared runs."
        ),
    )
    TIES_AS_PRINTED = "", "Equal scores are equal as printed; unrounded ones may differ."
    NO_CLAIMS = "", "The original makes no claim in a form that can be tested."
    NONE_SIGNIFICANT = "", "The original reports no difference that a test found significant."
    ALL_PAIRS_TAKEN = "", "The original tested no pair, so all pairs of systems are taken."
    NO_COMMON_TESTS = "", "No F1: the runs have no tests of the same pairs."
    AS_INDEPENDENT = "", "Judgments{of} were assumed independent, so {effect}."
    FROM_SCORES = (
        "",
        (
            "No interval of the difference is stored{of}: its error is estimated from those of the "
            "two scores, ignoring what the same judgments have in common."
        ),
    )
    ALLOWS_FOR_CLUSTERS = "", "{what} allow for shared items and participants."
    FROM_SHARES = "", "SDs of wins and losses, from the shares themselves."
    NO_ERROR_BOUND = (
        "",
        (
            "No bound: the error of a difference of {system} from another system is not known in "
            "{run}. Decide on a bound, and test it with stats.tost_from_error."
        ),
    )
    OF_RUN = "", "{run}: {remark}"
    PRINTED_EFFECT = "", "As printed."
    UNKNOWN_ITEMS = (
        "",
        (
            "The judgments of {runs} are not available, so items that were also judged in other "
            "runs cannot be accounted for: if there are any, the interval is too narrow."
        ),
    )
    UNKNOWN_ERROR = "", "Without {runs}: the error of the difference is unknown there."
    TWO_STUDIES = (
        "",
        "Two studies do not determine an interval: there is only one degree of freedom.",
    )
    BEYOND_SCALE = (
        "",
        (
            "No interval: there are too few studies. It would range from {low:.3g} to {high:.3g}, "
            "beyond what is possible ({least:g} to {most:g})."
        ),
    )
    CANNOT_TELL = "", "{needs}"
    # ── not sorted yet ────────────────────────────────────────────────────────────────────────
    TEXT = "", "{text}"

    @property
    def lost(self) -> Lost:
        """What is missing where this is the reason, unless the reason says otherwise."""
        lost: Lost = self.value[0]
        return lost

    @property
    def template(self) -> str:
        """The sentence, with places for arguments."""
        text: str = self.value[1]
        return text

    def __call__(self, lost: Lost | None = None, /, **args: Argument) -> Reason:
        """A reason of this kind."""
        return Reason(self, tuple(args.items()), self.lost if lost is None else lost)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a number is as it is. `str(reason)` is a sentence."""

    why: Why
    args: tuple[tuple[str, Argument], ...] = ()
    lost: Lost = ""

    def __str__(self) -> str:
        """The sentence."""
        text = fill(self.why.template, dict(self.args))
        prefix = _PREFIXES.get(self.lost, "")
        return prefix + text if prefix else text[:1].upper() + text[1:]

    def using(self, **args: Argument) -> Reason:
        """The same reason with other arguments, such as names of systems for their numbers."""
        return Reason(self.why, tuple((dict(self.args) | args).items()), self.lost)

    def get(self, name: str) -> Argument | None:
        """An argument, where the reason has it."""
        return dict(self.args).get(name)


def fill(template: str, args: Mapping[str, Argument]) -> str:
    """A template with its arguments; `{n:#item|was|were}` is a number with its noun and verb."""
    return _Sentence().format(template, **args)


def note(reasons: Iterable[Reason]) -> str:
    """Reasons as one text, each once."""
    return " ".join(dict.fromkeys(map(str, reasons)))


def unique(*groups: Sequence[Reason]) -> tuple[Reason, ...]:
    """Reasons of several sources, in order and each once."""
    return tuple(dict.fromkeys(reason for group in groups for reason in group))


class WithReasons:
    """Something that gives its reasons, as values and as a text."""

    __slots__ = ()
    reasons: tuple[Reason, ...]

    @property
    def note(self) -> str:
        """The reasons as a text."""
        return note(self.reasons)


class _Sentence(Formatter):
    """Formats numbers with their nouns, and several values with commas between."""

    def format_field(self, value: Any, format_spec: str) -> str:  # Any: as in the base class
        if isinstance(value, int) and format_spec.startswith("#"):
            noun, *verbs = format_spec[1:].split("|")
            return " ".join((count(value, noun), *(verbs[value != 1 : (value != 1) + 1])))
        if isinstance(value, tuple):
            return ", ".join(self.format_field(each, format_spec) for each in value)
        return str(super().format_field(value, format_spec))

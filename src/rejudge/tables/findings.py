"""Tables of findings: systems, pairs of systems, tests of all systems, agreement, claims.

`finding_table` is the only way to one. Which findings are its rows is written in `TABLES`, which
columns it has in the registry below; terminal, page, paper and CSV differ in nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rejudge.analysis.evidence import tested_pairs
from rejudge.analysis.results import VERDICT_WORDS, ClaimOutcome, Results
from rejudge.english import capital, join_words, span
from rejudge.findings.model import Finding, Group
from rejudge.findings.words import POPULATIONS
from rejudge.layout.numbers import minus_signs
from rejudge.layout.table import (
    Column,
    Table,
    csv_only,
    interval_column,
    p_column,
    print_only,
    tabulate,
)
from rejudge.tables.finding_columns import (
    COLUMNS,
    correction_name,
    interval_heading,
    is_corrected,
    value_heading,
)
from rejudge.tables.view import Labels, Medium, TableView, tabulate_view
from rejudge.tables.wording import (
    NOUNS,
    TEST_NAMES,
    claim_in_words,
    name_of_test,
    pair_limit,
)

_PAIR = 2
_SCORES = ("mean", "win-percent", "share")


@dataclass(frozen=True, slots=True)
class Scope:
    """Which findings a table is about: of one question or all; by groups, by cases, or neither."""

    question: str | None = None  # None: every question
    column: str = ""  # whose groups; empty: all judgments
    case: str = ""  # empty: the analysis itself
    by_case: bool = False  # every case, and the analysis without exclusions

    def select(self, results: Results) -> tuple[Finding, ...]:
        """The findings in it."""
        return tuple(
            f
            for f in results.findings
            if self.question in {None, f.question}
            and not f.key.pooled
            and (bool(f.key.case) if self.by_case else f.key.case == self.case)
            and [g.column for g in f.key.group] == ([self.column] if self.column else [])
        )


# which findings stand in a table


def scores(results: Results, scope: Scope) -> tuple[Finding, ...]:
    """The one measure of each question by which systems are described, the best system first.

    What is undefined comes last. Means over different items or people are not ranked: they stay in
    the order of the study.
    """
    found = [f for f in scope.select(results) if f.by in {"mean", "wins", "share"}]
    found = [f for f in found if len(f.systems) == 1 and f.measure in _SCORES]
    ranked: list[Finding] = []
    for _, same in groupby(found, key=lambda f: (f.question, f.key.group, f.key.case)):
        listed = list(same)
        if any(f.category for f in listed):
            ranked += listed
        elif all(f.is_comparable for f in listed):
            ranked += rank(listed)
        else:
            ranked += sorted(listed, key=lambda f: f.value is None)
    return tuple(ranked)


def rank(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The highest first, what is undefined last."""
    return tuple(sorted(findings, key=lambda f: (f.value is None, -(f.value or 0.0))))


def headlines(results: Results, scope: Scope) -> tuple[Finding, ...]:
    """The pairs of systems by the test that decides, in the order of the systems' scores.

    That is the test which is the headline of most pairs of a question. Pairs of labels without
    order have the differences of their shares.
    """
    order: dict[tuple[str, str], int] = {}
    for place, f in enumerate(scores(results, Scope(scope.question))):
        order.setdefault((f.question, f.systems[0]), place)
    found = [f for f in scope.select(results) if _is_difference(f)]
    chosen: list[Finding] = []
    for (question, _, case), same in groupby(found, key=_cell):
        listed = list(same)
        shares = [f for f in listed if f.measure == "share-difference"]
        usual = Counter(_test(f) for f in listed if f.role == "headline").most_common(1)
        if scope.column or case:  # each group and each case has the test that it allows
            pairs = [f for f in listed if f.role == "headline"]
        else:
            pairs = [f for f in listed if usual and _test(f) == usual[0][0]]
        places = {system: at for (asked, system), at in order.items() if asked == question}
        pairs.sort(key=lambda f: _by_rank(f, places))
        chosen += shares or pairs
    return tuple(chosen)


def _by_rank(finding: Finding, places: Mapping[str, int]) -> list[int]:
    return sorted(places.get(system, len(places)) for system in finding.systems)


def _cell(finding: Finding) -> tuple[str, tuple[Group, ...], str]:
    return finding.question, finding.key.group, finding.key.case


def _is_difference(finding: Finding) -> bool:
    others = {"agreement", "interaction", "order-effect", "first-shown-percent"}
    return len(finding.systems) == _PAIR and finding.measure not in others


def _test(finding: Finding) -> tuple[str, ...]:
    return finding.by, finding.measure, finding.population or "", finding.alternative


def checks(results: Results, scope: Scope) -> dict[tuple[str, ...], Finding]:
    """The check beside each headline, by pair; the sign-flip test beside the check itself."""
    pairs = headlines(results, scope)
    found = scope.select(results)
    if pairs and pairs[0].by == "cluster-robust":
        return {f.systems: f for f in found if f.by == "sign-flip" and len(f.systems) == _PAIR}
    return {f.systems: f for f in found if f.role == "check"}


def decisions(found: Sequence[Finding], pairs: Sequence[Finding]) -> dict[str, Finding]:
    """For pairs whose headline is another test than that of most, this one, by the pair's id.

    A clean sweep does not vary, so the usual test has no error to go by, but signs can be flipped.
    """
    first: dict[tuple[str, tuple[str, ...]], Finding] = {}
    for f in tested_pairs(found):
        if f.by in TEST_NAMES and f.is_supported is not None and f.value is not None:
            first.setdefault((f.question, f.systems), f)
    return {
        pair.id: other
        for pair in pairs
        if (other := first.get((pair.question, pair.systems))) is not None and other != pair
        if pair.is_supported is None or other.role == "headline"
    }


def _systems(results: Results, scope: Scope, medium: Medium) -> Sequence[Finding]:
    if medium != "csv":
        return scores(results, scope)
    return [f for f in scope.select(results) if len(f.systems) == 1 and f.measure != "agreement"]


def _pairs(results: Results, scope: Scope, medium: Medium) -> Sequence[Finding]:
    if medium != "csv":
        return headlines(results, scope)
    return [f for f in scope.select(results) if _is_difference(f)]


def _tests(results: Results, scope: Scope, medium: Medium) -> Sequence[Finding]:
    found = scope.select(results)
    if medium == "csv":
        return [f for f in found if not f.systems and f.measure != "agreement"]
    return [f for f in found if f.measure == "test" and f.value is not None]


def _further(results: Results, scope: Scope, _: Medium) -> Sequence[Finding]:
    """The tests of two systems that were computed besides the headlines and their checks."""
    told = {f.id for f in headlines(results, scope)}
    told |= {f.id for f in checks(results, scope).values()}
    known = [f for f in scope.select(results) if _is_difference(f) and f.by in TEST_NAMES]
    return [f for f in known if f.id not in told and f.p is not None and not f.category]


def _agreement(results: Results, scope: Scope, medium: Medium) -> Sequence[Finding]:
    """Overall, and in files for programs and on the page by pair of systems, too."""
    found = [f for f in scope.select(results) if f.measure == "agreement"]
    pooled = results.pooled if scope.question is None else ()
    return [*(f for f in found if medium in {"csv", "page"} or not f.systems), *pooled]


def _interactions(results: Results, scope: Scope, _: Medium) -> Sequence[Finding]:
    return [f for f in scope.select(results) if f.measure == "interaction"]


# what stands above and below it


def _what(view: TableView, what: str) -> str:
    """Such as "Systems on fluency by role", for the records of a table."""
    asked = list(dict.fromkeys(f.question for f in view.records))
    on = f" on {join_words(asked)}" if len(asked) <= _FEW else ""
    columns = dict.fromkeys(g.column for f in view.records for g in f.key.group)
    by = f" by {join_words(list(columns))}" if columns else ""
    return f"{_prefix(view)}{what}{on}{by}"


_FEW = 3  # questions that a caption names


def _prefix(view: TableView) -> str:
    return "Simulated. " if view.source.flow.is_simulated else ""


def sizes_in_words(findings: Sequence[Finding]) -> str:
    """Such as "n = 36 judgments"."""
    sizes = sorted({f.n for f in findings if f.n})
    return f"n = {span(sizes, NOUNS[findings[0].n_of])}" if sizes else ""


def _systems_caption(view: TableView) -> str:
    head = capital(value_heading(view).lower().replace(", %", " (%)"))
    sizes = sizes_in_words(view.records)
    warning = "" if all(f.is_comparable for f in view.records) else f" {_DIFFERENT_ITEMS}"
    each = f"; {sizes} of each system" if sizes else ""
    return f"{_what(view, 'Systems')}. {head} with {interval_heading(view)}{each}.{warning}"


_DIFFERENT_ITEMS = (
    "The systems were judged on different items or by different people, so their means do not show "
    "which is better."
)


def _pairs_caption(view: TableView) -> str:
    first = view.records[0]
    plan = "" if all(f.is_planned for f in view.records) else " Exploratory: not planned."
    asked = list(dict.fromkeys(f.question for f in view.records))
    limit = pair_limit(view.source, asked[0], view.labels) if len(asked) == 1 else ""
    what = "Differences of shares" if first.measure == "share-difference" else "Pairs of systems"
    return (
        f"{_what(view, what)} by {tests_in_words(view.records)}; {_first_minus_second(view)}."
        f"{plan}{_corrected(view)}{f' {limit}' if limit else ''}"
    )


def tests_in_words(findings: Sequence[Finding]) -> str:
    """The tests with the populations that they hold for."""
    names = dict.fromkeys(
        f"{name_of_test(f)} ({POPULATIONS[f.population]})" if f.population else name_of_test(f)
        for f in findings
    )
    return f"the {join_words(list(names))}"


def _first_minus_second(view: TableView) -> str:
    measures = {f.measure for f in view.records}
    if measures == {"win-percent"}:
        return "how often the first was preferred"
    if measures <= {"latent-difference", "strength"}:
        return "log odds for the first"
    return "first minus second"


def _corrected(view: TableView) -> str:
    if not is_corrected(view) or not any(f.interval for f in view.records):
        return ""
    return f" p after {correction_name(view)} correction; the intervals are not corrected."


def _notes_of(view: TableView) -> Iterator[str]:
    yield from dict.fromkeys(f.note for f in view.records if f.note)
    yield from dict.fromkeys(_EXPLAINED[f.by](f) for f in view.beside.values())


_ESTIMATES = {
    "win-percent": " of the percentage of comparisons that the first wins",
    "mean-difference": " (scores are compared within items)",
}
_EXPLAINED: dict[str, Callable[[Finding], str]] = {
    "sign-flip": lambda _: (
        "Sign-flip: if two systems were equal, each item could as well favour the other; all "
        "patterns of signs are counted. It holds for new items and these participants."
    ),
    "cluster-robust": lambda f: (
        f"Check: the cluster-robust estimate{_ESTIMATES.get(f.measure, '')}, which does not assume "
        "how judgments are distributed; for new items and new participants."
    ),
}


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table of findings: its rows, what stands above it, and how many rows a medium has."""

    rows: Callable[[Results, Scope, Medium], Sequence[Finding]]
    caption: Callable[[TableView], str]
    most: Mapping[str, int]  # by medium


TABLES: dict[str, TableSpec] = {
    "systems": TableSpec(_systems, _systems_caption, {"paper": 40, "terminal": 12}),
    "pairs": TableSpec(_pairs, _pairs_caption, {"page": 300, "paper": 40, "terminal": 12}),
    "further": TableSpec(
        _further,
        lambda view: f"{_what(view, 'Further tests of pairs')}.{_corrected(view)}",
        {"page": 60},
    ),
    "tests": TableSpec(
        _tests, lambda view: f"{_what(view, 'Tests of all systems at once')}.", {"paper": 40}
    ),
    "agreement": TableSpec(
        _agreement,
        lambda view: (
            f"{_what(view, 'Agreement of participants')}. A unit is what two or more people judged."
        ),
        {"page": 60, "paper": 40},
    ),
    "interactions": TableSpec(
        _interactions,
        lambda view: (
            f"{_what(view, 'Whether differences of two systems differ')}"
            f" (system × group).{_corrected(view)}"
        ),
        {"paper": 40},
    ),
}


def finding_table(
    results: Results, name: str, medium: Medium, labels: Labels, scope: Scope | None = None
) -> Table:
    """The table of this name for a medium."""
    scope, spec = scope or Scope(), TABLES[name]
    found = tuple(spec.rows(results, scope, medium))
    if not found:
        return Table(name, "", (), ())
    most = spec.most.get(medium, len(found))
    is_pairs = (name, medium) == ("pairs", "page")
    view = TableView(
        found[:most],
        labels,
        medium,
        results,
        beside=checks(results, scope) if is_pairs else {},
        deciding=decisions(scope.select(results), found) if is_pairs else {},
    )
    cut = [f"{most:,} of {len(found):,} rows; all are in {name}.csv."] if len(found) > most else []
    return tabulate_view(
        name, view, COLUMNS, caption=spec.caption(view), notes=(*cut, *_notes_of(view))
    )


# claims of the study


def claim_table(claims: Sequence[ClaimOutcome], labels: Labels) -> Table:
    """The claims of a study, the verdict on each, and the numbers that decide."""
    return tabulate(
        "claims",
        "Claims of the study and the verdict on each: supported or contradicted by a test or an "
        "interval, never by the order of scores alone.",
        claims,
        (csv_only(Column("claim")), "says"),
        (print_only(Column("claim")), lambda each: claim_in_words(each.says, labels)),
        (Column("verdict"), lambda each: VERDICT_WORDS[each.verdict]),
        (csv_only(Column("because")), "because"),
        (print_only(Column("because")), lambda each: minus_signs(each.because)),
    )


# models that were asked for by a formula


def model_tables(results: Results) -> Iterator[Table]:
    """The fixed effects of each model, and the differences between the levels of its factors."""
    for place, model in enumerate(results.models, start=1):
        variances = ", ".join(
            f"{part.group} {part.variance:.3g}"
            for part in model.variances
            if part.variance is not None
        )
        yield tabulate(
            f"model-{place}",
            f"{model.formula}; {model.n:,} judgments; variances: {variances}. {model.method}. "
            f"{model.note}".strip(),
            model.terms,
            (Column("term"), "term"),
            (Column("level"), "level"),
            *_ESTIMATE,
            (interval_column(), "interval"),
        )
        yield tabulate(
            f"model-{place}-contrasts",
            f"{model.formula}: differences between the levels of each factor, all else equal; p "
            "for all pairs of the factor by Tukey, and by Holm in the CSV file.",
            model.contrasts,
            (Column("term"), "term"),
            (print_only(Column("levels")), lambda each: f"{each.first} – {each.second}"),
            (csv_only(Column("first")), "first"),
            (csv_only(Column("second")), "second"),
            *_ESTIMATE[:-1],
            (csv_only(p_column("p")), "p"),
            (p_column("p Tukey"), "p_tukey"),
            (csv_only(p_column("p Holm")), "p_holm"),
            (interval_column(), "interval"),
        )


_ESTIMATE = (
    (Column("estimate", 2), "value"),
    (Column("standard error", 2), "standard_error"),
    (Column("df", 1), "df"),
    (Column("t", 2), "t"),
    (p_column("p"), "p"),
)

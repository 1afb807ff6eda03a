"""A comparison as a report: what agrees, under which conditions, and every number behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.compare import Comparison, Confirmed, Variation
from rejudge.english import count, join_words
from rejudge.layout import Table as ResultTable
from rejudge.layout.numbers import number
from rejudge.report.blocks import (
    Block,
    Drawn,
    KeyNumber,
    Listing,
    Paragraph,
    Report,
    Section,
    Table,
)
from rejudge.report.comparison.figures import pictures
from rejudge.report.comparison.naming import criterion_name, run_name
from rejudge.report.comparison.prose import comparison_limitations, comparison_methods
from rejudge.report.comparison.tables import comparison_sheets
from rejudge.report.drawing import PHONE

_PAIR = 2
_ASIDE = ("note", "method")  # columns that a page shows below its table
_SECTIONS = (
    ("scores", "Scores and their spread (type I)", ("scores-", "type-1")),
    ("order", "Order and spacing of systems (type II)", ("type-2", "wins", "rank-stability")),
    ("labels", "Agreement of labels (type III)", ("type-3",)),
    ("findings", "Findings and claims (type IV)", ("type-4", "claims", "matching")),
    ("effects", "Effects and equivalence", ("effects", "equivalence", "readings")),
    ("together", "All runs together", ("pooled",)),
    ("printed", "Figures that the papers print", ("printed-figures",)),
    ("conditions", "Conditions and deviations", ("deviations", "similarity", "conditions")),
)
_DRAWN_IN = {"scores": "scores", "cv": "scores", "order": "order", "wins": "order"}
_FAMILIES = {
    "pairwise-ranks": "orders of two systems",
    "claims": "claims",
    "significance": "significant differences",
}


def comparison_page(comparison: Comparison, command: str = "") -> Report:
    """The report of a comparison; `command` makes it again."""
    sheets = comparison_sheets(comparison)
    drawn = tuple(_drawn(comparison))
    others = [run for run in comparison.runs if run.id != comparison.original]
    return Report(
        title=f"{run_name(comparison, comparison.original)}: was it reproduced?",
        language="en",
        is_simulated=any(run.is_simulated for run in comparison.runs),
        answer=tuple(_summary(comparison)),
        figure=None,
        numbers=tuple(_key_numbers(comparison)) if len(others) == 1 else (),
        sections=(
            *(
                Section(name, title, blocks)
                for name, title, prefixes in _SECTIONS
                if (blocks := tuple(_blocks(name, prefixes, sheets, drawn)))
            ),
            *_paragraphs(comparison),
            Section("signature", "Signature", tuple(_signature(comparison, command))),
        ),
        signature=f"rejudge {comparison.version} · {' · '.join(r.id for r in comparison.runs)}",
        kicker="Comparison of human evaluations",
        first="In short",
    )


def _summary(comparison: Comparison) -> Iterator[str]:
    """What agrees, run by run, in numbers; whether that is enough is for the reader to say."""
    for run in comparison.runs:
        if run.id != comparison.original:
            parts = [*_of_scores(comparison, run.id), *_of_findings(comparison, run.id)]
            told = "; ".join(parts) or "nothing could be compared"
            yield f"{run.name}: {told}."
            yield from _of_conditions(comparison, run.id)


def _of_scores(comparison: Comparison, run: str) -> Iterator[str]:
    pair = (comparison.original, run)
    for each in comparison.variations:
        if each.runs == pair and each.criterion is None and each.value is not None:
            yield f"scores differ by a mean CV* of {number(each.value, 1)}{_over(each)}"
    ranks = [
        each
        for each in comparison.correlations
        if each.runs == pair
        and each.criterion is not None
        and each.measure == "spearman"
        and each.value is not None
    ]
    if ranks:
        lowest = min(ranks, key=lambda each: each.value or 0.0)
        if len(ranks) == 1:
            where = ""
        elif all(each.value == lowest.value for each in ranks):
            where = " on every criterion"
        else:
            where = f" or more (least on {criterion_name(comparison, lowest.criterion)})"
        yield f"the orders of systems correlate by ρ = {number(lowest.value, 2)}{where}"


def _over(mean: Variation) -> str:
    """How many criteria a study's mean covers, where the original has several."""
    if mean.of is None or mean.of <= 1:
        return ""
    return f" over {mean.n:,} of {count(mean.of, 'criterion')}"


def _of_findings(comparison: Comparison, run: str) -> Iterator[str]:
    for each in _whole(comparison, run):
        what = _FAMILIES[each.family]
        against = f", {each.contradicted:,} contradicted" if each.contradicted else ""
        yield f"{each.confirmed:,} of {each.assessable:,} {what} confirmed{against}"


def _whole(comparison: Comparison, run: str) -> list[Confirmed]:
    return [
        each
        for each in comparison.confirmed
        if each.run == run and each.criterion is None and each.assessable
    ]


def _of_conditions(comparison: Comparison, run: str) -> Iterator[str]:
    for each in comparison.similarities:
        if {each.first, each.second} == {comparison.original, run}:
            yield (
                f"Of {count(each.known_in_both, 'condition')} known in both, "
                f"{each.equal:,} {'is' if each.equal == 1 else 'are'} equal."
            )


def _key_numbers(comparison: Comparison) -> Iterator[KeyNumber]:
    run = next(run.id for run in comparison.runs if run.id != comparison.original)
    pair = (comparison.original, run)
    for each in comparison.variations:
        if each.runs == pair and each.criterion is None:
            yield KeyNumber(number(each.value, 1), f"mean CV*{_over(each)}", "0 means equal scores")
    for found in _whole(comparison, run):
        share = f"{found.confirmed:,} of {found.assessable:,}"
        yield KeyNumber(share, _FAMILIES[found.family], "of the original confirmed")


def _drawn(comparison: Comparison) -> Iterator[Drawn]:
    """Every figure for wide pages and for phones."""
    narrow = pictures(comparison, PHONE)
    for wide, slim in zip(pictures(comparison), narrow, strict=True):
        yield Drawn(
            id=f"figure-{wide.name}",
            caption=wide.caption,
            svg=wide.svg,
            numbers_in=wide.numbers_in,
            narrow_svg=slim.svg,
        )


def _blocks(
    section: str, prefixes: Sequence[str], sheets: Sequence[ResultTable], drawn: Sequence[Drawn]
) -> Iterator[Block]:
    for figure in drawn:
        if _DRAWN_IN[figure.id.split("-")[1]] == section:
            yield figure
    for sheet in sheets:
        if sheet.name.startswith(tuple(prefixes)):
            yield _table(sheet)


def _table(sheet: ResultTable) -> Table:
    """A sheet without its asides, which stand below it once each."""
    kept = [place for place, column in enumerate(sheet.columns) if column.name not in _ASIDE]
    notes = dict.fromkeys(
        str(row[place])
        for place, column in enumerate(sheet.columns)
        if column.name in _ASIDE
        for row in sheet.rows
        if row[place]
    )
    return Table(
        id=f"table-{sheet.name}",
        caption=sheet.caption,
        head=tuple(_capital(sheet.columns[place].name) for place in kept),
        align="".join(sheet.align[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in sheet.printed),
        notes=tuple(notes),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _paragraphs(comparison: Comparison) -> Iterator[Section]:
    """What a paper would say of the comparison, and of its bounds."""
    methods = " ".join(comparison_methods(comparison))
    yield Section("methods", "Methods paragraph", (Paragraph(methods),))
    limits = " ".join(comparison_limitations(comparison))
    if limits:
        yield Section("limitations", "Limitations paragraph", (Paragraph(limits),))


def _signature(comparison: Comparison, command: str) -> Iterator[Block]:
    notes = [*comparison.dropped, *comparison.notes]
    if notes:
        yield Paragraph(" ".join(notes))
    for run in comparison.runs:
        what = {"paper": "printed numbers", "results": "results", "study": "a study’s folder"}
        departures = " ".join(run.departures)
        known = f" (fingerprint {run.fingerprint})" if run.fingerprint else ""
        source = what.get(run.source, f"a {run.source}")
        yield Paragraph(f"{run.name} ({run.id}): from {source}{known}. {departures}".strip())
    names = join_words([run.name for run in comparison.runs])
    yield Paragraph(
        f"Made with rejudge {comparison.version} from {names}. The same runs give the same numbers."
    )
    if command:
        yield Listing((command,))

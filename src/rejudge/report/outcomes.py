"""The results on one question: how the systems stand, and how each pair compares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.analysis import Finding, Results
from rejudge.english import count, versus
from rejudge.report.answer import Told, answer
from rejudge.report.behind import behind_blocks, details_of
from rejudge.report.blocks import Block, Drawn, Fold, Paragraph, Table
from rejudge.report.disagreeing import disagreement_sentences
from rejudge.report.placing import RESULTS, Placed
from rejudge.report.wording import (
    TEST_NAMES,
    between,
    capital,
    digits_of,
    ended,
    known,
    level,
    name_of_test,
    number,
    p_value,
    shared_method,
    verdict,
)

_MOST_ROWS = 30  # of a table that is open on the screen
_BESIDE = {"sign-flip": "Sign‑flip p", "cluster-robust": "Check: value; p"}
_EXPLAINED = {
    "sign-flip": "Sign-flip: were two systems equal, each item could as well point the other way; "
    "all patterns of signs are counted. It holds for new items and these participants.",
    "cluster-robust": "Check: the cluster-robust estimate{what}, which does not assume how "
    "judgments are distributed; for new items and new participants.",
}
_CHECKED = {  # what the check estimates, by measure
    "win-percent": " of the percentage of comparisons that the first wins",
    "mean-difference": " (scores are compared within items)",
}


def question_blocks(
    tale: Told, results: Results, pictures: Sequence[Placed], *, is_first: bool
) -> Iterator[Block]:
    """Tables and figures of one question; on the first, the page has already shown the answer."""
    if not tale.standings:
        yield Paragraph(f"There are no judgments on {tale.question.id} that count.", "warn")
        return
    drawn = {
        each.family: each.drawn
        for each in pictures
        if each.section == RESULTS and each.question == tale.question.id
    }
    leading = drawn.pop(tale.leading_figure, None)
    if not is_first:
        yield Paragraph(" ".join(answer(tale, results.signature.correction)))
        yield from [leading] if leading else []
    yield folded(_systems_table(tale, results))
    yield from _drawn(drawn, "systems", "preference", "strengths")
    if tale.pairs:
        yield from _drawn(drawn, "pairs")
        yield folded(_pairs_table(tale, results))
        for said in disagreement_sentences(results, tale.question.id, tale.labels):
            yield Paragraph(said, "warn")
    yield from _other_tests(tale, results)
    details = details_of(results, tale.question.id)
    yield from _drawn(drawn, *drawn)
    if details:
        yield from behind_blocks(tale, details)


def _drawn(left: dict[str, Drawn], *families: str) -> Iterator[Drawn]:
    """These figures, once each."""
    for family in families:
        if family in left:
            yield left.pop(family)


def folded(table: Table) -> Block:
    """A long table is one tap away."""
    if len(table.rows) <= _MOST_ROWS:
        return table
    return Fold(f"{table.caption.split('. ')[0]}: {count(len(table.rows), 'row')}", (table,))


def _other_tests(tale: Told, results: Results) -> Iterator[Block]:
    """The planned tests that the tables above do not show, and those that have no number."""
    shown_above = {tale.pairs[0].by} if tale.pairs else {"cluster-robust"}
    if tale.pairs:
        shown_above |= {f.by for f in _beside(tale, results).values()}
    planned = [
        f
        for f in results.findings
        if f.question == tale.question.id
        and f.is_planned
        and f.by in TEST_NAMES
        and f.by not in shown_above
        and (f.measure == "test" or len(f.systems) == 2)  # noqa: PLR2004 - a pair
    ]
    known = [f for f in planned if f.value is not None]
    if known:
        yield folded(_tests_table(tale, results, known))
    for f in planned:
        if f.value is None:
            yield Paragraph(
                f"Planned, but without a result: {TEST_NAMES[f.by]}. {ended(f.note)} Nothing was "
                "put in its place.",
                "warn",
            )


def _tests_table(tale: Told, results: Results, found: Sequence[Finding]) -> Table:
    correction = results.signature.correction
    corrected = "" if correction == "none" else f" ({correction.title()})"
    rows = tuple(
        (
            name_of_test(f),
            versus([tale.labels[system] for system in f.systems], f.measure) or "all systems",
            f"{f.n:,}",
            _statistic(f),
            number(f.value, 2) if f.systems else "",
            between(f.interval, 2) if f.systems else "",
            p_value(f.p if f.p_adjusted is None else f.p_adjusted),
            verdict(f),
        )
        for f in found
    )
    return Table(
        id=f"table-{tale.question.id}-tests",
        caption=f"{_simulated(tale)}Further planned tests on {tale.question.id}. "
        + " ".join(dict.fromkeys(f"{_method(f)}." for f in found)),
        head=(
            "Test", "Systems", "n", "Statistic", "Difference", "Interval", f"p{corrected}",
            "Verdict",
        ),
        align="llrrrrrl",
        rows=rows,
        notes=_notes(found),
    )  # fmt: skip


def _statistic(finding: Finding) -> str:
    statistic = finding.statistic
    if statistic is None:
        return ""
    df = ", ".join(f"{each:.4g}" for each in statistic.df)
    return f"{statistic.name}{f'({df})' if df else ''} = {number(statistic.value, 2)}"


def _systems_table(tale: Told, results: Results) -> Table:
    head, align, rows = _wins(tale, results) if tale.is_comparison else _means(tale)
    return Table(
        id=f"table-{tale.question.id}-systems",
        caption=f"{_simulated(tale)}Systems on {tale.question.id}. "
        f"{capital(shared_method(tale.standings))}.",
        head=head,
        align=align,
        rows=rows,
        notes=_notes(tale.standings),
    )


def _wins(tale: Told, results: Results) -> tuple[tuple[str, ...], str, tuple[tuple[str, ...], ...]]:
    score = {f.systems[0]: f.value for f in results.of(tale.question.id, "best-worst-score")}
    has_ties = any(f.tally and f.tally.ties for f in tale.standings)
    head = ("System", "n", "Wins", "Losses", *(("Ties",) if has_ties else ()))
    rows = tuple(
        (
            tale.labels[f.systems[0]],
            f"{f.n:,}",
            *_tally(f, has_ties=has_ties),
            number(f.value),
            between(f.interval),
            number(score.get(f.systems[0])),
        )
        for f in tale.standings
    )
    tail = ("Won, %", _interval_head(tale.standings), "Best–worst score")
    return (*head, *tail), "l" + "r" * (len(head) + 2), rows


def _tally(finding: Finding, *, has_ties: bool) -> tuple[str, ...]:
    tally = finding.tally
    if tally is None:
        return ("–",) * (3 if has_ties else 2)
    return (f"{tally.wins:,}", f"{tally.losses:,}", *((f"{tally.ties:,}",) if has_ties else ()))


def _means(tale: Told) -> tuple[tuple[str, ...], str, tuple[tuple[str, ...], ...]]:
    head = ("System", "n", "Items", "Participants", "Mean", _interval_head(tale.standings))
    rows = tuple(
        (
            tale.labels[f.systems[0]],
            f"{f.n:,}",
            known(f.items),
            known(f.participants),
            number(f.value, 2),
            between(f.interval, 2),
        )
        for f in tale.standings
    )
    return head, "lrrrrr", rows


_HEADS = {
    "win-percent": "Preferred, %",
    "latent-difference": "Log odds",
    "strength": "Log odds",
}


def _pairs_table(tale: Told, results: Results) -> Table:
    digits = digits_of(tale.pairs[0])
    correction = results.signature.correction
    beside = _beside(tale, results)
    side = "" if tale.pairs[0].alternative == "two-sided" else ", one-sided"
    corrected = "" if correction == "none" else f" ({correction.title()})"
    head = (
        "First against second",
        "n",
        _HEADS.get(tale.pairs[0].measure, "Difference"),
        _interval_head(tale.pairs),
        f"p{side}",
        *((f"p{side}{corrected}",) if corrected else ()),
        *((f"{_BESIDE[next(iter(beside.values())).by]}{corrected}",) if beside else ()),
        "Verdict",
    )
    rows = tuple(
        (
            versus([tale.labels[system] for system in f.systems], f.measure),
            f"{f.n:,}",
            number(f.value, digits),
            between(f.interval, digits),
            p_value(f.p),
            *((p_value(f.p_adjusted),) if corrected else ()),
            *((_of_other(beside.get(f.systems)),) if beside else ()),
            _verdict(tale, f),
        )
        for f in tale.pairs
    )
    plan = "" if tale.pairs[0].is_planned else " Exploratory: this test was not planned."
    return Table(
        id=f"table-{tale.question.id}-pairs",
        caption=f"{_simulated(tale)}Pairs of systems on {tale.question.id}. "
        f"{capital(shared_method(tale.pairs))}.{plan}{f' {tale.limit}' if tale.limit else ''}",
        head=head,
        align="l" + "r" * (len(head) - 2) + "l",
        rows=rows,
        notes=(
            *_notes(tale.pairs),
            *dict.fromkeys(_explained(f) for f in beside.values()),
        ),
    )


def _explained(beside: Finding) -> str:
    return _EXPLAINED[beside.by].format(what=_CHECKED.get(beside.measure, ""))


def _verdict(tale: Told, pair: Finding) -> str:
    """The verdict on a pair, with the test that gave it where it is not the one of the table."""
    decided = tale.decided(pair)
    return verdict(decided) if decided is pair else f"{verdict(decided)} ({name_of_test(decided)})"


def _beside(tale: Told, results: Results) -> dict[tuple[str, ...], Finding]:
    """The check beside the headline, by pair; the sign-flip test beside the check itself."""
    if tale.pairs[0].by == "cluster-robust":
        return {f.systems: f for f in results.of(tale.question.id, "win-percent", "sign-flip")}
    found = (f for f in results.findings if f.question == tale.question.id)
    return {f.systems: f for f in found if f.role == "check"}


def _of_other(finding: Finding | None) -> str:
    """The p value of the test beside the headline; the value too where it is another one."""
    if finding is None:
        return ""
    p = p_value(finding.p_adjusted)
    if finding.by == "sign-flip" or finding.value is None:
        return p
    return f"{number(finding.value, digits_of(finding))}; {p}"


def _method(finding: Finding) -> str:
    return capital(finding.method)


def _interval_head(findings: Sequence[Finding]) -> str:
    known = next((f.interval for f in findings if f.interval), None)
    return f"{level(known)} interval" if known else "Interval"


def _notes(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.note for finding in findings if finding.note))


def _simulated(tale: Told) -> str:
    return "Simulated. " if tale.is_simulated else ""

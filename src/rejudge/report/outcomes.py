"""The results on one question: how the systems stand, and how each pair compares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.analysis import Finding, Results
from rejudge.english import count
from rejudge.report.answer import Told, answer
from rejudge.report.blocks import Block, Figure, Paragraph, Table
from rejudge.report.figures import (
    PERCENT,
    Axis,
    difference_axis,
    pairs_figure,
    scale_axis,
    systems_figure,
)
from rejudge.report.wording import (
    between,
    level,
    listed,
    number,
    p_value,
    verdict,
)
from rejudge.study import Slider

_SIGN_FLIP = (
    "Sign-flip: were two systems equal, each item could as well point the other way; all patterns "
    "of signs are counted. It holds for new items judged by these participants."
)


def lead_figure(tale: Told) -> Figure | None:
    """How the systems stand, for the first screen."""
    return _systems_figure(tale, "figure-systems") if tale.standings else None


def question_blocks(tale: Told, results: Results, *, is_first: bool) -> Iterator[Block]:
    """Tables and figures of one question; on the first, the page has already shown the answer."""
    if not tale.standings:
        yield Paragraph(f"There are no judgments on {tale.question.id} that count.", "warn")
        return
    if not is_first:
        yield Paragraph(" ".join(answer(tale, results.signature.correction)))
        yield _systems_figure(tale, f"figure-{tale.question.id}")
    yield _systems_table(tale, results)
    if tale.pairs:
        yield _pairs_figure(tale)
        yield _pairs_table(tale, results)
    missing = [
        f.by for f in results.findings if f.question == tale.question.id and f.measure == "test"
    ]
    if missing:
        names = listed(missing)
        was = "was" if len(missing) == 1 else "were"
        yield Paragraph(
            f"Planned, but not computed by this version: {names}. Nothing {was} put in its place.",
            "warn",
        )


def _systems_figure(tale: Told, name: str) -> Figure:
    best = tale.standings[0]
    spread = (
        f"{level(best.interval)} intervals" if best.interval else "intervals where there are any"
    )
    what = (
        "Share of comparisons won by each system, a tie as half; the line marks 50\u202f%"
        if tale.is_comparison
        else "Mean score of each system, on the whole scale"
    )
    caption = (
        f"{_simulated(tale)}{what} ({tale.question.id}). {_capital(spread)} allow for clusters of "
        f"items and participants; {_n(tale.standings)} per system."
    )
    return systems_figure(
        tale.standings,
        _axis(tale),
        labels=tale.labels,
        order=tuple(tale.labels),
        texts=(name, caption, f"table-{tale.question.id}-systems"),
    )


def _pairs_figure(tale: Told) -> Figure:
    axis = PERCENT if tale.is_comparison else difference_axis(tale.pairs)
    what = (
        "How often the first of two systems was preferred; the line marks 50\u202f%"
        if tale.is_comparison
        else "Mean score of the first system minus that of the second; the line marks zero"
    )
    caption = (
        f"{_simulated(tale)}{what} ({tale.question.id}). Filled marks: the difference is "
        "supported after correction; open marks: it is not supported."
    )
    return pairs_figure(
        tale.pairs,
        axis,
        labels=tale.labels,
        texts=(f"figure-{tale.question.id}-pairs", caption, f"table-{tale.question.id}-pairs"),
    )


def _systems_table(tale: Told, results: Results) -> Table:
    head, align, rows = _wins(tale, results) if tale.is_comparison else _means(tale)
    return Table(
        id=f"table-{tale.question.id}-systems",
        caption=f"{_simulated(tale)}Systems on {tale.question.id}. {_method(tale.standings[0])}.",
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
            number(score[f.systems[0]]),
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
            f"{f.items:,}",
            f"{f.participants:,}",
            number(f.value, 2),
            between(f.interval, 2),
        )
        for f in tale.standings
    )
    return head, "lrrrrr", rows


def _pairs_table(tale: Told, results: Results) -> Table:
    digits = 1 if tale.is_comparison else 2
    correction = results.signature.correction
    by_test = _other_test(tale, results)
    corrected = "" if correction == "none" else f" ({correction.title()})"
    head = (
        "First against second",
        "n",
        "Preferred, %" if tale.is_comparison else "Difference",
        _interval_head(tale.pairs),
        "p",
        *((f"p{corrected}",) if corrected else ()),
        *((f"Sign‑flip p{corrected}",) if by_test else ()),
        "Verdict",
    )
    rows = tuple(
        (
            f"{tale.labels[f.systems[0]]} – {tale.labels[f.systems[1]]}",
            f"{f.n:,}",
            number(f.value, digits),
            between(f.interval, digits),
            p_value(f.p),
            *((p_value(f.p_adjusted),) if corrected else ()),
            *((p_value(by_test[f.systems].p_adjusted),) if by_test else ()),
            verdict(f),
        )
        for f in tale.pairs
    )
    plan = "" if tale.pairs[0].is_planned else " Exploratory: this test was not planned."
    return Table(
        id=f"table-{tale.question.id}-pairs",
        caption=f"{_simulated(tale)}Pairs of systems on {tale.question.id}. "
        f"{_method(tale.pairs[0])}.{plan}",
        head=head,
        align="l" + "r" * (len(head) - 2) + "l",
        rows=rows,
        notes=(*_notes(tale.pairs), *((_SIGN_FLIP,) if by_test else ())),
    )


def _other_test(tale: Told, results: Results) -> dict[tuple[str, ...], Finding]:
    """The sign-flip test beside the cluster-robust one, by pair."""
    if tale.pairs[0].by == "sign-flip":
        return {}
    return {f.systems: f for f in results.of(tale.question.id, "win-percent", "sign-flip")}


def _axis(tale: Told) -> Axis:
    if tale.is_comparison:
        return PERCENT
    if isinstance(tale.question, Slider):
        return scale_axis(0, 100, (0, 25, 50, 75, 100))
    points: tuple[float, ...] = getattr(tale.question, "values", ())
    return scale_axis(points[0], points[-1], points)


def _method(finding: Finding) -> str:
    return _capital(finding.method)


def _interval_head(findings: Sequence[Finding]) -> str:
    known = next((f.interval for f in findings if f.interval), None)
    return f"{level(known)} interval" if known else "Interval"


def _n(findings: Sequence[Finding]) -> str:
    sizes = sorted({finding.n for finding in findings})
    noun = {"judgments": "judgment", "outputs": "output", "units": "unit"}[findings[0].n_of]
    return count(sizes[0], noun) if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,} {noun}s"


def _notes(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.note for finding in findings if finding.note))


def _simulated(tale: Told) -> str:
    return "Simulated. " if tale.is_simulated else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

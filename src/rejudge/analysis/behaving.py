"""Findings about how people went about it: the pull of a side, drift from first task to last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rejudge.analysis.agreeing import OVER_UNITS, RESAMPLED
from rejudge.analysis.analysis_plan import Agenda, joined
from rejudge.analysis.columns import has_participants, said, shown_first, things, turned
from rejudge.analysis.comparing import first_shown
from rejudge.analysis.outline import Asked
from rejudge.analysis.results import Finding
from rejudge.judgments import Judgments
from rejudge.stats import agreement_with_others, passes, self_consistency, trend_by_position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MEANING = {
    "score-by-position": "score",
    "first-shown-by-position": "share of choices of the output shown first",
    "agreement-by-position": "share of others who said the same",
    "seconds-by-position": "seconds on the page",
}


def behaved(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """What the conditions of judging did to the answers; always exploratory."""
    if asked.is_comparison:
        yield from first_shown(agenda, asked, judgments)
    if not has_participants(judgments):
        return
    for name, value, rows in _along(asked, judgments):
        has_place = judgments.position[rows] >= 0
        if has_place.any():
            taken = judgments.take(rows[has_place])
            yield _trend(agenda, asked, taken, name=name, value=value[has_place])


def repeated(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """How far people say the same when they judge the same again; nothing without repeats."""
    import numpy as np

    is_repeat = judgments.kind.codes == judgments.kind.code("repeat")
    is_real = judgments.kind.codes == judgments.kind.code("real")
    rows = judgments.take(is_real | is_repeat)
    attempt = is_repeat[is_real | is_repeat].astype(np.int64)
    if not attempt.any():
        return
    again = passes(things(rows), rows.participant.codes, attempt)
    value = turned(rows)
    name = f"{asked.id}.self-consistency"
    found = self_consistency(
        value[again.first],
        value[again.second],
        measured=asked.level,
        rng=agenda.rng(name),
        level=agenda.level,
    )
    for kind, part, how in (
        ("percent", found.percent, f"said the same again, in percent; {OVER_UNITS}"),
        (
            "alpha",
            found.alpha,
            f"Krippendorff's alpha of both passes, for {asked.level} values; {RESAMPLED}",
        ),
    ):
        yield Finding(
            id=f"{name}.{kind}",
            question=asked.id,
            measure="agreement",
            by=f"self-consistency, {kind}",
            systems=(),
            value=part.value,
            n=part.n,
            n_of="units",
            method=how,
            interval=part.interval,
            is_planned=False,
            participants=len(np.unique(rows.participant.codes[again.first])),
            note=part.note,
        )


def _along(
    asked: Asked, judgments: Judgments
) -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.int64]]]:
    """What may drift: its name, its values, and the rows they belong to."""
    import numpy as np

    everything = np.arange(len(judgments))
    if asked.is_comparison:
        first, known = shown_first(judgments)
        yield "first-shown-by-position", first, np.flatnonzero(known)
    else:
        yield "score-by-position", judgments.value, everything
    if len(judgments):
        table = said(judgments)
        peers = agreement_with_others(table.value, table.unit, table.participant)
        yield "agreement-by-position", peers.share, np.asarray(peers.rows, dtype=np.int64)
    timed = np.flatnonzero(~np.isnan(judgments.seconds))
    yield "seconds-by-position", judgments.seconds[timed], timed


def _trend(
    agenda: Agenda, asked: Asked, rows: Judgments, *, name: str, value: NDArray[np.float64]
) -> Finding:
    found = trend_by_position(
        value, rows.position.astype("float64"), rows.participant.codes, level=agenda.level
    )
    left_out = (
        f"{found.left_out} participants with fewer than three positions left out."
        if found.left_out and found.slope is not None
        else ""
    )
    return Finding(
        id=f"{asked.id}.{name}",
        question=asked.id,
        measure="order-effect",
        by=name,
        systems=(),
        value=found.slope,
        n=len(value),
        n_of="comparisons" if asked.is_implied else "judgments",
        method=f"change of the {_MEANING[name]} from one task to the next: mean over participants "
        "of their least-squares slopes, t over participants; p against 0",
        interval=found.interval,
        p=found.p,
        is_planned=False,
        participants=found.participants,
        note=joined(found.note, left_out),
    )

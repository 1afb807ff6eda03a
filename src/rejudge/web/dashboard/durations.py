"""How long people take: each kind of page, and the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rejudge.judgments import Judgments
from rejudge.store import EventRow, Happening, Pace
from rejudge.web.dashboard.drawing import Distribution, distribution

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# From which happening to which a page was open; what was skipped is looked for further back.
_PAGES: tuple[tuple[str, tuple[Happening, ...], Happening], ...] = (
    ("Information and consent", ("arrived",), "consented"),
    ("Instructions", ("consented",), "instructed"),
    ("Practice", ("instructed",), "practised"),
)


def durations(
    judgments: Judgments, events: Iterable[EventRow], paces: Sequence[Pace]
) -> tuple[Distribution, ...]:
    """How long each kind of page was open, and the whole, from arrival to the last submission."""
    moments = _moments(events)
    named = [
        (name, [_between(own, starts, end) for own in moments.values()])
        for name, starts, end in _PAGES
    ]
    named += [
        ("Each task", page_seconds(judgments).tolist()),
        ("A whole batch", [60 * pace.wall_minutes for pace in paces]),
        ("From arrival to the last batch", [_whole(own) for own in moments.values()]),
    ]
    drawn = (
        distribution(name, [each for each in seconds if each is not None])
        for name, seconds in named
    )
    return tuple(each for each in drawn if each is not None)


def page_seconds(judgments: Judgments) -> NDArray[np.float64]:
    """The seconds of every task, each once, though they stand at each of its judgments."""
    import numpy as np

    timed = judgments.take(~np.isnan(judgments.seconds))
    pages = np.stack([timed.participant.codes, timed.batch.codes, timed.task.codes])
    _, first = np.unique(pages, axis=1, return_index=True)
    return timed.seconds[first]


def _moments(events: Iterable[EventRow]) -> dict[str, dict[Happening, datetime]]:
    """When each thing happened to each participant: first, but of submissions the last."""
    moments: dict[str, dict[Happening, datetime]] = {}
    for event in events:
        own = moments.setdefault(event.participant, {})
        if event.what == "submitted":
            own[event.what] = event.at
        else:
            own.setdefault(event.what, event.at)
    return moments


def _between(
    own: Mapping[Happening, datetime], starts: Iterable[Happening], end: Happening
) -> float | None:
    begin = next((own[start] for start in starts if start in own), None)
    if begin is None or end not in own or own[end] < begin:
        return None
    return (own[end] - begin).total_seconds()


def _whole(own: Mapping[Happening, datetime]) -> float | None:
    return _between(own, ("arrived",), "submitted")

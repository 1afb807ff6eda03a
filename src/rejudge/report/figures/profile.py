"""Who took part: a bar for each answer, nothing about one person."""

from __future__ import annotations

from collections.abc import Sequence

from rejudge.analysis import ProfileCount, ProfilePart
from rejudge.english import count
from rejudge.report.drawing import NARROW, Box, Drawing, Picture, Span, breadth, ticks, wrapped
from rejudge.report.figures.labels import LINE, Label, within
from rejudge.report.figures.rows import shown_ticks
from rejudge.report.figures.scene import Scene, tick_words
from rejudge.report.sheet import file_name
from rejudge.report.wording import number

_MOST = 15  # bars; the rest is one bar
_EDGE = 4.0
_GAP = 10.0
_ROW = 24.0
_BAR = 14.0
_MOST_LABEL = 0.36  # of the width
_IN_ORDER = frozenset(("exit-question",))  # the order of the options means something


def profile_pictures(scene: Scene) -> tuple[Picture, ...]:
    """One figure for each thing that is known about people."""
    profile = scene.results.profile
    if profile is None:
        return ()
    return tuple(
        _picture(scene, part, profile.participants) for part in profile.parts if part.counts
    )


def _picture(scene: Scene, part: ProfilePart, people: int) -> Picture:
    counts = _shown(part)
    left_out = any(each.participants_kept < each.participants for each in counts)
    what = f"Participants by {_name(part)}"
    prompt = f" («{part.prompt}»)" if part.prompt and part.prompt != part.id else ""
    known = people - part.silent
    says = "; ".join(
        f"{each.answer}: {each.participants:,}"
        + (f", of whom {each.participants_kept:,} count" if left_out else "")
        for each in counts
    )
    outline = (
        " Filled: those whose judgments count; outlined: those who came and were left out."
        if left_out
        else ""
    )
    silent = f" Of {count(part.silent, 'participant')} nothing is known." if part.silent else ""
    note = f" {part.note}" if part.note else ""
    drawing = Drawing(f"{scene.said}{what}.", f"{says}.", scene.width)
    return Picture(
        f"profile-{file_name(part.id)}",
        f"{scene.said}{what}{prompt}: {known:,} of {count(people, 'participant')}, "
        f"percent of those who answered.{outline}{silent}{note}",
        _draw(drawing, counts),
        f"table-profile-{part.id}",
    )


def _name(part: ProfilePart) -> str:
    return part.id.replace("_", " ").replace("-", " ")


def _shown(part: ProfilePart) -> list[ProfileCount]:
    """The options in their order, or the most frequent first; too many end in one bar."""
    counts = list(part.counts)
    if part.source not in _IN_ORDER or len(counts) > _MOST:
        counts.sort(key=lambda each: -each.participants)
    if len(counts) <= _MOST:
        return counts
    rest = counts[_MOST - 1 :]
    others = ProfileCount(
        f"{len(rest)} others",
        sum(each.participants for each in rest),
        sum(each.participants_kept for each in rest),
    )
    return [*counts[: _MOST - 1], others]


def _draw(drawing: Drawing, counts: Sequence[ProfileCount]) -> Drawing:
    total = sum(each.participants for each in counts) or 1
    shown = [_share(each.participants, total) for each in counts]
    numbers = max(map(breadth, shown))
    is_narrow = drawing.width < NARROW
    longest = max(breadth(each.answer) for each in counts)
    label = min(drawing.width * (0.42 if is_narrow else _MOST_LABEL), longest)
    left = _EDGE + label + _GAP
    span = Span(0, _top(counts), left, drawing.width - _EDGE - numbers - _GAP)
    rows = _ROW if longest <= label else 2 * LINE + 4
    bottom = 4 + rows * len(counts)
    for tick in _whole(span, drawing.width):
        x = span.place(tick)
        drawing.line(x, 4, x, bottom)
        within(drawing, x, bottom + 16, tick_words(tick))
    for place, (each, words) in enumerate(zip(counts, shown, strict=True)):
        y = 4 + (place + 0.5) * rows
        Label(wrapped(each.answer, label, 2)).draw(drawing, left - _GAP, y, anchor="end", kind="")
        _draw_bar(drawing, each, span, y)
        drawing.text(span.place(each.participants) + 6, y + 4, words)
    drawing.line(left, 4, left, bottom, kind="line")
    within(drawing, (span.left + span.right) / 2, bottom + 16 + LINE + 2, "Participants")
    return drawing.ends(bottom + 16 + LINE + 10)


def _share(value: int, total: int) -> str:
    return f"{value:,} ({number(100 * value / total, 0)}\u202f%)"


def _top(counts: Sequence[ProfileCount]) -> float:
    return max(*(each.participants for each in counts), 1)


def _whole(span: Span, width: float) -> list[float]:
    whole = [tick for tick in ticks(span.low, span.high) if tick == round(tick)]
    return shown_ticks(whole, span, width)


def _draw_bar(drawing: Drawing, each: ProfileCount, span: Span, y: float) -> None:
    kept, all_ = span.place(each.participants_kept), span.place(each.participants)
    if each.participants > each.participants_kept:
        drawing.outline(Box(kept, y - _BAR / 2, all_ - kept, _BAR), shade=1)
    if each.participants_kept:
        box = Box(span.left, y - _BAR / 2, kept - span.left, _BAR)
        drawing.cell(box, shade=1, strength=1.0)

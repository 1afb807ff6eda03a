"""Who took part: from all who came to those who count, and a bar for each answer about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rejudge.analysis.details import ProfileCount, ProfilePart
from rejudge.analysis.results import Flow, Results
from rejudge.english import count
from rejudge.judgments.rules import RULE_LABELS
from rejudge.layout.numbers import number
from rejudge.layout.table import file_name
from rejudge.report.drawing.axes import AxisScale, ticks
from rejudge.report.drawing.marks import NARROW, Box, Drawing, Kind
from rejudge.report.drawing.picture import Picture
from rejudge.report.drawing.text import text_width, wrap
from rejudge.report.figures.context import LINE, FigureContext, Label, draw_centred, format_tick
from rejudge.report.figures.rows import fitting_ticks

_EDGE = 4.0
_PAD = 12.0
_SPACE = 26.0  # between boxes
_SIDE = 22.0  # from the way down to a box beside it
_MOST_BOX = 300.0
_MOST = 15  # bars; the rest is one bar
_GAP = 10.0
_ROW = 24.0
_BAR = 14.0
_MOST_LABEL = 0.36  # of the width
_IN_ORDER = frozenset(("exit-question",))  # the order of the options means something


@dataclass(frozen=True, slots=True)
class _FlowStep:
    """A box on the way down, and what was lost before the next."""

    lines: tuple[str, ...]
    lost: tuple[str, ...] = ()


def flow_picture(context: FigureContext) -> Picture | None:
    """The way from all who came to all who count."""
    flow = context.results.flow
    if not flow.rows:
        return None
    steps = [*_arrivals(context.results), *_steps(flow)]
    what = "From all participants and judgments collected to those analysed"
    says = ". ".join(
        ", ".join(step.lines) + (f". {'; '.join(step.lost)}" if step.lost else "") for step in steps
    )
    drawing = Drawing(f"{context.prefix}{what}.", f"{says}.", context.width)
    return Picture(
        "flow",
        f"{context.prefix}{what}. Rows are judgments of systems, checks and repeats; a participant "
        "may lose some rows and keep others, or be excluded by more than one rule.",
        _draw_flow(drawing, steps),
        "table-exclusions" if flow.exclusions else "",
    )


def _arrivals(results: Results) -> Iterator[_FlowStep]:
    """Those who opened the site before anybody judged, as far as it recorded them."""
    navigation = results.navigation
    judged = results.flow.participants
    if navigation is None or navigation.came is None or judged is None:
        return
    came = f"{count(navigation.came, 'person')} arrived"
    if navigation.consented is None:
        yield _FlowStep((came,), _dropouts(navigation.came - judged, "gave no judgments"))
        return
    yield _FlowStep((came,), _dropouts(navigation.came - navigation.consented, "did not consent"))
    failed = navigation.not_qualified or 0
    lost = (
        *_dropouts(failed, "did not pass the qualification"),
        *_dropouts(navigation.consented - failed - judged, "gave no judgments"),
    )
    yield _FlowStep((f"{navigation.consented:,} consented",), lost)


def _dropouts(people: int, why: str) -> tuple[str, ...]:
    return (f"{count(people, 'person')} {why}",) if people > 0 else ()


def _steps(flow: Flow) -> Iterator[_FlowStep]:
    came, stay = flow.participants, flow.participants_kept
    judged = () if came is None else (f"{count(came, 'participant')} judged",)
    yield _FlowStep((*judged, count(flow.rows, "row")), _exclusions(flow))
    kept = () if stay is None else (f"{count(stay, 'participant')} analysed",)
    yield _FlowStep(
        (
            *kept,
            count(flow.rows_kept, "row"),
            f"{count(flow.judgments_kept, 'judgment')} of systems",
        )
    )


def _exclusions(flow: Flow) -> tuple[str, ...]:
    """The rules by which something was left out, with people and rows."""
    if not flow.exclusions:
        return ("Nothing was excluded",)
    found = []
    for rule in dict.fromkeys(each.rule for each in flow.exclusions):
        mine = [each for each in flow.exclusions if each.rule == rule]
        who = count(len({each.participant for each in mine}), "participant")
        rows = count(sum(each.rows for each in mine), "row")
        found.append(f"{RULE_LABELS.get(rule, rule)}: {who}, {rows}")
    people = (flow.participants or 0) - (flow.participants_kept or 0)
    head = f"Excluded: {count(people, 'participant')}, {count(flow.rows - flow.rows_kept, 'row')}"
    return (head, *found)


def _draw_flow(drawing: Drawing, steps: Sequence[_FlowStep]) -> Drawing:
    is_narrow = drawing.width < NARROW
    widest = max(text_width(line) for step in steps for line in step.lines)
    width = min(_MOST_BOX, widest + 2 * _PAD)
    left = _EDGE + (0.0 if is_narrow else 8.0)
    spine = left + (18.0 if is_narrow else width / 2)
    beside = spine + _SIDE
    room = drawing.width - _EDGE - beside - 2 * _PAD
    y = _EDGE
    for place, step in enumerate(steps):
        y = _draw_box(drawing, step.lines, Box(left, y, width, 0), kind="ground")
        if place + 1 == len(steps):
            break
        start = y
        if step.lost:
            lines = _wrap_rules(step.lost, room)
            wide = max(text_width(line) for line in lines) + 2 * _PAD
            box = Box(beside, y + _SPACE / 2 + 4, wide, 0)
            y = _draw_box(drawing, lines, box, kind="paper", is_plain=True)
            middle = (box.y + y) / 2
            drawing.arrow((spine, middle), (beside, middle))
            y -= 6
        y += _SPACE
        drawing.arrow((spine, start), (spine, y))
    return drawing.finish(y + _EDGE)


def _wrap_rules(lost: Sequence[str], room: float) -> list[str]:
    """The head as it is; each rule in as many lines as it needs."""
    lines = list(wrap(lost[0], room, 2))
    for each in lost[1:]:
        lines += wrap(f"– {each}", room, 3)
    return lines


def _draw_box(
    drawing: Drawing, lines: Sequence[str], at: Box, *, kind: str, is_plain: bool = False
) -> float:
    height = len(lines) * (LINE + 3) + 2 * _PAD - 6
    drawing.box(Box(at.x, at.y, at.width, height), kind=kind)
    for place, line in enumerate(lines):
        y = at.y + _PAD + 9 + place * (LINE + 3)
        kind_: Kind = "strong" if place == 0 else ""
        if is_plain:
            drawing.text(at.x + _PAD, y, line, kind=kind_)
        else:
            drawing.text(at.x + at.width / 2, y, line, anchor="middle", kind=kind_)
    return at.y + height


def profile_pictures(context: FigureContext) -> tuple[Picture, ...]:
    """One figure for each thing that is known about people."""
    profile = context.results.profile
    if profile is None:
        return ()
    return tuple(
        _profile_picture(context, part, profile.participants)
        for part in profile.parts
        if len(part.counts) > 1  # one bar alone says no more than its number
    )


def _profile_picture(context: FigureContext, part: ProfilePart, people: int) -> Picture:
    counts = _counts_to_draw(part)
    left_out = any(each.participants_kept < each.participants for each in counts)
    what = f"Participants by {_profile_name(part)}"
    prompt = f" («{part.prompt}»)" if part.prompt and part.prompt != part.id else ""
    known = people - part.silent
    says = "; ".join(
        f"{each.answer}: {each.participants:,}"
        + (f", of whom {each.participants_kept:,} count" if left_out else "")
        for each in counts
    )
    outline = (
        " Filled: those whose judgments count; outlined: those who took part and were excluded."
        if left_out
        else ""
    )
    silent = f" Nothing is known about {count(part.silent, 'participant')}." if part.silent else ""
    note = f" {part.note}" if part.note else ""
    drawing = Drawing(f"{context.prefix}{what}.", f"{says}.", context.width)
    return Picture(
        f"profile-{file_name(part.id)}",
        f"{context.prefix}{what}{prompt}: {known:,} of {count(people, 'participant')}, "
        f"percent of those who answered.{outline}{silent}{note}",
        _draw_profile(drawing, counts),
        f"table-profile-{part.id}",
    )


def _profile_name(part: ProfilePart) -> str:
    return part.id.replace("_", " ").replace("-", " ")


def _counts_to_draw(part: ProfilePart) -> list[ProfileCount]:
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


def _draw_profile(drawing: Drawing, counts: Sequence[ProfileCount]) -> Drawing:
    total = sum(each.participants for each in counts) or 1
    shown = [_count_and_percent(each.participants, total) for each in counts]
    numbers = max(map(text_width, shown))
    is_narrow = drawing.width < NARROW
    longest = max(text_width(each.answer) for each in counts)
    label = min(drawing.width * (0.42 if is_narrow else _MOST_LABEL), longest)
    left = _EDGE + label + _GAP
    span = AxisScale(0, _most_participants(counts), left, drawing.width - _EDGE - numbers - _GAP)
    rows = _ROW if longest <= label else 2 * LINE + 4
    bottom = 4 + rows * len(counts)
    for tick in _whole_ticks(span, drawing.width):
        x = span.position(tick)
        drawing.line(x, 4, x, bottom)
        draw_centred(drawing, x, bottom + 16, format_tick(tick))
    for place, (each, words) in enumerate(zip(counts, shown, strict=True)):
        y = 4 + (place + 0.5) * rows
        Label(wrap(each.answer, label, 2)).draw(drawing, left - _GAP, y, anchor="end", kind="")
        _draw_profile_bar(drawing, each, span, y)
        drawing.text(span.position(each.participants) + 6, y + 4, words)
    drawing.line(left, 4, left, bottom, kind="line")
    draw_centred(drawing, (span.left + span.right) / 2, bottom + 16 + LINE + 2, "Participants")
    return drawing.finish(bottom + 16 + LINE + 10)


def _count_and_percent(value: int, total: int) -> str:
    return f"{value:,} ({number(100 * value / total, 0)}\u202f%)"


def _most_participants(counts: Sequence[ProfileCount]) -> float:
    return max(*(each.participants for each in counts), 1)


def _whole_ticks(span: AxisScale, width: float) -> list[float]:
    whole = [tick for tick in ticks(span.low, span.high) if tick == round(tick)]
    return fitting_ticks(whole, span, width)


def _draw_profile_bar(drawing: Drawing, each: ProfileCount, span: AxisScale, y: float) -> None:
    kept, all_ = span.position(each.participants_kept), span.position(each.participants)
    if each.participants > each.participants_kept:
        drawing.outline(Box(kept, y - _BAR / 2, all_ - kept, _BAR), shade=1)
    if each.participants_kept:
        box = Box(span.left, y - _BAR / 2, kept - span.left, _BAR)
        drawing.cell(box, shade=1, strength=1.0)

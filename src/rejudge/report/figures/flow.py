"""Who came, who was left out by which rule, and who counts: from the top to the bottom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rejudge.analysis import Flow, Results
from rejudge.english import count, verb
from rejudge.report.drawing import NARROW, Box, Drawing, Picture, breadth, wrapped
from rejudge.report.drawing.marks import Kind
from rejudge.report.figures.labels import LINE
from rejudge.report.figures.scene import Scene
from rejudge.report.people import RULES

_EDGE = 4.0
_PAD = 12.0
_SPACE = 26.0  # between boxes
_SIDE = 22.0  # from the way down to a box beside it
_MOST_BOX = 300.0


@dataclass(frozen=True, slots=True)
class _Step:
    """A box on the way down, and what was lost before the next."""

    lines: tuple[str, ...]
    lost: tuple[str, ...] = ()


def flow_picture(scene: Scene) -> Picture | None:
    """The way from all who came to all who count."""
    flow = scene.results.flow
    if not flow.rows:
        return None
    steps = [*_arrivals(scene.results), *_steps(flow)]
    what = "Participants and judgments from all that were collected to those that count"
    says = ". ".join(
        ", ".join(step.lines) + (f". {'; '.join(step.lost)}" if step.lost else "") for step in steps
    )
    drawing = Drawing(f"{scene.said}{what}.", f"{says}.", scene.width)
    return Picture(
        "flow",
        f"{scene.said}{what}. Rows are judgments of systems, checks and repeats; a participant "
        "may lose some rows and count with the others, or fall under more than one rule.",
        _draw(drawing, steps),
        "table-exclusions" if flow.exclusions else "",
    )


def _arrivals(results: Results) -> Iterator[_Step]:
    """Those who opened the site before anybody judged, as far as it recorded them."""
    way = results.way
    judged = results.flow.participants
    if way is None or way.came is None or judged is None:
        return
    came = f"{count(way.came, 'person')} came"
    if way.consented is None:
        yield _Step((came,), _gone(way.came - judged, "judged nothing"))
        return
    yield _Step((came,), _gone(way.came - way.consented, "did not consent"))
    yield _Step((f"{way.consented:,} consented",), _gone(way.consented - judged, "judged nothing"))


def _gone(people: int, why: str) -> tuple[str, ...]:
    return (f"{count(people, 'person')} {why}",) if people > 0 else ()


def _steps(flow: Flow) -> Iterator[_Step]:
    came, stay = flow.participants, flow.participants_kept
    judged = () if came is None else (f"{count(came, 'participant')} judged",)
    yield _Step((*judged, count(flow.rows, "row")), _lost(flow))
    kept = (
        () if stay is None else (f"{count(stay, 'participant')} {verb(stay, 'counts', 'count')}",)
    )
    yield _Step(
        (
            *kept,
            count(flow.rows_kept, "row"),
            f"{count(flow.judged_kept, 'judgment')} of systems",
        )
    )


def _lost(flow: Flow) -> tuple[str, ...]:
    """The rules by which something was left out, with people and rows."""
    if not flow.exclusions:
        return ("Nothing was excluded",)
    found = []
    for rule in dict.fromkeys(each.rule for each in flow.exclusions):
        mine = [each for each in flow.exclusions if each.rule == rule]
        who = count(len({each.participant for each in mine}), "participant")
        rows = count(sum(each.rows for each in mine), "row")
        found.append(f"{RULES.get(rule, rule)}: {who}, {rows}")
    people = (flow.participants or 0) - (flow.participants_kept or 0)
    head = f"Left out: {count(people, 'participant')}, {count(flow.rows - flow.rows_kept, 'row')}"
    return (head, *found)


def _draw(drawing: Drawing, steps: Sequence[_Step]) -> Drawing:
    is_narrow = drawing.width < NARROW
    widest = max(breadth(line) for step in steps for line in step.lines)
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
            lines = _listed(step.lost, room)
            wide = max(breadth(line) for line in lines) + 2 * _PAD
            box = Box(beside, y + _SPACE / 2 + 4, wide, 0)
            y = _draw_box(drawing, lines, box, kind="paper", is_plain=True)
            middle = (box.y + y) / 2
            drawing.arrow((spine, middle), (beside, middle))
            y -= 6
        y += _SPACE
        drawing.arrow((spine, start), (spine, y))
    return drawing.ends(y + _EDGE)


def _listed(lost: Sequence[str], room: float) -> list[str]:
    """The head as it is; each rule in as many lines as it needs."""
    lines = list(wrapped(lost[0], room, 2))
    for each in lost[1:]:
        lines += wrapped(f"– {each}", room, 3)
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

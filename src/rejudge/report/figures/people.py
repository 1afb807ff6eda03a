"""Who took part: from all who came to those who count, answers about them, and their times."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rejudge.analysis.results import Flow, Results
from rejudge.english import count
from rejudge.findings.frame import Frame, Row
from rejudge.judgments.exclusions import RULE_LABELS
from rejudge.layout.numbers import number
from rejudge.layout.table import file_name
from rejudge.report.figures.context import FigureContext
from rejudge.report.figures.registry import Picture, figure
from rejudge.report.figures.style import (
    COLOURS,
    EDGE,
    INK,
    LINE,
    PAPER,
    RULE,
    SOFT,
    PanelSheet,
    format_tick,
    marker,
    text_width,
    ticks,
    ticks_over,
    truncate,
    wrap,
)
from rejudge.tables.columns import MEASURED_ON_PAGES, PAGES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BLUE = COLOURS["s1"]
_PAD = 8.5
_SPACE = 19.0  # between boxes
_MOST = 15  # bars of a profile; the rest is one bar
_GAP = 7.0
_ROW = 17.5
_BAR = 10.0
_MOST_LABEL = 0.36  # of the width
_IN_ORDER = frozenset(("exit-question",))  # the order of the options means something
_FOOT = 32.0  # for the numbers and the name of an axis


@dataclass(frozen=True, slots=True)
class _FlowStep:
    """A box on the way down, and what was lost before the next."""

    lines: tuple[str, ...]
    lost: tuple[str, ...] = ()


@figure("flow", section="participants", per="study")
def flow_picture(context: FigureContext) -> Picture | None:
    """The way from all who came to all who count."""
    flow = context.results.flow
    if not flow.rows:
        return None
    steps = [*_arrivals(context.results), *_steps(flow)]
    what = "From all participants and judgments collected to those analysed"
    said = ". ".join(
        ", ".join(step.lines) + (f". {'; '.join(step.lost)}" if step.lost else "") for step in steps
    )
    return Picture(
        f"{context.prefix}{what}. Rows are judgments of systems, checks and repeats; a participant "
        "may lose some rows and keep others, or be excluded by more than one rule.",
        f"{context.prefix}{what}.",
        f"{said}.",
        partial(_draw_flow, steps),
        numbers_in="table-exclusions" if flow.exclusions else "",
    )


def _arrivals(results: Results) -> Iterator[_FlowStep]:
    """Those who opened the site before anybody judged, as far as it recorded them."""
    people = {row["step"]: row["people"] for row in results.frame("arrivals").rows}
    judged = results.flow.participants
    if not people or judged is None:
        return
    came = (f"{count(people['came'], 'person')} arrived",)
    if "consented" not in people:
        yield _FlowStep(came, _dropouts(people["came"] - judged, "gave no judgments"))
        return
    yield _FlowStep(came, _dropouts(people["came"] - people["consented"], "did not consent"))
    failed = people.get("not qualified", 0)
    lost = (
        *_dropouts(failed, "did not pass the qualification"),
        *_dropouts(people["consented"] - failed - judged, "gave no judgments"),
    )
    yield _FlowStep((f"{people['consented']:,} consented",), lost)


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


def _draw_flow(steps: Sequence[_FlowStep], width: float) -> Figure:
    """A box for each step, one below the other; beside the way down what was lost."""
    sheet = PanelSheet(width)
    widest = max(text_width(line, is_bold=True) for step in steps for line in step.lines)
    wide = widest + 2 * _PAD
    spine = EDGE + min(wide / 2, 90)
    room = width - EDGE - (spine + 16) - 2 * _PAD
    lost = [_wrap_rules(step.lost, room) if step.lost else [] for step in steps]
    height = 2 * EDGE + sum(_box_height(step.lines) for step in steps) + sum(
        (_SPACE + _box_height(lines) + 6 if lines else _SPACE) for lines in lost[:-1]
    )  # fmt: skip
    axes = sheet.page(height)
    y = EDGE
    for place, (step, lines) in enumerate(zip(steps, lost, strict=True)):
        _draw_box(axes, step.lines, (EDGE, y, wide), fill=COLOURS["ground"])
        y += _box_height(step.lines)
        if place + 1 == len(steps):
            break
        end = y + _SPACE
        if lines:
            beside = spine + 16
            longest = min(room, max(text_width(line, is_bold=True) for line in lines))
            top = y + _SPACE / 2
            end = top + _box_height(lines) + _SPACE / 2 + 6
            middle = top + _box_height(lines) / 2
            _draw_box(axes, lines, (beside, top, longest + 2 * _PAD), fill=PAPER)
            _draw_arrow(axes, (spine, middle), (beside, middle))
        _draw_arrow(axes, (spine, y), (spine, end))
        y = end
    return sheet.finish(height)


def _wrap_rules(lost: Sequence[str], room: float) -> list[str]:
    """The head as it is; each rule in as many lines as it needs."""
    lines = list(wrap(lost[0], room, 2, is_bold=True))
    for each in lost[1:]:
        lines += wrap(f"– {each}", room, 3)
    return lines


def _box_height(lines: Sequence[str]) -> float:
    return len(lines) * (LINE + 2) + 2 * _PAD - 4


def _draw_box(
    axes: Axes, lines: Sequence[str], at: tuple[float, float, float], *, fill: str
) -> None:
    from matplotlib.patches import Rectangle

    x, y, width = at
    axes.add_patch(Rectangle((x, y), width, _box_height(lines), fc=fill, ec=RULE, lw=0.75))
    for place, line in enumerate(lines):
        axes.text(
            x + _PAD, y + _PAD + 7 + place * (LINE + 2), line,
            weight="normal" if place else "bold",
        )  # fmt: skip


def _draw_arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    look = {"arrowstyle": "-|>", "color": RULE, "lw": 0.75, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end, start, arrowprops=look)


@figure("profile", section="participants", per="study")
def profile_pictures(context: FigureContext) -> Iterator[Picture]:
    """One figure for each thing that is known about people."""
    for part in context.results.frame("profile").by("about").values():
        answers = [row for row in part.rows if row["answer"] is not None]
        if len(answers) > 1:  # one bar alone says no more than its number
            yield _profile_picture(context, part, answers)


def _profile_picture(context: FigureContext, part: Frame, answers: Sequence[Row]) -> Picture:
    first, people = part.rows[0], int(str(part.facts["participants"]))
    counts = _counts_to_draw(answers)
    left_out = any(row["participants_kept"] < row["participants"] for row in counts)
    name = first["about"]
    what = f"Participants by {name.replace('_', ' ').replace('-', ' ')}"
    prompt = f" («{first['asked']}»)" if first["asked"] not in ("", name) else ""
    known = sum(row["participants"] for row in answers)
    says = "; ".join(
        f"{row['answer']}: {row['participants']:,}"
        + (f", of whom {row['participants_kept']:,} count" if left_out else "")
        for row in counts
    )
    outline = (
        " Filled: those whose judgments count; outlined: those who took part and were excluded."
        if left_out
        else ""
    )
    silent = people - known
    unknown = f" Nothing is known about {count(silent, 'participant')}." if silent > 0 else ""
    note = f" {first['note']}" if first["note"] else ""
    return Picture(
        f"{context.prefix}{what}{prompt}: {known:,} of {count(people, 'participant')}, "
        f"percent of those who answered.{outline}{unknown}{note}",
        f"{context.prefix}{what}.",
        f"{says}.",
        partial(_draw_profile, counts),
        name=file_name(name),
        numbers_in=f"table-profile-{name}",
    )


def _counts_to_draw(answers: Sequence[Row]) -> list[Row]:
    """The options in their order, or the most frequent first; too many end in one bar."""
    counts = list(answers)
    if counts[0]["source"] not in _IN_ORDER or len(counts) > _MOST:
        counts.sort(key=lambda row: -row["participants"])
    if len(counts) <= _MOST:
        return counts
    rest = counts[_MOST - 1 :]
    others = {
        "answer": f"{len(rest)} others",
        "participants": sum(row["participants"] for row in rest),
        "participants_kept": sum(row["participants_kept"] for row in rest),
    }
    return [*counts[: _MOST - 1], others]


def _draw_profile(counts: Sequence[Row], width: float) -> Figure:
    """Filled: people who count; outlined: those who were excluded."""
    sheet = PanelSheet(width)
    total = sum(each["participants"] for each in counts) or 1
    shown = [
        f"{each['participants']:,} ({number(100 * each['participants'] / total, 0)}\u202f%)"
        for each in counts
    ]
    answers = [" ".join(each["answer"].split()) for each in counts]
    longest = max(map(text_width, answers))
    label = min(width * _MOST_LABEL, longest)
    height = _ROW if longest <= label else 2 * LINE + 3
    most = max(*(each["participants"] for each in counts), 1)
    left, right = EDGE + label + _GAP, width - EDGE - max(map(text_width, shown)) - _GAP
    axes = sheet.rows(left, 3, right, 3 + height * len(counts))
    axes.set_xlim(0, most)
    axes.grid(axis="x")
    axes.axvline(0, color=RULE, lw=0.75)
    sheet.ticks_across(axes, [tick for tick in ticks(0, most) if tick == round(tick)])
    sheet.title(axes, "Participants")
    for place, (each, answer, words) in enumerate(zip(counts, answers, shown, strict=True)):
        y = (place + 0.5) * height
        sheet.lines(axes, left - _GAP, y, wrap(answer, label, 2), ha="right", weight="normal")
        kept = each["participants_kept"]
        axes.barh(y, kept, _BAR, color=_BLUE, lw=0)
        if each["participants"] > kept:
            axes.barh(y, each["participants"] - kept, _BAR, kept, color=PAPER, ec=_BLUE, lw=1.1)
        sheet.write(axes, sheet.place(axes, each["participants"]) + 4, y, words)
    return sheet.finish(3 + height * len(counts) + _FOOT)


_PANEL = 96.0  # height of the plot of one page
_HEAD = 2 * LINE + 8
_LEFT = 36.0  # for the numbers of the upright axis
_GUTTER = 17.0
_PERCENTS = (0.0, 25.0, 50.0, 75.0, 100.0)
_COLUMN = 0.75  # strength of the bars, so that the median is seen on them
_LEAST_POSITIONS = 3  # places; of two there is nothing to see
_SPOKEN = 12


@dataclass(frozen=True, slots=True)
class _Timed:
    """The times of one kind of page."""

    name: str
    n: int
    median: float | None
    shares: tuple[Row, ...]
    bins: tuple[Row, ...]

    def percent(self, within: Row) -> float:
        """The percentage of times in a bin."""
        return 100.0 * int(within["n"]) / self.n

    def quantile(self, share: float) -> float:
        """The first known time up to which so many lie."""
        known = (row["seconds"] for row in self.shares if row["share"] >= share)
        return float(next(known, self.shares[-1]["seconds"]))


@figure("times", section="participants", per="study", table="times-pages")
def times_pictures(context: FigureContext) -> Iterator[Picture]:
    """A histogram and a cumulative curve of each kind of page."""
    timed = _timed_pages(context.results)
    if timed:
        yield _histograms(context, timed)
        yield _curves(context, timed)


def _timed_pages(results: Results) -> list[_Timed]:
    """Each kind of page that was timed."""
    shares, bins = (_by_page(results.frame(f"times-{name}")) for name in ("shares", "bins"))
    return [
        _Timed(_page_name(*page), row["n"], row["median"], tuple(shares[page]), tuple(bins[page]))
        for row in results.frame("times-pages").rows
        if (page := (row["page"], row["place"])) in shares
    ]


def _by_page(frame: Frame) -> dict[tuple[str, int | None], list[Row]]:
    found: dict[tuple[str, int | None], list[Row]] = {}
    for row in frame.rows:
        found.setdefault((row["page"], row["place"]), []).append(row)
    return found


def _page_name(page: str, place: int | None) -> str:
    name = "Tasks" if page == "task" else PAGES[page]
    return name if place is None else f"{name} {place}"


def _histograms(context: FigureContext, timed: Sequence[_Timed]) -> Picture:
    what = "How long pages took, in percent of times within each bin"
    says = "; ".join(
        f"{page.name}, {count(page.n, 'time')}: median {number(page.median)} seconds, "
        f"{number(page.percent(page.bins[-1]), 0)}\u202f% over {_seconds(page.bins[-1]['low'])}"
        for page in timed
    )
    return Picture(
        f"{context.prefix}{what}. The last bin, set apart, holds all longer times. The heavy "
        f"line is the median. {MEASURED_ON_PAGES}",
        f"{context.prefix}{what}.",
        f"{says}.",
        partial(_draw_panels, timed, _draw_histogram),
    )


def _curves(context: FigureContext, timed: Sequence[_Timed]) -> Picture:
    what = "Share of times up to a number of seconds, with a band that holds for all of it at once"
    says = "; ".join(
        f"{page.name}, {count(page.n, 'time')}: "
        + ", ".join(
            f"{share:.0%} within {_seconds(page.quantile(share))}" for share in (0.25, 0.5, 0.75)
        )
        for page in timed
    )
    level = 100 * context.results.signature.level
    return Picture(
        f"{context.prefix}{what} ({level:g}\u202f%, pages treated as independent). Seconds on a "
        f"logarithmic scale. {MEASURED_ON_PAGES}",
        f"{context.prefix}{what}.",
        f"{says}.",
        partial(_draw_panels, timed, _draw_curve),
        name="shares",
    )


def _draw_panels(
    timed: Sequence[_Timed], draw: Callable[[PanelSheet, Axes, _Timed], None], width: float
) -> Figure:
    """A panel for each kind of page, two beside each other where there is room."""
    sheet = PanelSheet(width)
    columns = 1 if sheet.is_narrow or len(timed) == 1 else 2
    wide = (width - 2 * EDGE - (columns - 1) * _GUTTER) / columns
    height = _HEAD + _PANEL + _FOOT + 6
    for place, page in enumerate(timed):
        x, y = EDGE + place % columns * (wide + _GUTTER), place // columns * height
        axes = sheet.panel(x + _LEFT, y + _HEAD, x + wide - 8, y + _HEAD + _PANEL)
        size = f"n = {page.n:,}"
        name = truncate(page.name, wide - text_width(size) - 12, is_bold=True)
        sheet.above(axes, x, [name, ""], ha="left")
        sheet.above(axes, x + wide, [size, ""], ha="right", weight="normal", color=SOFT)
        axes.grid(axis="y")
        draw(sheet, axes, page)
        axes.axhline(0, color=RULE, lw=0.75)
        sheet.title(axes, "Seconds")
    return sheet.finish(math.ceil(len(timed) / columns) * height)


def _draw_histogram(sheet: PanelSheet, axes: Axes, page: _Timed) -> None:
    from matplotlib.colors import to_rgba

    *bins, last = page.bins
    edges = [row["low"] for row in page.bins]
    cap, step = last["low"], edges[1]
    shares = [page.percent(each) for each in page.bins]
    lefts = [*edges[: len(bins)], cap + 0.6 * step]
    widths = [high - low for low, high in pairwise(edges)] + [step]
    axes.bar(lefts, shares, widths, align="edge", color=to_rgba(_BLUE, _COLUMN), ec=PAPER, lw=0.75)
    high = max(*shares, 1.0)
    axes.set(xlim=(0, cap + 1.6 * step), ylim=(0, high * 1.02))
    _label_upright(axes, ticks(0, high))
    longer = f"over {format_tick(cap)}"
    x = min(sheet.place(axes, cap + 1.1 * step), sheet.ends(axes)[1] + 8 - text_width(longer) / 2)
    room = x - text_width(longer) / 2 - 4
    known = [
        edge for edge in edges
        if sheet.place(axes, edge) + text_width(format_tick(edge)) / 2 < room
    ]  # fmt: skip
    sheet.ticks_across(axes, known)
    sheet.below(axes, x, 12, longer)
    if page.median is not None and page.median <= cap:
        axes.plot([page.median] * 2, [0, high * 1.05], color=INK, lw=1.1)
        _write_median(sheet, axes, page.median, page.median)


def _write_median(sheet: PanelSheet, axes: Axes, median: float, place: float) -> None:
    """Above the panel, over its mark."""
    left, right = sheet.ends(axes)
    words = f"median {_seconds(median)}"
    half = text_width(words) / 2
    x = min(max(sheet.place(axes, place), left + half), right - half)
    sheet.above(axes, x, [words], weight="normal")


def _label_upright(axes: Axes, places: Sequence[float]) -> None:
    unit = [""] * (len(places) - 1) + ["\u202f%"]
    axes.set_yticks(places, [f"{format_tick(at)}{u}" for at, u in zip(places, unit, strict=True)])


def _draw_curve(sheet: PanelSheet, axes: Axes, page: _Timed) -> None:
    """Against the logarithm of seconds."""
    points = [row for row in page.shares if row["seconds"] > 0]
    axes.set_ylim(0, 100)
    _label_upright(axes, _PERCENTS)
    if not points:
        axes.text(0.5, 50, "all 0 seconds", ha="center", color=SOFT)
        sheet.ticks_across(axes, ())
        return
    across = [math.log10(row["seconds"]) for row in points]
    room = (across[-1] - across[0]) * 0.03 or 0.3
    axes.set_xlim(across[0] - room, across[-1] + room)
    low, middle, high = (
        [100 * share for share in shares]
        for shares in zip(*((p["low"], p["share"], p["high"]) for p in points), strict=True)
    )
    axes.fill_between(across, low, high, step="post", color=_BLUE, alpha=0.2, lw=0)
    axes.step([across[0], *across], [0, *middle], where="post", color=_BLUE, lw=1.5)
    decades = range(math.floor(across[0] - room), math.ceil(across[-1] + room) + 1)
    places = {math.log10(s * 10.0**d): s * 10.0**d for d in decades for s in (1, 2, 5)}
    inside = {at: s for at, s in places.items() if across[0] - room <= at <= across[-1] + room}
    sheet.ticks_across(axes, list(inside), [format_tick(s) for s in inside.values()])
    if page.median:
        at = math.log10(page.median)
        axes.plot([at], [50], **marker(-1))
        _write_median(sheet, axes, page.median, at)


def _seconds(value: float) -> str:
    return f"{number(value, 0 if value >= 100 else 1)}\u202fs"


@figure("times-places", section="participants", per="study", family="times", table="times-pages")
def positions_picture(context: FigureContext) -> Picture | None:
    """The median and the quarters beside it, for each place."""
    rows = context.results.frame("times-pages").rows
    tasks = [row for row in rows if row["page"] == "task" and row["place"] is not None]
    if len(tasks) < _LEAST_POSITIONS:
        return None
    what = "Seconds on a task by its place in the order in which participants saw them"
    says = "; ".join(
        f"task {row['place']}: median {number(row['median'])}, half of them from "
        f"{number(row['lower'])} to {number(row['upper'])}"
        for row in tasks[:_SPOKEN]
    )
    more = "" if len(tasks) <= _SPOKEN else f"; and so on up to task {tasks[-1]['place']}"
    sizes = sorted(row["n"] for row in tasks)
    many = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
    return Picture(
        f"{context.prefix}{what}: the median and the interquartile range of {many} times each. "
        f"These lines are not confidence intervals. {MEASURED_ON_PAGES}",
        f"{context.prefix}{what}.",
        f"{says}{more}.",
        partial(_draw_positions, tasks),
    )


def _draw_positions(tasks: Sequence[Row], width: float) -> Figure:
    """The median of each place, and the quarters beside it."""
    sheet = PanelSheet(width)
    marks = ticks_over(max(row["upper"] for row in tasks) or 1.0)
    left = EDGE + max(text_width(format_tick(tick)) for tick in marks) + 6
    axes = sheet.panel(left, 7, width - EDGE, 7 + 125)
    places = [row["place"] for row in tasks]
    axes.set(xlim=(places[0] - 0.5, places[-1] + 0.5), ylim=(0, marks[-1]))
    axes.set_yticks(marks, list(map(format_tick, marks)))
    axes.grid(axis="y")
    axes.axhline(0, color=RULE, lw=0.75)
    is_crowded = (width - left) / len(tasks) < 9
    ends: dict[str, Any] = {} if is_crowded else {"marker": "_", "ms": 6, "mew": 1.1}
    for place, row in zip(places, tasks, strict=True):
        axes.plot([place] * 2, [row["lower"], row["upper"]], color=_BLUE, lw=1.1, **ends)
    look = marker(1) | {"ms": 3.5 if is_crowded else 6}
    axes.plot(places, [row["median"] for row in tasks], **look)
    sheet.ticks_across(axes, places)
    sheet.title(axes, "Place of the task")
    return sheet.finish(7 + 125 + _FOOT)

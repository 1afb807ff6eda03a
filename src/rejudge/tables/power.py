"""Power analyses as tables and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from operator import attrgetter

from rejudge.english import capital, count, join_words, verb
from rejudge.layout.numbers import level_text, number, percent
from rejudge.layout.table import Kind, Table
from rejudge.power.plan import StatedEffect
from rejudge.power.results import (
    ComparisonPower,
    PlannedPower,
    Repeat,
    SizePower,
)
from rejudge.study.methods import TESTS
from rejudge.tables.looks import BOUNDARIES
from rejudge.tables.view import (
    CellFunction,
    ColumnEntry,
    Digits,
    Heading,
    Medium,
    TableView,
    When,
    tabulate_view,
)

_SIGNS = {"GBP": "£", "EUR": "€", "USD": "$"}
_PAIR = 2
_MOST_IN_PRINT = 40  # rows


@dataclass(frozen=True, slots=True)
class SizeRow:
    """A row of every table: a size, and the comparison or the claim that the row is about."""

    size: SizePower
    pair: ComparisonPower  # of the table of sizes, the one that is hardest to find
    claim: Repeat | None = None


def power_tables(found: PlannedPower) -> tuple[Table, ...]:
    """All tables of a power analysis, each for programs and as papers print it."""
    names = [name for name in TABLES if TABLES[name].rows(found)]
    return tuple(
        replace(power_table(name, found), in_print=power_table(name, found, "paper"))
        for name in names
    )


def power_table(name: str, found: PlannedPower, medium: Medium = "csv") -> Table:
    """One table of a power analysis for a medium."""
    text = TABLES[name]
    table = tabulate_view(
        name,
        TableView(tuple(text.rows(found)), {}, medium, source=found),
        COLUMNS,
        caption=f"What studies of several sizes can detect: {effects_in_words(found)}. "
        f"{(text.in_papers if medium == 'paper' else '') or text.caption}",
        notes=found.notes if name == "power" else (),
    )
    return replace(table, most_in_print=None if name == "power" else _MOST_IN_PRINT)


@dataclass(frozen=True, slots=True)
class _PowerTable:
    rows: Callable[[PlannedPower], list[SizeRow]]
    caption: str
    in_papers: str = ""  # the caption there, where columns are left out


TABLES = {
    "power": _PowerTable(
        lambda found: [SizeRow(size, size.hardest) for size in found.sizes],
        "Power with the half-width of its Monte-Carlo interval, by how much a found difference is "
        "exaggerated (type M), the share of found differences with the wrong sign (type S), the "
        "mean width of the interval, and the chance that a second study of the same size has the "
        "same ranking and the same verdicts on the claims. A cost includes fees and taxes.",
        "Power with the half-width of its Monte-Carlo interval, and the mean width of the interval "
        "of the difference that is hardest to find. A cost includes fees and taxes.",
    ),
    "power-pairs": _PowerTable(
        lambda found: [SizeRow(size, pair) for size in found.sizes for pair in size.comparisons],
        "Every planned test of two systems.",
    ),
    "power-claims": _PowerTable(
        lambda found: [
            SizeRow(size, size.hardest, claim) for size in found.sizes for claim in size.claims
        ],
        "How often each claim is supported, and the chance that a second study of the same size "
        "comes to the same verdict.",
    ),
}


def frontier(found: PlannedPower) -> tuple[SizePower, ...]:
    """The sizes worth a look: none that costs less finds more; and the planned one."""
    kept: list[SizePower] = []
    for size in sorted(found.sizes, key=lambda each: (each.price, -each.power)):
        if not kept or size.power > max(each.power for each in kept):
            kept.append(size)
    return tuple(s for s in found.sizes if s in kept or s.is_planned or s is found.best)


# ── the columns ──────────────────────────────────────────────────────────────────────────────────

_ALL = "csv page paper terminal"
_WIDE = "csv page terminal"  # papers have no room


def _column(
    name: str,
    cell: str | CellFunction,
    tables: Mapping[str, str],
    digits: Digits = None,
    heading: Heading = "",
    *,
    when: When = "always",
    kind: Kind = "number",
) -> ColumnEntry:
    """`cell` is a field of the row, or a function of it."""
    function = _field(cell) if isinstance(cell, str) else cell
    kind = "text" if digits is None else kind
    return ColumnEntry(name, function, tables, kind, digits, heading or capital(name), when)


def _field(name: str) -> CellFunction:
    get = attrgetter(name)
    return lambda row, _: get(row)


def _in(media: str, *tables: str) -> dict[str, str]:
    return dict.fromkeys(tables, media)


def _digits(view: TableView) -> int:
    return 1 if view.source.effects[0].unit == "percentage points" else 2


def _currency(view: TableView) -> str:
    currency = next((row.size.currency for row in view.records if row.size.currency), None)
    return f"Cost, {currency}" if currency else "Cost"


_EVERY = _in(_ALL, *TABLES)
COLUMNS: Sequence[ColumnEntry] = (
    _column("items", "size.items", _EVERY, 0),
    _column("per item", "size.per_item", _EVERY, 0, "Per item"),
    _column("participants", "size.participants", _EVERY | _in(_WIDE, "power-pairs"), 0,
            "People"),
    _column("batches", "size.batches", _in("csv", "power"), 0),
    _column("batches per participant", "size.batches_per_participant", _in("csv", "power"), 0),
    _column("judgments", "size.judgments", _in(_WIDE, "power"), 0),
    _column("hours", "size.hours", _in(_ALL, "power"), 1),
    _column("cost", lambda row, _: None if row.size.cost is None else float(row.size.cost),
            _in(_ALL, "power"), 2, _currency, when="any"),
    _column("currency", "size.currency", _in("csv", "power")),
    _column("question", "pair.question", _in(_ALL, "power-pairs")),
    _column("test", "pair.test", _in(_WIDE, "power-pairs")),
    _column("first", lambda row, _: row.pair.systems[0], _in(_ALL, "power-pairs")),
    _column("second", lambda row, _: row.pair.systems[1], _in(_ALL, "power-pairs")),
    _column("true difference", "pair.true_difference", _in(_ALL, "power-pairs"), _digits),
    _column("power", "pair.power", _in(_ALL, "power", "power-pairs"), 3),
    _column("±", lambda row, _: _half_width(row.pair), _in("page paper terminal", "power"), 3),
    _column("power interval", "pair.interval", _in("csv", "power", "power-pairs"), 4,
            kind="interval"),
    _column("hardest question", "pair.question", _in("csv", "power")),
    _column("hardest pair", lambda row, _: ":".join(row.pair.systems), _in("csv", "power")),
    _column("exaggeration", "pair.exaggeration", _in(_WIDE, "power", "power-pairs"), 2,
            "Type M"),
    _column("wrong sign", "pair.wrong_sign", _in(_WIDE, "power", "power-pairs"), 3,
            "Type S"),
    _column("width", "pair.width", _in(_ALL, "power", "power-pairs"), _digits),
    _column("undefined", "pair.undefined", _in("csv", "power-pairs"), 3),
    _column("all found", "size.all_found", _in("csv", "power"), 3),
    _column("same ranking", lambda row, _: _least(row.size.rankings), _in(_WIDE, "power"), 3,
            "Same ranking"),
    _column("same claims", lambda row, _: _least(row.size.claims), _in(_WIDE, "power"), 3,
            "Same claims", when="any"),
    _column("simulated studies", "size.studies", _in("csv", "power"), 0),
    _column("missing items", "size.missing_items", _in("csv", "power"), 0),
    _column("note", lambda row, view: _remark(view.source, row.size), _in(_WIDE, "power"),
            heading=" "),
    _column("claim", "claim.of", _in(_ALL, "power-claims")),
    _column("supported", "claim.supported", _in(_ALL, "power-claims"), 3),
    _column("same again", "claim.same", _in(_ALL, "power-claims"), 3),
)  # fmt: skip


def _half_width(pair: ComparisonPower) -> float:
    return (pair.interval.high - pair.interval.low) / 2


def _least(found: tuple[Repeat, ...]) -> float | None:
    return min((each.same for each in found if each.same is not None), default=None)


def _remark(found: PlannedPower, size: SizePower) -> str:
    words = []
    if size.is_planned:
        words.append("planned")
    if found.best is size:
        words.append(f"cheapest with {level_text(found.target)}")
    if size.missing_items:
        words.append(f"needs {count(size.missing_items, 'more item')}")
    return ", ".join(words)


def effects_in_words(found: PlannedPower) -> str:
    """The effects of interest, in a few words; questions with the same one are named together."""
    sizes = dict.fromkeys((each.effect, each.unit) for each in found.effects)
    said = [
        _effect([each for each in found.effects if (each.effect, each.unit) == size])
        for size in sizes
    ]
    first = found.effects[0]
    if first.pair is not None:
        return f"{join_words(said)} between {' and '.join(first.pair)}"
    apart = "" if len(first.order) == _PAIR else " between neighbouring systems"
    return join_words(said) + ("" if first.effect is None else apart)


def _effect(alike: list[StatedEffect]) -> str:
    first, names = alike[0], join_words([each.question for each in alike])
    if first.effect is None:
        return f"the stated differences on {names}"
    return f"{first.effect:g} {first.unit} on {names}"


def money(cost: Decimal | None, currency: str | None) -> str:
    """An amount with its currency; empty where it is not known."""
    if cost is None or currency is None:
        return ""
    sign = _SIGNS.get(currency)
    return f"{sign}{cost:,}" if sign else f"{cost:,} {currency}"


def price_in_words(size: SizePower) -> str:
    """Money and hours of a size, or the hours alone."""
    hours = f"{number(size.hours, 1 if size.hours < 100 else 0)} hours"
    paid = money(size.cost, size.currency)
    return f"{paid} and {hours}" if paid else hours


def size_in_words(size: SizePower) -> str:
    """A size in the words of a study."""
    return (
        f"{count(size.items, 'item')} × {count(size.per_item, 'participant')} each "
        f"({count(size.participants, 'participant')} in all)"
    )


def power_sentences(found: PlannedPower) -> Iterator[str]:
    """What the planned study can find, and the cheapest one that finds what matters."""
    planned, best = found.planned, found.best
    if planned.is_planned:
        yield f"As planned, {_finds(found, planned)}, for {price_in_words(planned)}."
    if not any(size.hardest.is_difference for size in found.sizes):
        return
    if best is None:
        yield _not_reached(found)
        return
    sure = best.reaches(found.target) == "yes"
    margin = "" if sure else ", within Monte-Carlo error,"
    if best.is_planned:
        near = margin.removesuffix(",")
        yield f"No cheaper size that was simulated reaches {level_text(found.target)}{near}."
    else:
        yield (
            f"The cheapest size that reaches {level_text(found.target)}{margin} is "
            f"{size_in_words(best)}: {_finds(found, best, with_size=False)}, for "
            f"{price_in_words(best)}."
        )
    if best.missing_items:
        yield f"It needs {count(best.missing_items, 'more item')} than the item file has."


def _not_reached(found: PlannedPower) -> str:
    """That no size has the power, and how close the best one comes."""
    target, remedy = level_text(found.target), "Try larger sizes, or a larger effect."
    if len(found.sizes) == 1:
        return f"This does not reach {target} power. {remedy}"
    strongest = max(found.sizes, key=lambda size: size.power)
    highest = f"None of these sizes reaches {target} power; the highest is "
    if not strongest.power:
        return f"{highest}{percent(0)}. {remedy}"
    return (
        f"{highest}{percent(100 * strongest.power)}, with {size_in_words(strongest)} for "
        f"{price_in_words(strongest)}. {remedy}"
    )


def _finds(found: PlannedPower, size: SizePower, *, with_size: bool = True) -> str:
    hardest = size.hardest
    test = TESTS[hardest.test].label
    where = f"{size_in_words(size)} find " if with_size else "it finds "
    mc = hardest.interval
    if not hardest.is_difference:
        return (
            f"{where}a difference where there is none in {percent(100 * hardest.power)} of studies"
        )
    return (
        f"{where}{effects_in_words(found)} with {percent(100 * hardest.power)} power "
        f"({percent(100 * mc.low)} to {percent(100 * mc.high)}; {test}, level {found.alpha:g}"
        f"{_corrected(found)})"
    )


def _corrected(found: PlannedPower) -> str:
    if found.family <= 1 or found.correction == "none":
        return ""
    return f", {found.correction.title()} over {found.family} tests"


def confirmation_sentences(found: PlannedPower) -> Iterator[str]:
    """How complete studies compare with the closed form: in how many tests, and the worst."""
    if not found.confirmed:
        return
    every = list(zip(found.confirmed, found.planned.comparisons, strict=True))
    worst, closed = max(every, key=lambda each: abs(each[0].power - each[1].power))
    outside = sum(not c.interval.low <= other.power <= c.interval.high for c, other in every)
    yield (
        f"{found.confirmed_studies:,} complete studies with the planned analysis itself: {outside} "
        f"of {count(len(every), 'power')} {verb(outside, 'lies', 'lie')} outside Monte-Carlo "
        f"error. The largest difference is {' – '.join(worst.systems)} on {worst.question} "
        f"({TESTS[worst.test].label}): {percent(100 * worst.power)} "
        f"({percent(100 * worst.interval.low)} to {percent(100 * worst.interval.high)}) instead of "
        f"{percent(100 * closed.power)}."
    )


def look_sentences(found: PlannedPower) -> Iterator[str]:
    """What planned looks do to the power of the comparison that decides, and what they save."""
    looks = found.looks
    if looks is None:
        return
    one, other = looks.systems
    yield (
        f"{count(len(looks.fractions), 'look')} ({BOUNDARIES[looks.boundary]}): {one} – {other} on "
        f"{looks.question} by itself is found with about {percent(100 * looks.power)} power "
        f"({percent(100 * looks.single)} with a single test at the end), and the study ends after "
        f"{percent(100 * looks.used)} of its places on average."
    )


def planned_power_sentences(found: PlannedPower) -> Iterator[str]:
    """The power of the planned size with everything it is based on, for reports and papers."""
    planned = found.planned
    when = "After data collection had begun" if found.is_after_data else "Before data collection"
    yield (
        f"{when}, power was computed by simulating {planned.studies:,} studies of the planned size "
        f"with the planned tests (seed {found.seed}): {_finds(found, planned)}."
    )
    hardest = planned.hardest
    if hardest.exaggeration is not None and hardest.wrong_sign is not None:
        yield (
            f"A difference that such a study finds is overestimated by a factor of "
            f"{hardest.exaggeration:.2f} on average, and has the wrong sign in "
            f"{percent(100 * hardest.wrong_sign)} of cases."
        )
    yield from look_sentences(found)
    yield f"The variation of judgments was taken from {found.source}."


def power_value(found: PlannedPower) -> str:
    """The power with effect, level and size, in one line."""
    planned, hardest = found.planned, found.planned.hardest
    return (
        f"{hardest.power:.2f} for {effects_in_words(found)}, alpha {found.alpha:g}"
        f"{_corrected(found)}, {size_in_words(planned)}"
    )


def power_method(found: PlannedPower) -> str:
    """How the power was determined, in words."""
    tests = join_words(list(dict.fromkeys(TESTS[each.test].label for each in found.tests)))
    said = [
        f"Simulation of {found.planned.studies:,} studies with the planned analysis ({tests}; "
        f"crossed items and participants), before data collection."
        if not found.is_after_data
        else f"Simulation of {found.planned.studies:,} studies with the planned analysis ({tests}; "
        "crossed items and participants); people had already answered.",
        f"The effect is the smallest difference of interest: {effects_in_words(found)}.",
        f"Variation of judgments: {found.source}.",
        *found.assumptions,
        *found.notes,
    ]
    return " ".join(said)

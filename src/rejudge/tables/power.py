"""Power analyses as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from rejudge.english import count, join_words, verb
from rejudge.layout.numbers import level_text, number, percent
from rejudge.layout.table import Column, Table, csv_only, interval_column, print_only, tabulate
from rejudge.power.plan import StatedEffect
from rejudge.power.results import (
    ComparisonPower,
    PlannedPower,
    Repeat,
    SizePower,
)
from rejudge.study.methods import TESTS
from rejudge.tables.looks import BOUNDARIES

_SIGNS = {"GBP": "£", "EUR": "€", "USD": "$"}
_PAIR = 2


def power_tables(found: PlannedPower) -> tuple[Table, ...]:
    """All tables of a power analysis."""
    tables = [size_table(found), pair_table(found)]
    if any(size.claims for size in found.sizes):
        tables.append(claim_table(found))
    return tuple(tables)


def size_table(found: PlannedPower) -> Table:
    """One row for each size: what it costs and what it can find."""
    has_cost = any(size.cost is not None for size in found.sizes)
    currency = next((size.currency for size in found.sizes if size.currency), None)
    digits = 1 if found.effects[0].unit == "percentage points" else 2
    table = tabulate(
        "power",
        f"{_caption(found)} Power with the half-width of its Monte-Carlo interval, by how much a "
        "found difference is exaggerated (type M), the share of found differences with the wrong "
        "sign (type S), the mean width of the interval, and the chance that a second study of the "
        "same size has the same ranking and the same verdicts on the claims."
        f"{f' Cost in {currency}, with fees and taxes.' if has_cost else ''}",
        found.sizes,
        (Column("items", 0), "items"),
        (Column("per item", 0, "Per item"), "per_item"),
        (Column("participants", 0, "People"), "participants"),
        (csv_only(Column("batches", 0)), "batches"),
        (csv_only(Column("batches per participant", 0)), "batches_per_participant"),
        (Column("judgments", 0), "judgments"),
        (Column("hours", 1), "hours"),
        (Column("cost", 2), lambda size: None if size.cost is None else float(size.cost)),
        (csv_only(Column("currency")), "currency"),
        (Column("power", 3), "power"),
        (print_only(Column("±", 3)), _half_width),
        (csv_only(interval_column(4, "power interval")), lambda size: size.hardest.interval),
        (csv_only(Column("hardest question")), lambda size: size.hardest.question),
        (csv_only(Column("hardest pair")), lambda size: ":".join(size.hardest.systems)),
        (Column("exaggeration", 2, "Type M"), lambda size: size.hardest.exaggeration),
        (Column("wrong sign", 3, "Type S"), lambda size: size.hardest.wrong_sign),
        (Column("width", digits), lambda size: size.hardest.width),
        (csv_only(Column("all found", 3)), "all_found"),
        (Column("same ranking", 3, "Same ranking"), lambda size: _least(size.rankings)),
        (Column("same claims", 3, "Same claims"), lambda size: _least(size.claims)),
        (csv_only(Column("simulated studies", 0)), "studies"),
        (csv_only(Column("missing items", 0)), "missing_items"),
        (Column("note", heading=" "), lambda size: _remark(found, size)),
        notes=found.notes,
    )
    empty = [] if has_cost else ["cost"]
    empty += [] if any(size.claims for size in found.sizes) else ["same claims"]
    return table.without(*empty)


def frontier(found: PlannedPower) -> tuple[SizePower, ...]:
    """The sizes worth a look: none that costs less finds more; and the planned one."""
    kept: list[SizePower] = []
    for size in sorted(found.sizes, key=lambda each: (each.price, -each.power)):
        if not kept or size.power > max(each.power for each in kept):
            kept.append(size)
    return tuple(s for s in found.sizes if s in kept or s.is_planned or s is found.best)


def pair_table(found: PlannedPower) -> Table:
    """Every test of two systems at every size."""
    digits = 1 if found.effects[0].unit == "percentage points" else 2
    return tabulate(
        "power-pairs",
        f"{_caption(found)} Every planned test of two systems.",
        [_SizedPair(size, each) for size in found.sizes for each in size.comparisons],
        (Column("items", 0), "size.items"),
        (Column("per item", 0), "size.per_item"),
        (Column("participants", 0), "size.participants"),
        (Column("question"), "pair.question"),
        (Column("test"), "pair.test"),
        (Column("first"), lambda each: each.pair.systems[0]),
        (Column("second"), lambda each: each.pair.systems[1]),
        (Column("true difference", digits), "pair.true_difference"),
        (Column("power", 3), "pair.power"),
        (interval_column(3, "power interval"), "pair.interval"),
        (Column("exaggeration", 2), "pair.exaggeration"),
        (Column("wrong sign", 4), "pair.wrong_sign"),
        (Column("width", digits), "pair.width"),
        (csv_only(Column("undefined", 3)), "pair.undefined"),
        most_in_print=40,
    )


def claim_table(found: PlannedPower) -> Table:
    """Every claim at every size: how often it is supported, and how often the verdict repeats."""
    return tabulate(
        "power-claims",
        f"{_caption(found)} How often each claim is supported, and the chance that a second study "
        "of the same size comes to the same verdict.",
        [_SizedClaim(size, each) for size in found.sizes for each in size.claims],
        (Column("items", 0), "size.items"),
        (Column("per item", 0), "size.per_item"),
        (Column("participants", 0), "size.participants"),
        (Column("claim"), "claim.of"),
        (Column("supported", 3), "claim.supported"),
        (Column("same again", 3), "claim.same"),
        most_in_print=40,
    )


@dataclass(frozen=True, slots=True)
class _SizedPair:
    size: SizePower
    pair: ComparisonPower


@dataclass(frozen=True, slots=True)
class _SizedClaim:
    size: SizePower
    claim: Repeat


def _half_width(size: SizePower) -> float:
    return (size.hardest.interval.high - size.hardest.interval.low) / 2


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


def _caption(found: PlannedPower) -> str:
    return f"What studies of several sizes can detect: {effects_in_words(found)}."


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

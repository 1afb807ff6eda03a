"""A comparison in brief: verdicts on each reproduction, and compact tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rejudge.compare.comparison import (
    Comparison,
    ConfirmedShare,
    RunCard,
    UnsupportedDifference,
    Variation,
)
from rejudge.english import count, join_words, verb
from rejudge.layout.numbers import DASH, decimals_of, number
from rejudge.layout.table import Cell, Column, Table
from rejudge.tables.runs import (
    BY_ROUNDING,
    RunScores,
    criterion_name,
    run_name,
    run_scores,
    system_name,
)
from rejudge.tables.wording import COEFFICIENTS

_PAIR = 2
_MOST_COLUMNS = 9  # of numbers beside the name of a system, on the terminal
_FAMILY_NAMES = {"pairwise-ranks": "pairwise ranks", "significance": "significant differences"}
_FAMILIES = {
    "pairwise-ranks": "pairwise orders",
    "claims": "claims",
    "significance": "significant differences",
}


def verdict_table(comparison: Comparison) -> Table:
    """What was compared in each reproduction, and how far it agrees with the original."""
    runs = other_runs(comparison)
    original = run_name(comparison, comparison.original)
    table = Table(
        "verdicts",
        f"Each reproduction compared with {original}. CV* is a mean over criteria in percent; 0 "
        "means equal scores. ρ is Spearman’s correlation of the systems’ scores; 1 means the same "
        "order. Conditions are those known for both runs. What is not significant again is not "
        "shown to be absent. A dash marks what could not be computed.",
        (Column("reproduction"), *(Column(head) for head, _ in _COLUMNS)),
        tuple(
            (run.name, *(cell(comparison, run.id) or None for _, cell in _COLUMNS)) for run in runs
        ),
        section="summary",
    ).without_empty()
    return table if len(table.columns) > 1 else table.where(lambda _: False)


def other_runs(comparison: Comparison) -> list[RunCard]:
    """The runs that are compared with the original."""
    return [run for run in comparison.runs if run.id != comparison.original]


def has_numbers(comparison: Comparison) -> bool:
    """Whether any number of a reproduction could be compared with the original's."""
    cells = (_spread, _correlation, _labels, _findings, _claims)
    return any(cell(comparison, run.id) for run in other_runs(comparison) for cell in cells)


def _common_scores(comparison: Comparison, run: str) -> str:
    """On how many systems and criteria both runs have scores."""
    pairs = {
        (each.criterion, system)
        for each in run_scores(comparison)
        for system in each.systems
        if {(system, comparison.original), (system, run)} <= set(each.values)
    }
    if not pairs:
        return ""
    systems, criteria = (len(set(found)) for found in zip(*((s, c) for c, s in pairs), strict=True))
    mean = _mean_variation(comparison, run)
    of = f" of {mean.of:,}" if mean and mean.of and mean.of > criteria else ""
    whole = mean.of if of and mean and mean.of else criteria
    return (
        f"{count(systems, 'system')}, {criteria:,}{of} {'criterion' if whole == 1 else 'criteria'}"
    )


def _mean_variation(comparison: Comparison, run: str) -> Variation | None:
    pair = (comparison.original, run)
    found = (each for each in comparison.variations if each.runs == pair and not each.criterion)
    return next((each for each in found if each.value is not None), None)


def _spread(comparison: Comparison, run: str) -> str:
    mean = _mean_variation(comparison, run)
    return number(mean.value, 1) if mean else ""


def _correlation(comparison: Comparison, run: str) -> str:
    """Spearman’s correlation on each criterion: one number, or the lowest and the highest."""
    found = [
        each
        for each in comparison.correlations
        if each.runs == (comparison.original, run)
        and each.criterion is not None
        and each.measure == "spearman"
        and each.value is not None
    ]
    if not found:
        return ""
    lowest, highest = (end(found, key=lambda each: each.value or 0.0) for end in (min, max))
    if len(found) == 1:
        return f"{number(lowest.value, 2)}"
    if lowest.value == highest.value:
        return f"{number(lowest.value, 2)} on all {len(found):,} criteria"
    where = criterion_name(comparison, lowest.criterion)
    return f"{number(lowest.value, 2)} ({where}) to {number(highest.value, 2)}"


def _labels(comparison: Comparison, run: str) -> str:
    """Agreement of labels between the two runs, over all criteria where that is known."""
    found = [
        each
        for each in comparison.agreement
        if each.is_between
        and set(each.runs) == {comparison.original, run}
        and each.value is not None
    ]
    chosen = next((each for each in found if each.criterion is None), found[0] if found else None)
    if chosen is None:
        return ""
    name = COEFFICIENTS.get(chosen.coefficient, chosen.coefficient)
    where = f" on {criterion_name(comparison, chosen.criterion)}" if chosen.criterion else ""
    return f"{name} {number(chosen.value, 2)}{where}"


def _findings(comparison: Comparison, run: str) -> str:
    return "; ".join(
        share_confirmed(each) for each in whole_families(comparison, run) if each.family != "claims"
    )


def _claims(comparison: Comparison, run: str) -> str:
    return "; ".join(
        f"{each.confirmed:,} of {each.assessable:,}{_against(each)}"
        for each in whole_families(comparison, run)
        if each.family == "claims"
    )


def share_confirmed(each: ConfirmedShare) -> str:
    """Such as 4 of 5 significant differences (1 contradicted)."""
    return f"{each.confirmed:,} of {each.assessable:,} {_FAMILIES[each.family]}{_against(each)}"


def _against(each: ConfirmedShare) -> str:
    return f" ({each.contradicted:,} contradicted)" if each.contradicted else ""


def unsupported_in_words(comparison: Comparison) -> str:
    """Which significant differences runs do not support, and how much that means; or nothing."""
    found = comparison.unsupported
    if not found:
        return ""
    runs = {run.id: run.name for run in other_runs(comparison)}
    pairs = {(each.criterion, each.first, each.second) for each in found}
    is_everywhere = len(found) == len(pairs) * len(runs)
    return (
        f"{_how_many(comparison, len(pairs))} not supported in "
        f"{_where(found, runs, is_everywhere=is_everywhere)}, which does not show that "
        f"{verb(len(pairs), 'it is', 'they are')} absent: {_detectable(found, runs)}; "
        f"{_how_effects_differ(found)}."
    )


def _how_many(comparison: Comparison, unsupported: int) -> str:
    """Such as: Of 5 significant differences, 4 are supported again; 1 is."""
    runs = other_runs(comparison)
    whole = whole_families(comparison, "all" if len(runs) > 1 else runs[0].id)
    share = next((each for each in whole if each.family == "significance"), None)
    are = verb(unsupported, "is", "are")
    if share is None or share.assessable == 1:
        return f"The significant {'difference' if unsupported == 1 else 'differences'} {are}"
    again = f"{share.confirmed:,} {verb(share.confirmed, 'is', 'are')} supported again"
    return (
        f"Of {share.assessable:,} significant differences, {again}{_against(share)}; "
        f"{unsupported:,} {are}"
    )


def _where(
    found: Sequence[UnsupportedDifference], runs: Mapping[str, str], *, is_everywhere: bool
) -> str:
    if len(runs) == 1:
        return next(iter(runs.values()))
    if is_everywhere:
        return "either" if len(runs) == _PAIR else f"any of {len(runs):,} runs"
    return join_words(list(dict.fromkeys(runs[each.run] for each in found)), "or")


def _detectable(found: Sequence[UnsupportedDifference], runs: Mapping[str, str]) -> str:
    """What each run could detect with 80 % power, as far as its errors are known."""
    sizes: dict[str, list[float]] = {}
    for each in found:
        sizes.setdefault(runs[each.run], []).extend(
            [] if each.detectable is None else [each.detectable]
        )
    known = [f"{_range(values)} in {name}" for name, values in sizes.items() if values]
    unknown = [name for name, values in sizes.items() if not values]
    told = []
    if known:
        told.append(f"the smallest difference found with 80 % power is {join_words(known)}")
    if unknown:
        names = join_words(unknown) if known else verb(len(unknown), "it", "they")
        told.append(f"what {names} could detect is not known")
    return "; ".join(told)


def _range(values: Sequence[float]) -> str:
    low, high = number(min(values), 2), number(max(values), 2)
    return low if low == high else f"{low} to {high}"


def _how_effects_differ(found: Sequence[UnsupportedDifference]) -> str:
    known = [each.does_effect_differ for each in found if each.does_effect_differ is not None]
    if not known:
        differ = verb(len(found), "the effect differs", "the effects differ")
        return f"whether {differ} from the original’s is not known"
    if not any(known):
        do = verb(len(known), "the effect does", "the effects do")
        return f"{do} not differ detectably from the original’s"
    if len(known) == 1:
        return "the effect differs from the original’s"
    return f"{sum(known):,} of {len(known):,} effects differ from the original’s"


def whole_families(comparison: Comparison, run: str) -> list[ConfirmedShare]:
    """The families of findings of which some could be assessed in a run."""
    return [
        each
        for each in comparison.confirmed
        if each.run == run and each.criterion is None and each.assessable
    ]


def _conditions(comparison: Comparison, run: str) -> str:
    """How many conditions are equal; how many deviations there are, and how many may matter."""
    equal = [
        f"{each.equal:,} of {each.known_in_both:,} equal"
        for each in comparison.similarities
        if {each.first, each.second} == {comparison.original, run}
    ]
    found = [each for each in comparison.deviations if each.run == run]
    main = sum(each.impact in _MAIN for each in found)
    deviations = f"{count(len(found), 'deviation')}{f' ({main:,} main)' if main else ''}"
    return "; ".join((*equal, deviations))


_MAIN = ("medium", "high")  # impacts of a deviation that may explain a difference
_COLUMNS = (
    ("compared", _common_scores),
    ("findings confirmed (type IV)", _findings),
    ("claims supported", _claims),
    ("scores: CV* (type I)", _spread),
    ("order: ρ (type II)", _correlation),
    ("labels (type III)", _labels),
    ("conditions", _conditions),
)


# for the terminal


def compact_scores(comparison: Comparison, each: RunScores, names: Mapping[str, str]) -> Table:
    """Scores in every run and their mean CV*, for the terminal; `names` are short names of runs.

    CV* is that of all runs together and of each pair; of all together alone where these are many.
    """
    found = [one for one in comparison.variations if one.criterion == each.criterion]
    groups = list(dict.fromkeys(one.runs for one in found if one.system is None))
    chosen = groups if len(each.runs) + len(groups) <= _MOST_COLUMNS else groups[:1]
    heads = [f"CV* {_short_names(group, each.runs, names)}" for group in chosen]
    digits = decimals_of(list(each.values.values()))

    def row(system: str | None) -> tuple[Cell, ...]:
        spreads = [comparison.spread(each.criterion, system, group) for group in chosen]
        return (
            "mean" if system is None else system_name(comparison, system),
            *(each.values.get((system, run)) if system else None for run in each.runs),
            *(one.value if one else None for one in spreads),
            spreads[0].from_rounding if spreads and spreads[0] else None,
        )

    table = Table(
        f"scores-{each.criterion}",
        "",
        (
            Column("system"),
            *(Column(names[run], digits) for run in each.runs),
            *(Column(head if groups[1:] else "CV*", 2) for head in heads),
            BY_ROUNDING,
        ),
        tuple(row(system) for system in (*each.systems, None)),
    )
    return table.without_empty("by rounding") if len(chosen) == 1 else table.without("by rounding")


def _short_names(group: Sequence[str], runs: Sequence[str], names: Mapping[str, str]) -> str:
    if len(runs) == len(group) > _PAIR:
        return "of all"
    return short_runs([names[run] for run in group])


def short_runs(names: Sequence[str]) -> str:
    """Runs that belong together, such as A–B."""
    return ("–" if all(len(name) <= _PAIR for name in names) else " – ").join(names)


def compact_confirmed(comparison: Comparison, names: Mapping[str, str]) -> Table:
    """Families of findings by runs, for the terminal: how many of those assessed are confirmed."""
    whole = [each for each in comparison.confirmed if each.criterion is None]
    runs = list(dict.fromkeys(each.run for each in whole))
    found = {(each.family, each.run): each for each in whole}
    rows: list[tuple[Cell, ...]] = []
    for family in dict.fromkeys(each.family for each in whole):
        known = [found.get((family, run)) for run in runs]
        rows.append((_FAMILY_NAMES.get(family, family), *map(_share_text, known)))
        if any(each and each.contradicted for each in known):
            rows.append(
                ("  contradicted", *(each.contradicted if each else None for each in known))
            )
    heads = ("every run" if run == "all" else names[run] for run in runs)
    columns = (Column("family"), *(Column(head, 0) for head in heads))
    return Table("type-4-findings", "", columns, tuple(rows))


def _share_text(each: ConfirmedShare | None) -> str | None:
    if each is None or not each.assessable:
        return DASH if each else None
    rest = f" ({each.left_out} not assessable)" if each.left_out else ""
    return f"{each.confirmed} of {each.assessable}{rest}"

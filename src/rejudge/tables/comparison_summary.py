"""A comparison in brief: verdicts on each reproduction, and sentences about what was confirmed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rejudge.compare.comparison import EVERY, SHARE, CaseOfRun, Comparison
from rejudge.compare.confirmation import CLAIMS, RANKS, SIGNIFICANCE
from rejudge.english import count, join_words, verb
from rejudge.findings.model import Finding
from rejudge.layout.numbers import number
from rejudge.layout.table import Column, Table
from rejudge.tables.comparison import (
    coefficient_name,
    criterion_name,
    run_name,
    scores_of_runs,
)

_PAIR = 2
_FAMILIES = {
    RANKS: "pairwise orders",
    CLAIMS: "claims",
    SIGNIFICANCE: "significant differences",
}
_MAIN = ("medium", "high")  # impacts of a deviation that may explain a difference


def verdict_table(comparison: Comparison) -> Table:
    """What was compared in each reproduction, and how far it agrees with the original."""
    original = run_name(comparison, comparison.original)
    table = Table(
        "verdicts",
        f"Each reproduction compared with {original}.",
        (Column("reproduction"), *(Column(head) for head, _ in _COLUMNS)),
        tuple(
            (run.name, *(cell(comparison, run) or None for _, cell in _COLUMNS))
            for run in reproductions(comparison)
        ),
        section="summary",
        notes=(
            (
                "CV* is a mean over criteria in percent; 0 means equal scores. ρ is Spearman’s "
                "correlation of the systems’ scores; 1 means the same order. Conditions are those "
                "known for both runs. What is not significant again is not shown to be absent. A "
                "dash marks what could not be computed."
            ),
        ),
    ).without_empty()
    return table if len(table.columns) > 1 else table.where(lambda _: False)


def reproductions(comparison: Comparison) -> list[CaseOfRun]:
    """What is compared with the original: the other runs, each in all its cases."""
    return [run for run in comparison.in_cases if run.study != comparison.original]


def has_numbers(comparison: Comparison) -> bool:
    """Whether any number of a reproduction could be compared with the original's."""
    cells = (_spread, _correlation, _labels, _findings, _claims)
    return any(cell(comparison, run) for run in reproductions(comparison) for cell in cells)


def _both(comparison: Comparison, run: CaseOfRun) -> list[CaseOfRun]:
    return [comparison.in_cases[0], run]


def _common_scores(comparison: Comparison, run: CaseOfRun) -> str:
    """On how many systems and criteria both runs have scores."""
    first = comparison.in_cases[0]
    pairs = {
        (each.criterion.id, system)
        for each in scores_of_runs(comparison)
        for system in each.systems
        if {(system, first.id), (system, run.id)} <= set(each.scores)
    }
    if not pairs:
        return ""
    systems, criteria = (len(set(found)) for found in zip(*((s, c) for c, s in pairs), strict=True))
    mean = _mean_variation(comparison, run)
    total = int(mean.extra.get("of") or 0) if mean else 0  # type: ignore[arg-type]  # a count
    of = f" of {total:,}" if total > criteria else ""
    whole = total if of else criteria
    return (
        f"{count(systems, 'system')}, {criteria:,}{of} {'criterion' if whole == 1 else 'criteria'}"
    )


def _mean_variation(comparison: Comparison, run: CaseOfRun) -> Finding | None:
    found = comparison.select("cv-star", runs=_both(comparison, run), method="mean")
    return next((e for e in found if not e.key.question and e.value is not None), None)


def _spread(comparison: Comparison, run: CaseOfRun) -> str:
    mean = _mean_variation(comparison, run)
    return number(mean.value, 1) if mean else ""


def _correlation(comparison: Comparison, run: CaseOfRun) -> str:
    """Spearman’s correlation on each criterion: one number, or the lowest and the highest."""
    own = comparison.select("spearman", runs=_both(comparison, run), method="scores")
    found = sorted((e for e in own if e.value is not None), key=lambda e: e.value or 0.0)
    if not found:
        return ""
    lowest, highest = found[0], found[-1]
    if len(found) == 1:
        return number(lowest.value, 2)
    if lowest.value == highest.value:
        return f"{number(lowest.value, 2)} on all {len(found):,} criteria"
    where = criterion_name(comparison, lowest)
    return f"{number(lowest.value, 2)} ({where}) to {number(highest.value, 2)}"


def _labels(comparison: Comparison, run: CaseOfRun) -> str:
    """Agreement of labels between the two runs, over all criteria where that is known."""
    own = comparison.select("agreement", runs=_both(comparison, run))
    found = sorted((e for e in own if e.value is not None), key=lambda e: bool(e.key.question))
    if not found:
        return ""
    where = f" on {criterion_name(comparison, found[0])}" if found[0].key.question else ""
    return f"{coefficient_name(found[0])} {number(found[0].value, 2)}{where}"


def _findings(comparison: Comparison, run: CaseOfRun) -> str:
    own = shares(comparison, run)
    return "; ".join(share_confirmed(each) for each in own if each.by != CLAIMS)


def _claims(comparison: Comparison, run: CaseOfRun) -> str:
    return "; ".join(
        f"{_whole(each, 'confirmed'):,} of {each.n:,}{_against(each)}"
        for each in shares(comparison, run)
        if each.by == CLAIMS
    )


def shares(comparison: Comparison, run: CaseOfRun | None) -> list[Finding]:
    """How much of each family of findings a run confirms; None: every run."""
    if run is None:
        found = comparison.select(EVERY)
    else:
        found = comparison.select(SHARE, runs=_both(comparison, run))
    return [each for each in found if not each.key.question and each.n]


def share_confirmed(each: Finding) -> str:
    """Such as 4 of 5 significant differences (1 contradicted)."""
    return f"{_whole(each, 'confirmed'):,} of {each.n:,} {_FAMILIES[each.by]}{_against(each)}"


def _whole(each: Finding, name: str) -> int:
    return int(each.extra.get(name) or 0)  # type: ignore[arg-type]  # a count


def _against(each: Finding) -> str:
    contradicted = _whole(each, "contradicted")
    return f" ({contradicted:,} contradicted)" if contradicted else ""


def _conditions(comparison: Comparison, run: CaseOfRun) -> str:
    """How many conditions are equal; how many deviations there are, and how many may matter."""
    equal = [
        f"{each.equal:,} of {each.known_in_both:,} equal"
        for each in comparison.similarities
        if {each.first, each.second} == {comparison.original, run.study}
    ]
    found = [each for each in comparison.deviations if each.run == run.study]
    main = sum(each.impact in _MAIN for each in found)
    deviations = f"{count(len(found), 'deviation')}{f' ({main:,} main)' if main else ''}"
    return "; ".join((*equal, deviations))


_COLUMNS = (
    ("compared", _common_scores),
    ("findings confirmed (type IV)", _findings),
    ("claims supported", _claims),
    ("scores: CV* (type I)", _spread),
    ("order: ρ (type II)", _correlation),
    ("labels (type III)", _labels),
    ("conditions", _conditions),
)


# significant differences that are not supported again


def unsupported(comparison: Comparison) -> list[Finding]:
    """Significant differences of the original that a run does not support, nor contradict."""
    found = comparison.select("confirmed", method=SIGNIFICANCE)
    return [each for each in found if "detectable" in each.extra]


def unsupported_in_words(comparison: Comparison) -> str:
    """Which significant differences runs do not support, and how much that means; or nothing."""
    found = unsupported(comparison)
    if not found:
        return ""
    runs = {comparison.address(_both(comparison, run)): run for run in reproductions(comparison)}
    names = {where: run.name for where, run in runs.items()}
    pairs = {(each.key.cell, each.systems) for each in found}
    is_everywhere = len(found) == len(pairs) * len(runs)
    where = _where(found, names, is_everywhere=is_everywhere)
    return (
        f"{_how_many(comparison, len(pairs))} not supported in {where}, which does not show that "
        f"{verb(len(pairs), 'it is', 'they are')} absent: {_detectable(found, names)}; "
        f"{_how_effects_differ(found)}."
    )


def _how_many(comparison: Comparison, unsupported: int) -> str:
    """Such as: Of 5 significant differences, 4 are supported again; 1 is."""
    runs = reproductions(comparison)
    whole = shares(comparison, None if len(runs) > 1 else runs[0])
    share = next((each for each in whole if each.by == SIGNIFICANCE), None)
    are = verb(unsupported, "is", "are")
    if share is None or share.n == 1:
        return f"The significant {'difference' if unsupported == 1 else 'differences'} {are}"
    confirmed = _whole(share, "confirmed")
    again = f"{confirmed:,} {verb(confirmed, 'is', 'are')} supported again"
    return (
        f"Of {share.n:,} significant differences, {again}{_against(share)}; {unsupported:,} {are}"
    )


def _where(
    found: Sequence[Finding],
    names: Mapping[tuple[tuple[str, ...], str], str],
    *,
    is_everywhere: bool,
) -> str:
    if len(names) == 1:
        return next(iter(names.values()))
    if is_everywhere:
        studies = {runs for runs, _ in names}
        noun = "runs" if len(studies) > 1 else "cases"
        return "either" if len(names) == _PAIR else f"any of {len(names):,} {noun}"
    told = dict.fromkeys(names[each.key.runs, each.key.case] for each in found)
    return join_words(list(told), "or")


def _detectable(found: Sequence[Finding], names: Mapping[tuple[tuple[str, ...], str], str]) -> str:
    """What each run could detect with 80 % power, as far as its errors are known."""
    sizes: dict[str, list[float]] = {}
    for each in found:
        own = sizes.setdefault(names[each.key.runs, each.key.case], [])
        size = each.extra["detectable"]
        own += [size] if isinstance(size, float) else []
    known = [f"{_range(values)} in {name}" for name, values in sizes.items() if values]
    unknown = [name for name, values in sizes.items() if not values]
    told = []
    if known:
        told.append(f"the smallest difference found with 80 % power is {join_words(known)}")
    if unknown:
        who = join_words(unknown) if known else verb(len(unknown), "it", "they")
        told.append(f"what {who} could detect is not known")
    return "; ".join(told)


def _range(values: Sequence[float]) -> str:
    low, high = number(min(values), 2), number(max(values), 2)
    return low if low == high else f"{low} to {high}"


def _how_effects_differ(found: Sequence[Finding]) -> str:
    told = [each.extra["effect differs"] for each in found]
    known = [bool(each) for each in told if each is not None]
    if not known:
        differ = verb(len(found), "the effect differs", "the effects differ")
        return f"whether {differ} from the original’s is not known"
    if not any(known):
        do = verb(len(known), "the effect does", "the effects do")
        return f"{do} not differ detectably from the original’s"
    if len(known) == 1:
        return "the effect differs from the original’s"
    return f"{sum(known):,} of {len(known):,} effects differ from the original’s"

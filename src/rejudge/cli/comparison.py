"""A comparison on the terminal: scores side by side, what was confirmed, what differs.

Everything fits into 80 columns; each run has a short mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from string import ascii_uppercase
from typing import TYPE_CHECKING

from rejudge.cli.comparison_evidence import conditions, findings, together
from rejudge.cli.console import heading, number_table
from rejudge.layout.numbers import decimals_of, minus_signs, number, range_text
from rejudge.layout.table import p_text
from rejudge.tables.runs import criterion_name, system_name

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.compare import (
        Comparison,
        Confirmed,
        LabelAgreement,
        RunCorrelation,
        Variation,
    )

_PAIR = 2
_FIT = 9  # columns of numbers beside the name of a system
_FAMILIES = {
    "pairwise-ranks": "pairwise ranks",
    "claims": "claims",
    "significance": "significant differences",
}
_FROM_TABLE = "* from the printed table; its intervals take judged units as independent."
_CORRELATIONS = {"pearson": "r", "spearman": "rho", "kendall-tau": "tau", "kendall-w": "W"}


def render_comparison(comparison: Comparison, written: Sequence[str]) -> tuple[RenderableType, ...]:
    """What is printed: runs, types I to IV, claims, printed figures, conditions, notes."""
    from rich.text import Text

    marks = _marks(comparison)
    where = f"Written: {', '.join(written)}" if written else "Nothing written; --out DIR writes it."
    return (
        *_runs(comparison, marks),
        *_types(comparison, marks),
        *findings(comparison, marks),
        *together(comparison, marks),
        *conditions(comparison, marks),
        *_notes(comparison),
        Text(f"\n{where}"),
    )


def _runs(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    for run in comparison.runs:
        mark = "" if marks[run.id] == run.id else f"{marks[run.id]}  "
        is_original = run.id == comparison.original
        role = "Original:" if is_original else "Compared with:"
        told = run.name if run.name.endswith(f"({run.id})") else f"{run.name} ({run.id})"
        yield Text(f"{mark}{role} {told}", "bold" if is_original else "")
        for departure in run.departures:
            yield Text(f"{' ' * len(mark)}  {departure}")


def _notes(comparison: Comparison) -> Iterator[RenderableType]:
    from rich.text import Text

    notes = (*comparison.dropped, *comparison.notes)
    if notes:
        yield heading("Notes")
        yield from (Text(minus_signs(note)) for note in notes)


# types I to IV


def _types(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    """Spread of scores, their order, agreement of labels, findings confirmed."""
    yield from _type_one(comparison, marks)
    yield from _type_two(comparison, marks)
    yield from _type_three(comparison, marks)
    yield from _type_four(comparison, marks)


def _type_one(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    for criterion, name in comparison.criteria.items():
        found = [each for each in comparison.variations if each.criterion == criterion]
        if found:
            yield heading(f"Type I, {name or criterion}")
            yield from _score_table(comparison, found, marks)
    if len({each.criterion for each in comparison.variations}) > _PAIR:
        yield heading("Type I, the study: CV* as the mean over criteria")
        of_study = [each for each in comparison.variations if each.criterion is None]
        yield _spreads(of_study, marks)
        yield from _fewer(of_study, marks)


def _score_table(
    comparison: Comparison, found: Sequence[Variation], marks: Mapping[str, str]
) -> Iterator[RenderableType]:
    """One row per system: its score in every run, then CV* of all together and of each pair."""
    groups = list(dict.fromkeys(each.runs for each in found if each.system is None))
    known_systems = {each.system for each in found}
    ordered = (*(name for name in comparison.systems if name in known_systems), None)
    scores: dict[str | None, dict[str, float]] = {system: {} for system in ordered}
    for each in found:
        scores[each.system] |= each.scores
    runs = [run.id for run in comparison.runs if any(run.id in by for by in scores.values())]
    decimals = decimals_of([value for by_run in scores.values() for value in by_run.values()])
    do_fit = len(runs) + len(groups) <= _FIT
    columns = groups if do_fit else groups[:1]
    is_rounded = len(columns) == 1 and any(each.from_rounding for each in found)
    heads = [f"CV* {_whose(group, runs, marks)}" for group in columns] if groups[1:] else ["CV*"]
    more = ["by rounding"] if is_rounded else []
    made = number_table("", *(marks[run] for run in runs), *heads, *more)
    for system, by_run in scores.items():
        known = [comparison.spread(found[0].criterion, system, group) for group in columns]
        made.add_row(
            ("mean" if system is None else system_name(comparison, system)),
            *(number(by_run[run], decimals) if run in by_run else "" for run in runs),
            *(number(each.value if each else None, 2) for each in known),
            *(range_text(each.from_rounding if each else None) for each in known if is_rounded),
        )
    yield made
    means = [each for each in found if each.system is None]
    if not do_fit:
        yield _spreads(means, marks)
    yield from _fewer(means, marks)


def _whose(group: Sequence[str], runs: Sequence[str], marks: Mapping[str, str]) -> str:
    return "of all" if len(runs) == len(group) > _PAIR else _runs_text(group, marks)


def _spreads(means: Sequence[Variation], marks: Mapping[str, str]) -> RenderableType:
    is_rounded = any(each.from_rounding for each in means)
    noun = "systems" if any(each.criterion for each in means) else "criteria"
    made = number_table("runs", "mean CV*", *(["by rounding"] if is_rounded else []), noun)
    for each in means:
        between = [range_text(each.from_rounding)] if is_rounded else []
        covered = str(each.n) if each.of is None else f"{each.n} of {each.of}"
        made.add_row(_runs_text(each.runs, marks), number(each.value, 2), *between, covered)
    return made


def _fewer(means: Sequence[Variation], marks: Mapping[str, str]) -> Iterator[RenderableType]:
    """Which parts of a mean rest on fewer runs than the mean."""
    from rich.text import Text

    for each in means:
        if each.in_fewer:
            yield Text(f"Mean of {_runs_text(each.runs, marks)}: {each.covers}.")


def _type_two(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    if not comparison.correlations:
        return
    yield heading("Type II, order and spacing of the systems")
    of_all = [each for each in comparison.correlations if each.measure == "kendall-w"]
    of_pairs = [each for each in comparison.correlations if each.measure != "kendall-w"]
    for found in (of_all, of_pairs):
        if found:
            yield _correlations(comparison, found, marks)
    if any("do not interpret p" in each.note for each in comparison.correlations):
        yield Text("So few systems: do not interpret p.")


def _correlations(
    comparison: Comparison, found: Sequence[RunCorrelation], marks: Mapping[str, str]
) -> RenderableType:
    measures = list(dict.fromkeys(each.measure for each in found))
    is_named = len(comparison.runs) > _PAIR
    heads = [word for measure in measures for word in (_CORRELATIONS[measure], "p")]
    made = number_table("", *(["runs"] if is_named else []), "n", *heads)

    rows: dict[tuple[tuple[str, ...], str], dict[str, RunCorrelation]] = {}
    for each in found:
        name = "mean" if each.is_mean else criterion_name(comparison, each.criterion)
        if each.is_over_pairs:
            name = f"{name}, mean of pairs"
        rows.setdefault((each.runs, name), {})[each.measure] = each
    for (runs, name), by_measure in rows.items():
        cells = [cell for measure in measures for cell in _value_and_p(by_measure.get(measure))]
        n = next(iter(by_measure.values())).n
        made.add_row(name, *([_runs_text(runs, marks)] if is_named else []), str(n), *cells)
    return made


def _value_and_p(each: RunCorrelation | None) -> tuple[str, str]:
    return ("", "") if each is None else (number(each.value, 3), p_text(each.p))


def _type_three(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    from rich.text import Text

    known = [each for each in comparison.agreement if each.value is not None]
    unknown = [each for each in comparison.agreement if each.value is None and each.note]
    if known or unknown:
        yield heading("Type III, agreement of labels")
    if known:
        has_interval = any(each.interval for each in known)
        more = ["interval"] if has_interval else []
        made = number_table("", "runs", "coefficient", "value", *more, "n", left=(0, 1, 2))
        for each in known:
            where = "between" if each.is_between else "inside"
            mark = "*" if each.is_from_table else ""
            made.add_row(
                criterion_name(comparison, each.criterion),
                f"{where} {_runs_text(each.runs, marks)}{mark}",
                each.coefficient.replace("kappa-", "kappa, "),
                number(each.value, 2),
                *([range_text(each.interval)] if has_interval else []),
                "" if each.n is None else f"{each.n:,}",
            )
        yield made
    if any(each.is_from_table for each in known):
        yield Text(_FROM_TABLE)
    yield from _not_computed(unknown, marks)


def _not_computed(
    unknown: Sequence[LabelAgreement], marks: Mapping[str, str]
) -> Iterator[RenderableType]:
    """Why there is no agreement between runs: once for each criterion and kind of reason."""
    from rich.text import Text

    by_kind: dict[tuple[str | None, str], list[LabelAgreement]] = {}
    for each in sorted(unknown, key=lambda each: -len(each.runs)):
        kind = each.note.partition(" of ")[0]
        by_kind.setdefault((each.criterion, kind), []).append(each)
    for first, *rest in by_kind.values():
        others = [_runs_text(each.runs, marks) for each in rest if each.runs != first.runs]
        likewise = f" Likewise {', '.join(dict.fromkeys(others))}." if others else ""
        yield Text(f"{_whose_labels(first, marks)}: {first.note}{likewise}")


def _whose_labels(each: LabelAgreement, marks: Mapping[str, str]) -> str:
    where = "Between" if len(each.runs) > 1 else "With" if each.is_between else "Inside"
    return f"{where} {_runs_text(each.runs, marks)}"


def _type_four(comparison: Comparison, marks: Mapping[str, str]) -> Iterator[RenderableType]:
    whole = [each for each in comparison.confirmed if each.criterion is None]
    if not whole:
        return
    runs = list(dict.fromkeys(each.run for each in whole))
    yield heading("Type IV, findings of the original that are confirmed")
    made = number_table("", *("every run" if run == "all" else marks[run] for run in runs))
    for family, name in _FAMILIES.items():
        found = {each.run: each for each in whole if each.family == family}
        made.add_row(name, *(_share(found[run]) if run in found else "" for run in runs))
        if any(each.contradicted for each in found.values()):
            against = [found[run].contradicted if run in found else None for run in runs]
            made.add_row("  contradicted", *("" if n is None else str(n) for n in against))
    yield made


def _share(each: Confirmed) -> str:
    if not each.assessable:
        return "–"
    left = f" ({each.left_out} not assessable)" if each.left_out else ""
    return f"{each.confirmed} of {each.assessable}{left}"


# runs in tables


def _marks(comparison: Comparison) -> dict[str, str]:
    """What stands for a run in tables: its id beside one other, a letter where there are more."""
    ids = [run.id for run in comparison.runs]
    if len(ids) <= _PAIR:
        return {each: each for each in ids}
    letters = (*ascii_uppercase, *map("".join, product(ascii_uppercase, repeat=2)))
    return dict(zip(ids, letters, strict=False))


def _runs_text(runs: Sequence[str], marks: Mapping[str, str]) -> str:
    """Runs that belong together, such as A–B."""
    names = [marks[run] for run in runs]
    return ("–" if all(len(name) <= _PAIR for name in names) else " – ").join(names)

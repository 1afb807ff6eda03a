"""A comparison printed for people: scores side by side, what was confirmed, what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rejudge.english import count

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from rejudge.compare import Comparison, Confirmed, Known, PrintedCheck, Variation
    from rejudge.stats import Interval

_PAIR = 2
_SMALLEST_P = 0.001
_FAMILIES = {
    "pairwise-ranks": "pairwise ranks",
    "claims": "claims",
    "significance": "significant differences",
}
_MEASURES = {"pearson": "r", "spearman": "rho", "kendall-tau": "tau", "kendall-w": "W"}
_STYLES = {"upheld": "green", "contradicted": "red", "not-upheld": "yellow"}


def shown(comparison: Comparison, written: Sequence[str]) -> tuple[RenderableType, ...]:
    """What is printed: runs, types I to IV, claims, printed figures, conditions."""
    from rich.text import Text

    where = f"Written: {', '.join(written)}" if written else "Nothing written; --out DIR writes it."
    return (
        *_runs(comparison),
        *_type_one(comparison),
        *_type_two(comparison),
        *_type_three(comparison),
        *_type_four(comparison),
        *_claims(comparison),
        *_matching(comparison),
        *_readings(comparison),
        *_printed(comparison),
        *_conditions(comparison),
        *(Text(note) for note in (*comparison.dropped, *comparison.notes)),
        Text(where),
    )


def _runs(comparison: Comparison) -> Iterator[RenderableType]:
    from rich.text import Text

    for run in comparison.runs:
        role = "Original:" if run.id == comparison.original else "Beside it:"
        yield Text(f"{role} {run.name} ({run.id})", "bold" if role == "Original:" else "")
        for departure in run.departures:
            yield Text(f"  {departure}")


def _type_one(comparison: Comparison) -> Iterator[RenderableType]:
    for criterion, name in comparison.criteria.items():
        found = [each for each in comparison.variations if each.criterion == criterion]
        if found:
            yield _scores(comparison, name, found)
    of_study = [each for each in comparison.variations if each.criterion is None]
    if len({each.criterion for each in comparison.variations}) > _PAIR:
        table = _table("CV* of the study, the mean over criteria", "runs", "CV*", "by rounding")
        for each in of_study:
            table.add_row(_joined(each.runs), _number(each.value), _span(each.from_rounding))
        yield table


def _scores(comparison: Comparison, name: str, found: Sequence[Variation]) -> Table:
    """One row per system: its score in every run, then CV* of all together and of each pair."""
    groups = list(dict.fromkeys(each.runs for each in found))
    scores = {each.system: {} for each in found}  # type: dict[str | None, dict[str, float]]
    spread = {(each.system, each.runs): each for each in found}
    for each in found:
        scores[each.system] |= each.scores
    runs = [run.id for run in comparison.runs if any(run.id in by for by in scores.values())]
    heads = ["CV* of all" if len(group) > _PAIR else f"CV* {_joined(group)}" for group in groups]
    if len(groups) == 1:
        heads = ["CV*", "by rounding"]
    table = _table(f"Type I, {name}", "", *runs, *heads)
    for system, by_run in scores.items():
        cells = [_score(by_run.get(run)) for run in runs]
        values = [spread.get((system, group)) for group in groups]
        cells += [_number(each.value if each else None) for each in values]
        if len(groups) == 1 and values[0] is not None:
            cells.append(_span(values[0].from_rounding))
        table.add_row("mean" if system is None else comparison.systems.get(system, system), *cells)
    return table


def _type_two(comparison: Comparison) -> Iterator[RenderableType]:
    whole = [each for each in comparison.correlations if not each.method.startswith("mean over")]
    if not whole:
        return
    measures = list(dict.fromkeys(each.measure for each in whole))
    table = _table("Type II, scores together", "", "runs", "n", *(_MEASURES[m] for m in measures))
    for key in dict.fromkeys((each.criterion, each.runs) for each in whole):
        found = {each.measure: each for each in whole if (each.criterion, each.runs) == key}
        name = "all criteria" if key[0] is None else comparison.criteria.get(key[0], key[0])
        cells = [
            _with_p(found[measure].value, found[measure].p) if measure in found else ""
            for measure in measures
        ]
        table.add_row(name, _joined(key[1]), str(next(iter(found.values())).n), *cells)
    yield table
    if any("do not interpret p" in each.note for each in whole):
        from rich.text import Text

        yield Text("So few systems: do not interpret p.")


def _type_three(comparison: Comparison) -> Iterator[RenderableType]:
    from rich.text import Text

    known = [each for each in comparison.agreement if each.value is not None]
    if known:
        table = _table("Type III, agreement of labels", "", "runs", "coefficient", "value", "n")
        for each in known:
            name = "" if each.criterion is None else comparison.criteria.get(each.criterion, "")
            between = "between" if each.is_between else "inside"
            table.add_row(
                name,
                f"{between} {_joined(each.runs)}",
                each.coefficient,
                _number(each.value),
                "" if each.n is None else f"{each.n:,}",
            )
        yield table
    for note in dict.fromkeys(e.note for e in comparison.agreement if e.value is None and e.note):
        yield Text(f"Type III: {note}")


def _type_four(comparison: Comparison) -> Iterator[RenderableType]:
    whole = [each for each in comparison.confirmed if each.criterion is None]
    if not whole:
        return
    runs = list(dict.fromkeys(each.run for each in whole))
    heads = ["every run" if run == "all" else run for run in runs]
    table = _table("Type IV, findings of the original confirmed by", "", *heads)
    for family, name in _FAMILIES.items():
        found = {each.run: each for each in whole if each.family == family}
        table.add_row(name, *(_share(found[run]) if run in found else "" for run in runs))
    yield table


def _share(each: Confirmed) -> str:
    if not each.assessable:
        return "–"
    left = f" ({each.left_out} not assessable)" if each.left_out else ""
    return f"{each.confirmed} of {each.assessable}{left}"


def _claims(comparison: Comparison) -> Iterator[RenderableType]:
    from rich.text import Text

    if not comparison.claims:
        return
    table = _table("Claims of the original", "claim", "run", "verdict", "because")
    table.columns[-1].justify = "left"
    for each in comparison.claims:
        style = _STYLES.get(each.verdict, "")
        table.add_row(each.says, each.run, Text(each.verdict, style), each.because)
    yield table


def _matching(comparison: Comparison) -> Iterator[RenderableType]:
    found = [each for each in comparison.matching if each.f1 is not None]
    if not found:
        return
    table = _table("Trends and significance", "run", "pairs alike", "accuracy", "F1")
    for each in found:
        table.add_row(
            each.run, f"{each.matched} of {each.pairs}", _number(each.matching), _number(each.f1)
        )
    yield table


def _readings(comparison: Comparison) -> Iterator[RenderableType]:
    if not comparison.readings:
        return
    table = _table("Three readings, none of them the verdict", "run", "by", "agreeing", "that is")
    table.columns[-1].justify = "left"
    for each in comparison.readings:
        table.add_row(each.run, each.by, f"{each.agreeing} of {each.of}", each.says)
    yield table


def _printed(comparison: Comparison) -> Iterator[RenderableType]:
    from rich.text import Text

    if not comparison.printed:
        return
    table = _table(
        "Printed reproducibility figures, recomputed", "run", "figure", "printed", "ours", "", ""
    )
    table.columns[-1].justify = "left"
    for each in comparison.printed:
        mark, style = {True: ("yes", "green"), False: ("no", "red"), None: ("–", "")}[
            each.is_reproduced
        ]
        table.add_row(
            each.run,
            _figure(comparison, each),
            each.printed,
            _number(each.computed, 3),
            Text(mark, style),
            each.because,
        )
    yield table
    same = sum(each.is_reproduced is True for each in comparison.printed)
    yield Text(f"{same} of {count(len(comparison.printed), 'printed figure')} reproduced.")


def _figure(comparison: Comparison, each: PrintedCheck) -> str:
    about = [
        comparison.systems.get(each.system, each.system) if each.system else "",
        comparison.criteria.get(each.criterion, each.criterion) if each.criterion else "",
    ]
    return ", ".join([each.measure, *(part for part in about if part)])


def _conditions(comparison: Comparison) -> Iterator[RenderableType]:
    from rich.text import Text

    for alike in comparison.similarities:
        yield Text(
            f"{alike.first} and {alike.second}: {alike.equal} of "
            f"{count(alike.known_in_both, 'condition')} known in both are equal."
        )
    if not comparison.deviations:
        return
    table = _table("What was done otherwise", "run", "condition", "original", "here", "why, impact")
    for column in table.columns[1:]:
        column.justify = "left"
    for each in comparison.deviations:
        why = f"{each.reason or 'No reason given.'} ({each.impact})"
        table.add_row(each.run, each.title, _known(each.original), _known(each.here), why)
    yield table


def _known(value: Known) -> str:
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value)
    return value if isinstance(value, str) else f"{value:g}"


def _table(title: str, *heads: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=None, padding=(0, 2, 0, 0), title=Text(f"\n{title}", "bold"), title_justify="left"
    )
    for place, head in enumerate(heads):
        table.add_column(Text(head), justify="right" if place else "left")
    return table


def _joined(runs: Sequence[str]) -> str:
    return " – ".join(runs)


def _number(value: float | None, decimals: int = 2) -> str:
    return "–" if value is None else f"{value:.{decimals}f}"


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _span(between: Interval | None) -> str:
    return "" if between is None else f"{between.low:.2f} to {between.high:.2f}"


def _with_p(value: float | None, p: float | None) -> str:
    if value is None:
        return "–"
    if p is None:
        return f"{value:.3f}"
    return f"{value:.3f} ({'p < 0.001' if p < _SMALLEST_P else f'p = {p:.3f}'})"

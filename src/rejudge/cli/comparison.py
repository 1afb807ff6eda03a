"""A comparison on the terminal: scores side by side, what was confirmed, what differs.

Everything fits into 80 columns; each run has a short name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, product
from string import ascii_uppercase
from typing import TYPE_CHECKING, TypeAlias

from rejudge.cli.console import heading, indent, render_list, render_table
from rejudge.english import as_sentence, count
from rejudge.layout.numbers import minus_signs
from rejudge.tables.comparison import comparison_tables, value_in_words
from rejudge.tables.comparison_summary import (
    compact_confirmed,
    compact_scores,
    short_runs,
    unsupported_in_words,
)
from rejudge.tables.runs import run_scores

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.compare.comparison import Comparison, Deviation, Known, LabelAgreement
    from rejudge.layout.table import Table

Names: TypeAlias = Mapping[str, str]  # short names of runs, by id
Tables: TypeAlias = Mapping[str, "Table"]  # by name, with the short names of runs

_PAIR = 2
_ALL = "all criteria"  # in the columns of criteria
_FROM_TABLE = "Intervals from a printed table assume that judged units are independent."
_READINGS = ("hypotheses", "means", "effects")


def render_comparison(comparison: Comparison, written: Sequence[str]) -> tuple[RenderableType, ...]:
    """What is printed: runs, types I to IV, claims, printed figures, conditions, notes."""
    from rich.text import Text

    names = _short_names(comparison)
    tables = {
        table.name: _with_short_names(table, names) for table in comparison_tables(comparison)
    }
    where = (
        f"Written: {', '.join(written)}"
        if written
        else "Nothing was written. Use --out DIR to write the files."
    )
    return (
        *_runs(comparison, names),
        *_scores(comparison, tables, names),
        *_order(comparison, tables),
        *_labels(comparison, tables, names),
        *_findings(comparison, tables, names),
        *_printed_figures(comparison, tables),
        *_pooled_effects(tables),
        *_stability(tables),
        *_conditions(comparison, tables, names),
        *_notes(comparison),
        Text(f"\n{where}"),
    )


def _short_names(comparison: Comparison) -> dict[str, str]:
    """The id of each of two runs; letters where there are more."""
    ids = [run.id for run in comparison.runs]
    if len(ids) <= _PAIR:
        return {each: each for each in ids}
    letters = (*ascii_uppercase, *map("".join, product(ascii_uppercase, repeat=2)))
    return dict(zip(ids, letters, strict=False))


def _with_short_names(table: Table, names: Names) -> Table:
    """The table as it is printed, with the short names of runs."""
    table = table.rendering("print")
    is_run = [column.name in {"run", "runs"} for column in table.columns]
    rows = (
        tuple(
            short_runs([names.get(run, run) for run in str(cell).split(" – ")]) if of_run else cell
            for cell, of_run in zip(row, is_run, strict=True)
        )
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))


def _runs(comparison: Comparison, names: Names) -> Iterator[RenderableType]:
    from rich.text import Text

    for run in comparison.runs:
        letter = "" if names[run.id] == run.id else f"{names[run.id]}  "
        is_original = run.id == comparison.original
        role = "Original:" if is_original else "Compared with:"
        name = run.name if run.name.endswith(f"({run.id})") else f"{run.name} ({run.id})"
        yield Text(f"{letter}{role} {name}", "bold" if is_original else "")
        for departure in run.departures:
            yield Text(f"{' ' * len(letter)}  {departure}")


def _notes(comparison: Comparison) -> Iterator[RenderableType]:
    from rich.text import Text

    notes = (*comparison.dropped, *comparison.notes)
    if notes:
        yield heading("Notes")
        yield from (Text(minus_signs(note)) for note in notes)


# types I to III


def _scores(comparison: Comparison, tables: Tables, names: Names) -> Iterator[RenderableType]:
    """Each system's score in every run, then CV* of all together and of each pair."""
    for each in run_scores(comparison):
        table = compact_scores(comparison, each, names)
        yield heading(f"Type I, {each.name}")
        yield render_table(table)
        means = _means(tables, each.name)
        if len(means.rows) > sum(name.startswith("CV*") for name in _heads(table)):
            yield render_table(means, "mean over systems")
        yield from _fewer(comparison, each.criterion, names)
    if len({each.criterion for each in comparison.variations}) > _PAIR:
        yield heading("Type I, the study: CV* as the mean over criteria")
        yield render_table(_means(tables, _ALL))
        yield from _fewer(comparison, None, names)


def _means(tables: Tables, criterion: str) -> Table:
    """The mean CV* of each group of runs."""
    table = tables["type-1-variation"].where(lambda row: row[:_PAIR] == (criterion, "mean"))
    return table.keep("runs", "CV*", "by rounding", "n").without_empty()


def _fewer(comparison: Comparison, criterion: str | None, names: Names) -> Iterator[RenderableType]:
    """What a mean covers, where fewer runs than all have a part of it."""
    from rich.text import Text

    for each in comparison.variations:
        if each.criterion == criterion and each.system is None and each.in_fewer:
            yield Text(f"Mean of {_run_names(each.runs, names)}: {each.covers}.")


def _order(comparison: Comparison, tables: Tables) -> Iterator[RenderableType]:
    """Kendall's W of all runs, then the correlations of pairs."""
    from rich.text import Text

    if "type-2-correlation" not in tables:
        return
    yield heading("Type II, order and spacing of the systems")
    found = tables["type-2-correlation"]
    found = found.without(*(name for name in _heads(found) if name.startswith("interval")))
    pairs = found.without("W", "p of W")
    of_pairs = replace(pairs, rows=tuple(row for row in pairs.rows if any(row[3:])))
    if "W" in _heads(found):
        of_all = found.keep("criterion", "runs", "n", "W", "p of W")
        yield render_table(of_all.where(lambda row: row[3] is not None))
    if of_pairs.rows:
        yield render_table(_without_runs_of_two(comparison, of_pairs))
    if any("too few values to interpret p" in each.note for each in comparison.correlations):
        yield Text("There are too few systems to interpret p.")


def _labels(comparison: Comparison, tables: Tables, names: Names) -> Iterator[RenderableType]:
    from rich.text import Text

    known = [each for each in comparison.agreement if each.value is not None]
    unknown = [each for each in comparison.agreement if each.value is None and each.note]
    if known or unknown:
        yield heading("Type III, agreement of labels")
    if known:
        table = tables["type-3-labels"].where(lambda row: row[4] is not None)
        shown = table.keep("criterion", "where", "runs", "coefficient", "value", "interval", "n")
        yield render_table(shown.with_digits(2, "value", "interval").without_empty())
    if any(each.is_from_table for each in known):
        yield Text(_FROM_TABLE)
    yield from _reasons(unknown, names)


def _reasons(unknown: Sequence[LabelAgreement], names: Names) -> Iterator[RenderableType]:
    """Why there is no agreement between runs: once for each criterion and kind of reason."""
    from rich.text import Text

    by_kind: dict[tuple[str | None, str], list[LabelAgreement]] = {}
    for each in sorted(unknown, key=lambda each: -len(each.runs)):
        kind = each.note.partition(" of ")[0]
        by_kind.setdefault((each.criterion, kind), []).append(each)
    for first, *rest in by_kind.values():
        others = [_run_names(each.runs, names) for each in rest if each.runs != first.runs]
        likewise = f" Likewise {', '.join(dict.fromkeys(others))}." if others else ""
        where = "Between" if len(first.runs) > 1 else "With" if first.is_between else "Inside"
        yield Text(f"{where} {_run_names(first.runs, names)}: {first.note}{likewise}")


# type IV, claims, readings of success and printed figures


def _findings(comparison: Comparison, tables: Tables, names: Names) -> Iterator[RenderableType]:
    from rich.text import Text

    if comparison.confirmed:
        yield heading("Type IV, findings of the original that are confirmed")
        yield render_table(compact_confirmed(comparison, names))
    if comparison.unsupported:
        yield Text(unsupported_in_words(comparison))
    if "claims" in tables:
        yield heading("Claims of the original")
        table = _without_runs_of_two(comparison, tables["claims"])
        claims = list(dict.fromkeys(table.column("claim")))
        rows = sorted(table.rows, key=lambda row: claims.index(row[0]))
        yield from render_list(replace(table, rows=tuple(rows)), by="claim")
    if "matching" in tables and any(tables["matching"].column("F1")):
        yield heading("Trends and significant differences that match the original's")
        yield render_table(tables["matching"].keep("run", "matched", "pairs", "accuracy", "F1"))
    if "readings" in tables:
        yield heading("Three definitions of success; no single one is the verdict")
        table = _without_runs_of_two(comparison, tables["readings"].keep("by", "run", "that is"))
        table = table.merge_rows("run") if len(comparison.runs) > _PAIR else table
        rows = sorted(table.rows, key=lambda row: _READINGS.index(str(row[0])))
        yield from render_list(replace(table, rows=tuple(rows)))


def _printed_figures(comparison: Comparison, tables: Tables) -> Iterator[RenderableType]:
    from rich.text import Text

    if "printed-figures" not in tables:
        return
    table = _without_runs_of_two(comparison, tables["printed-figures"])
    if len(set(table.column("criterion"))) == 1:
        table = table.without("criterion")
    yield heading("Printed figures of reproducibility, recomputed")
    what = [name for name in ("measure", "system", "criterion", "run") if name in _heads(table)]
    table = table.keep(*what, "printed", "computed", "reproduced", "because")
    yield render_table(table.without("because").without_empty())
    same = sum(each.is_reproduced is True for each in comparison.printed)
    yield Text(f"{same} of {count(len(comparison.printed), 'printed figure')} reproduced.")
    place = _heads(table).index("reproduced")
    wrong = table.where(lambda row: row[place] is not True and row[place] != "by rounding")
    why: dict[str, list[str]] = {}
    for row, because in zip(wrong.rows, wrong.column("because"), strict=True):
        if because:
            figure = ", ".join(str(cell) for cell in row[: len(what)] if cell)
            why.setdefault(str(because), []).append(figure)
    for because, figures in why.items():
        yield Text(f"{'; '.join(figures)}:")
        yield indent(minus_signs(because))


# all runs together


def _pooled_effects(tables: Tables) -> Iterator[RenderableType]:
    """Differences of systems over all runs, one table for each criterion and measure."""
    from rich.text import Text

    if "pooled" not in tables:
        return
    table = tables["pooled"]
    heads = _heads(table)
    criterion, measure, value = map(heads.index, ("criterion", "measure", "value"))
    known = [row for row in table.rows if row[value] is not None]
    for key, rows in groupby(known, key=lambda row: (row[criterion], row[measure])):
        part = replace(table, rows=tuple(rows))
        yield heading(f"All runs together, {key[0]}: {key[1]} (random effects)")
        is_corrected = sum(p is not None for p in part.column("p adjusted")) > 1
        p = "p adjusted" if is_corrected else "p"
        shown = part.keep("systems", "value", "interval", "further lab", p)
        yield render_table(shown.without_empty("interval", "further lab", p))
        notes = _without_repeats(part.columns_as_notes("note").notes)
        yield from (Text(minus_signs(note)) for note in notes)


def _without_repeats(notes: Sequence[str]) -> list[str]:
    """The notes that are not part of another one."""
    distinct = list(dict.fromkeys(notes))
    return [note for note in distinct if not any(note in one for one in distinct if one != note)]


def _stability(tables: Tables) -> Iterator[RenderableType]:
    from rich.text import Text

    if "rank-stability" not in tables:
        return
    table = tables["rank-stability"].where(lambda row: row[3] is not None)
    if table.rows:
        yield heading(
            "Probability that a repetition gives the same order (flat prior, normal errors)"
        )
        shown = table.keep("criterion", "run", "probability").with_digits(3, "probability")
        yield render_table(shown)
        yield from (Text(note) for note in table.columns_as_notes("note").notes)


# conditions and deviations


def _conditions(comparison: Comparison, tables: Tables, names: Names) -> Iterator[RenderableType]:
    """How many conditions are equal; each deviation on one line, its reason on the next."""
    from rich.text import Text

    if "similarity" in tables:
        yield heading("Conditions")
        yield render_table(tables["similarity"].keep("runs", "equal", "known in both"))
    if not comparison.deviations:
        return
    yield heading("What was done differently")
    alike: dict[tuple[str, str, str], list[str]] = {}
    titles = [each.title for each in comparison.deviations]
    for each in sorted(comparison.deviations, key=lambda each: titles.index(each.title)):
        runs = alike.setdefault((each.title, _change(each), _reason(each)), [])
        runs.append(names[each.run])
    for (title, change, reason), runs in alike.items():
        whose = "" if len(comparison.runs) <= _PAIR else f" ({', '.join(runs)})"
        yield Text(f"{title}{whose}{change}")
        yield indent(reason)


def _change(each: Deviation) -> str:
    """The two values; empty where they are equal and the deviation is only stated."""
    if each.original == each.here:
        return ""
    return minus_signs(f": {_value(each.original)} → {_value(each.here)}")


def _value(value: Known) -> str:
    return value_in_words(value) or "not known"


def _reason(each: Deviation) -> str:
    reason = as_sentence(each.reason.strip() or "No reason given")
    return " ".join(part for part in (reason, f"Impact: {each.impact}.", each.note) if part)


# columns


def _heads(table: Table) -> list[str]:
    return [column.name for column in table.columns]


def _run_names(runs: Sequence[str], names: Names) -> str:
    return short_runs([names[run] for run in runs])


def _without_runs_of_two(comparison: Comparison, table: Table) -> Table:
    """The table without its column of runs, where there is only one reproduction."""
    return table.without("run", "runs") if len(comparison.runs) <= _PAIR else table

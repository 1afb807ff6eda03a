"""A comparison on the terminal: scores side by side, what was confirmed, what differs.

Everything fits into 80 columns; each run has a short name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, product
from string import ascii_uppercase
from typing import TYPE_CHECKING, TypeAlias

from rejudge.cli.console import heading, indent, render_list, render_table
from rejudge.compare.comparison import FEW
from rejudge.compare.precision import BY_ROUNDING
from rejudge.english import as_sentence, count
from rejudge.findings.model import Finding
from rejudge.layout.numbers import minus_signs, number, range_text
from rejudge.stats import Interval
from rejudge.tables.comparison import (
    SYMBOLS,
    Names,
    case_in_words,
    comparison_tables,
    covers,
    is_from_table,
    scores_of_runs,
    value_in_words,
)
from rejudge.tables.comparison_summary import unsupported_in_words

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rejudge.compare.comparison import Comparison, Deviation, Known
    from rejudge.layout.table import Table

Tables: TypeAlias = Mapping[str, "Table"]  # by name, with the short names of runs

_PAIR = 2
_FROM_TABLE = "Intervals from a printed table assume that judged units are independent."
_READINGS = ("hypotheses", "means", "effects")


def render_comparison(comparison: Comparison, written: Sequence[str]) -> tuple[RenderableType, ...]:
    """What is printed: runs, types I to IV, claims, printed figures, conditions, notes."""
    from rich.text import Text

    names = _short_names(comparison)
    tables = {
        table.name: table.rendering("print") for table in comparison_tables(comparison, names)
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
        *_findings(comparison, tables),
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


def _runs(comparison: Comparison, names: Names) -> Iterator[RenderableType]:
    from rich.text import Text

    for run in comparison.runs:
        letter = "" if names[run.id] == run.id else f"{names[run.id]}  "
        is_original = run.id == comparison.original
        role = "Original:" if is_original else "Compared with:"
        name = run.name if run.name.endswith(f"({run.id})") else f"{run.name} ({run.id})"
        cases = f", {count(len(run.cases), 'case')}" if len(run.cases) > 1 else ""
        yield Text(f"{letter}{role} {name}{cases}", "bold" if is_original else "")
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
    """Each system's score in every run and its CV*; of many criteria, the mean CV* alone."""
    from rich.text import Text

    scores = list(scores_of_runs(comparison))
    shown = scores if len(scores) <= _MOST_CRITERIA else []
    for each in shown:
        yield heading(f"Type I, {each.criterion.name}")
        yield render_table(tables[f"scores-{each.criterion.id}"].without_empty())
        found = comparison.select("cv-star", criterion=each.criterion, method="mean")
        yield from (Text(_mean(comparison, mean, names)) for mean in found)
    study = [each for each in comparison.select("cv-star", method="mean") if not each.key.question]
    if len(scores) > 1 and study:
        yield heading("Type I, the study: CV* as the mean over criteria")
        yield from (Text(_mean(comparison, mean, names)) for mean in study)
        if not shown:
            yield Text(f"Each of the {len(scores)} criteria has a table: see --out.")


_MOST_CRITERIA = 3


def _mean(comparison: Comparison, mean: Finding, names: Names) -> str:
    """The mean CV* of a group of runs, with what it covers."""
    whose = ""
    if len(comparison.in_cases) > _PAIR:
        whose = f" {case_in_words(comparison, mean.key.runs, mean.key.case, names)}"
    between = mean.extra.get(BY_ROUNDING)
    ends = f" ({range_text(between, 2)} by rounding)" if isinstance(between, Interval) else ""
    value = "undefined" if mean.value is None else number(mean.value, 2)
    return f"Mean CV*{whose}: {value}{ends}, over {covers(comparison, mean)}."


def _order(comparison: Comparison, tables: Tables) -> Iterator[RenderableType]:
    """Kendall's W of all runs, then the correlations of pairs."""
    from rich.text import Text

    shown = [tables[f"type-2-{name}"] for name in _ORDERS if f"type-2-{name}" in tables]
    if shown:
        yield heading("Type II, order and spacing of the systems")
    if len(comparison.criteria) > _MOST_CRITERIA:  # each of them is in the files
        own = {each.name for each in comparison.criteria}
        shown = [table.where(lambda row: row[0] not in own) for table in shown]
    yield from (render_table(table) for table in shown if table.rows)
    if any(each.p and (each.n or 0) <= FEW for each in comparison.select(*SYMBOLS)):
        yield Text("There are too few systems to interpret p.")


_ORDERS = ("concordance", "correlation")


def _labels(comparison: Comparison, tables: Tables, names: Names) -> Iterator[RenderableType]:
    from rich.text import Text

    found = comparison.select("agreement")
    unknown = [each for each in found if each.value is None and each.note]
    if any(each.value is not None for each in found) or unknown:
        yield heading("Type III, agreement of labels")
    if any(each.value is not None for each in found):
        table = tables["type-3-labels"]
        value = _heads(table).index("value")
        shown = table.where(lambda row: row[value] is not None).with_digits(2, "value", "interval")
        yield render_table(shown.without_empty())
    if any(is_from_table(each) and each.value is not None for each in found):
        yield Text(_FROM_TABLE)
    by_reason: dict[str, list[str]] = {}
    for each in unknown:
        whose = case_in_words(comparison, each.key.runs, each.key.case, names)
        by_reason.setdefault(each.note, []).append(whose)
    for reason, whose_all in by_reason.items():
        yield Text(f"{', '.join(dict.fromkeys(whose_all))}: {reason}")


# type IV, claims, readings of success and printed figures


def _findings(comparison: Comparison, tables: Tables) -> Iterator[RenderableType]:
    from rich.text import Text

    if "type-4-findings" in tables:
        yield heading("Type IV, findings of the original that are confirmed")
        table = tables["type-4-findings"]
        criterion = _heads(table).index("criterion")
        whole = table.where(lambda row: row[criterion] == "all criteria")
        yield render_table(whole.without("criterion", "not confirmed"))
    if told := unsupported_in_words(comparison):
        yield Text(told)
    if "claims" in tables:
        yield heading("Claims of the original")
        table = _without_runs_of_two(comparison, tables["claims"])
        claims = list(dict.fromkeys(table.column("claim")))
        rows = sorted(table.rows, key=lambda row: claims.index(row[0]))
        if len(rows) <= _MOST_VERDICTS:
            yield from render_list(replace(table, rows=tuple(rows)), by="claim")
        else:
            yield from _verdict_counts(table)
    if "matching" in tables:
        yield heading("All scores, trends and significance beside the original's")
        yield render_table(_without_runs_of_two(comparison, tables["matching"]).without_empty())
    if "readings" in tables:
        yield heading("Three definitions of success; no single one is the verdict")
        table = _without_runs_of_two(comparison, tables["readings"]).without("agreeing", "of")
        if "run" in _heads(table):
            table = table.keep("by", "run", "that is").merge_rows("run")
        rows = sorted(table.rows, key=lambda row: _READINGS.index(str(row[0])))
        yield from render_list(replace(table, rows=tuple(rows)))


_MOST_VERDICTS = 12


def _verdict_counts(table: Table) -> Iterator[RenderableType]:
    """How often each verdict was given; the verdicts themselves are in the files."""
    from rich.text import Text

    runs = table.column("run") if "run" in _heads(table) else [""] * len(table.rows)
    counted: dict[str, Counter[str]] = {}
    for run, verdict in zip(runs, table.column("verdict"), strict=True):
        counted.setdefault(str(run), Counter())[str(verdict)] += 1
    for run, verdicts in counted.items():
        told = "; ".join(f"{verdict}: {n}" for verdict, n in verdicts.items())
        yield Text(f"{run}: {told}" if run else told)
    yield Text("Each claim with its numbers is in a table: see --out.")


def _printed_figures(comparison: Comparison, tables: Tables) -> Iterator[RenderableType]:
    from rich.text import Text

    if "printed-figures" not in tables:
        return
    table = _without_runs_of_two(comparison, tables["printed-figures"])
    if len(set(table.column("criterion"))) == 1:
        table = table.without("criterion")
    yield heading("Printed figures of reproducibility, recomputed")
    yield render_table(table.without("because").without_empty())
    same = sum(each.is_reproduced is True for each in comparison.printed)
    yield Text(f"{same} of {count(len(comparison.printed), 'printed figure')} reproduced.")
    what = [name for name in ("measure", "system", "criterion", "run") if name in _heads(table)]
    why: dict[str, list[str]] = {}
    figures = table.keep(*what).rows
    for each, row in zip(comparison.printed, figures, strict=True):
        if each.because and not each.is_reproduced:
            why.setdefault(each.because, []).append(", ".join(str(cell) for cell in row if cell))
    for because, told in why.items():
        yield Text(f"{'; '.join(told)}:")
        yield indent(minus_signs(because))


# all runs together


def _pooled_effects(tables: Tables) -> Iterator[RenderableType]:
    """Differences of systems over all runs, one table for each criterion and measure."""

    if "pooled" not in tables:
        return
    table = tables["pooled"]
    heads = _heads(table)
    criterion, measure, value = map(heads.index, ("criterion", "measure", "value"))
    known = [row for row in table.rows if row[value] is not None]
    for key, rows in groupby(known, key=lambda row: (row[criterion], row[measure])):
        part = replace(table, rows=tuple(rows))
        yield heading(f"All runs together, {key[0]}: {key[1]} (random effects)")
        p = "p adjusted"
        shown = part.keep("systems", "value", "interval", "a further lab", p)
        yield render_table(shown.without_empty("interval", "a further lab", p))


def _stability(tables: Tables) -> Iterator[RenderableType]:

    if "rank-stability" not in tables:
        return
    table = tables["rank-stability"]
    value = _heads(table).index("probability")
    known = table.where(lambda row: row[value] is not None)
    if known.rows:
        yield heading(
            "Probability that a repetition gives the same order (flat prior, normal errors)"
        )
        yield render_table(known.without("order").with_digits(3, "probability"))


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


def _without_runs_of_two(comparison: Comparison, table: Table) -> Table:
    """The table without its column of runs, where there is only one reproduction, in one case."""
    return table.without("run", "runs") if len(comparison.in_cases) <= _PAIR else table

"""Results on the terminal: the numbers that matter most on one screen, and where the rest is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from rejudge.cli.console import SCREEN, ScreenPart, heading, one_screen, render_list, render_table
from rejudge.english import capital, count, join_words, verb
from rejudge.stats.reasons import Why

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType
    from rich.text import Text

    from rejudge.analysis.results import Flow, Results
    from rejudge.findings.model import Finding
    from rejudge.tables.findings import Scope

_FEW_QUESTIONS = 2  # of more, systems are in one table
_MOST_SENTENCES = 4  # of a kind
_LAST_LINES = 5  # for what is not shown and for the files


def render_results(results: Results, labels: Mapping[str, str]) -> tuple[RenderableType, ...]:
    """Everything that is printed, in order: at most one screen."""
    shown, left_out = one_screen(list(_parts(results, labels)), SCREEN - _LAST_LINES)
    pieces = tuple(chain.from_iterable(part.pieces for part in shown))
    rest = f" Not shown here: {join_words(left_out)}." if left_out else ""
    more = f"`rejudge report` shows everything, with figures.{rest}"
    return (*pieces, _text(f"\n{more}"))


def _parts(results: Results, labels: Mapping[str, str]) -> Iterator[ScreenPart]:
    from rejudge.tables.wording import (
        dependence_sentences,
        group_sentences,
        pair_limits,
        unfinished_sentences,
    )

    yield _sentences([_counts(results.flow)], 0, "", "bold")
    yield _sentences(unfinished_sentences(results.flow), 0, "", "yellow")
    yield _sentences(_stopping(results, labels), 1, "the planned looks")
    yield _sentences(results.notes, 5, "notes on the data")
    yield _sentences(_options(results), 9, "the options")
    yield _sentences((f"{each}." for each in pair_limits(results, labels)), 9, "which pairs")
    yield from _questions(results, labels)
    yield from _models(results)
    for groups in results.groups:
        pieces = _texts(_first(list(group_sentences(results, groups, labels))))
        yield ScreenPart((heading(f"By {groups.column}"), *pieces), 6, f"groups by {groups.column}")
    yield from _claims(results, labels)
    yield _sentences(dependence_sentences(results, labels), 4, "dependences", "yellow")
    yield _sentences(_failed_tests(results.select()), 4, "tests without a result", "yellow")
    yield from _people(results)


def _sentences(sentences: Iterable[str], rank: int, name: str, style: str = "") -> ScreenPart:
    return ScreenPart(tuple(_texts(_first(list(sentences)), style)), rank, name)


def _first(sentences: Sequence[str]) -> list[str]:
    """The first of many, and how many more there are."""
    more = len(sentences) - _MOST_SENTENCES
    return [*sentences[:_MOST_SENTENCES], *([f"And {more:,} more."] if more > 0 else [])]


def _stopping(results: Results, labels: Mapping[str, str]) -> Iterator[str]:
    """How a study with planned looks came to its end."""
    if results.stopping is not None:
        from rejudge.tables.looks import stopping_sentences

        yield from stopping_sentences(results.stopping, labels)


def _questions(results: Results, labels: Mapping[str, str]) -> Iterator[ScreenPart]:
    """Of a few questions each with its systems and pairs; of many one table of all systems."""
    from rejudge.tables.findings import Scope, finding_table
    from rejudge.tables.summary import summary_tables
    from rejudge.tables.wording import disagreement_sentences

    summary = next(iter(summary_tables(results, labels)), None)
    is_one_table = len(results.questions) > _FEW_QUESTIONS and summary is not None
    if summary is not None and is_one_table:
        yield ScreenPart((_text(""), render_table(summary), _text(summary.caption, "dim")))
    for question in results.questions:
        scope = Scope(question)
        title = heading(question)
        if is_one_table:
            yield ScreenPart((title,), 3, "pairs")
        else:
            systems = finding_table(results, "systems", "terminal", labels, scope)
            pieces = (render_table(systems), *_texts(systems.notes)) if systems.rows else ()
            yield ScreenPart((title, *pieces), 1, f"systems on {question}")
            yield ScreenPart(tuple(_texts(_ties(results, question))), 7, "ties")
        yield from _pairs(results, labels, scope)
        yield ScreenPart(tuple(_texts(_agreement(results, question))), 2, "agreement")
        warnings = _warnings(results, question, with_means=is_one_table)
        yield _sentences(warnings, 2, "warnings", "yellow")
    disagreements = chain.from_iterable(
        disagreement_sentences(results, question, labels) for question in results.questions
    )
    yield _sentences(disagreements, 4, "where a headline and its check differ", "yellow")
    yield _sentences(_pooled(results), 5, "pooled agreement")


def _pairs(results: Results, labels: Mapping[str, str], scope: Scope) -> Iterator[ScreenPart]:
    """The pairs of a question by the test that decides."""
    from rejudge.tables.findings import finding_table, headlines, tests_in_words

    found = headlines(results, scope)
    if found:
        table = finding_table(results, "pairs", "terminal", labels, scope)
        plan = "" if found[0].is_planned else ", not planned"
        test = f"{capital(tests_in_words(found))}{plan}:"
        more = _texts(_many_pairs(found, len(table.rows)))
        yield ScreenPart((_text(""), _text(test, "italic"), render_table(table), *more), 3, "pairs")


def _many_pairs(found: Sequence[Finding], shown: int) -> Iterator[str]:
    """How many pairs differ, where they are too many to be listed."""
    if len(found) > shown:
        differ = sum(bool(f.is_supported) for f in found)
        yield f"The first {shown:,} of {count(len(found), 'pair')}; {differ:,} in all differ."


def _agreement(results: Results, question: str) -> Iterator[str]:
    """How far participants agree, in one line."""
    found = [f for f in results.select(question, "agreement") if not f.systems]
    if found:
        yield f"Agreement on {question}: {'; '.join(map(_coefficient, found))}."


def _coefficient(finding: Finding) -> str:
    from rejudge.layout.numbers import interval_text
    from rejudge.tables.wording import coefficient, digits_of, value_with_unit

    name = coefficient(finding.by)
    if finding.value is None:
        return f"{name} undefined ({str(finding.note).rstrip('.')})"
    ends = f" {interval_text(finding.interval, digits_of(finding))}" if finding.interval else ""
    return f"{name} {value_with_unit(finding)}{ends}, {count(finding.n or 0, 'unit')}"


def _pooled(results: Results) -> Iterator[str]:
    """Agreement over several questions at once."""
    for f in results.pooled:
        yield f"Agreement over {f.question} together: {_coefficient(f)}. {f.note}".strip()


def render_files(written: Sequence[str]) -> Text:
    """The files that were written; tables and figures are counted, since there are many."""
    if not written:
        return _text("Nothing was written. Use --out DIR to write the files.")
    paths = {name: name.replace("\\", "/") for name in written}
    tables = [path for path in paths.values() if "/tables/" in path]
    figures = [path for path in paths.values() if "/figures/" in path]
    others = [name for name, path in paths.items() if path not in (*tables, *figures)]
    counted = [_folder(found, noun) for found, noun in ((tables, "table"), (figures, "figure"))]
    return _text(f"Written: {', '.join([*others, *filter(None, counted)])}")


def _folder(paths: Sequence[str], noun: str) -> str:
    """Such as "12 tables in out/tables"; each is there in several formats."""
    each = {path.rpartition(".")[0] for path in paths}
    return f"{count(len(each), noun)} in {paths[0].rpartition('/')[0]}" if paths else ""


def _options(results: Results) -> Iterator[str]:
    if results.signature.options:
        yield f"Options: {results.signature.listed_options}."


def _text(words: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(words, style)


def _texts(sentences: Iterable[str], style: str = "") -> list[Text]:
    return [_text(sentence, style) for sentence in sentences]


def _counts(flow: Flow) -> str:
    from rejudge.analysis.notebook import counts_in_words

    counts = f"{capital(counts_in_words(flow))}."
    if not flow.is_simulated:
        return counts
    if flow.simulated_rows == flow.rows:
        return f"{counts} All were simulated."
    rows = f"{flow.simulated_rows:,} of {count(flow.rows, 'row')}"
    return f"{counts} {rows} {verb(flow.simulated_rows, 'was', 'were')} simulated."


def _models(results: Results) -> Iterator[ScreenPart]:
    """The models that were asked for."""
    from rejudge.layout.numbers import number
    from rejudge.tables.findings import model_tables

    tables = {table.name: table for table in model_tables(results)}
    for place, model in enumerate(results.models, start=1):
        terms, contrasts = tables[f"model-{place}"], tables[f"model-{place}-contrasts"]
        variances = (f"{part.group} {number(part.variance, 2)}" for part in model.variances)
        said = [f"Variances: {', '.join(variances)}.", *([model.note] if model.note else [])]
        yield ScreenPart(
            (heading(model.formula), render_table(terms, absent="–"), *_texts(said)),
            2,
            f"the model {model.formula}",
        )
        if contrasts.rows:
            pieces = (heading("Differences between levels"), render_table(contrasts, absent="–"))
            yield ScreenPart(pieces, 8, "differences between levels")


def _warnings(results: Results, question: str, *, with_means: bool) -> Iterator[str]:
    """What to know before reading the table: unequal coverage, headlines without a result.

    What limits the means stands below a table of the question alone.
    """
    if with_means:
        of_systems = [f for m in ("mean", "share") for f in results.select(question, m)]
        yield from dict.fromkeys(f.note for f in of_systems if not f.is_comparable)
    for f in results.select(question):
        pair = " – ".join(f.systems)
        if f.role == "headline" and f.value is None:
            yield f"{pair}: {f.note}"
        elif f.role is not None:
            yield from (f"{pair}: {each}" for each in f.reasons if each.why is Why.FEW_SHARED)


def _ties(results: Results, question: str) -> Iterator[str]:
    """How many choices were ties; each is in the tallies of two systems."""
    found = [f for f in results.select(question, "win-percent", "wins") if f.tally is not None]
    tallies = [f.tally for f in found if f.tally is not None]
    total = sum(each.wins + each.losses + each.ties for each in tallies) // 2
    ties = sum(each.ties for each in tallies) // 2
    if ties:
        noun = "comparison" if any(f.n_of == "comparisons" for f in found) else "choice"
        yield f"Ties: {ties:,} of {count(total, noun)} ({100 * ties / total:.1f} %)."


def _failed_tests(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        if finding.value is None and finding.measure == "test":
            yield f"{finding.question}, {finding.by}: {finding.note}"


def _claims(results: Results, labels: Mapping[str, str]) -> Iterator[ScreenPart]:
    from rejudge.tables.findings import claim_table

    if results.claims:
        table = claim_table(results.claims, labels)
        yield ScreenPart((heading("Claims"), *render_list(table.without("because"))), 3, "claims")


def _people(results: Results) -> Iterator[ScreenPart]:
    """Who took part, and how many remarks there are."""
    from rejudge.tables.columns import frame_table
    from rejudge.tables.wording import remark_counts

    profile = results.frame("profile")
    if len(profile):
        table = frame_table(profile, {}, "terminal")
        notes = dict.fromkeys(row["note"] for row in profile.rows if row["note"])
        pieces = (heading("Who took part"), render_table(table, by="asked"))
        yield ScreenPart((*pieces, *_texts(notes)), 6, "who took part")
    remarks = results.frame("remarks").by("asked").items()
    yield _sentences((f"{asked}: {remark_counts(each)}" for asked, each in remarks), 6, "remarks")

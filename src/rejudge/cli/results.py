"""Results on the terminal: how many judgments count, a table per question, what to bear in mind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rejudge.cli.console import heading, render_list, render_table
from rejudge.english import capital, count, verb, versus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType
    from rich.text import Text

    from rejudge.analysis.results import Flow, Results
    from rejudge.findings.frame import Frame
    from rejudge.findings.model import Finding

_MOST_COLUMNS = 11  # of a table that still fits a screen
_MOST_UNITS = 5
_MOST_PAIRS = 10
_MOST_PAIR_ROWS = 500  # of tests of two systems that are listed
_MOST_PEOPLE = 8
_NEARLY_ALL = 0.9  # of the information: systems were judged on much the same items


def render_results(results: Results, labels: Mapping[str, str]) -> tuple[RenderableType, ...]:
    """Everything that is printed, in order."""
    from rejudge.tables.wording import pair_limits, unfinished_sentences

    return (
        _text(_counts(results.flow), "bold"),
        *_texts(unfinished_sentences(results.flow), "yellow"),
        *_texts(_stopping(results, labels)),
        *_texts(results.notes),
        *_texts(_options(results)),
        *_texts(f"{sentence}." for sentence in pair_limits(results, labels)),
        *_questions(results, labels),
        *_texts(_pooled_agreement(results)),
        *_by_group(results, labels),
        *_cases(results, labels),
        *_texts(_pace(results.frame("times"))),
        *_texts(_reliability(results)),
        *_texts(_tests_without_result(results.select()), "yellow"),
        *_claims(results, labels),
        *_texts(_dependences(results, labels), "yellow"),
        *_texts(_case_notes(results)),
    )


def _stopping(results: Results, labels: Mapping[str, str]) -> Iterator[str]:
    """How a study with planned looks came to its end."""
    if results.stopping is not None:
        from rejudge.tables.looks import stopping_sentences

        yield from stopping_sentences(results.stopping, labels)


def _questions(results: Results, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    from rejudge.tables.compact import question_findings

    for question in results.questions:
        yield heading(question)
        shown = _without_many_pairs(results, question)
        yield render_table(question_findings(shown, question, labels), by="under")
        yield from _texts(_many_pairs(results, question))
        yield from _texts(_warnings(results, question, labels), "yellow")
        yield from _texts(_ties(results, question))
        yield from _details(results, question, labels)


def _pairs_of(results: Results, question: str) -> list[Finding]:
    return [f for f in results.select() if f.question == question and len(f.systems) > 1]


def _without_many_pairs(results: Results, question: str) -> Results:
    """The results without the pairs of a question, if they would fill many screens."""
    pairs = _pairs_of(results, question)
    if len(pairs) <= _MOST_PAIR_ROWS:
        return results
    hidden = {finding.id for finding in pairs}
    ranked = sorted(
        (f for f in results.select() if f.id not in hidden),
        key=lambda f: (f.by, -(f.value or 0.0)),
    )
    return replace(results, findings=tuple(ranked))


def _many_pairs(results: Results, question: str) -> Iterator[str]:
    """How many pairs differ, where they are too many to be listed."""
    pairs = _pairs_of(results, question)
    if len(pairs) <= _MOST_PAIR_ROWS:
        return
    headlines = [f for f in pairs if f.role == "headline"]
    differ = sum(bool(f.is_supported) for f in headlines)
    yield (
        f"Systems are listed from the highest to the lowest. {differ:,} of "
        f"{count(len(headlines), 'pair')} differ after the correction for many comparisons; each "
        "is in the tables (--out DIR) and in --json."
    )


def _by_group(results: Results, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    from rejudge.tables.compact import group_findings
    from rejudge.tables.wording import group_sentences

    for groups in results.groups:
        yield heading(f"By {groups.column}")
        yield render_table(group_findings(results, groups, labels), by="under")
        yield from _texts(group_sentences(results, groups, labels))


def _cases(results: Results, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    from rejudge.tables.compact import case_findings

    table = case_findings(results, labels)
    if table.rows:
        yield heading("Cases")
        yield render_table(table, by="under")


def render_files(written: Sequence[str]) -> Text:
    """The files that were written; tables and figures are counted, since there are many."""
    if not written:
        return _text("Nothing was written. Use --out DIR to write the files.")
    paths = {name: name.replace("\\", "/") for name in written}
    tables = [name for name, path in paths.items() if "/tables/" in path]
    figures = [path for path in paths.values() if "/figures/" in path]
    others = [name for name, path in paths.items() if name not in tables and path not in figures]
    drawn = len({path.rpartition(".")[0] for path in figures})  # each in several formats
    counted = [(len(tables), "table"), (drawn, "figure")]
    named = [*others, *(count(many, noun) for many, noun in counted if many)]
    return _text(f"Written: {', '.join(named)}")


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


# descriptive tables of a question


def _details(
    results: Results, question: str, labels: Mapping[str, str]
) -> Iterator[RenderableType]:
    """Coverage, scores, win matrix, hardest units, and who stands out."""
    yield from _coverage(results.frame("coverage-pairs", question), labels)
    yield from _own_differences(results.frame("own-differences", question), labels)
    yield from _scores(results, question, labels)
    yield from _hardest(results.frame("units", question), labels)
    yield from _texts(_people(results.frame("people", question)), "yellow")


def _coverage(frame: Frame, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    """The pairs of systems that are compared on only part of the items, the worst first."""
    from rejudge.tables.columns import TERMINAL, frame_table

    pairs = [row for row in frame.rows if row["information_share"] < _NEARLY_ALL]
    pairs.sort(key=lambda row: row["information_share"])
    if pairs:
        table = frame_table(frame.with_rows(pairs[:_MOST_PAIRS]), labels, TERMINAL)
        yield render_table(table, f"shared by two systems{_first_of(len(pairs))}")


def _own_differences(frame: Frame, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    from rejudge.tables.columns import own_difference_grid

    table = own_difference_grid(frame, labels)
    if table.rows:
        first = replace(table, rows=table.rows[:_MOST_PAIRS])
        title = f"each participant's own difference{_first_of(len(table.rows))}"
        yield render_table(first, title, absent="–")


def _first_of(pairs: int) -> str:
    return f", {_MOST_PAIRS} of {pairs:,} pairs" if pairs > _MOST_PAIRS else ""


def _scores(results: Results, question: str, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    """How often each score was given, or who beat whom, if it fits the screen."""
    from rejudge.tables.columns import score_grid, win_matrix

    scores = results.frame("scores", question)
    if len(scores) and not scores.facts["is_named"]:  # shares of labels are listed above
        table = score_grid(scores, labels, digits=0)
        judged = table.where(lambda row: bool(row[1])).without("n")
        if len(judged.columns) - 1 <= _MOST_COLUMNS:
            yield render_table(judged, "scores, % within systems")
    wins = win_matrix(results.frame("wins", question), labels, digits=0)
    if 0 < len(wins.rows) <= _MOST_COLUMNS:
        yield render_table(wins, "% won by the row", absent="–")


def _hardest(frame: Frame, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    from rejudge.tables.columns import TERMINAL, frame_table

    hardest = [row for row in frame.rows if row["disagreement"]]
    if not hardest:
        return
    listed = hardest[:_MOST_UNITS]
    alike = sum(row["rank"] == listed[0]["rank"] for row in hardest)
    tied = f", {alike:,} tied" if alike > len(listed) else ""
    table = frame_table(frame.with_rows(listed), labels, TERMINAL)
    yield render_table(table, f"hardest of {frame.size:,}, by {frame.facts['measure']}{tied}")


def _people(frame: Frame) -> Iterator[str]:
    """Participants who stand out, and by what."""
    from rejudge.tables.columns import FLAGS

    flagged = [row for row in frame.rows if row["flags"]]
    for row in flagged[:_MOST_PEOPLE]:
        parts = [f"{row['judgments']:,} judgments", f"{row['modal_share']:.0f} % the same answer"]
        if row["seconds"] is not None:
            parts.append(f"{row['seconds'] / row['pages']:.1f} s per page")
        if row["first_shown"] is not None:
            parts.append(f"{row['first_shown']:.0f} % for the output shown first")
        why = ", ".join(FLAGS[flag] for flag in row["flags"])
        yield f"{row['participant']}: {why} ({', '.join(parts)})."
    if len(flagged) > _MOST_PEOPLE:
        yield f"And {len(flagged) - _MOST_PEOPLE} more participants stand out."


# models, profile and remarks


def render_further(results: Results) -> Iterator[RenderableType]:
    """Models as papers print them, the counts of a profile, and how many remarks there are."""
    from rejudge.tables.columns import TERMINAL, frame_table
    from rejudge.tables.wording import remark_counts

    yield from _models(results)
    profile = results.frame("profile")
    if len(profile):
        yield heading("Who took part")
        table = frame_table(profile, {}, TERMINAL).keep("asked", "answer", "participants")
        yield render_table(table, by="asked")
        yield from _texts(dict.fromkeys(row["note"] for row in profile.rows if row["note"]))
    for asked, remarks in results.frame("remarks").by("asked").items():
        yield _text(f"{asked}: {remark_counts(remarks)}")


def _models(results: Results) -> Iterator[RenderableType]:
    from rejudge.layout.numbers import number
    from rejudge.tables.findings import model_tables

    numbers = ("estimate", "standard error", "df", "t")
    shown = {
        "terms": ("term", "level", *numbers, "interval"),
        "contrasts": ("term", "first", "second", *numbers, "p Tukey", "p Holm"),
    }
    tables = {table.name: table for table in model_tables(results)}
    for place, model in enumerate(results.models, start=1):
        yield heading(model.formula)
        terms, contrasts = tables[f"model-{place}"], tables[f"model-{place}-contrasts"]
        yield render_table(terms.keep(*shown["terms"]), absent="–")
        variances = (f"{part.group} {number(part.variance, 2)}" for part in model.variances)
        yield _text(f"Variances: {', '.join(variances)}.")
        if contrasts.rows:
            yield heading("Differences between levels")
            yield render_table(contrasts.keep(*shown["contrasts"]), absent="–")
        yield from _texts([model.note] if model.note else [])


# sentences


def _warnings(results: Results, question: str, labels: Mapping[str, str]) -> Iterator[str]:
    """What to know before reading the table: unequal coverage, tests that disagree."""
    from rejudge.tables.compact import compact_name
    from rejudge.tables.wording import disagreement_sentences

    alone = [
        f
        for measure in ("mean", "share")
        for f in results.select(question, measure)
        if not f.is_comparable
    ]
    yield from dict.fromkeys(f.note for f in alone)
    for f in results.select():
        if f.question == question and f.role == "headline" and f.value is None:
            yield f"{compact_name(f, labels)}: {f.note}"
    yield from _few_shared_items(results, question, labels)
    yield from disagreement_sentences(results, question, labels)


def _few_shared_items(results: Results, question: str, labels: Mapping[str, str]) -> Iterator[str]:
    """Comparisons that rest on few items."""
    from rejudge.stats import few_shared
    from rejudge.tables.compact import compact_name

    headlines = {
        frozenset(f.systems): f
        for f in results.select()
        if f.question == question and f.role == "headline"
    }
    for pair in results.frame("coverage-pairs", question).rows:
        few = few_shared(pair["shared_items"], pair["information_share"])
        warning = " ".join(map(str, few))
        finding = headlines.get(frozenset((pair["first"], pair["second"])))
        if finding is not None and warning and warning in finding.note:
            yield f"{compact_name(finding, labels)}: {warning}"


def _ties(results: Results, question: str) -> Iterator[str]:
    """How many choices were ties; each is in the tallies of two systems."""
    found = [
        finding
        for finding in results.select(question, "win-percent")
        if finding.tally is not None and len(finding.systems) == 1
    ]
    tallies = [finding.tally for finding in found if finding.tally is not None]
    is_implied = any(finding.n_of == "comparisons" for finding in found)
    total = sum(each.wins + each.losses + each.ties for each in tallies) // 2
    ties = sum(each.ties for each in tallies) // 2
    if total:
        of = count(total, "comparison" if is_implied else "choice")
        yield f"Ties: {ties:,} of {of} ({100 * ties / total:.1f} %)."


def _pooled_agreement(results: Results) -> Iterator[str]:
    """Agreement over several criteria at once."""
    from rejudge.layout.numbers import number, range_text

    for f in results.pooled:
        value = "undefined" if f.value is None else number(f.value, 2)
        ends = f" ({range_text(f.interval)})" if f.interval else ""
        over = f"{f.by} over {f.question} together"
        yield f"{over}: {value}{ends}, {count(f.n or 0, 'unit')}. {f.note}".strip()


def _pace(times: Frame) -> Iterator[str]:
    """How long a page took."""
    marks = {row["share"]: row for row in times.rows}
    if 0.5 not in marks:
        return
    middle = marks[0.5]
    level = f"{100 * float(str(times.facts['level'])):g} %"
    ends = "" if middle["low"] is None else f"{middle['low']:.1f} to {middle['high']:.1f}"
    sure = f" ({level} interval {ends})" if ends else ""
    yield (
        f"\nThe median time per page was {middle['seconds']:.1f} seconds{sure}; the middle half of "
        f"{times.facts['pages']:,} pages took between {marks[0.25]['seconds']:.1f} and "
        f"{marks[0.75]['seconds']:.1f}."
    )


_FEW_SYSTEMS = 10  # below, the reliability of their order says little more than the tests do


def _reliability(results: Results) -> Iterator[str]:
    """How reliably the scores of each question separate the systems, where these are many."""
    systems = {system for finding in results.select() for system in finding.systems}
    for each in results.reliability if len(systems) >= _FEW_SYSTEMS else ():
        if each.now is not None and each.now.relative is not None:
            share = next((p.share for p in each.parts if p.facets == ("system",)), None) or 0.0
            yield (
                f"Reliability of the order of systems on {each.question}: {each.now.relative:.2f} "
                f"(of their means: {each.now.absolute or 0.0:.2f}). Systems account for "
                f"{100 * share:.0f} % of the variance of single scores."
            )


def _tests_without_result(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        if finding.value is None and finding.measure == "test":
            yield f"{finding.question}, {finding.by}: {finding.note}"


def _claims(results: Results, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    from rejudge.tables.findings import claim_table

    if results.claims:
        yield heading("Claims")
        yield from render_list(claim_table(results.claims, labels), by="claim")


def _dependences(results: Results, labels: Mapping[str, str]) -> Iterator[str]:
    """Comparisons that come out differently by exclusions or by case."""
    by_id = {finding.key.in_case("").id: finding for finding in results.select(case=None)}
    for dependence in results.depends:
        finding = by_id[dependence.finding]
        names = [labels.get(system, system) for system in finding.systems]
        ahead = "more often" if finding.category else "better"
        better = {"first": f"{names[0]} {ahead}", "second": f"{names[1]} {ahead}"}
        states = "; ".join(
            f"{state}: {better.get(out, out)}" for state, out in dependence.outcomes.items()
        )
        label = f"{finding.category}: " if finding.category else ""
        what = f"{finding.question}, {finding.by}, {label}{versus(names, finding.measure)}"
        yield f"Depends on {dependence.choice}: {what} ({states})."


def _case_notes(results: Results) -> Iterator[str]:
    from rejudge.analysis.cases import method_of

    if results.cases:
        yield method_of([case.multiple for case in results.cases])
        if not any(each.choice == "cases" for each in results.depends):
            yield "No comparison depends on how multiple judgments are treated."

"""Baselines as tables and sentences: what rules reproduce, and which checks they pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rejudge.analysis.results import VERDICT_WORDS
from rejudge.english import count, join_words, verb
from rejudge.layout.numbers import (
    Ends,
    interval_phrase,
    interval_text,
    level_text,
    number,
    percent,
)
from rejudge.layout.table import (
    Cell,
    Column,
    Table,
    csv_only,
    interval_column,
    print_only,
    tabulate,
)
from rejudge.simulate.baseline_run import DRAWS
from rejudge.simulate.baselines import (
    BaselineCheck,
    BaselineOutcome,
    BaselineRun,
    Baselines,
    CheckSort,
)

PEOPLE = "participants"  # beside the baselines

_CHECKS = {
    "check": "check",
    "practice": "practice",
    "qualification": "qualification",
    "exclusion": "exclusion by",
}


def baseline_tables(baselines: Baselines, labels: Mapping[str, str]) -> tuple[Table, ...]:
    """Every table of baselines: outcomes, scores, checks and claims."""
    tables = (
        outcome_table(baselines),
        score_table(baselines, labels),
        check_table(baselines),
        claim_table(baselines),
    )
    return tuple(table for table in tables if table.rows)


def outcome_table(baselines: Baselines) -> Table:
    """How near each baseline comes to the participants' result, question by question."""
    rows = [(outcome, run) for question in baselines.questions for run in baselines.runs
            if (outcome := run.outcome(question)) is not None]  # fmt: skip
    table = tabulate(
        "baselines",
        _outcome_caption(baselines),
        rows,
        (Column("question"), lambda row: row[0].question),
        (Column("baseline"), lambda row: row[1].id),
        (Column("rules"), lambda row: _rules(*row)),
        (Column("decided, percent", 0, "Decided, %"), lambda row: row[0].decided),
        (Column("agreement, percent", 1, "Agrees, %"), _agreement),
        (interval_column(1), lambda row: row[0].agreement.interval if row[0].agreement else None),
        (Column("n", 0, "n"), lambda row: row[0].agreement.n if row[0].agreement else None),
        (Column("agreement where decided, percent", 1, "Where decided, %"), _where_decided),
        (csv_only(Column("pairs in order", 0)), lambda row: row[0].pairs_in_order),
        (csv_only(Column("pairs", 0)), lambda row: row[0].pairs),
        (print_only(Column("pairs in order", 0, "Pairs in order", "text")), _pairs),
        (csv_only(Column("supported in order", 0)), lambda row: row[0].supported_in_order),
        (csv_only(Column("supported", 0)), lambda row: row[0].supported),
        (Column("Pearson", 2, "r"), lambda row: row[0].pearson),
        (Column("Spearman", 2, "ρ"), lambda row: row[0].spearman),
        (Column("note"), lambda row: row[0].note or None),
    )
    return table.without_empty(*(column.name for column in table.columns[4:]))


def _rules(outcome: BaselineOutcome, run: BaselineRun) -> str:
    return ", ".join(outcome.rules or run.rules)


def _agreement(row: tuple[BaselineOutcome, BaselineRun]) -> Cell:
    return row[0].agreement.value if row[0].agreement else None


def _where_decided(row: tuple[BaselineOutcome, BaselineRun]) -> Cell:
    return row[0].agreement_decided.value if row[0].agreement_decided else None


def _pairs(row: tuple[BaselineOutcome, BaselineRun]) -> Cell:
    outcome = row[0]
    return None if outcome.pairs is None else f"{outcome.pairs_in_order} of {outcome.pairs}"


def _outcome_caption(baselines: Baselines) -> str:
    what = (
        "Baselines: the results when rules answer instead of participants. Decided: "
        "comparisons of two outputs, or scores, that a rule decides; the rest is a tie, the middle "
        "of the scale or random."
    )
    if not baselines.has_participants:
        return f"{what} No judgments have been collected yet."
    who = "simulated participants" if baselines.is_simulated else "participants"
    size = f"{count(baselines.judgments, 'row')} by {count(baselines.participants, 'participant')}"
    return (
        f"{what} Agrees: judgments of {who} that equal the rules', of {size}; "
        f"{level_text(baselines.level)} intervals account for clustering by items and "
        "participants. "
        "Pairs in order: pairs of systems that the rules put in the same order as participants "
        f"(if some answers are random, in 95 % of {DRAWS} draws). r and ρ: Pearson's and "
        "Spearman's correlation of the systems' scores."
    )


@dataclass(frozen=True, slots=True)
class _ScoreRow:
    """The score of one system by participants or by a baseline."""

    question: str
    by: str
    system: str
    value: float | None
    digits: int  # in print
    interval: Ends | None = None  # of participants
    n: int | None = None


def score_table(baselines: Baselines, labels: Mapping[str, str]) -> Table:
    """The scores of systems by participants and by each baseline."""
    rows = list(_score_rows(baselines))
    listed = tabulate(
        "baseline-scores",
        _score_caption(baselines),
        rows,
        (Column("question"), "question"),
        (Column("by"), "by"),
        (Column("system"), lambda row: labels.get(row.system, row.system)),
        (Column("score", 2), "value"),
        (interval_column(2), "interval"),
        (Column("n", 0, "n"), "n"),
    )
    return replace(listed, in_print=_score_grid(listed, rows, labels))


def _score_rows(baselines: Baselines) -> Iterator[_ScoreRow]:
    for question in baselines.questions:
        outcomes = {run.id: run.outcome(question) for run in baselines.runs}
        measures = {each.measure for each in outcomes.values() if each and each.rules}
        digits = 1 if "best-worst-score" in measures else 2
        for each in baselines.measured_on(question):
            yield _ScoreRow(
                question, PEOPLE, each.system, each.value, digits, each.interval, each.n
            )
        for name, outcome in outcomes.items():
            for score in outcome.scores if outcome else ():
                yield _ScoreRow(question, name, score.system, score.value, digits)


def _score_grid(listed: Table, rows: Sequence[_ScoreRow], labels: Mapping[str, str]) -> Table:
    """One row per baseline and one column per system, as papers print it."""
    systems = [name for name in labels if any(row.system == name for row in rows)]
    by_key = {(row.question, row.by, row.system): row for row in rows}
    keys = dict.fromkeys((row.question, row.by) for row in rows)
    cells = tuple(
        (question, by, *(_score_text(by_key.get((question, by, system))) for system in systems))
        for question, by in keys
    )
    columns = (
        Column("question"),
        Column("by"),
        *(Column(labels[system], heading=labels[system]) for system in systems),
    )
    align = "ll" + "r" * len(systems)
    return Table(listed.name, listed.caption, columns, cells, align_as=align)


def _score_text(row: _ScoreRow | None) -> str | None:
    if row is None or row.value is None:
        return None
    ends = f" {interval_text(row.interval, row.digits)}" if row.interval else ""
    return f"{number(row.value, row.digits)}{ends}"


def _score_caption(baselines: Baselines) -> str:
    outcomes = [outcome for run in baselines.runs for outcome in run.outcomes if outcome.rules]
    measures = {outcome.measure for outcome in outcomes}
    scales = {
        "mean": "ratings: means",
        "best-worst-score": "comparisons: wins minus losses in percent of all comparisons of a "
        "system",
    }
    told = "; ".join(words for name, words in scales.items() if name in measures)
    has_chance = any(score.low is not None for each in outcomes for score in each.scores)
    chance = (
        f" If some answers are random, scores are means of {DRAWS} draws." if has_chance else ""
    )
    sure = ""
    if baselines.has_participants:
        sure = f" {level_text(baselines.level).capitalize()} intervals of participants' scores."
    return f"Scores of systems by each baseline ({told}).{sure}{chance}"


def check_table(baselines: Baselines) -> Table:
    """Which checks, pass marks and exclusion rules each baseline passes."""
    found = [(run, each) for run in baselines.runs for each in run.checks]
    listed = tabulate(
        "baseline-checks",
        "How someone who follows a baseline would do: answers, batches or participants that pass "
        "each check of the study. If a baseline passes a check, passing it does not show that "
        "somebody has judged.",
        found,
        (Column("baseline"), lambda row: row[0].id),
        (Column("sort"), lambda row: row[1].sort),
        (Column("check"), lambda row: row[1].id),
        (Column("passed", 0), lambda row: row[1].passed),
        (Column("of", 0), lambda row: row[1].of),
        (Column("unit"), lambda row: row[1].unit),
        (Column("passes"), lambda row: row[1].is_passed),
    )
    return replace(listed, in_print=_check_grid(listed, baselines))


def _check_grid(listed: Table, baselines: Baselines) -> Table:
    """One row per baseline and one column per check, as papers print it."""
    keys = list(
        dict.fromkeys((each.sort, each.id) for run in baselines.runs for each in run.checks)
    )
    rows = []
    for run in baselines.runs:
        by_key = {(each.sort, each.id): each for each in run.checks}
        rows.append((run.id, *(_passed_in_words(by_key.get(key)) for key in keys)))
    names = [_check_name(*key) for key in keys]
    columns = (Column("baseline"), *(Column(name, heading=name) for name in names))
    return Table(listed.name, listed.caption, columns, tuple(rows))


def _check_name(sort: CheckSort, name: str) -> str:
    return _CHECKS[sort] if sort == name else f"{_CHECKS[sort]} {name}"


def _passed_in_words(check: BaselineCheck | None) -> str | None:
    if check is None:
        return None
    shares = {check.of: "passes", 0: "fails"}
    words = shares.get(check.passed, f"{check.passed} of {check.of}")
    return f"{words}, enough" if check.is_passed and check.passed < check.of else words


def claim_table(baselines: Baselines) -> Table:
    """The verdict on each claim by participants and by each baseline."""
    says = dict.fromkeys((each.id, each.says) for run in baselines.runs for each in run.claims)
    rows: list[tuple[Cell, ...]] = []
    for name, sentence in says:
        own = [run.claim(name) for run in baselines.runs]
        measured = next((each.measured for each in own if each and each.measured), None)
        verdicts = [None if each is None else each.verdict for each in own]
        words = (None if v is None else VERDICT_WORDS[v] for v in (measured, *verdicts))
        rows.append((sentence, *words))
    columns = (Column(PEOPLE), *(Column(run.id, heading=run.id) for run in baselines.runs))
    return Table(
        "baseline-claims",
        "Verdicts on the claims of the study, from the participants' judgments and from the "
        "answers of rules. A claim that a rule upholds too is no evidence that anybody has judged. "
        "An order that depends on chance is not supported.",
        (Column("claim"), *columns),
        tuple(rows),
    ).without_empty(PEOPLE)


# ── sentences ────────────────────────────────────────────────────────────────────────────────────


def baseline_sentences(baselines: Baselines) -> Iterator[str]:
    """What the baselines show, the most important first."""
    if baselines.has_participants:
        for question in baselines.questions:
            yield from _nearest_sentence(baselines, question)
        yield from _claim_sentences(baselines)
    yield from _check_sentences(baselines.runs)


def _nearest_sentence(baselines: Baselines, question: str) -> Iterator[str]:
    """The baseline that reproduces most of a question's result."""
    found = [
        (run, outcome)
        for run in baselines.runs
        if (outcome := run.outcome(question)) and outcome.pairs and outcome.agreement
    ]
    if not found:
        return
    run, best = max(found, key=lambda each: _nearness(each[1]))
    who = "the simulated participants" if baselines.is_simulated else "participants"
    pairs, kept = best.pairs or 0, best.pairs_in_order or 0
    if not kept:
        yield f"On {question}, no baseline puts any two systems in the order of {who}."
        return
    order = "all" if kept == pairs else f"{kept:,}"
    systems = "the two systems" if pairs == 1 else f"{order} of {pairs:,} pairs of systems"
    share = best.agreement
    said = ""
    if share is not None and share.value is not None:
        ends = f" ({interval_phrase(share.interval)})" if share.interval else ""
        said = f" and agrees with {percent(share.value)} of their judgments{ends}"
    yield (f"On {question}, the baseline '{run.id}' puts {systems} in the order of {who}{said}.")


def _nearness(outcome: BaselineOutcome) -> tuple[float, float]:
    share = outcome.agreement.value if outcome.agreement else None
    return (outcome.pairs_in_order or 0) / (outcome.pairs or 1), share or 0.0


def _claim_sentences(baselines: Baselines) -> Iterator[str]:
    """Claims that participants uphold, and rules as well."""
    supported: dict[str, list[str]] = {}
    for run in baselines.runs:
        for each in run.claims:
            if each.measured == "supported":
                supported.setdefault(each.says, [])
                if each.verdict == "supported":
                    supported[each.says].append(run.id)
    for says, names in supported.items():
        if names:
            rules = join_words([f"'{name}'" for name in names])
            answer = verb(len(names), "answers", "answer")
            yield f"The claim “{says}” is also supported when {rules} {answer}."


def _check_sentences(runs: Sequence[BaselineRun]) -> Iterator[str]:
    checked = [run for run in runs if run.checks]
    if not checked:
        yield "The study has no checks that could detect someone who follows a rule."
        return
    unnoticed = [run.id for run in checked if all(each.is_passed for each in run.checks)]
    if not unnoticed:
        yield "Every baseline fails at least one check of the study."
        return
    names = join_words([f"'{name}'" for name in unnoticed])
    yield (
        f"{count(len(unnoticed), 'baseline').capitalize()} of {len(checked)} "
        f"{verb(len(unnoticed), 'passes', 'pass')} every check: {names}."
    )

"""Baselines as tables and sentences: what rules reproduce, and which checks they pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import TypeAlias

from rejudge.analysis.results import VERDICT_WORDS
from rejudge.english import count, join_words, verb
from rejudge.findings.model import Finding
from rejudge.layout.numbers import interval_phrase, interval_text, level_text, number, percent
from rejudge.layout.table import (
    Cell,
    Column,
    Table,
    csv_only,
    interval_column,
    print_only,
    tabulate,
)
from rejudge.simulate.baseline_checks import BaselineCheck, CheckSort
from rejudge.simulate.baselines import (
    AGREES,
    AGREES_DECIDED,
    DRAWS,
    IN_ORDER,
    PARTICIPANTS,
    SUPPORTED_IN_ORDER,
    BaselineRun,
    Baselines,
    RuledQuestion,
)

_Outcome: TypeAlias = tuple[BaselineRun, RuledQuestion]
_SCALES = {
    "mean": "ratings: means",
    "best-worst-score": "comparisons: wins minus losses in percent of all comparisons of a system",
}
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
    rows = [(run, run.question(name)) for name in baselines.questions for run in baselines.runs]
    table = tabulate(
        "baselines",
        _outcome_caption(baselines),
        rows,
        (Column("question"), lambda row: row[1].question),
        (Column("baseline"), lambda row: row[0].id),
        (Column("rules"), lambda row: ", ".join(row[1].rules or row[0].rules)),
        (Column("decided, percent", 0, "Decided, %"), lambda row: row[1].decided),
        (Column("agreement, percent", 1, "Agrees, %"), _compared(AGREES, "value")),
        (interval_column(1), _compared(AGREES, "interval")),
        (Column("n", 0, "n"), _compared(AGREES, "n")),
        (
            Column("agreement where decided, percent", 1, "Where decided, %"),
            _compared(AGREES_DECIDED, "value"),
        ),
        (csv_only(Column("pairs in order", 0)), _compared(IN_ORDER, "tally.wins")),
        (csv_only(Column("pairs", 0)), _compared(IN_ORDER, "n")),
        (print_only(Column("pairs in order", 0, "Pairs in order", "text")), _pairs),
        (csv_only(Column("supported in order", 0)), _compared(SUPPORTED_IN_ORDER, "tally.wins")),
        (csv_only(Column("supported", 0)), _compared(SUPPORTED_IN_ORDER, "n")),
        (Column("Pearson", 2, "r"), _compared("pearson", "value")),
        (Column("Spearman", 2, "ρ"), _compared("spearman", "value")),
        (Column("note"), lambda row: row[1].note or None),
    )
    return table.without_empty(*(column.name for column in table.columns[4:]))


def _compared(by: str, name: str) -> Callable[[_Outcome], Cell]:
    """A field of the finding that compares a baseline with participants; None without one."""
    get = attrgetter(name)

    def cell(row: _Outcome) -> Cell:
        finding = row[0].comparison(row[1].question, by)
        value: Cell = None if finding is None else get(finding)
        return value

    return cell


def _pairs(row: _Outcome) -> Cell:
    order = row[0].comparison(row[1].question, IN_ORDER)
    return None if order is None or order.tally is None else f"{order.tally.wins} of {order.n}"


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


def score_table(baselines: Baselines, labels: Mapping[str, str]) -> Table:
    """The scores of systems by participants and by each baseline."""
    rows = [
        (by, finding)
        for question in baselines.questions
        for by, scores in (
            (PARTICIPANTS, baselines.scores(question)),
            *((run.id, run.scores(question)) for run in baselines.runs),
        )
        for finding in scores
    ]
    listed = tabulate(
        "baseline-scores",
        _score_caption(baselines, [finding for _, finding in rows]),
        rows,
        (Column("question"), lambda row: row[1].question),
        (Column("by"), lambda row: row[0]),
        (Column("system"), lambda row: labels.get(row[1].systems[0], row[1].systems[0])),
        (Column("score", 2), lambda row: row[1].value),
        (interval_column(2), lambda row: row[1].interval if row[0] == PARTICIPANTS else None),
        (Column("n", 0, "n"), lambda row: row[1].n if row[0] == PARTICIPANTS else None),
    )
    return replace(listed, in_print=_score_grid(listed, rows, labels))


def _score_grid(listed: Table, rows: list[tuple[str, Finding]], labels: Mapping[str, str]) -> Table:
    """One row per baseline and one column per system, as papers print it."""
    systems = [name for name in labels if any(name in f.systems for _, f in rows)]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for by, finding in rows:
        own = cells.setdefault((finding.question, by), {})
        if finding.value is not None:
            own[finding.systems[0]] = _score_text(by, finding)
    columns = (Column("question"), Column("by"))
    return Table(
        listed.name,
        listed.caption,
        (*columns, *(Column(labels[system], heading=labels[system]) for system in systems)),
        tuple((*place, *(own.get(system) for system in systems)) for place, own in cells.items()),
        align_as="ll" + "r" * len(systems),
    )


def _score_text(by: str, finding: Finding) -> str:
    digits = 1 if finding.measure == "best-worst-score" else 2
    has_interval = by == PARTICIPANTS and finding.interval
    ends = f" {interval_text(finding.interval, digits)}" if has_interval else ""
    return f"{number(finding.value, digits)}{ends}"


def _score_caption(baselines: Baselines, findings: list[Finding]) -> str:
    measures = {finding.measure for finding in findings}
    scales = "; ".join(words for name, words in _SCALES.items() if name in measures)
    has_chance = any(
        finding.interval
        for run in baselines.runs
        for name in baselines.questions
        for finding in run.scores(name)
    )
    chance = (
        f" If some answers are random, scores are means of {DRAWS} draws." if has_chance else ""
    )
    sure = ""
    if baselines.has_participants:
        sure = f" {level_text(baselines.level).capitalize()} intervals of participants' scores."
    return f"Scores of systems by each baseline ({scales}).{sure}{chance}"


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
    keys = list(dict.fromkeys((each.sort, each.id) for _, each in found))
    by_run = [(run, {(each.sort, each.id): each for each in run.checks}) for run in baselines.runs]
    names = [_check_name(*key) for key in keys]
    grid = Table(
        listed.name,
        listed.caption,
        (Column("baseline"), *(Column(name, heading=name) for name in names)),
        tuple((run.id, *(_passed_in_words(own.get(key)) for key in keys)) for run, own in by_run),
    )
    return replace(listed, in_print=grid)


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
    by = {PARTICIPANTS: baselines.claims, **{run.id: run.claims for run in baselines.runs}}
    claims = {each.claim: each.says for own in by.values() for each in own}
    words = {(b, c.claim): VERDICT_WORDS[c.verdict] for b, own in by.items() for c in own}
    return Table(
        "baseline-claims",
        "Verdicts on the claims of the study, from the participants' judgments and from the "
        "answers of rules. A claim that a rule upholds too is no evidence that anybody has judged. "
        "An order that depends on chance is not supported.",
        (Column("claim"), *(Column(name, heading=name) for name in by)),
        tuple((says, *(words.get((name, claim)) for name in by)) for claim, says in claims.items()),
    ).without_empty(PARTICIPANTS)


# ── sentences ────────────────────────────────────────────────────────────────────────────────────


def baseline_sentences(baselines: Baselines) -> Iterator[str]:
    """What the baselines show, the most important first."""
    if baselines.has_participants:
        for question in baselines.questions:
            yield from _nearest_sentence(baselines, question)
        yield from _claim_sentences(baselines)
    yield from _check_sentences(baselines)


def _nearest_sentence(baselines: Baselines, question: str) -> Iterator[str]:
    """The baseline that reproduces most of a question's result."""
    found = [
        (run, order, share)
        for run in baselines.runs
        if (order := run.comparison(question, IN_ORDER)) and order.value is not None
        if (share := run.comparison(question, AGREES))
    ]
    if not found:
        return
    run, order, share = max(found, key=lambda each: (each[1].value, each[2].value or 0.0))
    who = "the simulated participants" if baselines.is_simulated else "participants"
    if not order.value or order.tally is None:
        yield f"On {question}, no baseline puts any two systems in the order of {who}."
        return
    kept = f"{order.tally.wins:,}" if order.tally.losses else "all"
    systems = "the two systems" if order.n == 1 else f"{kept} of {order.n:,} pairs of systems"
    agrees = ""
    if share.value is not None:
        ends = f" ({interval_phrase(share.interval)})" if share.interval else ""
        agrees = f" and agrees with {percent(share.value)} of their judgments{ends}"
    yield f"On {question}, the baseline '{run.id}' puts {systems} in the order of {who}{agrees}."


def _claim_sentences(baselines: Baselines) -> Iterator[str]:
    """Claims that participants uphold, and rules as well."""
    for claim in baselines.claims:
        names = [f"'{r.id}'" for r in baselines.runs if r.verdict(claim.claim) == "supported"]
        if claim.verdict == "supported" and names:
            answer = verb(len(names), "answers", "answer")
            yield f"The claim “{claim.says}” is also supported when {join_words(names)} {answer}."


def _check_sentences(baselines: Baselines) -> Iterator[str]:
    checked = [run for run in baselines.runs if run.checks]
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

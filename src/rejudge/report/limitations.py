"""A paragraph on limitations: the facts of this study that limit its conclusions.

Every sentence follows from a fact in the results, and is left out if the fact does not apply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rejudge.analysis.results import Results
from rejudge.design.balance import measure_balance
from rejudge.design.selection import Selection
from rejudge.english import as_sentence, count, join_words, verb
from rejudge.findings.model import Finding
from rejudge.layout.numbers import number, percent
from rejudge.report.answer import QuestionOutcome
from rejudge.report.power import power_sentences
from rejudge.report.quality import copy_sentences
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.tables.quality import is_comparison_of_systems
from rejudge.tables.wording import TEST_NAMES, unfinished_sentences

FEW_PEOPLE = 10  # below, intervals by t with few degrees of freedom are wide and rest on much trust
FEW_ITEMS = 20
_FEWEST = 5  # of either: below, no test generalises to others (decision 8)
_FEW_QUESTIONS = 2  # that get a sentence each
_NEARLY_ALL = 0.9  # of the scores are the same
_TENTATIVE = 0.667  # the least alpha for tentative conclusions (Krippendorff 2004)
_MANY_LEFT_OUT = 0.2


def limitations(subject: Subject, outcomes: Sequence[QuestionOutcome]) -> tuple[str, ...]:
    """The sentences of the paragraph; empty if no limitation applies."""
    return tuple(as_sentence(sentence) for sentence in _sentences(subject, outcomes))


def _sentences(subject: Subject, outcomes: Sequence[QuestionOutcome]) -> Iterator[str]:
    results = subject.results
    for sentence in unfinished_sentences(results.flow):
        yield f"{sentence} All numbers may still change"
    if not results.flow.judgments_kept:
        yield "There are no judgments to analyse, so nothing can be said about the systems"
        return
    yield from _simulation(results)
    yield from _few(subject)
    yield from _preregistration(subject)
    if results.stopping is not None:
        yield from results.stopping.notes
    if subject.designed is not None:
        yield from _of_design(subject, subject.designed)
    yield from _exclusions(results)
    yield from _agreement(results)
    yield from _failed_checks(results)
    yield from _open_questions(results, outcomes)
    yield from _without_result(results)
    yield from _sides(results)
    yield from copy_sentences(subject)


def _simulation(results: Results) -> Iterator[str]:
    flow = results.flow
    if flow.is_simulated:
        some = "All" if flow.simulated_rows == flow.rows else f"{flow.simulated_rows:,} of the"
        yield (
            f"{some} judgments were simulated by a program with opinions it was given; they say "
            "nothing about the systems"
        )


def _few(subject: Subject) -> Iterator[str]:
    people = subject.results.flow.participants_kept
    if people is None:
        yield (
            "It is not known who judged, so nothing can be said about agreement, and the intervals "
            "do not account for differences between participants"
        )
    elif people < FEW_PEOPLE:
        yield _generalisation(people, "participant", "analysed", "other people")
    items = max((f.items or 0 for f in subject.results.select()), default=0)
    if 0 < items < FEW_ITEMS:
        yield _generalisation(items, "item", "judged", "other texts")


def _generalisation(number: int, noun: str, done: str, to: str) -> str:
    """Fewer than five cannot show how far they vary, and no test generalises from them."""
    many = count(number, noun)
    if number < _FEWEST:
        return f"Only {many} {verb(number, 'was', 'were')} {done}, too few to generalise to {to}"
    return (
        f"The generalisation to {to} is based on {many}: the intervals allow for so few, but "
        "not for how they were chosen"
    )


def _preregistration(subject: Subject) -> Iterator[str]:
    designed, results = subject.designed, subject.results
    if designed is None or results.basis == "default":
        yield "No analysis was planned beforehand, so all results are exploratory"
    if designed is None:
        yield "The table of judgments does not show how items were chosen or who took part"
        return
    if designed.changes is None:
        yield (
            "The study was not frozen, so nothing shows that its plan was made before the answers "
            "were seen"
        )
    elif designed.changes:
        made = count(len(designed.changes), "change")
        yield f"{made} {verb(len(designed.changes), 'was', 'were')} made after the study was frozen"
    extra = {
        (f.question, f.by)
        for f in results.select()
        if not f.is_planned and is_comparison_of_systems(f)
    }
    if extra and results.basis == "planned":
        yield (
            f"Besides what was planned, {len(extra):,} further "
            f"{verb(len(extra), 'analysis was', 'analyses were')} computed; "
            f"{verb(len(extra), 'it is', 'they are')} exploratory"
        )


def _of_selection(selection: Selection | None) -> Iterator[str]:
    if selection is None:
        return
    if selection.method == "listed":
        yield "The inputs were chosen by people, so results say nothing about other inputs"
    if selection.impossible:
        could = count(selection.impossible, "input")
        them = verb(selection.impossible, "it", "them")
        yield f"{could} of the item file could not be selected, and results do not cover {them}"


def _of_design(subject: Subject, designed: PlannedStudy) -> Iterator[str]:
    study, plan = designed.study, designed.plan
    datasets = [name for name in measure_balance(study, plan).inputs_by_dataset if name]
    if len(datasets) == 1:
        yield f"All items come from one dataset ({datasets[0]})"
    languages = {study.item[task.item].language for task in plan.tasks() if task.is_real}
    if len(languages) == 1 and subject.results.questions:
        yield f"All texts are in one language ({next(iter(languages))})"
    yield from _of_selection(plan.selection)
    if not study.spec.checks:
        yield "There were no attention checks"
    if designed.earned and designed.earned.top_up and not subject.results.flow.is_simulated:
        yield "Participants earned less per hour than was promised"


def _exclusions(results: Results) -> Iterator[str]:
    flow = results.flow
    share = 1 - flow.judgments_kept / flow.judgments if flow.judgments else 0.0
    if share > _MANY_LEFT_OUT:
        yield f"{percent(100 * share)} of the judgments of systems were excluded"
    changed = [each for each in results.depends if each.choice == "exclusions"]
    if changed:
        yield (
            f"{count(len(changed), 'comparison')} of two systems "
            f"{verb(len(changed), 'depends', 'depend')} on who was excluded"
        )
    by_case = {each.finding for each in results.depends if each.choice == "cases"}
    if by_case:
        yield (
            f"{count(len(by_case), 'comparison')} of two systems "
            f"{verb(len(by_case), 'depends', 'depend')} on how outputs that several people judged "
            "are counted"
        )


def _agreement(results: Results) -> Iterator[str]:
    found = [
        f
        for f in results.select()
        if f.measure == "agreement" and f.by == "krippendorff-alpha" and not f.systems
    ]
    shares = {f.question: most_frequent_share(results, f.question) for f in found}
    for f in found:
        if f.value is not None and shares[f.question] > _NEARLY_ALL:
            yield (
                f"On {f.question}, {percent(100 * shares[f.question])} of the scores are the same, "
                f"so Krippendorff’s alpha ({number(f.value, 2)}) says little: it is near 0 "
                "whatever people do where hardly anything varies"
            )
    low = [f for f in found if (f.value or 0.0) < _TENTATIVE and shares[f.question] <= _NEARLY_ALL]
    low = [f for f in low if f.value is not None]
    if low:
        told = join_words([f"{_below(f.value or 0.0)} on {f.question}" for f in low])
        yield (
            f"Agreement is low: Krippendorff’s alpha is {told}, below the 0.667 that Krippendorff "
            "(2004) requires for even tentative conclusions"
        )
    unknown = [f.question for f in found if f.value is None]
    if unknown:
        yield f"Agreement beyond chance is not known on {join_words(unknown)}"


def _below(value: float) -> str:
    """With a third decimal where two would round it up to the bound."""
    return number(value, 3 if value > _TENTATIVE - 0.01 else 2)


def most_frequent_share(results: Results, question: str) -> float:
    """How large a part of all scores the most frequent one is; 0 where scores are not counted."""
    counts: Counter[str] = Counter()
    for row in results.frame("scores", question).rows:
        if row["score"] is not None:
            counts[row["score"]] += row["count"]
    return max(counts.values()) / counts.total() if counts else 0.0


def _failed_checks(results: Results) -> Iterator[str]:
    answered = sum(check.answered for check in results.checks)
    failed = sum(check.failed for check in results.checks)
    if failed:
        yield f"Participants failed {failed:,} of {count(answered, 'check')}"


def _open_questions(results: Results, outcomes: Sequence[QuestionOutcome]) -> Iterator[str]:
    undecided: dict[str, str] = {}
    for outcome in outcomes:
        tested = [
            f for f in map(outcome.deciding_test, outcome.pairs) if f.is_supported is not None
        ]
        unsupported = sum(not f.is_supported for f in tested)
        name = outcome.question.id
        if outcome.pairs and not tested:
            yield f"On {name}, whether systems differ could not be tested"
        if unsupported:
            pairs = "" if len(tested) == 1 else f"for {unsupported:,} of {len(tested):,} pairs "
            undecided[name] = f"{pairs}on {name}"
    if undecided:
        yield (
            "A difference between systems is not supported "
            f"{join_words(list(undecided.values()))}, "
            "which does not show that they are equally good"
        )
    of_each = [[s for s in results.sensitivity if s.question == name] for name in undecided]
    together = [each for found in of_each for each in found]
    if len(undecided) > _FEW_QUESTIONS and len({(s.by, s.unit) for s in together}) == 1:
        of_each = [together]
    for found in of_each:
        yield from power_sentences(found)


def _without_result(results: Results) -> Iterator[str]:
    missing = [
        f for f in results.select() if f.is_planned and f.value is None and f.by in TEST_NAMES
    ]
    if missing:
        told = join_words(
            list(dict.fromkeys(f"{TEST_NAMES[f.by]} on {f.question}" for f in missing))
        )
        yield f"These planned tests have no result: {told}"


def _sides(results: Results) -> Iterator[str]:
    for finding in results.select():
        if _is_side_bias(finding, results.signature.level):
            side = "first" if (finding.value or 0.0) > 50 else "second"
            yield (
                f"On {finding.question}, participants favoured the output shown {side} "
                f"(the first was chosen in {percent(finding.value)} of comparisons)"
            )


def _is_side_bias(finding: Finding, level: float) -> bool:
    return (
        finding.measure == "first-shown-percent"
        and finding.value is not None
        and finding.p is not None
        and finding.p < 1 - level
    )

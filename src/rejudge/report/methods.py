"""A paragraph on methods, ready for a paper: every number in it is the study's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rejudge.analysis.results import Groups, Results
from rejudge.design.balance import measure_balance
from rejudge.design.plan import Plan
from rejudge.english import as_sentence, capital, count, day, join_words, number_word, span, verb
from rejudge.findings.model import Finding
from rejudge.findings.words import POPULATIONS, How, estimate_text, interval_source, method_text
from rejudge.layout.numbers import level_text
from rejudge.platforms import platform
from rejudge.report.answer import QuestionOutcome
from rejudge.report.conditions import planned_exclusions
from rejudge.report.people import earned_sentences, pay_sentences, period_words
from rejudge.report.power import look_methods
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.study.conduct import Recruitment
from rejudge.study.model import Study
from rejudge.tables.power import planned_power_sentences
from rejudge.tables.wording import (
    TEST_NAMES,
    coefficient,
    name_of_test,
    pair_limits,
    representative,
)

_MOST_NAMED = 12  # systems; more are only counted


def methods(subject: Subject, outcomes: Sequence[QuestionOutcome]) -> tuple[str, ...]:
    """The sentences of the paragraph, in the order of a paper."""
    return tuple(as_sentence(sentence) for sentence in _sentences(subject, outcomes))


def analysis_sentences(subject: Subject, outcomes: Sequence[QuestionOutcome]) -> tuple[str, ...]:
    """The part of the paragraph about estimates, tests, intervals and corrections."""
    return tuple(as_sentence(sentence) for sentence in _analysis(subject, outcomes))


def _sentences(subject: Subject, outcomes: Sequence[QuestionOutcome]) -> Iterator[str]:
    if subject.results.flow.is_simulated:
        yield simulation_sentence(subject.results)
    if subject.designed is None:
        yield from _of_table(subject)
    else:
        yield from _of_study(subject, subject.designed)
    yield from exclusion_sentences(subject)
    yield from _analysis(subject, outcomes)
    yield from _preregistration(subject)
    yield _software(subject)


def simulation_sentence(results: Results) -> str:
    """How many judgments were made by a program."""
    flow = results.flow
    if flow.simulated_rows < flow.rows:
        return (
            f"Of {flow.rows:,} rows, {flow.simulated_rows:,} were made by a program, not by people"
        )
    return "All judgments were made by a program, not by people"


def _of_study(subject: Subject, designed: PlannedStudy) -> Iterator[str]:
    study, plan = designed.study, designed.plan
    yield f"{_systems(subject)} on {sample_in_words(study, plan)}"
    if plan.selection is not None:
        yield plan.selection.describe(study.spec.items.file)
    for each in subject.results.derived:
        yield each.says
    for question in (q for q in subject.criteria if q.prompt is not None):
        yield f"On {question.id}, participants were asked “{question.prompt}” ({question.task})"
    yield _batches(plan)
    yield from recruitment_sentences(study.spec.recruitment)
    yield from pay_sentences(designed.quote)
    if not subject.results.flow.is_simulated:
        yield from earned_sentences(designed.earned)
    if subject.period:
        yield f"They answered {period_words(subject)}"
    yield from check_sentences(study, plan, subject.results)
    if designed.power is not None and not designed.power.is_after_data:
        yield from planned_power_sentences(designed.power)


def _of_table(subject: Subject) -> Iterator[str]:
    flow = subject.results.flow
    asked = join_words([question.id for question in subject.criteria])
    on = f" on {asked}" if asked else ""
    systems = _names(list(subject.labels.values()))
    of = f" of {count(len(subject.labels), 'system')}{systems}" if subject.labels else ""
    people = flow.participants
    by = "" if people is None else f" by {count(people, 'participant')}"
    items = max((f.items or 0 for f in subject.results.select()), default=0)
    over = f"{count(items, 'item')} with " if items else ""
    yield (
        f"{over}{count(flow.judgments, 'judgment')}{of}{on}{by} "
        f"{verb(flow.judgments, 'was', 'were')} read from a table"
    )


def _systems(subject: Subject) -> str:
    labels = list(subject.labels.values())
    if len(labels) == 1:
        return f"One system ({labels[0]}) was judged"
    how = "compared" if any(q.is_comparison for q in subject.criteria) else "rated"
    return f"{capital(number_word(len(labels)))} systems{_names(labels)} were {how}"


def _names(labels: Sequence[str]) -> str:
    return f" ({join_words(labels)})" if 0 < len(labels) <= _MOST_NAMED else ""


def sample_in_words(study: Study, plan: Plan) -> str:
    """How many inputs take part, from which datasets, and how they were chosen."""
    by_dataset = measure_balance(study, plan).inputs_by_dataset
    taken = sum(by_dataset.values())
    there = len({item.group for item in study.items})
    named = [f"{number:,} from {name}" for name, number in by_dataset.items() if name]
    parts = f" ({join_words(named)})" if named else ""
    whole = len({study.item[task.item].group for task in plan.tasks() if task.is_real})
    if whole < taken:  # such as the two sides of a dialogue
        there, taken = len({item.group for item in study.items}), whole
        parts = f", in {sum(by_dataset.values()):,} parts ({join_words(named)})"
    if study.spec.items.sample is None or taken == there:
        return f"{count(taken, 'input')}{parts}"
    if plan.selection is not None:
        return f"{count(taken, 'input')}{parts}"
    even = ", as many from each dataset as possible" if study.spec.items.sample.balance else ""
    return f"{count(taken, 'input')}{parts}, drawn at random from {there:,}{even}"


def _batches(plan: Plan) -> str:
    real = [sum(task.is_real for task in batch.tasks) for batch in plan.main]
    sizes = f"{min(real):,}" if min(real) == max(real) else f"{min(real):,} to {max(real):,}"
    noun = "task" if max(real) == 1 else "tasks"
    people = [batch.participants for batch in plan.main]
    were = verb(max(people), "was", "were")
    shared = [task for batch in plan.batches if batch not in plan.main for task in batch.tasks]
    both = sum(task.is_real for task in shared)
    first = f"; everybody first judged the same {count(both, 'task')}" if both else ""
    most = plan.batches_per_participant
    origin = (
        f"the batches were not drawn, but read from {plan.source}"
        if plan.source
        else f"plan drawn with seed {plan.seed}"
    )
    return (
        f"The tasks were divided into {count(len(plan.main), 'batch')} of {sizes} {noun} to judge; "
        f"{span(people, 'participant')} {were} planned for each batch, and at most "
        f"{number_word(most)} {verb(most, 'batch', 'batches')} for each participant"
        f"{first} ({origin})"
    )


def recruitment_sentences(recruitment: Recruitment) -> Iterator[str]:
    """Where participants were to come from, and who could take part."""
    wanted = []
    if recruitment.languages:
        wanted.append(f"first language: {join_words(recruitment.languages, 'or')}")
    if recruitment.regions:
        wanted.append(f"living in {join_words(recruitment.regions, 'or')}")
    if recruitment.approval_percent is not None:
        wanted.append(f"at least {recruitment.approval_percent:g}\u202f% of earlier work approved")
    if recruitment.previous_submissions is not None:
        wanted.append(f"at least {count(recruitment.previous_submissions, 'earlier submission')}")
    who = f" ({join_words(wanted)})" if wanted else ""
    recruited = platform(recruitment.platform).recruited
    if recruited:
        yield f"Participants were to be recruited {recruited}{who}"
    elif wanted:
        yield f"Participants had to meet these conditions: {join_words(wanted)}"


def check_sentences(study: Study, plan: Plan, results: Results) -> Iterator[str]:
    """How many checks the batches have, and how many answers to them were wrong."""
    if not study.spec.checks:
        yield "There were no attention checks"
        return
    kinds = Counter(check.kind for check in study.spec.checks)
    per_batch = [sum(task.kind == "check" for task in batch.tasks) for batch in plan.main]
    answered = sum(check.answered for check in results.checks)
    failed = sum(check.failed for check in results.checks)
    yield (
        f"Each batch contained {span(per_batch, 'check')} ({join_words(list(kinds))}); "
        f"participants gave {count(answered, 'answer')} to these checks, {failed:,} of them wrong"
    )


def exclusion_sentences(subject: Subject) -> Iterator[str]:
    """Whose judgments were to be left out, and how many count."""
    flow = subject.results.flow
    if not flow.rows:
        yield "There are no judgments yet"
        return
    rules = planned_exclusions(subject.designed.study.spec.analysis) if subject.designed else "none"
    if rules != "none":
        yield f"The plan was to exclude {rules}"
    came, stay = flow.participants, flow.participants_kept
    rows = f"{count(flow.judgments, 'judgment')} of systems"
    if came is None or stay is None:
        kept = flow.judgments_kept
        were = verb(kept, "was", "were")
        yield f"Of {rows}, {kept:,} {were} analysed; it is not known who judged"
    elif flow.rows == flow.rows_kept:
        who = count(came, "participant")
        were = verb(came, "was", "were")
        yield f"No judgment was excluded by a rule: {who} with {rows} {were} analysed"
    else:
        yield (
            f"Of {count(came, 'participant')} with {rows}, {stay:,} with "
            f"{flow.judgments_kept:,} {verb(stay, 'was', 'were')} analysed"
        )


def _analysis(subject: Subject, outcomes: Sequence[QuestionOutcome]) -> Iterator[str]:
    results = subject.results
    known = [outcome for outcome in outcomes if outcome.is_judged]
    if not known:
        return
    for alike in _described_alike(known):
        these = join_words([outcome.question.id for outcome in alike])
        shared = representative([f for each in alike for f in each.standings or each.shares])
        between = interval_source(shared.how)
        tail = f", with intervals {between}" if between else ""
        yield f"On {these}, each system is described by the {estimate_text(shared.how)}{tail}"
    tests = _tests(known)
    for by, names in tests.items():
        yield f"Pairs of systems on {join_words(names)} were compared with the {by}"
    yield from pair_limits(results, subject.labels)
    yield from look_methods(subject)
    for each in results.groups:
        yield _by_group(each)
    if any(outcome.checks for outcome in known):
        yield "As a check, the cluster-robust difference of each pair is reported as well"
    yield from _further_tests(results, known)
    if any(finding.interval for finding in results.select()):
        yield _level(results, has_tests=bool(tests))
    coefficients = dict.fromkeys(f.by for f in _agreement(results))
    if coefficients:
        yield f"Agreement is reported as {join_words([coefficient(by) for by in coefficients])}"


def _described_alike(outcomes: Sequence[QuestionOutcome]) -> Iterable[list[QuestionOutcome]]:
    """Questions whose systems are described in the same way, but for degrees of freedom."""
    groups: dict[str, list[QuestionOutcome]] = {}
    for outcome in outcomes:
        facts = representative(outcome.standings or outcome.shares).how
        alike = f"{estimate_text(facts)}; {interval_source(facts, df=False)}"
        groups.setdefault(alike, []).append(outcome)
    return groups.values()


def _by_group(groups: Groups) -> str:
    planned = "as planned" if groups.is_planned else "as an exploratory analysis"
    names = join_words([each.name for each in groups.sizes])
    return (
        "Systems were also estimated, and pairs compared by the headline test, within each "
        f"{groups.column} ({names}), {planned}; whether "
        f"the difference of a pair differs by {groups.column} was tested by the interaction of "
        "system and group"
    )


def _tests(outcomes: Sequence[QuestionOutcome]) -> dict[str, list[str]]:
    """The tests that decided, each with its questions."""
    found: dict[str, list[str]] = {}
    for outcome in outcomes:
        pairs = outcome.share_pairs or tuple(map(outcome.deciding_test, outcome.pairs))
        decided = (f for f in pairs if f.p is not None)
        for by in dict.fromkeys(map(_test_description, decided)):
            found.setdefault(by, []).append(outcome.question.id)
    return found


def _further_tests(results: Results, outcomes: Sequence[QuestionOutcome]) -> Iterator[str]:
    """The tests that were computed besides those that decide and their checks."""
    told = {
        (f.question, f.by)
        for outcome in outcomes
        for f in (*map(outcome.deciding_test, outcome.pairs), *outcome.checks.values())
    }
    rest = [
        f
        for f in results.select()
        if f.by in TEST_NAMES and f.p is not None and (f.question, f.by) not in told
    ]
    for is_planned, words in ((True, "were computed as planned"), (False, "are exploratory")):
        names: dict[str, dict[str, None]] = {}
        for finding in (f for f in rest if f.is_planned is is_planned):
            names.setdefault(name_of_test(finding), {})[finding.question] = None
        if names:
            tests = [f"{name} on {join_words(list(asked))}" for name, asked in names.items()]
            yield f"Further tests {words}: {'; '.join(tests)}"


def _test_description(finding: Finding) -> str:
    """The test with its parts, where it is a model, and the population it generalises to."""
    place = next((n for n, each in enumerate(finding.how) if each.how is How.VARIANCES), None)
    name = name_of_test(finding) if place is None else method_text(finding.how[:place])
    whom = f", {POPULATIONS[finding.population]}" if finding.population else ""
    return f"{name}{whom}"


def _agreement(results: Results) -> list[Finding]:
    return [f for f in results.select() if f.measure == "agreement" and f.value is not None]


def _level(results: Results, *, has_tests: bool) -> str:
    signature = results.signature
    said = f"Intervals have a level of {level_text(signature.level)}"
    if not has_tests:
        return said
    corrected = (
        "p values were not corrected for the number of comparisons"
        if signature.correction == "none"
        else "p values of the planned tests of all questions were corrected together, exploratory "
        f"ones by test and question ({signature.correction.title()}), the intervals were not"
    )
    alpha = f"{1 - signature.level:.4g}"
    return f"{said}; {corrected}, and a difference is called supported if p is below {alpha}"


def _preregistration(subject: Subject) -> Iterator[str]:
    designed = subject.designed
    if designed is None:
        return
    if designed.study.spec.analysis is None:
        yield "No analysis was planned beforehand"
    if designed.changes is None:
        yield "The study was not frozen before data collection"
        return
    on = f" on {day(designed.frozen_on)}" if designed.frozen_on else ""
    since = (
        "nothing was changed afterwards"
        if not designed.changes
        else f"{count(len(designed.changes), 'change')} "
        f"{verb(len(designed.changes), 'was', 'were')} made afterwards"
    )
    yield f"Study, plan and analysis were frozen{on}; {since}"


def _software(subject: Subject) -> str:
    signature = subject.results.signature
    prints = [
        f"{name} {print_}"
        for name, print_ in (
            ("study", signature.study),
            ("plan", signature.plan),
            ("judgments", signature.judgments),
        )
        if print_
    ]
    return (
        f"All numbers were computed with rejudge {signature.version} (fingerprints: "
        f"{', '.join(prints)}; seed of resampling {signature.seed})"
    )

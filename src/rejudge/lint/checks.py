"""Rules about checks, practice and baselines: what they ask, where they are, their consequences."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator

from rejudge.design.plan import Batch, Plan, Task, items_on_task
from rejudge.english import count, join_words
from rejudge.judgments.answers import Answer, check_results, tabulate
from rejudge.lint.evidence import StudyEvidence, Violation, abridge, place_of
from rejudge.lint.page_text import language_words, sentences
from rejudge.platforms import platform
from rejudge.study.analysis_plan import Exclude
from rejudge.study.baselines import Baseline, RuleName
from rejudge.study.model import Study
from rejudge.study.procedure import Check, Gold, Nonsense

_FEWEST_ON_ONE_SIDE = 4
_CHANCE = 0.001
_SHORT_STUDY_MINUTES = 5  # from this length on, one failed check is not enough to reject
_CHECKS_TO_REJECT = 2


def unasked_question(seen: StudyEvidence) -> Iterator[Violation]:
    """A check uses a question that the study does not ask.

    Nobody can pass or fail it. A published reproduction asked only about meaning, but kept the
    original's control sample for dissimilarity in every batch: half of its checks checked nothing.

    Remedy: use a question of the study for the check, or remove it.
    """
    asked = [question.id for question in seen.study.spec.questions]
    for place, check in enumerate(seen.study.spec.checks):
        if check.question not in asked:
            yield Violation(
                f"The check '{check.id}' uses the question '{check.question}', which is not asked.",
                (f"checks[{place}]",),
                f"Use a question of the study ({abridge(asked)}), or remove the check.",
            )


def one_sided_checks(seen: StudyEvidence) -> Iterator[Violation]:
    """The right answer to a check is nearly always on the same side.

    People who always choose that side pass every check without reading. In a published study the
    wrong option of the control samples was always A.

    Reported when four or more checks all have it in the same position, or, with two positions, when
    so uneven a split would happen by chance less than once in 1,000 times.

    Remedy: draw the plan again; `rejudge plan` uses both sides equally often.
    """
    places: defaultdict[str, Counter[str]] = defaultdict(Counter)
    tasks: defaultdict[str, list[str]] = defaultdict(list)
    for batch, task in _checks(seen):
        marked = task.expected and (task.expected.best or task.expected.worst)
        if marked and len(task.options) > 1:
            places[task.check or ""][marked] += 1
            tasks[task.check or ""].append(place_of(batch, task))
    for check, counts in places.items():
        if _is_one_sided(counts):
            (letter, most), *_ = counts.most_common(1)
            yield Violation(
                f"The decisive option of the check '{check}' is {letter.upper()} in {most:,} of "
                f"{count(counts.total(), 'task')}.",
                tuple(tasks[check]),
                "Draw the plan again with `rejudge plan`, which uses all positions equally often.",
            )


def real_items_in_checks(seen: StudyEvidence) -> Iterator[Violation]:
    """A participant sees the item of a check as a real item too.

    The real task then reveals how the check was made, or the check affects the real answer. Checks
    are compared with the batches that the same person can get: the batch itself, the calibration
    set, and all batches if a person may do several.

    Remedy: keep items for checks with `items.sample`, and draw the plan again.
    """
    if seen.plan is None:
        return
    real: defaultdict[str, set[str]] = defaultdict(set)  # batches by input
    for batch in seen.plan.batches:
        for task in batch.real:
            real[seen.study.item[task.item].group].add(batch.id)
    everybodys = {batch.id for batch in seen.plan.batches if batch.is_calibration}
    goes_on = seen.plan.batches_per_participant > 1
    found = []
    for batch, task in _checks(seen):
        groups = {seen.study.item[item].group for item in items_on_task(task)}
        where = set().union(*(real[group] for group in groups))
        if where and (goes_on or batch.id in where or where & everybodys):
            found.append(place_of(batch, task))
    if found:
        yield Violation(
            f"The same participant can see the item of {count(len(found), 'check')} as a real "
            "item.",
            tuple(found),
            "Keep items for checks with `items.sample.inputs`, and draw the plan again.",
        )


def checks_first(seen: StudyEvidence) -> Iterator[Violation]:
    """A batch begins with a check.

    People do not know the page yet, so a wrong answer there says little about their care.

    Remedy: draw the plan again; `rejudge plan` never puts a check first.
    """
    first = [(batch, batch.tasks[0]) for batch in _batches(seen) if batch.tasks]
    places = [place_of(batch, task) for batch, task in first if task.kind == "check"]
    if places:
        yield Violation(
            f"A check comes first in {count(len(places), 'batch')}.",
            tuple(places),
            "Draw the plan again with `rejudge plan`, or move the checks.",
        )


def unfair_rejection(seen: StudyEvidence) -> Iterator[Violation]:
    """A check rejects people where the platform's rules do not allow it.

    Platforms allow a rejection for failed attention checks only if they are fair: an instruction,
    or nonsense under a question without a neutral answer; one failed check is enough in a study
    under 5 minutes, two are needed from 5 minutes on. Gold items need knowledge and are not
    attention checks: people who fail them may be excluded and replaced, but never rejected. Two
    published reproductions dropped their original's rejections. The same rules are applied to every
    platform, because they are fair.

    Remedy: `on_fail: exclude` excludes the answers, pays the person, and reopens the place.
    """
    for place, check in enumerate(seen.study.spec.checks):
        reason = _why_not_reject(seen, check) if check.on_fail == "reject" else None
        if reason:
            yield Violation(
                f"The check '{check.id}' rejects people who fail it, but {reason}.",
                (f"checks[{place}].on_fail",),
                "Set `on_fail: exclude`: the answers are excluded, the person is paid, and the "
                "place is reopened.",
            )


def single_attempt(seen: StudyEvidence) -> Iterator[Violation]:
    """Practice gives only one attempt.

    Practice is there to learn from. Platforms with rules for comprehension checks demand at least
    two attempts before a failure has consequences.

    Remedy: set `practice.attempts` to 2 or more.
    """
    practice = seen.study.spec.practice
    if practice and practice.attempts < 2:
        yield Violation(
            "Practice gives one attempt per example, so nobody can act on the feedback.",
            ("practice.attempts",),
            "Set `attempts: 2` or more.",
        )


def no_checks(seen: StudyEvidence) -> Iterator[Violation]:
    """Participants are paid per batch, and nothing shows whether they read the texts.

    On crowd platforms a few people click through. Without a check they cannot be distinguished from
    people who disagree, and the exclusion rules have nothing to work with.

    Remedy: add one or two checks per batch; an `instruction` needs no references.
    """
    spec = seen.study.spec
    if seen.is_crowd and not spec.checks:
        yield Violation(
            f"Participants come from {platform(spec.recruitment.platform).title}, but no batch has "
            "a check.",
            ("checks",),
            "Add one or two checks per batch, for instance of kind `instruction` or `gold`.",
        )


def threatening_words(seen: StudyEvidence) -> Iterator[Violation]:
    """The pages threaten rejection, although no check can reject anybody.

    It is untrue, it frightens careful people, and platforms forbid it. A published study reserved
    the right to reject people who failed its control samples; its reproductions had to remove the
    sentence, because these checks were no reason to reject anybody.

    Sentences of the information, consent and instructions pages are searched for words of rejection
    together with words for work or pay; a sentence that denies it is not a threat. English, German,
    Dutch, Spanish, Chinese and Arabic are supported.

    Remedy: say what really happens: answers may be excluded, and everybody who finishes is paid.
    """
    words = language_words(seen.study.spec.language)
    if words is None or any(check.on_fail == "reject" for check in seen.study.spec.checks):
        return
    for role in ("information", "consent", "instructions"):
        for sentence in sentences(seen.pages.get(role, "")):
            if words.threatens(sentence):
                yield Violation(
                    f"The page threatens rejection, but no check can reject anybody: “{sentence}”",
                    (getattr(seen.study.spec.pages, role),),
                    "Say what really happens: answers may be excluded, and everybody who "
                    "finishes is paid.",
                )


def checks_without_effect(seen: StudyEvidence) -> Iterator[Violation]:
    """Failing a check has no effect on which answers count.

    `analysis.exclude.failed_checks` decides who is excluded: people who fail that many checks, not
    counting those with `on_fail: flag`. Without that number, or with one that is higher than the
    number of checks a person sees, careless people stay in.

    Remedy: set `failed_checks` to a number that can be reached, or `on_fail: flag` if nobody should
    be excluded.
    """
    spec = seen.study.spec
    counting = [check for check in spec.checks if check.on_fail != "flag"]
    if spec.analysis is None:
        return
    rounds = spec.design.batches_per_participant + (spec.design.calibration > 0)
    met = rounds * sum(check.per_batch for check in counting)
    needed = spec.analysis.exclude.failed_checks
    if needed is None and counting:
        yield Violation(
            f"Failing {abridge([check.id for check in counting])} should have consequences, "
            "but no number of failed checks leads to exclusion.",
            ("analysis.exclude.failed_checks",),
            f"Set `analysis.exclude.failed_checks` (a person sees {met}), or `on_fail: flag`.",
        )
    elif needed is not None and needed > met:
        yield Violation(
            f"Exclusion needs {count(needed, 'failed check')}, but a person sees {met}.",
            ("analysis.exclude.failed_checks",),
            f"Set it to {met} or less." if met else "Add checks, or remove the rule.",
        )


def _batches(seen: StudyEvidence) -> tuple[Batch, ...]:
    return seen.plan.batches if seen.plan else ()


def _checks(seen: StudyEvidence) -> Iterator[tuple[Batch, Task]]:
    for batch in _batches(seen):
        for task in batch.tasks:
            if task.kind == "check":
                yield batch, task


def _is_one_sided(counts: Counter[str]) -> bool:
    total = counts.total()
    if len(counts) == 1:
        return total >= _FEWEST_ON_ONE_SIDE
    return set(counts) <= {"a", "b"} and _sign_test(counts["a"], counts["b"]) < _CHANCE


def _sign_test(a: int, b: int) -> float:
    """Chance of a split at least as uneven as this one, if both sides are equally likely."""
    n = a + b
    tail = math.fsum(
        math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2))
        for k in range(min(a, b) + 1)
    )
    return min(1.0, 2 * tail)


def _why_not_reject(seen: StudyEvidence, check: Check) -> str | None:
    if isinstance(check, Gold):
        return "gold items are not attention checks: failing one may exclude, but never reject"
    question = next((q for q in seen.study.spec.questions if q.id == check.question), None)
    if isinstance(check, Nonsense) and question and question.has_neutral_answer:
        return f"'{question.id}' has a neutral answer, so nonsense under it is not a fair check"
    minutes = _minutes(seen)
    there = sum(c.per_batch for c in seen.study.spec.checks if c.on_fail == "reject")
    is_long = minutes is None or minutes >= _SHORT_STUDY_MINUTES
    if is_long and there < _CHECKS_TO_REJECT:
        length = "of unknown length" if minutes is None else f"of {minutes:.0f} minutes"
        return f"a study {length} needs two failed checks for that, and a batch has {there}"
    return None


def _minutes(seen: StudyEvidence) -> float | None:
    payment = seen.study.spec.payment
    if payment and payment.minutes:
        return payment.minutes
    return seen.duration.minutes if seen.duration else None


_FEWEST = 4  # check tasks: fewer are passed by luck
_CONSTANT = frozenset({"first-shown", "last-shown", "top", "middle", "bottom"})
_IN_WORDS: dict[RuleName, str] = {
    "longer-wins": "always prefers the longer output",
    "shorter-wins": "always prefers the shorter output",
    "first-shown": "always chooses the output shown first",
    "last-shown": "always chooses the output shown last",
    "top": "always gives the highest score",
    "middle": "always gives the middle score",
    "bottom": "always gives the lowest score",
}


def unread_checks(seen: StudyEvidence) -> Iterator[Violation]:
    """Somebody who reads nothing passes every check of the plan.

    All checks are answered by rules that ignore the texts: always the first or the last output,
    always the same score, always the longer or the shorter output. If one of them passes every
    check, the checks cannot distinguish participants who judge from those who do not. Typical cases
    are ratings whose checks all ask for a low score, and gold answers that are always longer.
    Nothing is reported where `analysis.exclude` leaves out batches that were done too fast, or,
    for rules that always give the same answer, straight-lining; nor for a plan with fewer than four
    check tasks.

    Remedy: add checks with other right answers, such as an instruction to give a high score, or
    set `analysis.exclude.faster_than_reading` or `straight_lining`.
    """
    tasks = _check_tasks(seen.study, seen.plan) if seen.plan else []
    rules = seen.study.spec.analysis.exclude if seen.study.spec.analysis else Exclude()
    is_timed = rules.faster_than_reading or rules.too_fast_total_seconds is not None
    if seen.plan is None or len(tasks) < _FEWEST or is_timed:
        return
    from rejudge.simulate.rules import unread_baselines  # loads numpy, which few studies need here

    names = [
        baseline.rules[0]
        for baseline in unread_baselines(seen.study)
        if not (rules.straight_lining is not None and baseline.rules[0] in _CONSTANT)
        and _passes(seen.study, seen.plan, baseline, tasks)
    ]
    if names:
        who = join_words([_IN_WORDS[name] for name in names], "or")
        yield Violation(
            f"Somebody who {who} passes all {count(len(tasks), 'check task')} of the plan.",
            ("checks",),
            "Add checks with different right answers, or set "
            "`analysis.exclude.faster_than_reading` "
            "or `straight_lining`.",
        )


def _check_tasks(study: Study, plan: Plan) -> list[Task]:
    """The tasks of checks that can exclude somebody."""
    only_flags = {check.id for check in study.spec.checks if check.on_fail == "flag"}
    return [t for t in plan.tasks() if t.expected is not None and t.check not in only_flags]


def _passes(study: Study, plan: Plan, baseline: Baseline, tasks: list[Task]) -> bool:
    from rejudge.simulate.rules import RuleFollower

    follower = RuleFollower(study, baseline)
    batches = {task.id: batch.id for batch in plan.batches for task in batch.tasks}
    answers = []
    for task in tasks:
        for question, answer in follower.answers(plan, task, by=""):
            if task.expected is not None and question.id == task.expected.question:
                if answer.is_by_chance:
                    return False
                answers.append(
                    Answer("", batches[task.id], task.id, question.id, answer.raw, position=1)
                )
    if len(answers) < len(tasks):
        return False
    return all(result.is_right for result in check_results(plan, tabulate(study, plan, answers)))


def idle_rules(seen: StudyEvidence) -> Iterator[Violation]:
    """A rule of a baseline can never decide anything.

    `top` needs a scale, and `first-shown` needs outputs side by side. Rules about copies of the
    input or words of the reference need items that have one. Rules after `random` have no effect,
    because `random` always decides.

    Remedy: remove the rule, or put it before `random`.
    """
    study = seen.study
    for place, baseline in enumerate(study.spec.baselines):
        for number, rule in enumerate(baseline.rules):
            reason = _why_idle(study, baseline, number)
            if reason:
                yield Violation(
                    f"The rule '{rule}' of the baseline '{baseline.id}' decides nothing: {reason}.",
                    (f"baselines[{place}].rules[{number}]",),
                    "Remove it, or put it before `random`.",
                )


def _why_idle(study: Study, baseline: Baseline, number: int) -> str | None:
    rule = baseline.rules[number]
    questions = study.spec.questions
    if "random" in baseline.rules[:number]:
        return "'random' comes before it and always decides"
    if rule in {"top", "middle", "bottom"} and all(q.is_comparison for q in questions):
        return "no question has a scale"
    if rule in {"first-shown", "last-shown"} and not any(q.is_comparison for q in questions):
        return "no question shows outputs side by side"
    if rule.startswith(("copy", "input")) and not any(item.input.strip() for item in study.items):
        return "the items have no inputs"
    if rule.startswith("reference") and not any(item.has_reference for item in study.items):
        return "the items have no references"
    return None

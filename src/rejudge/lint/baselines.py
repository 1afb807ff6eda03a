"""Rules about baselines: checks that nobody has to read for, and rules without effect."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.design import Plan, Task
from rejudge.english import count, join_words
from rejudge.lint.evidence import StudyEvidence, Violation
from rejudge.study import Baseline, Exclude, RuleName, Study

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

    Rules that look at no word answer all checks: always the first or the last output, always the
    same score, always the longer or the shorter output. If one of them passes everywhere, the
    checks cannot tell participants who judge from participants who do not. Typical cases are
    ratings whose checks all ask for a low score, and gold answers that are always the longer text.
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
    from rejudge.simulate import unread_baselines  # loads numpy, which few studies need here

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
    from rejudge.judgments import Answer, tabulate
    from rejudge.judgments.answers import check_results
    from rejudge.simulate import RuleFollower

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

    `top` needs a scale and `first-shown` needs outputs side by side; what looks for a copy of the
    input or for words of a reference needs items that have one; and nothing comes after `random`,
    which always decides.

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

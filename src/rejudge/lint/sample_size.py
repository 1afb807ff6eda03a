"""Rules about a sample size that is fixed as a rule and filled in by a pilot."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.layout.numbers import level_text, percent
from rejudge.lint.evidence import StudyEvidence, Violation


def unfilled_size(seen: StudyEvidence) -> Iterator[Violation]:
    """The study has a rule for its size, but no pilot has filled it in.

    Until then `items.sample` and `participants_per_batch` are placeholders, and so are the plan,
    its cost and its duration. The rule can be frozen before the pilot is run.

    Remedy: run the pilot, then `rejudge power DIR --fill` and `rejudge plan DIR --force`.
    """
    rule = seen.study.spec.sample_size
    if rule is not None and seen.study.size is None:
        yield Violation(
            f"The size of the study is still to be filled in from the pilot '{rule.pilot}'; what "
            "is shown here is a placeholder.",
            ("sample_size",),
            "Run the pilot, then `rejudge power DIR --fill` and `rejudge plan DIR --force`.",
        )


def pilot_participants(seen: StudyEvidence) -> Iterator[Violation]:
    """People from the pilot can take part in the study that its rule sizes.

    They know the task and maybe the items, and judgments of the pilot that decided on the size must
    not count again. Only studies on a platform are checked, where people come on their own.

    Remedy: name the pilot under `site.exclude_studies`, or a list of its participants under
    `recruitment.exclude_lists`.
    """
    spec = seen.study.spec
    is_open = not spec.site.exclude_studies and not spec.recruitment.exclude_lists
    if spec.sample_size is not None and seen.is_crowd and is_open:
        yield Violation(
            "People who took part in the pilot can take part again.",
            ("site.exclude_studies", "recruitment.exclude_lists"),
            "Exclude them: `rejudge panel` writes a list of its participants for "
            "`recruitment.exclude_lists`.",
        )


def size_below_power(seen: StudyEvidence) -> Iterator[Violation]:
    """The size that the rule came to does not reach the power that it asks for.

    No size within its limits does, and the rule says that the most powerful of them is taken.

    Remedy: report the power as it is; a frozen rule is not changed after the pilot.
    """
    rule, size = seen.study.spec.sample_size, seen.study.size
    if rule is not None and size is not None and not size.reached:
        yield Violation(
            f"The power is {percent(100 * size.power)}, below the {level_text(rule.power)} that "
            "the rule requires.",
            ("sample_size",),
            "Report the power as it is. If the study is not frozen yet, allow larger sizes.",
        )

"""Rules about the sample size: one that a pilot fills in, and planned looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rejudge.design import Stages, clusters_at, stages_of
from rejudge.english import count
from rejudge.errors import DesignError
from rejudge.layout.numbers import level_text, percent
from rejudge.lint.evidence import StudyEvidence, Violation
from rejudge.study import has_direction

FEWEST_CLUSTERS: Final = 10  # at the first look; below, its level is not kept (early-stopping.md)
_FAR = 0.1  # of all places, from the planned fraction


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


def unplanned_looks(seen: StudyEvidence) -> Iterator[Violation]:
    """Looks are planned, but no test of the two systems that decide.

    A look decides by the planned test of its pair. Without one the test would be chosen by what the
    data allow, which can differ from look to look, and the boundary does not allow for that.

    Remedy: plan a test of the pair on the question in `analysis.tests`.
    """
    stop, analysis = seen.study.spec.stop, seen.study.spec.analysis
    if stop is None:
        return
    planned = [
        test
        for test in (analysis.tests if analysis else ())
        if test.question == stop.question
        and has_direction(test.test)
        and (not test.pairs or any(set(pair) == set(stop.systems) for pair in test.pairs))
    ]
    if not planned:
        yield Violation(
            f"No planned test compares {' and '.join(stop.systems)} on {stop.question}.",
            ("stop", "analysis.tests"),
            f"Add one to `analysis.tests`, such as `{{question: {stop.question}, test: "
            "cluster-robust}`.",
        )


def few_clusters(seen: StudyEvidence) -> Iterator[Violation]:
    """The first look is based on few items or few participants.

    The boundary is one of large samples. With fewer than ten items or participants the level of a
    look is not what it should be, and nothing but an enormous difference could stop the study.

    Remedy: let the first look come later (`stop.fractions`), or plan fewer looks.
    """
    stages = _stages(seen)
    if stages is None or seen.plan is None:
        return
    first = clusters_at(seen.study, seen.plan, stages, 1)
    if first.inputs > 0 and first.least < FEWEST_CLUSTERS:
        yield Violation(
            f"The first look is based on {count(first.inputs, 'input')} and "
            f"{count(first.people, 'participant')}.",
            ("stop.looks",),
            f"Let it come when there are {FEWEST_CLUSTERS} of each: with `stop.fractions`, fewer "
            "looks, or smaller batches.",
        )


def uncompared_pair(seen: StudyEvidence) -> Iterator[Violation]:
    """The two systems that decide are not judged on the same inputs before a look.

    Then there is nothing to compare at that look.

    Remedy: name a pair that the plan shows, or let the first look come later.
    """
    stages, stop = _stages(seen), seen.study.spec.stop
    if stages is None or seen.plan is None or stop is None:
        return
    for look in range(1, stages.looks + 1):
        if not clusters_at(seen.study, seen.plan, stages, look).inputs:
            yield Violation(
                f"Before look {look} no input is judged for both {' and '.join(stop.systems)}.",
                ("stop.systems",),
                "Name two systems that the plan compares, or plan fewer looks.",
            )
            return


def uneven_stages(seen: StudyEvidence) -> Iterator[Violation]:
    """The looks come far from the planned fractions, because batches are few or large.

    Only whole batches, or whole places of each, can be opened. The boundary is computed for the
    fractions that come out, so nothing is wrong with the level; but the plan is not what it says.

    Remedy: plan smaller batches, fewer looks, or the fractions that come out.
    """
    stages, stop = _stages(seen), seen.study.spec.stop
    if stages is None or stop is None:
        return
    pairs = zip(stages.fractions, stop.shares, strict=True)
    far = [f"{real:.2f} instead of {wanted:.2f}" for real, wanted in pairs if _is_far(real, wanted)]
    if far:
        yield Violation(
            f"Looks come at shares of the places that differ from the plan: {', '.join(far)}.",
            ("stop.fractions",),
            "Plan smaller batches or fewer looks, or write the fractions that result.",
        )


def unfrozen_looks(seen: StudyEvidence) -> Iterator[Violation]:
    """Looks are planned, but the study is not frozen.

    Planned looks keep the false-positive rate only if they were planned before the first answer.
    A frozen study shows that.

    Remedy: run `rejudge freeze` before data collection.
    """
    if seen.study.spec.stop is not None and seen.is_frozen is False:
        yield Violation(
            "Looks at the results are planned, but the study is not frozen.",
            ("stop",),
            "Run `rejudge freeze` before data collection.",
        )


def _is_far(real: float, wanted: float) -> bool:
    return abs(real - wanted) > _FAR


def _stages(seen: StudyEvidence) -> Stages | None:
    """None where no looks are planned, or the plan cannot be done in stages (an obstacle)."""
    if seen.plan is None:
        return None
    try:
        return stages_of(seen.study, seen.plan)
    except DesignError:
        return None

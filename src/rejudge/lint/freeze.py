"""Rules about time: what was changed after the plan was drawn or the study frozen."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.lint.evidence import Evidence, Found


def changed_since_freeze(seen: Evidence) -> Iterator[Found]:
    """Something was changed after the study was frozen.

    The frozen record is what makes the study confirmatory. A change is allowed, but it has to be
    told; the report shows each one.

    Remedy: take the change back; or freeze again, before anybody has been asked.
    """
    for change in seen.frozen_changes:
        yield Found(
            f"Changed since the freeze: {change}.",
            (change.path,),
            "Take the change back, or freeze again before anybody is asked.",
        )


def stale_plan(seen: Evidence) -> Iterator[Found]:
    """The plan was drawn from another state of the study.

    The items, questions, design or checks are no longer those that plan.json was drawn from, so
    people would be shown something else than the study says.

    Remedy: draw it again with `rejudge plan --force`, or take the change back.
    """
    if seen.stale_plan is not None:
        yield Found(
            f"The plan was drawn from another state of the study ({seen.stale_plan.study}, now "
            f"{seen.study.design_fingerprint}).",
            ("plan.json",),
            "Draw it again with `rejudge plan --force`, or take the change back.",
        )

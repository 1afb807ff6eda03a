"""Whether a planned mixed model can have free slopes."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.english import count
from rejudge.lint.evidence import Evidence, Found
from rejudge.study import PlannedTest

_REMEDY = "Leave out `slopes`: every system then varies equally."


def unsuited_slopes(seen: Evidence, planned: PlannedTest, place: int) -> Iterator[Found]:
    """Free slopes need scores, and more participants than systems."""
    if planned.slopes != "free":
        return
    where = (f"analysis.tests[{place}]",)
    asked = {each.id: each for each in seen.study.spec.questions}.get(planned.question)
    if asked is not None and asked.is_comparison:
        yield Found(
            f"`slopes: free` is for scores, but '{planned.question}' is {asked.kind}.",
            where,
            _REMEDY,
        )
        return
    systems = len(seen.study.spec.systems)
    people = systems + 1 if seen.plan is None else seen.plan.places
    if people <= systems:
        yield Found(
            f"`slopes: free` needs more participants than systems, but the plan has "
            f"{count(people, 'place')} for {count(systems, 'system')}.",
            where,
            f"{_REMEDY} Or plan more participants.",
        )

"""A planned look: the comparison that decides, computed once, when its stage is complete.

Nothing else of a running study compares systems (see `monitoring`). A look is refused while it is
not due, so the results cannot be looked at more often than the boundary allows for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

import numpy as np

from rejudge.analysis.analysis_plan import DEFAULT_SEED, AnalysisPlan, Further
from rejudge.analysis.columns import duplicates, refuse_strangers
from rejudge.analysis.data import QuestionData
from rejudge.analysis.decide import decide
from rejudge.analysis.derived_scores import add_derived
from rejudge.analysis.estimates import estimates
from rejudge.analysis.item_selection import selection_of
from rejudge.analysis.outline import outline_of_study, with_segments
from rejudge.analysis.planned_looks import (
    LookCorrection,
    clusters_of,
    done_by_batch,
    look_correction,
    refuse_another_rule,
)
from rejudge.analysis.tests import test_findings
from rejudge.collect.looks import Look, LookLog, LookState, look_state
from rejudge.design.plan import Plan
from rejudge.errors import DataError, Problem
from rejudge.findings.model import Finding
from rejudge.judgments.exclusions import Cleaned, exclude
from rejudge.judgments.judgments_csv import fingerprint_of
from rejudge.judgments.table import Judgments
from rejudge.study.analysis_plan import PlannedTest
from rejudge.study.methods import has_direction
from rejudge.study.model import Study
from rejudge.study.sample_size import Stop

_EVEN = 50.0
_NO_LOOKS = Problem(
    "this study plans no looks at its results.", "Add `stop:` before you freeze the study."
)


def look(
    study: Study,
    plan: Plan,
    judgments: Judgments,
    *,
    log: LookLog,
    who: str,
    now: datetime,
    ends_here: bool = False,
    done: Mapping[str, int] | None = None,
) -> Look:
    """Compute the comparison that decides and say whether the study goes on.

    DataError where no look is due. `ends_here`: the study is over though its last stage is not
    complete, and this is its last look, at the share that was reached. Used are the judgments of
    the stage's places that count under the study's own exclusions. `done`: how many participants
    have finished each batch, where that is known; from the judgments when left out, among which
    somebody who skipped every question is missing.
    """
    cleaned = exclude(study, plan, judgments)
    state, finished = _state(study, plan, cleaned, log, known=done)
    if not state.is_due and not (ends_here and not state.is_over):
        remedy = "Nothing was computed." if state.is_over else "Try again when it is due."
        raise DataError(Problem(state.sentence, remedy))
    correction = look_correction(study, plan, finished, None)
    stop = study.spec.stop
    if correction is None or stop is None:
        raise DataError(_NO_LOOKS)
    if state.is_due and not ends_here:
        share = state.stages.fractions[state.number - 1]
        correction = replace(correction, number=state.number, fraction=share)
    _refuse_without_news(log, correction)
    opened = state.stages.open_places[-1 if ends_here else state.number - 1]
    kept = _of_stage(plan, cleaned.kept, opened)
    finding = deciding_finding(study, stop, kept, plan=plan)
    made = _as_look(state, correction, finding, who=who, now=now)
    if ends_here:
        made = replace(made, decision="end", unbiased=None)
    return replace(made, judgments=fingerprint_of(cleaned.collected))


def look_state_of(study: Study, plan: Plan, judgments: Judgments, log: LookLog) -> LookState:
    """How close the study is to its next look; nothing is compared."""
    return _state(study, plan, exclude(study, plan, judgments), log)[0]


def _state(
    study: Study,
    plan: Plan,
    cleaned: Cleaned,
    log: LookLog,
    *,
    known: Mapping[str, int] | None = None,
) -> tuple[LookState, Mapping[str, int]]:
    refuse_another_rule(study, plan, log)
    done = done_by_batch(cleaned) if known is None else known
    if done is None:
        what = "the judgments do not say which batch they belong to."
        raise DataError(Problem(what, "Looks need the batches of the plan."))
    held = int((cleaned.collected.state.codes == cleaned.collected.state.code("held")).any())
    state = look_state(study, plan, done, log, held=held)
    if state is None:
        raise DataError(_NO_LOOKS)
    return state, done


def _of_stage(plan: Plan, kept: Judgments, opened: Mapping[str, int]) -> Judgments:
    """The judgments that a look uses: of the batches of its stage, and of calibration.

    Where answers are collected elsewhere, more may have come than the stage asks for. Of a batch of
    which only some places belong to the stage, the first participants count.
    """
    shared = {batch.id for batch in plan.batches if batch.is_calibration}
    batch, person, is_site = kept.batch.codes, kept.participant.codes, kept.state.codes >= 0
    rows = np.zeros(len(kept), dtype=np.bool_)
    for code, name in enumerate(kept.batch.labels):
        own = batch == code
        if name in shared or (opened.get(name) and is_site[own].all()):
            rows |= own
        elif opened.get(name):
            first = list(dict.fromkeys(person[own].tolist()))[: opened[name]]
            rows |= own & np.isin(person, first)
    return kept.take(rows)


def _refuse_without_news(log: LookLog, correction: LookCorrection) -> None:
    if log.last is not None and correction.fraction <= log.last.fraction:
        what = f"nothing was collected since look {log.last.number}."
        raise DataError(Problem(what, "The decision of that look stands."))


def deciding_finding(
    study: Study, stop: Stop, kept: Judgments, *, plan: Plan | None = None
) -> Finding:
    """The headline test of the deciding pair, as planned and without correction for looks."""
    known = outline_of_study(study, [stop.question])
    outline = replace(known, selection=selection_of(study, plan))
    real = kept.of_kind("real")
    refuse_strangers(study, real)
    rows, derived = add_derived(kept, outline.derived)
    problem = duplicates(rows.of_kind("real"))
    if problem is not None:
        raise DataError(problem)
    outline = with_segments(outline, derived)
    planned = study.spec.analysis
    if planned is not None:
        tests = [
            each.model_copy(update={"pairs": (stop.systems,)})
            for each in planned.tests
            if each.question == stop.question and _compares(each, stop)
        ]
        planned = planned.model_copy(update={"tests": tuple(tests), "cases": (), "groups": ()})
    asked = outline.questions[0]
    analysis = AnalysisPlan(outline, planned, DEFAULT_SEED, further=Further(pairs=(stop.systems,)))
    found = _tests(analysis, QuestionData(analysis, asked, rows.of_question(asked.id)))
    decided = [each for each in decide(analysis, found) if each.role == "headline"]
    if not decided:
        what = f"there are no judgments that compare {' and '.join(stop.systems)}."
        raise DataError(Problem(what, "No look was made; continue the study."))
    return decided[0]


def _compares(test: PlannedTest, stop: Stop) -> bool:
    is_ours = not test.pairs or any(set(pair) == set(stop.systems) for pair in test.pairs)
    return is_ours and has_direction(test.test)


def _tests(analysis: AnalysisPlan, data: QuestionData) -> list[Finding]:
    found = [*estimates(analysis, data), *test_findings(analysis, data)]
    wanted = set(analysis.further.pairs[0])
    return [each for each in found if set(each.systems) == wanted]


def _as_look(
    state: LookState,
    correction: LookCorrection,
    finding: Finding,
    *,
    who: str,
    now: datetime,
) -> Look:
    wide = correction.widen(finding)
    p_looks = correction.p_of(finding)
    is_last = state.number >= state.stages.looks
    is_crossed = p_looks is not None and p_looks < correction.alpha
    null = _EVEN if finding.measure == "win-percent" else 0.0
    return Look(
        number=state.number,
        looks=state.stages.looks,
        at=now,
        who=who,
        decision="end" if is_last else "stop" if is_crossed else "go on",
        boundary=correction.boundary,
        question=correction.question,
        systems=correction.systems,
        places=round(correction.fraction * state.planned),
        planned_places=state.planned,
        fraction=correction.fraction,
        level=correction.level_of(finding),
        alpha=correction.alpha,
        judgments="",
        test=finding.by,
        measure=finding.measure,
        value=finding.value,
        low=None if wide.interval is None else wide.interval.low,
        high=None if wide.interval is None else wide.interval.high,
        p=finding.p,
        p_looks=p_looks,
        unbiased=correction.unbiased(finding, null) if is_crossed and state.is_due else None,
        n=finding.n or 0,
        items=finding.items,
        participants=finding.participants,
        clusters=clusters_of(finding) if correction.boundary == "always-valid" else None,
        note=finding.note,
    )

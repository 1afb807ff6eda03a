"""Planned looks in an analysis: what they do to p values and intervals, and how the study ended.

A p value at a look becomes one that holds for all looks together: the smallest overall level at
which the boundary would have been reached. Such values may be used whenever the study stopped, and
so also for the comparisons that did not decide it; these follow after the one that did (a fixed
sequence), corrected among themselves. Intervals of differences are widened to the level of the
look, which makes them hold at all looks together (repeated confidence intervals). Scores of single
systems and agreement are left as they are: nothing was stopped because of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.collect.assignment import TAKES_PLACE
from rejudge.collect.looks import Look, LookLog, look_state
from rejudge.design.plan import Plan
from rejudge.design.stages import clusters_at, stages_of
from rejudge.english import count
from rejudge.errors import DataError, Problem
from rejudge.findings.words import How
from rejudge.judgments.exclusions import Cleaned, Rule
from rejudge.judgments.judgments_csv import fingerprint_of
from rejudge.study.model import Study
from rejudge.study.sample_size import StopBoundary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rejudge.findings.model import Finding


_PLACE_REOPENED: frozenset[Rule] = frozenset({"returned", "incomplete"})
_PAIR = 2
_PERCENT = (0.0, 100.0)
_NOT_COMPARISONS = frozenset({"agreement", "order-effect", "first-shown-percent"})


@dataclass(frozen=True, slots=True)
class LookCorrection:
    """The look at which an analysis is made, and the plan of looks it belongs to."""

    boundary: StopBoundary
    question: str  # of the comparison that decides
    systems: tuple[str, str]
    looks: int  # planned, the end included
    alpha: float
    fractions: tuple[float, ...]  # at the planned looks
    number: int
    fraction: float  # of all places, here
    planned_clusters: int  # of the whole study; an always-valid interval is narrowest there

    def level_of(self, finding: Finding) -> float:
        """The two-sided level that this look has for a comparison."""
        clusters = clusters_of(finding)
        if self.boundary == "always-valid":
            return stats.always_valid_level(
                clusters, planned=self.planned_clusters, alpha=self.alpha
            )
        boundary = _boundary(self.fractions, self.boundary, self.alpha)
        return boundary.level_at(self.fraction)

    def p_of(self, finding: Finding) -> float | None:
        """The p value of a comparison, corrected for all looks; one-sided if the test is."""
        if finding.p is None:
            return None
        if finding.alternative == "two-sided":
            return self._two_sided(finding.p, finding)
        return min(1.0, self._two_sided(min(1.0, 2 * finding.p), finding) / 2)

    def _two_sided(self, p: float, finding: Finding) -> float:
        if self.boundary == "always-valid":
            return stats.always_valid_p(
                p, clusters_of(finding), planned=self.planned_clusters, alpha=self.alpha
            )
        boundary = _boundary(self.fractions, self.boundary, self.alpha)
        return stats.repeated_p(p, self.number, boundary, fraction=self.fraction)

    def unbiased(self, finding: Finding, null: float) -> float | None:
        """The estimate without the bias of stopping when it is large; None where it has no error.

        Always-valid sequences have no such estimate.
        """
        error, value = finding.standard_error, finding.value
        if self.boundary == "always-valid" or not error or value is None:
            return None
        z = (value - null) / error
        boundary = _boundary(self.fractions, self.boundary, self.alpha)
        return null + error * stats.median_unbiased(z, self.number, boundary)

    def is_about(self, finding: Finding) -> bool:
        """Whether a finding compares the systems that decide, on their question, as a whole."""
        is_pair = set(finding.systems) == set(self.systems)
        return finding.question == self.question and is_pair and not finding.group

    def widen(self, finding: Finding) -> Finding:
        """A comparison of two systems with an interval that holds at all looks together."""
        if not is_comparison(finding) or finding.interval is None or finding.value is None:
            return finding
        level = 1 - self.level_of(finding)
        if level <= finding.interval.level:
            return finding
        wide = widened(finding, level)
        return replace(finding, interval=wide, how=(*finding.how, How.AT_LOOKS()))


@lru_cache(maxsize=16)
def _boundary(
    fractions: tuple[float, ...], shape: stats.BoundaryShape, alpha: float
) -> stats.Boundary:
    return stats.sequential_boundary(fractions, shape, alpha=alpha)


def is_comparison(finding: Finding) -> bool:
    """Whether a finding compares two systems."""
    return len(finding.systems) == _PAIR and finding.measure not in _NOT_COMPARISONS


def clusters_of(finding: Finding) -> int:
    """How many independent clusters a comparison has: the fewer of its items and participants."""
    known = [n for n in (finding.items, finding.participants) if n is not None]
    return max(1, min(known, default=finding.n or 0))


def widened(finding: Finding, level: float) -> stats.Interval | None:
    """The interval of a finding as wide as at a higher level, by Student's t or the normal curve.

    It is still called by its own level, which is the one that it has over all looks.
    """
    before, value = finding.interval, finding.value
    if before is None or value is None:
        return before
    df = 1e9 if finding.df is None else finding.df
    factor = stats.t_half_width(1.0, df, level) / stats.t_half_width(1.0, df, before.level)
    low, high = (value + (end - value) * factor for end in (before.low, before.high))
    if finding.measure == "win-percent":
        low, high = max(low, _PERCENT[0]), min(high, _PERCENT[1])
    return stats.Interval(low, high, before.level)


def look_correction(
    study: Study | None, plan: Plan | None, done: Mapping[str, int], log: LookLog | None
) -> LookCorrection | None:
    """What applies to an analysis of this much finished work; None where no looks are planned.

    It stands at the last look if the study was over with it. Before that, or where no log was kept,
    it stands at the look that would come next, at the share that is done.
    """
    stop = None if study is None else study.spec.stop
    if study is None or plan is None or stop is None:
        return None
    state = look_state(study, plan, done, log or LookLog())
    if state is None or not state.planned:
        return None
    last = log.last if log is not None and log.is_over else None
    shares = state.stages.fractions
    fraction = max(state.total, 1) / state.planned if last is None else last.fraction
    if last is not None:
        number = last.number
    else:
        number = next((n for n, t in enumerate(shares, 1) if fraction <= t + 1e-9), len(shares))
    return LookCorrection(
        boundary=stop.boundary,
        question=stop.question,
        systems=stop.systems,
        looks=stop.looks,
        alpha=_alpha(study),
        fractions=shares,
        number=number,
        fraction=fraction,
        planned_clusters=max(1, clusters_at(study, plan, state.stages, state.stages.looks).least),
    )


@dataclass(frozen=True, slots=True)
class Stopping:
    """The look at which the results were computed, with the log of all looks."""

    correction: LookCorrection
    planned_places: int
    places: int  # done
    planned_people: int
    log: LookLog | None = None  # None: none was kept
    notes: tuple[str, ...] = ()  # what a reader has to know about how the study was looked at

    @property
    def last(self) -> Look | None:
        """The look that ended the study; None if it is not over or has no log."""
        return self.log.last if self.log is not None and self.log.is_over else None


def refuse_another_rule(study: Study, plan: Plan, log: LookLog | None) -> None:
    """Refuse a rule other than the one of the looks that were made: it has no guarantee."""
    stop, stages = study.spec.stop, stages_of(study, plan)
    if stop is None or stages is None or log is None:
        return
    now = (stop.looks, stop.boundary, stop.question, stop.systems, _alpha(study))
    for each in log.looks:
        same = (each.looks, each.boundary, each.question, each.systems, each.alpha) == now
        if not same or (each.decision != "end" and each.places != stages.places[each.number - 1]):
            what = f"look {each.number} was made under another rule than study.yaml has now."
            remedy = (
                f"Restore `stop` and `analysis.alpha`: {each.looks} looks, {each.boundary}, "
                f"{' and '.join(each.systems)} on {each.question}, alpha {each.alpha:g}, with look "
                f"{each.number} at {each.places:,} of {count(each.planned_places, 'place')}."
            )
            raise DataError(Problem(what, remedy, file="study.yaml", field="stop"))


def _alpha(study: Study) -> float:
    return study.spec.analysis.alpha if study.spec.analysis else 0.05


def stopping_of(
    study: Study | None, plan: Plan | None, cleaned: Cleaned, log: LookLog | None
) -> Stopping | None:
    """How far a study got; None if no looks are planned or batches are not known."""
    if study is None or plan is None or study.spec.stop is None:
        return None
    refuse_another_rule(study, plan, log)
    done = done_by_batch(cleaned)
    if done is None:
        return None
    correction = look_correction(study, plan, done, log)
    state = look_state(study, plan, done, log or LookLog())
    if correction is None or state is None:
        return None
    print_ = fingerprint_of(cleaned.collected)
    return Stopping(
        correction=correction,
        planned_places=state.planned,
        places=state.total,
        planned_people=state.stages.people[-1],
        log=log,
        notes=tuple(_notes(correction, log, state.total, print_)),
    )


def done_by_batch(cleaned: Cleaned) -> dict[str, int] | None:
    """How many places of each batch are done; None where judgments do not say their batch.

    A place is one participant's batch. Where our site knows what became of it, that decides, as on
    the dashboard: a batch that was excluded while the study ran has its place opened again,
    whatever rule of the analysis leaves it out too. Elsewhere, a participant who was left out by a
    rule of the analysis, such as failed checks, has filled a place; a batch that was returned or
    not finished has not.
    """
    table = cleaned.collected
    if (table.batch.codes < 0).any():
        return None
    given_again = [n for n, each in enumerate(cleaned.exclusions) if each.rule in _PLACE_REOPENED]
    ruled = cleaned.ruled
    counts = np.ones(len(table), dtype=np.bool_) if ruled is None else ~np.isin(ruled, given_again)
    takes_place = [table.state.code(status) for status in sorted(TAKES_PLACE - {"held"})]
    is_known = table.state.codes >= 0
    counts[is_known] = np.isin(table.state.codes[is_known], takes_place)
    pairs = np.stack([table.batch.codes[counts], table.participant.codes[counts]], axis=1)
    batches, people = np.unique(np.unique(pairs, axis=0)[:, 0], return_counts=True)
    return {
        table.batch.labels[batch]: int(n) for batch, n in zip(batches.tolist(), people, strict=True)
    }


def _notes(
    correction: LookCorrection, log: LookLog | None, places: int, judgments: str
) -> Iterator[str]:
    if log is None:
        yield (
            "The study planned looks at its results, but their log (looks.json) is missing, so it "
            "is not known how often the results were seen or why the study stopped. p values and "
            "intervals account for the planned looks."
        )
        return
    if log.peeks:
        seen = count(len(log.peeks), "time")
        shares = ", ".join(f"{each.places} of {each.planned_places}" for each in log.peeks)
        guarantee = (
            "The always-valid boundary accounts for that."
            if correction.boundary == "always-valid"
            else "The boundary does not account for these analyses, so the false-positive rate is "
            f"above {100 * correction.alpha:g} % if they had any influence on the study."
        )
        yield (
            f"The results were analysed {seen} between planned looks (at {shares} places). "
            f"{guarantee}"
        )
    if not log.is_over:
        yield (
            f"The study is not over: {len(log.looks)} of {correction.looks} planned looks "
            "have been made. These results are interim and do not decide anything."
        )
        return
    last = log.last
    if last is not None and last.judgments and last.judgments != judgments:
        yield (
            f"The judgments have changed since look {last.number}: {last.places} places were done "
            f"then, and {places} are done now. Later exclusions, withdrawals or late work are "
            "possible reasons."
        )

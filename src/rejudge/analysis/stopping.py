"""How a study with planned looks came to its end, for its results and its report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rejudge.analysis.look_correction import LookCorrection, look_correction
from rejudge.collect import Look, LookLog, look_state
from rejudge.english import count
from rejudge.judgments import fingerprint_of

if TYPE_CHECKING:
    from rejudge.design import Plan
    from rejudge.judgments import Cleaned
    from rejudge.study import Study


@dataclass(frozen=True, slots=True)
class Stopping:
    """The look that the results stand at, with the log of all looks."""

    correction: LookCorrection
    planned_places: int
    places: int  # done
    planned_people: int
    log: LookLog | None = None  # None: none was kept
    notes: tuple[str, ...] = ()  # what a reader has to know about how the study was looked at

    @property
    def last(self) -> Look | None:
        """The look that the study was over with; None: it is not over, or has no log."""
        return self.log.last if self.log is not None and self.log.is_over else None


def stopping_of(
    study: Study | None, plan: Plan | None, cleaned: Cleaned, log: LookLog | None
) -> Stopping | None:
    """How far a study came; None where no looks are planned or batches are not known."""
    from rejudge.analysis.participation import done_by_batch

    if study is None or plan is None or study.spec.stop is None:
        return None
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


def _notes(
    correction: LookCorrection, log: LookLog | None, places: int, judgments: str
) -> Iterator[str]:
    if log is None:
        yield (
            "The study planned looks at its results, but their log (looks.json) is missing, so it "
            "is not known how often the results were seen or why the study stopped. p values and "
            "intervals allow for the planned looks."
        )
        return
    if log.peeks:
        seen = count(len(log.peeks), "time")
        shares = ", ".join(f"{each.places} of {each.planned_places}" for each in log.peeks)
        guarantee = (
            "The always-valid boundary allows for that."
            if correction.boundary == "always-valid"
            else "The boundary does not allow for these, so the false-positive rate is above "
            f"{100 * correction.alpha:g} % if what was seen had any influence on the study."
        )
        yield (
            f"The results were analysed {seen} between planned looks (at {shares} places). "
            f"{guarantee}"
        )
    if not log.is_over:
        yield (
            f"The study is not over: {len(log.looks)} of {correction.looks} planned looks "
            "have been made. These results are an analysis in between and decide nothing."
        )
        return
    last = log.last
    if last is not None and last.judgments and last.judgments != judgments:
        yield (
            f"The judgments have changed since look {last.number}, at which {last.places} places "
            f"were done; now it is {places}. Later exclusions, withdrawals or late work are "
            "possible reasons."
        )

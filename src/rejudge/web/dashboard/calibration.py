"""The page about calibration: who is through, how far they agree, and whether the rest is open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from starlette.responses import HTMLResponse, RedirectResponse, Response

from rejudge.analysis.monitoring import monitored_findings
from rejudge.collect.assignment import FINISHED
from rejudge.collect.visit import CalibrationGate
from rejudge.errors import RejudgeError
from rejudge.findings.model import Finding
from rejudge.judgments.exclusions import exclude
from rejudge.layout.numbers import number
from rejudge.tables.wording import coefficient
from rejudge.web.dashboard.auth import DashboardRequest, RequestRefused
from rejudge.web.dashboard.context import Dashboard, collect_judgments_so_far, render
from rejudge.web.rendering import SiteContext

_LONGEST_REASON = 1000
_SAID = {
    "opened": "The rest is open. People who were waiting can continue.",
    "held": "The rest is held back. People who have started it can finish.",
}


@dataclass(frozen=True, slots=True)
class CalibrationAgreement:
    """One coefficient for one criterion, computed from the shared items alone."""

    question: str
    coefficient: str
    value: str
    interval: str
    units: int
    note: str


def calibration(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """How calibration went, and the decision about the rest."""
    gate = _gate(dashboard.site)
    people = dashboard.site.store.people(now=request.now)
    shared = {batch.id for batch in dashboard.site.plan.batches if batch.is_calibration}
    finished = [p for p in people if any(p.statuses.get(b) in FINISHED for b in shared)]
    agreements, note = _agreements(dashboard.site, shared)
    said = _SAID.get(request.query.get("done", ""), "")
    return HTMLResponse(
        render(
            dashboard, request, "calibration.html", title="Calibration", current="calibration",
            gate=gate, finished=len(finished), agreements=agreements, note=note, said=said,
            waiting=sum(person.step == "waiting" for person in people),
            tasks=sum(len(b.real) for b in dashboard.site.plan.batches if b.is_calibration),
        )
    )  # fmt: skip


def set_gate(dashboard: Dashboard, request: DashboardRequest) -> Response:
    """Open the rest, or hold it back again; the log keeps who, when and why."""
    _gate(dashboard.site)
    wanted = request.field("rest")
    if wanted not in {"open", "hold"}:
        raise RequestRefused(422, "Choose one", "The rest can be opened or held back.")
    dashboard.site.store.set_gate(
        is_open=wanted == "open",
        who=request.name,
        now=request.now,
        reason=request.field("reason")[:_LONGEST_REASON],
    )
    dashboard.forget()
    done = "opened" if wanted == "open" else "held"
    return RedirectResponse(f"{dashboard.site.prefix}/dashboard/calibration?done={done}", 303)


def _gate(site: SiteContext) -> CalibrationGate:
    gate = site.store.gate()
    if gate is None:
        words = "This study does not hold people back after calibration."
        raise RequestRefused(404, "Nothing to decide", words)
    return gate


def _agreements(
    site: SiteContext, shared: set[str]
) -> tuple[tuple[CalibrationAgreement, ...], str]:
    """Agreement on the shared items, among those whom no rule excludes."""
    judgments = collect_judgments_so_far(site)
    if not len(judgments):
        return (), "Nobody has finished calibration yet."
    kept = exclude(site.study, site.plan, judgments).kept
    wanted = [code for code, name in enumerate(kept.batch.labels) if name in shared]
    rows = kept.take(np.isin(kept.batch.codes, wanted))
    try:
        findings = monitored_findings(site.study, rows) if len(rows) else ()
    except RejudgeError as error:
        return (), str(error)
    shown = tuple(_show(each) for each in findings if each.measure == "agreement")
    return shown, "" if shown else "Nobody has finished calibration yet."


def _show(finding: Finding) -> CalibrationAgreement:
    span, digits = finding.interval, 1 if finding.by == "percent" else 2
    return CalibrationAgreement(
        question=finding.question,
        coefficient=coefficient(finding.by),
        value="undefined" if finding.value is None else number(finding.value, digits),
        interval=""
        if span is None
        else f"{number(span.low, digits)} to {number(span.high, digits)}",
        units=finding.n or 0,
        note=finding.note,
    )

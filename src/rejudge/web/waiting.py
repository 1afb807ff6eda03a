"""The page between calibration and the rest, for as long as nobody has opened the rest."""

from __future__ import annotations

from rejudge.collect import asks_at_exit
from rejudge.web.http import Call, Reply, redirect
from rejudge.web.navigation import path_for, redirect_onward, require_sender, visitor
from rejudge.web.rendering import SitePages

_PAID = frozenset({"paid", "voucher"})


def waiting(pages: SitePages, call: Call) -> Reply:
    """What happens now, that the first part is paid, and how to come back or to stop here."""
    visit = visitor(pages, call)
    path = path_for(pages, visit, may_claim=False)
    if path != "/waiting":
        return redirect(pages.at(path))
    payment = pages.study.spec.payment
    return Reply(
        pages.sheet(
            "waiting.html",
            visit.id,
            is_paid=payment is not None and payment.kind in _PAID,
            participant=visit.participant,
            receipt=pages.site.store.receipt(visit.participant),
        )
    )


def finish_instead(pages: SitePages, call: Call) -> Reply:
    """Somebody does not want to wait: they finish with the first part and get their code."""
    visit = require_sender(pages, call)
    if path_for(pages, visit) != "/waiting" or call.form.get("go") != "finish":
        return redirect_onward(pages, visit)
    if asks_at_exit(pages.study):
        return redirect(pages.at("/exit"))
    return redirect_onward(pages, pages.site.store.pass_step(visit, "exit", now=pages.site.now()))

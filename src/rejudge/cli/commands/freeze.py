"""rejudge freeze: record study, plan, analysis and claims before data collection."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.english import count

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from rejudge.design.freeze import Change, Frozen
    from rejudge.design.plan import Plan
    from rejudge.study.model import Study

_CHANGES_SHOWN = 20


@click.command("freeze")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Freeze again; the earlier record stays in the file.")
@click.option(
    "--accept",
    metavar="CODE",
    multiple=True,
    help="Freeze even though a page has this problem, such as R417; repeatable.",
)
@print_outcome
def command(folder: Path, *, force: bool, accept: tuple[str, ...]) -> Outcome:
    """Record study, plan, analysis and claims of STUDY in frozen.json, under one hash.

    Pages that contradict the study are rejected: a time, pay, contact or task that differs from
    study.yaml, or a placeholder that cannot be filled in.
    """
    from rejudge.design.freeze import changes_since_freeze, freeze
    from rejudge.files.step_files import FROZEN, open_plan, write

    study, plan = open_plan(folder)
    remarks = _check_pages(study, plan, accept)
    earlier = _earlier(folder / FROZEN, force=force)
    frozen = freeze(study, plan, at=datetime.now(UTC), after=earlier)
    since = changes_since_freeze(earlier, study, plan) if earlier else ()
    made_from = {"study": study.fingerprint, "plan": plan.fingerprint}
    write(frozen, folder / FROZEN, made_from=made_from, force=force)
    return Outcome(
        _json(frozen, since, folder / FROZEN),
        (*_render(frozen, since, (study, plan), str(folder / FROZEN)), *remarks),
    )


def _check_pages(study: Study, plan: Plan, accept: tuple[str, ...]) -> list[Text]:
    """Reject pages that contradict the study; returns further notes about them."""
    from rich.text import Text

    from rejudge.design.pay import quote_price
    from rejudge.errors import DesignError, Problem, StudyError
    from rejudge.lint.rules import PAGE_RULES, check, rule_of
    from rejudge.starters.folders import templates

    accepted = {rule_of(code).code for code in accept}
    try:
        price = quote_price(study, plan, on=datetime.now(UTC).date())
    except DesignError:  # `rejudge check` says why; the pages are compared with what is known
        price = None
    duration = price.work.duration if price else None
    found = check(study, plan, quote=price, duration=duration, templates=templates())
    of_pages = [each for each in found if each.code in PAGE_RULES - accepted]
    wrong = [each for each in of_pages if each.severity == "error"]
    if wrong:
        last = f"To freeze it anyway: --accept {wrong[-1].code}."
        raise StudyError(
            *(
                Problem(
                    f"{each.code}: {each.message}",
                    f"{each.remedy} {last}" if each is wrong[-1] else each.remedy,
                    file=each.places[0],
                )
                for each in wrong
            )
        )
    return [Text(f"{each.code}: {each.message} {each.remedy}", "yellow") for each in of_pages]


def _earlier(path: Path, *, force: bool) -> Frozen | None:
    """The existing record; without --force it cannot be followed by another."""
    from rejudge.design.freeze import Frozen
    from rejudge.errors import FileError, Problem
    from rejudge.files.step_files import read

    if not path.exists():
        return None
    earlier = read(Frozen, path)
    if not force:
        what = f"the study was frozen on {earlier.at:%Y-%m-%d %H:%M} UTC."
        remedy = "Use --force to freeze it again; the earlier record stays in the file."
        raise FileError(Problem(what, remedy, file=str(path)))
    return earlier


def _json(frozen: Frozen, since: tuple[Change, ...], path: Path) -> dict[str, object]:
    return {
        "written": str(path),
        "hash": frozen.hash,
        "at": frozen.at.isoformat(),
        "study": frozen.study,
        "plan": frozen.plan,
        "items": len(frozen.item_hashes),
        "pages": sorted(frozen.present_pages),
        "analysis": frozen.parts["analysis"],
        "claims": frozen.parts["claims"],
        "earlier": [record.hash for record in frozen.earlier],
        "changes": [
            {"path": c.path, "before": c.before, "after": c.after, "touches": c.touches}
            for c in since
        ],
    }


def _render(
    frozen: Frozen, since: tuple[Change, ...], fixed: tuple[Study, Plan], written: str
) -> tuple[RenderableType, ...]:
    from rich.table import Table
    from rich.text import Text

    study, plan = fixed
    tests = study.spec.analysis.tests if study.spec.analysis else ()
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_row(
        "study",
        f"{count(len(frozen.item_hashes), 'item')}, {count(len(frozen.present_pages), 'page')}",
    )
    table.add_row("plan", f"{count(len(plan.batches), 'batch')}, {count(plan.places, 'place')}")
    table.add_row("analysis", count(len(tests), "planned test"))
    table.add_row("claims", str(len(study.spec.claims)))
    again = [Text(_refreeze_notice(frozen, len(since)))] if frozen.earlier else []
    more = [Text(f"… and {len(since) - _CHANGES_SHOWN} more")] if since[_CHANGES_SHOWN:] else []
    return (
        Text(f"Frozen on {frozen.at:%Y-%m-%d %H:%M} UTC", "bold"),
        Text(f"sha256 {frozen.hash}"),
        table,
        *again,
        *(Text(f"• {change}") for change in since[:_CHANGES_SHOWN]),
        *more,
        Text(f"Written: {written}"),
        Text("Put the hash somewhere with a trusted date: a registry, an email, a commit."),
    )


def _refreeze_notice(frozen: Frozen, count: int) -> str:
    number = "1 change" if count == 1 else f"{count} changes"
    return f"Frozen again, with {number} since {frozen.earlier[-1].at:%Y-%m-%d %H:%M} UTC."

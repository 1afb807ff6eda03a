"""rejudge invite: personal links and the texts to send with them; nothing is sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rejudge.cli.console import Outcome, print_outcome
from rejudge.cli.folders import database_of, database_option, note_database
from rejudge.cli.options import base_url_option, check_base_url
from rejudge.cli.participants import FOLDER, MERGE
from rejudge.english import count, join_quoted
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.collect.invitations import Invitation, Invitee
    from rejudge.design.plan import Plan
    from rejudge.store.store import Store
    from rejudge.study.model import Study

_ID_LENGTH = 11


@click.command("invite")
@click.argument("folder", metavar="STUDY", type=click.Path(path_type=Path))
@click.argument("people", metavar="PEOPLE", type=click.Path(path_type=Path))
@click.option(
    "--invitation",
    type=click.Path(path_type=Path),
    help="Text of the invitation; its first line is the subject.",
)
@click.option(
    "--briefing",
    type=click.Path(path_type=Path),
    help="Text of the briefing; its first line is the subject.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help=f"Where to write.  [default: STUDY/{FOLDER}]",
)
@click.option("--force", is_flag=True, help="Overwrite invitations that differ.")
@base_url_option
@database_option
@print_outcome
def command(
    folder: Path,
    people: Path,
    *,
    invitation: Path | None,
    briefing: Path | None,
    out: Path | None,
    force: bool,
    base_url: str | None,
    database: str | None,
) -> Outcome:
    """Write an invitation and a briefing for everybody in PEOPLE (name,email); nothing is sent.

    Each person gets a signed personal link whose id says nothing about them. People to whom the
    plan assigns lists (`rejudge plan --participants`) get exactly those; PEOPLE then needs a column
    participant. Writes invitations.csv for a mail merge and one text per person, in the language
    of the study.
    """
    from rejudge.collect.invitation_texts import invitation_texts
    from rejudge.collect.invitations import read_people, same_names
    from rejudge.files.disk import write_files
    from rejudge.files.step_files import open_plan
    from rejudge.incoming import read_bytes
    from rejudge.store.store import open_store
    from rejudge.tables_in import NamedFile
    from rejudge.web.site import now_utc

    check_base_url(base_url)
    study, plan = open_plan(folder)
    _refuse_other_recruiting(study)
    table = NamedFile(people.name, read_bytes(people, remedy="Write name,email."))
    invited = read_people(table, plan.lists)
    usual = invitation_texts(study.spec.language)
    templates = (_template(invitation, usual.invitation), _template(briefing, usual.briefing))
    store = open_store(database_of(folder, database), study, plan, now=now_utc())
    try:
        made = list(_invitations(folder, store, invited, templates, base_url=base_url))
    finally:
        store.close()
    note_database(folder, database)
    home = out or folder / FOLDER
    write_files(home, _files(made), force=force)
    return _outcome(home, made, plan, same_names(invited), base_url=base_url)


def _template(path: Path | None, usual: str) -> str:
    from rejudge.collect.invitations import refuse_unknown_placeholders
    from rejudge.incoming import decode, read_bytes

    if path is None:
        return usual
    text = decode(read_bytes(path, remedy="Give a text file."), file=path.name)
    refuse_unknown_placeholders(text, file=path.name)
    return text


def _refuse_other_recruiting(study: Study) -> None:
    from rejudge.collect.visit import recruiter_of

    if recruiter_of(study) != "link":
        what = "invitations need personal links, which this study does not use."
        remedy = "Set `recruitment: {platform: link}`, without `open: true`."
        raise UsageError(Problem(what, remedy))


def _invitations(
    folder: Path,
    store: Store,
    people: Sequence[Invitee],
    templates: tuple[str, str],
    *,
    base_url: str | None,
) -> Iterator[Invitation]:
    from rejudge.collect.invitation_texts import invitation_texts
    from rejudge.collect.invitations import Invitation, write_text
    from rejudge.design.pages import fill_pages, page_values
    from rejudge.web.session import Seal, personal_path
    from rejudge.web.site import Serving, site_secret

    study, plan = store.study, store.plan
    us = invitation_texts(study.spec.language).us
    seal = Seal(site_secret(store), study.spec.id)
    address = Serving(str(folder), "", base_url=base_url).address
    for person in people:
        own = () if plan.lists is None else plan.lists[person.participant or ""]
        name = person.participant or f"i{seal.mark(f'invited {person.email.casefold()}')}"
        name = name if person.participant else name[: _ID_LENGTH + 1]
        pages = fill_pages(study, plan, on=store.registered_on, own=own or None)
        values = page_values(study, plan, on=store.registered_on, own=own or None) | {
            "name": person.name,
            "link": address + personal_path(seal, name),
            "instructions": pages.get("instructions", ""),
        }
        values = {"contact": us, "payment": "", "duration": ""} | values
        texts = [write_text(template, values) for template in templates]
        yield Invitation(
            person.name, person.email, name, values["link"], tuple(own), texts[0], texts[1]
        )


def _files(made: Sequence[Invitation]) -> dict[str, bytes]:
    from rejudge.spreadsheet import csv_text

    head = (
        "name", "email", "participant", "batches", "link", "subject", "invitation",
        "briefing_subject", "briefing",
    )  # fmt: skip
    rows = [
        (
            each.name, each.email, each.participant, " ".join(each.batches), each.link,
            *_subject(each.invitation), *_subject(each.briefing),
        )
        for each in made
    ]  # fmt: skip
    merge = csv_text([head, *rows])
    texts = {
        f"{each.participant}.txt": f"To: {each.email}\nSubject: {each.invitation}\n\n"
        f"{'-' * 70}\n\nTo: {each.email}\nSubject: {each.briefing}"
        for each in made
    }
    # A byte order mark, since word processors read names such as Zoë wrongly without one.
    return {MERGE: merge.encode("utf-8-sig")} | {
        name: text.encode("utf-8") for name, text in texts.items()
    }


def _subject(text: str) -> tuple[str, str]:
    """The first line, and what comes after it."""
    first, _, rest = text.strip().partition("\n")
    return first.strip(), rest.strip()


def _outcome(
    home: Path,
    made: Sequence[Invitation],
    plan: Plan,
    alike: Sequence[str],
    *,
    base_url: str | None,
) -> Outcome:
    from rich.text import Text

    known = {each.participant for each in made}
    without = [name for name in plan.lists or () if name not in known]
    places = plan.people - len(made)
    warnings = [
        *([f"Nobody is assigned to {join_quoted(without)}."] if without else []),
        *([f"{count(places, 'person')} more may be needed."] if places > 0 and not without else []),
        *([f"Several people are called {join_quoted(alike)}; check them."] if alike else []),
        *(
            ["These links work on this machine only. Give the public address with --base-url."]
            if base_url is None
            else []
        ),
    ]
    said = {
        "written": str(home / MERGE),
        "texts": len(made),
        "people": len(made),
        "without_person": without,
        "warnings": warnings,
    }
    return Outcome(
        said,
        (
            Text(f"Invitations and briefings for {count(len(made), 'person')}. Nothing was sent."),
            *(Text(warning, "yellow") for warning in warnings),
            Text(f"Written: {home / MERGE} (for a mail merge) and one text per person."),
            Text("These files contain names and addresses. Do not share them with the study."),
        ),
    )

"""A page on this machine to complete a datasheet; every change is saved to the file at once.

All addresses begin with a random token, so that neither other users of the machine nor other web
pages can read or change the sheet. The page works without scripts; with them it saves each answer
as soon as it is given.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Final
from urllib.parse import quote, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from rejudge.errors import RejudgeError
from rejudge.files.disk import write_bytes
from rejudge.heds.check import SheetFinding
from rejudge.heds.check import check as check_sheet
from rejudge.heds.schema import SheetQuestion
from rejudge.heds.sheet import (
    Provenance,
    Sheet,
    SheetAnswer,
    SheetCell,
    add_criterion,
    copy_criterion,
    find_provenance,
    forget_answer,
    is_edited,
    read_sheet,
    remove_criterion,
    rename_criterion,
)
from rejudge.incoming import read_bytes
from rejudge.web.app import SecurityHeaders, static_file
from rejudge.web.http import InvalidRequest, parse_fields, read_body
from rejudge.web.rendering import asset_path, make_environment

_MOST_STEPS: Final = 200  # that can be undone
_CRITERIA: Final = "4"  # the section that is answered for each criterion
_CHANGED: Final = (
    "The file was changed by another program, so nothing was saved. Reload the page to see it."
)


class FileChanged(Exception):  # noqa: N818 - a reply to the page, not a fault
    """Somebody else wrote the file since it was read."""


@dataclass(slots=True)
class SheetFile:
    """A datasheet on the disk that one page edits."""

    path: Path
    sheet: Sheet
    content: bytes
    earlier: list[Sheet] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def edit(self, change: Callable[[Sheet], Sheet]) -> Sheet:
        """Save a change, unless somebody else has written the file in the meantime."""
        with self.lock:
            self._refuse_changed()
            new = change(self.sheet)
            if new is not self.sheet and new.write() != self.content:
                self.earlier = [*self.earlier[1 - _MOST_STEPS :], self.sheet]
                self._write(new)
            return self.sheet

    def undo(self) -> Sheet:
        """Go back to before the last change; nothing happens where there is none."""
        with self.lock:
            self._refuse_changed()
            if self.earlier:
                self._write(self.earlier.pop())
            return self.sheet

    def reload(self) -> None:
        """Read the file again if somebody else has written it; a deleted one stays on the page."""
        with self.lock:
            if self.path.is_file() and self._read() != self.content:
                self.sheet = read_sheet(self.path)
                self.content, self.earlier = self._read(), []

    def _refuse_changed(self) -> None:
        if not self.path.is_file() or self._read() != self.content:
            raise FileChanged

    def _read(self) -> bytes:
        return read_bytes(self.path, remedy="Put the file back.")

    def _write(self, sheet: Sheet) -> None:
        content = sheet.write()
        write_bytes(self.path, content, force=True)
        self.sheet, self.content = sheet, content


def open_sheet_file(path: Path) -> SheetFile:
    """The datasheet in a file, with every entry that the form needs."""
    sheet = read_sheet(path)
    return SheetFile(path, sheet, path.read_bytes())


@dataclass(frozen=True)
class DatasheetEditor:
    """The pages of one sheet."""

    file: SheetFile
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @cached_property
    def app(self) -> Starlette:
        """The application."""
        root = f"/{self.token}"
        return Starlette(
            routes=[
                Route(f"{root}/", self._first, methods=["GET"]),
                Route(f"{root}/save", self._save, methods=["POST"]),
                Route(f"{root}/criteria", self._criteria, methods=["POST"]),
                Route(f"{root}/undo", self._undo, methods=["POST"]),
                Route(f"{root}/{{section}}", self._section, methods=["GET"]),
                Route("/static/{fingerprint}/{name}", static_file),
            ],
            middleware=[Middleware(SecurityHeaders)],
            exception_handlers={
                FileChanged: _on_changed,
                RejudgeError: _on_error,
                InvalidRequest: _on_invalid,
            },
        )

    @cached_property
    def _template(self) -> Any:  # a template of jinja2
        environment = make_environment()
        environment.globals["asset"] = asset_path
        return environment.get_template("datasheet.html")

    async def _first(self, request: Request) -> Response:  # noqa: ARG002 - the same for all
        return RedirectResponse(f"/{self.token}/1", 303)

    async def _section(self, request: Request) -> Response:
        section = request.path_params["section"]
        await run_in_threadpool(self.file.reload)
        sheet = self.file.sheet
        if section not in {each.number for each in sheet.schema.sections if each.level == 1}:
            return Response("There is no such page.", 404, media_type="text/plain")
        criterion = request.query_params.get("criterion")
        page = await run_in_threadpool(self._render, section, criterion)
        return Response(page, media_type="text/html")

    def _render(self, section: str, criterion: str | None) -> str:
        sheet = self.file.sheet
        if criterion not in sheet.criteria:
            criterion = next(iter(sheet.criteria), None)
        page: str = self._template.render(
            root=f"/{self.token}",
            file=self.file.path.name,
            version=sheet.version,
            sections=list(_section_progress(sheet)),
            section=next(each for each in sheet.schema.sections if each.number == section),
            is_criteria=section == _CRITERIA,
            criteria=sheet.criteria,
            criterion=criterion if section == _CRITERIA else None,
            entries=list(_entries(sheet, section, criterion)),
            progress=_progress(sheet),
            can_undo=bool(self.file.earlier),
            query=_query,
        )
        return page

    async def _save(self, request: Request) -> Response:
        form = parse_fields(await read_body(request))
        sheet = await run_in_threadpool(self.file.edit, lambda old: _with_answers(old, form))
        if "x-script" in request.headers:
            return JSONResponse({"outcome": "saved", **_state(sheet, form)})
        section = form.get("section", "1")
        following = form.get("go") or section
        return RedirectResponse(self._address(following, form.get("criterion")), 303)

    async def _criteria(self, request: Request) -> Response:
        form = parse_fields(await read_body(request))
        old, new = form.get("criterion", ""), form.get("new", "").strip()
        changes: Mapping[str, tuple[Callable[[Sheet], Sheet], str | None]] = {
            "add": (lambda sheet: add_criterion(sheet, new), new),
            "rename": (lambda sheet: rename_criterion(sheet, old, new), new),
            "copy": (lambda sheet: copy_criterion(sheet, old, new), new),
            "remove": (lambda sheet: remove_criterion(sheet, old), None),
        }
        if form.get("action") not in changes:
            raise InvalidRequest(400)
        change, then = changes[form["action"]]
        await run_in_threadpool(self.file.edit, change)
        return RedirectResponse(self._address(_CRITERIA, then), 303)

    async def _undo(self, request: Request) -> Response:
        form = parse_fields(await read_body(request))
        await run_in_threadpool(self.file.undo)
        return RedirectResponse(self._address(form.get("section", "1"), form.get("criterion")), 303)

    def _address(self, section: str, criterion: str | None) -> str:
        return f"/{self.token}/{quote(section, safe='')}{_query(criterion, section)}"


def _query(criterion: str | None, section: str = _CRITERIA) -> str:
    is_named = criterion is not None and criterion != "" and section == _CRITERIA
    return f"?{urlencode({'criterion': criterion})}" if is_named else ""


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """One question on the page."""

    cell: SheetCell
    answer: SheetAnswer
    heading: str | None  # of the part of the section that begins here
    source: str | None  # where a filled-in answer comes from; None: a person gave it
    is_draft: bool  # a person should confirm it
    findings: tuple[SheetFinding, ...]

    @property
    def question(self) -> SheetQuestion:
        """The question."""
        return self.cell.question


def _entries(sheet: Sheet, section: str, criterion: str | None) -> Iterator[SheetEntry]:
    found = check_sheet(sheet)
    above = ""
    for cell in sheet.cells():
        question = cell.question
        if question.number.partition(".")[0] != section or cell.criterion not in (None, criterion):
            continue
        part = sheet.schema.section_of(question)
        heading = f"{part.number} {part.title}" if part.number not in (above, section) else None
        above = part.number
        record = _filled_in(sheet, cell)
        yield SheetEntry(
            cell,
            sheet.answer(question, cell.criterion),
            heading,
            record.source if record is not None else None,
            is_draft=record is not None and record.fill == "draft",
            findings=_findings_at(cell, found),
        )


def _filled_in(sheet: Sheet, cell: SheetCell) -> Provenance | None:
    """Where an answer comes from, as long as it is the one that was filled in."""
    record = find_provenance(sheet, cell.question.number, cell.criterion)
    return record if record is not None and not is_edited(sheet, record) else None


def _findings_at(cell: SheetCell, found: tuple[SheetFinding, ...]) -> tuple[SheetFinding, ...]:
    """What is wrong with an answer; that it is missing is seen anyway."""
    return tuple(
        each
        for each in found
        if each.question == cell.question.number
        and each.criterion == cell.criterion
        and each.rule not in ("blank", "no-option")
    )


def _progress(sheet: Sheet) -> tuple[int, int]:
    """How many answers there are, and how many are asked for."""
    states = [answer.state for _, answer in sheet.answers()]
    return len(states) - states.count("blank"), len(states)


def _section_progress(sheet: Sheet) -> Iterator[tuple[str, str, int, int]]:
    tops = [each for each in sheet.schema.sections if each.level == 1]
    answers = list(sheet.answers())
    for top in tops:
        mine = [a for cell, a in answers if cell.question.number.partition(".")[0] == top.number]
        done = sum(answer.state != "blank" for answer in mine)
        yield top.number, top.title, done, len(mine)


def _with_answers(sheet: Sheet, form: Mapping[str, str]) -> Sheet:
    """The sheet with the answers of a form; one that was left as it was keeps where it is from."""
    criterion = form.get("criterion") or None
    for number in form.get("questions", "").split():
        cell = sheet.cell(number, criterion)
        answer = _answer(cell.question, form)
        if form.get("confirm") == number:
            sheet = forget_answer(sheet, number, cell.criterion)
        if answer != _plain(sheet.answer(cell.question, cell.criterion)):
            sheet = sheet.with_answer(cell.question, answer, criterion=cell.criterion)
    return sheet


def _plain(answer: SheetAnswer) -> SheetAnswer:
    return SheetAnswer(answer.text, answer.options)


def _answer(question: SheetQuestion, form: Mapping[str, str]) -> SheetAnswer:
    text = form.get(f"text:{question.number}", "").replace("\r\n", "\n")
    if question.kind == "single":
        chosen = form.get(f"option:{question.number}", "")
        keys = tuple(option.key for option in question.options if str(option.key) == chosen)
        if chosen and not keys:
            raise InvalidRequest(422)
    else:
        wanted = (option.key for option in question.options)
        keys = tuple(key for key in wanted if f"option:{question.number}:{key}" in form)
    takes_text = not question.is_choice or any(
        question.option(key).takes_text for key in keys if 1 <= key <= len(question.options)
    )
    return SheetAnswer(text if takes_text else "", keys)


def _state(sheet: Sheet, form: Mapping[str, str]) -> dict[str, object]:
    done, total = _progress(sheet)
    found = check_sheet(sheet)
    criterion = form.get("criterion") or None
    cells = [sheet.cell(number, criterion) for number in form.get("questions", "").split()]
    return {
        "done": done,
        "total": total,
        "filled": [cell.question.number for cell in cells if _filled_in(sheet, cell)],
        "sections": {number: [some, whole] for number, _, some, whole in _section_progress(sheet)},
        "findings": {
            cell.question.number: [each.says for each in _findings_at(cell, found)]
            for cell in cells
        },
    }


async def _on_changed(request: Request, error: Exception) -> Response:  # noqa: ARG001 - one message
    if "x-script" in request.headers:
        return JSONResponse({"outcome": "changed", "says": _CHANGED}, 409)
    return Response(_CHANGED, 409, media_type="text/plain")


async def _on_error(request: Request, error: Exception) -> Response:
    says = " ".join(str(error).split())
    if "x-script" in request.headers:
        return JSONResponse({"outcome": "refused", "says": says}, 422)
    return Response(f"{says}\nGo back to correct it.", 422, media_type="text/plain")


async def _on_invalid(request: Request, error: Exception) -> Response:  # noqa: ARG001 - all alike
    status = error.status if isinstance(error, InvalidRequest) else 400
    return Response("This request cannot be understood.", status, media_type="text/plain")

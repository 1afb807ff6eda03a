"""oTree: the CSV of one app or of all apps, and the page times, which may be given with them.

The fields of a player are the answers, except those that name the item and the systems.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.opening import Beginning, Document
from rejudge.exchange.tool_reader import ToolReader
from rejudge.exchange.values import ItemAnswers, moment, number

_CODE: Final = "participant.code"
_PLAYER: Final = "player."
_WIDE: Final = re.compile(r"(?P<app>.+)\.(?P<round>\d+)\.player\.(?P<field>.+)")
_PAGE_TIMES: Final = ("session_code", "participant_code", "app_name", "epoch_time_completed")
_BUILT_IN: Final = frozenset(("id_in_group", "role", "payoff"))
_ROUNDS: Final = "No field names the items: rounds were taken for items."
_BOTS: Final = "Answers of oTree's bots were read as simulated."


@dataclass(frozen=True, slots=True)
class _Play:
    """The fields of one player in one round."""

    line: int
    cells: Mapping[str, str]  # of the participant
    app: str
    round: int
    fields: Mapping[str, str]


@dataclass(slots=True)
class _PageTimes:
    """When pages were completed and how long they took, by participant, app and round."""

    ends: dict[tuple[str, str, int], datetime] = field(default_factory=dict)
    seconds: dict[tuple[str, str, int], float] = field(default_factory=dict)

    @property
    def apps(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(app for _, app, _ in self.ends if app))


def _is_own(found: Beginning) -> bool:
    head = found.rows[0] if found.rows else ()
    has_players = any(name.startswith(_PLAYER) or _WIDE.fullmatch(name) for name in head)
    return (_CODE in head and has_players) or all(name in head for name in _PAGE_TIMES)


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    tables = [(document, document.rows(",")) for document in documents]
    times = _PageTimes()
    for _, rows in tables:
        if rows and all(name in rows[0] for name in _PAGE_TIMES):
            _read_times(rows, times)
    for document, rows in tables:
        for play in _plays(document, rows):
            if play.cells.get("participant.visited") == "0":
                into.leave_out("rounds of participants who never began")
            else:
                _read_play(into, document.shown, play, times)


def _plays(document: Document, rows: Sequence[Sequence[str]]) -> Iterator[_Play]:
    head = rows[0] if rows else []
    if _CODE not in head:
        return
    stem = PurePosixPath(document.name.replace("\\", "/")).stem
    parts = [_WIDE.fullmatch(name) for name in head]
    for line, row in enumerate(rows[1:], start=2):
        cells = dict(zip(head, row, strict=False))
        if not cells.get(_CODE):
            continue
        own = {name.removeprefix(_PLAYER): cell for name, cell in cells.items()
               if name.startswith(_PLAYER)}  # fmt: skip
        if own:
            place = number(cells.get("subsession.round_number")) or 1
            yield _Play(line, cells, stem, int(place), own)
        rounds: dict[tuple[str, int], dict[str, str]] = {}
        for part, cell in zip(parts, row, strict=False):
            if part is not None:
                rounds.setdefault((part["app"], int(part["round"])), {})[part["field"]] = cell
        for (app, place), fields in rounds.items():
            yield _Play(line, cells, app, place, fields)


def _read_play(into: Gathering, file: str, play: _Play, times: _PageTimes) -> None:
    code = play.cells[_CODE]
    about = {name: cell for name, cell in play.fields.items() if name not in _BUILT_IN}
    if into.items.find("item", about) is None:
        into.note(_ROUNDS)
    item, data = into.item(f"round {play.round}", about)
    is_bot = play.cells.get("participant._is_bot") in {"1", "True"}
    if is_bot:
        into.note(_BOTS)
    # The file of one app is named after it, often with a date.
    app = next((each for each in times.apps if each in play.app), play.app)
    key = (code, app, play.round)
    submission = ItemAnswers(
        file=file,
        row=play.line,
        participant=into.participant(code),
        item=item,
        data=data,
        position=play.round,
        seconds=times.seconds.get(key),
        submitted_at=times.ends.get(key),
        origin="simulated" if is_bot else "people",
    )
    for name, cell in about.items():
        if cell and not into.items.is_role(name):
            into.choose(submission, name, cell)


def _read_times(rows: Sequence[Sequence[str]], times: _PageTimes) -> None:
    cells = [dict(zip(rows[0], row, strict=False)) for row in rows[1:] if any(row)]
    cells.sort(
        key=lambda row: (row.get("participant_code", ""), number(row.get("page_index")) or 0)
    )
    previous: tuple[str, datetime] | None = None
    for row in cells:
        code, end = row.get("participant_code", ""), moment(row.get("epoch_time_completed"))
        if end is None:
            continue
        key = (code, row.get("app_name", ""), int(number(row.get("round_number")) or 1))
        times.ends[key] = end
        if previous is not None and previous[0] == code and row.get("is_wait_page") != "1":
            spent = (end - previous[1]).total_seconds()
            times.seconds[key] = times.seconds.get(key, 0.0) + spent
        previous = (code, end)


FORMAT = ToolReader("otree", "oTree", _is_own, _gather, suffixes=(".csv",))

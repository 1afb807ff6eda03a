"""Votes of chatbot arenas: published battles as JSON or CSV, and the logs of FastChat's server.

A battle has two models, shown side by side under hidden names, and a winner. Each prompt is usually
judged once, so a battle is its own item. Where questions come back with several turns, as in the
votes of MT-Bench, each turn of a question is an item.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.opening import Beginning, Document, Record
from rejudge.exchange.tool_reader import ToolReader
from rejudge.exchange.values import ItemAnswers, clean, moment, number, outcome, shorten

_MODELS: Final = ("model_a", "model_b")
_OUTCOMES: Final = ("winner_model_a", "winner_model_b", "winner_tie")  # one is 1
_MARKS: Final = frozenset(  # what a plain table of comparisons does not have
    ("judge", "conversation_a", "conversation", "conv_metadata", "anony", "tstamp", "response_a",
     "evaluation_session_id", "question_id", *_OUTCOMES)
)  # fmt: skip
_VOTES: Final[Mapping[str, str]] = {
    "leftvote": "model_a",
    "rightvote": "model_b",
    "tievote": "tie",
    "bothbad_vote": "tie (bothbad)",
}
_QUESTION: Final = "preference"
_BOTH_BAD: Final = "Votes that both answers are bad were read as ties."
_SESSIONS: Final = "Participants are sessions: someone who came back counts several times."


def _is_own(found: Beginning) -> bool:
    names = {*(found.record or {}), *(found.rows[0] if found.rows else ())}
    return _is_battle(names) or _is_log(found.record or {})


def _is_battle(names: set[str]) -> bool:
    has_winner = "winner" in names or {*_OUTCOMES} <= names
    return {*_MODELS} <= names and has_winner and bool(names & _MARKS)


def _is_log(record: Record) -> bool:
    has_state = isinstance(record.get("states"), list) or isinstance(record.get("state"), dict)
    return "tstamp" in record and isinstance(record.get("type"), str) and has_state


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    battles: list[tuple[str, int, Record]] = []
    for document in documents:
        for row, record in _records(document):
            if not isinstance(record, dict):
                into.reject_record(document.shown, row, "this is not a vote.")
                continue
            battle = _battle_of(record) if _is_log(record) else record
            if battle is None:
                into.leave_out("lines of the log that are not votes", record.get("type"))
            else:
                battles.append((document.shown, row, battle))
    turns = {(str(each.get("question_id")), str(each.get("turn"))) for _, _, each in battles}
    has_turns = len(turns) > len({question for question, _ in turns})
    for file, row, battle in battles:
        named = battle.get("question_id") or battle.get("id") or f"battle {row}"
        item = f"{named}, turn {battle.get('turn')}" if has_turns else named
        _read_battle(into, ItemAnswers(file, row, None, clean(item) or "?"), battle)


def _records(document: Document) -> Iterator[tuple[int, Any]]:
    if document.text().lstrip().startswith(("{", "[")):
        yield from document.records()
        return
    head, rows = document.table()
    for row in rows:
        yield row.line, dict(zip(head, row.cells, strict=False))


def _battle_of(line: Record) -> Record | None:
    """A vote in a server's log, as a battle; None for other lines."""
    winner = _VOTES.get(line["type"])
    states, models = line.get("states"), line.get("models")
    if winner is None or not isinstance(states, list) or len(states) != 2:
        return None
    public = [clean(each) for each in models] if isinstance(models, list) else [None, None]
    hidden = [each.get("model_name") if isinstance(each, dict) else None for each in states]
    names = [one or other for one, other in zip(hidden, public, strict=False)]
    first = states[0] if isinstance(states[0], dict) else {}
    return {
        "question_id": first.get("conv_id"),
        "model_a": names[0] if names else None,
        "model_b": names[1] if len(names) > 1 else None,
        "winner": winner,
        "judge": line.get("ip"),
        "anony": not any(public) or public[0] == "Model A",
        "tstamp": line.get("tstamp"),
    }


def _read_battle(into: Gathering, blank: ItemAnswers, battle: Record) -> None:
    session = battle.get("evaluation_session_id")
    place = number(battle.get("evaluation_order"))
    submission = replace(
        blank,
        participant=into.participant(battle.get("judge") or session),
        position=int(place) if place is not None and 0 < place < 2**31 else None,
        submitted_at=moment(battle.get("tstamp") or battle.get("timestamp")),
    )
    if session and not battle.get("judge"):
        into.note(_SESSIONS)
    a, b = (clean(battle.get(name)) for name in _MODELS)
    if a is None or b is None:
        into.reject(submission, "a model has no name.")
        return
    winner = _winner(battle)
    choice = outcome(winner, (a, b))
    if choice is None:
        into.reject(submission, f"'{shorten(winner)}' is not an outcome of a battle.")
    elif battle.get("anony") in (False, "False", "false", "0"):
        into.reject(submission, "the names of the models were visible.")
    else:
        if choice == "tie" and "bad" in winner:
            into.note(_BOTH_BAD)
        into.prefer(submission, _QUESTION, choice, pair=(a, b), first="a")


def _winner(battle: Record) -> str:
    if "winner" in battle:
        return str(battle["winner"]).strip().casefold()
    chosen = [name for name in _OUTCOMES if number(battle.get(name)) == 1]
    return chosen[0].removeprefix("winner_") if len(chosen) == 1 else ""


FORMAT = ToolReader("arena", "Arena votes", _is_own, _gather, suffixes=(".jsonl", ".json", ".csv"))

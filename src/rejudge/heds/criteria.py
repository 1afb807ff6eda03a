"""The quality criteria of a sheet: add, rename, copy, remove, restore, prune.

The form stores the answers on a criterion under its name in every entry of section 4, and deletes
only the name. Here a rename moves all answers, and pruning removes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from rejudge.errors import DataError, Problem
from rejudge.fingerprint import Json
from rejudge.heds.provenance import provenance_of, with_records
from rejudge.heds.schema import CRITERION_LIST
from rejudge.heds.sheet import (
    Sheet,
    complete_questions,
    input_box,
    refuse_unknown_criterion,
)

_Keyed: TypeAlias = "dict[str, Json]"
_RESERVED: Final = frozenset(("__proto__", "constructor"))  # names that JavaScript objects have
_SPECIAL: Final = re.compile(r"[&<>]")
_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")


def criterion_name_problem(name: str) -> str | None:
    """Why the form cannot handle a criterion of this name; None where it can."""
    if not name.strip():
        return "is empty"
    if _BREAKS.search(name):
        return "contains a line break or control character"
    if name != name.strip():
        return "begins or ends with a blank"
    if _SPECIAL.search(name):
        return "contains &, < or >, which the form turns into a second criterion"
    if re.fullmatch(r"[0-9]+", name):
        return "consists of digits only, so the form sorts it before the others"
    return "is a reserved word of JavaScript" if name in _RESERVED else None


def safe_criterion_name(name: str, taken: Iterable[str] = ()) -> str:
    """A name like the given one that the form can handle and that is not taken."""
    words = _BREAKS.sub(" ", name).replace("&", " and ")
    clean = " ".join(_SPECIAL.sub("-", words).split()).strip("_ ") or "Criterion"
    if criterion_name_problem(clean):  # digits, or a reserved word
        clean = f"Criterion {clean}"
    used = set(taken)
    others = (f"{clean} ({n})" for n in range(2, len(used) + 3))
    return next(each for each in (clean, *others) if each not in used)


def add_criterion(sheet: Sheet, name: str) -> Sheet:
    """The sheet with one more criterion, its answers blank.

    Answers of a deleted criterion of the same name are not brought back; `restore_criterion` does.
    """
    _refuse_name(sheet, name)
    bare = prune_criterion(sheet, name) if name in sheet.orphans else sheet
    return _with_blanks(_with_control(bare, (*sheet.criteria, name)))


def rename_criterion(sheet: Sheet, old: str, new: str) -> Sheet:
    """The sheet with a criterion and all its answers under another name."""
    refuse_unknown_criterion(sheet, old)
    if old == new:
        return sheet
    _refuse_name(sheet, new)
    bare = prune_criterion(sheet, new) if new in sheet.orphans else sheet
    names = tuple(new if name == old else name for name in sheet.criteria)
    is_open = sheet.open_criterion == old
    listed = _with_control(bare, names, open_criterion=new if is_open else sheet.open_criterion)
    moved = _edit_members(listed, lambda member: _rename(member, old, new))
    records = [
        record.about(new) if record.criterion == old else record for record in provenance_of(sheet)
    ]
    return with_records(moved, records) if records else moved


def copy_criterion(sheet: Sheet, old: str, new: str) -> Sheet:
    """The sheet with one more criterion that has the answers of another."""
    refuse_unknown_criterion(sheet, old)
    added = add_criterion(sheet, new)
    return _edit_members(
        added, lambda member: {**member, new: member[old]} if old in member else member
    )


def remove_criterion(sheet: Sheet, name: str) -> Sheet:
    """The sheet without a criterion in its list; its answers stay stored, as the form does it."""
    refuse_unknown_criterion(sheet, name)
    return _with_control(sheet, tuple(each for each in sheet.criteria if each != name))


def restore_criterion(sheet: Sheet, name: str) -> Sheet:
    """The sheet with a deleted criterion back in its list, with the answers still stored."""
    if name not in sheet.orphans:
        known = ", ".join(sheet.orphans) or "none"
        what = f"No answers are stored for a deleted criterion '{name}'."
        raise DataError(Problem(what, f"Deleted criteria: {known}."))
    _refuse_name(sheet, name)
    return _with_blanks(_with_control(sheet, (*sheet.criteria, name)))


def prune_criterion(sheet: Sheet, name: str) -> Sheet:
    """The sheet without a criterion and without anything stored for it.

    The empty name stands for what the form stores before the first criterion exists.
    """
    if name:
        refuse_unknown_criterion(sheet, name, (*sheet.criteria, *sheet.orphans))
    listed = remove_criterion(sheet, name) if name in sheet.criteria else sheet
    bare = _edit_members(
        listed, lambda member: {key: value for key, value in member.items() if key != name}
    )
    records = provenance_of(bare)
    kept = [record for record in records if not name or record.criterion != name]
    return bare if len(kept) == len(records) else with_records(bare, kept)


def prune_orphans(sheet: Sheet) -> Sheet:
    """The sheet without the answers of deleted criteria and of no criterion at all."""
    for name in (*sheet.orphans, ""):
        sheet = prune_criterion(sheet, name)
    return sheet


def _refuse_name(sheet: Sheet, name: str) -> None:
    problem = criterion_name_problem(name)
    if problem:
        better = safe_criterion_name(name, sheet.criteria)
        what = f"The criterion name '{name}' {problem}."
        raise DataError(Problem(what, f"Use another, for instance '{better}'."))
    if name in sheet.criteria:
        what = f"There is a criterion '{name}' already."
        raise DataError(Problem(what, "Choose another name."))


def _with_control(
    sheet: Sheet, names: tuple[str, ...], *, open_criterion: str | None = None
) -> Sheet:
    """The list of criteria; exactly one is open, or section 4 has no tab in the form."""
    wanted = open_criterion or sheet.open_criterion
    opened = wanted if wanted in names else next(iter(names), None)
    old = sheet.entries.get(CRITERION_LIST)
    entry = dict(old) if isinstance(old, dict) else {"data": {}, "control": {}, "text": {}}
    entry["control"] = {name: name == opened for name in names}
    entry["data"] = input_box(sheet, opened)
    if sheet.schema.writes_number:
        entry.setdefault("number", "")
    return sheet.with_entries({CRITERION_LIST: entry})


def _with_blanks(sheet: Sheet) -> Sheet:
    """A blank for every question on every criterion; the form of 3.0 needs them."""
    return complete_questions(
        sheet, (each for each in sheet.schema.questions if each.per_criterion)
    )


def _edit_members(sheet: Sheet, edit: Callable[[_Keyed], _Keyed]) -> Sheet:
    changed: dict[str, Json] = {}
    for id_, entry in sheet.entries.items():
        if not id_.startswith(f"{CRITERION_LIST}-") or not isinstance(entry, dict):
            continue
        members = {
            name: edit(member)
            for name in ("data", "text")
            if isinstance(member := entry.get(name), dict)
        }
        changed[id_] = {**entry, **members}
    return sheet.with_entries(changed)


def _rename(member: _Keyed, old: str, new: str) -> _Keyed:
    return {new if key == old else key: value for key, value in member.items()}

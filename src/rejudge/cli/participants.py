"""Find the participant a researcher names, by receipt code, participant number or platform id."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rejudge.errors import DataError, Problem

if TYPE_CHECKING:
    from rejudge.store import Store

_PSEUDONYM = re.compile(r"p\d{4,}")


def find_pseudonym(store: Store, given: str) -> str:
    """The participant number of somebody; what was given is never repeated if it may be an id."""
    from rejudge.collect import is_like_receipt

    given = given.strip()
    found = store.pseudonyms_of(given)
    if not found and is_like_receipt(given):
        return _of_receipt(store, given)
    typed = given.lower()
    given = typed if not found and _PSEUDONYM.fullmatch(typed) else given  # as people copy it
    if _PSEUDONYM.fullmatch(given):
        others = ", ".join(name for name in found if name != given)
        if others:
            what = f"'{given}' is a pseudonym, and the platform id of someone else ({others})."
            raise DataError(Problem(what, "Give their receipt code, or use the dashboard."))
        return given
    if not found:
        what = "nobody with this id has taken part."
        raise DataError(Problem(what, "Look for the participant number in `rejudge status`."))
    if len(found) > 1:
        what = f"this id was used with several kinds of links, as {' and '.join(sorted(found))}."
        raise DataError(Problem(what, "Give the participant number of each of them."))
    return found[0]


def _of_receipt(store: Store, given: str) -> str:
    from rejudge.collect import read_receipt

    if read_receipt(given) is None:
        what = "this receipt code was mistyped: its last character does not fit the others."
        raise DataError(Problem(what, "Ask for it again; it is on the participant's last page."))
    found = store.participant_of_receipt(given)
    if found is None:
        what = "no participant of this study has this receipt code."
        raise DataError(Problem(what, "Check that it is from this study and this database."))
    return found

"""What people have said so far, as the table that every analysis starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.judgments import Judgments, tabulate

if TYPE_CHECKING:
    from rejudge.store.store import Store


def judgments_of(store: Store) -> Judgments:
    """Every judgment in the store; what was rehearsed is marked as simulated.

    Nothing is left out here: the state of each assignment travels along, and `exclude` goes by it.
    """
    return tabulate(
        store.study,
        store.plan,
        store.all_answers(),
        origin="simulated" if store.is_rehearsal else "people",
    )

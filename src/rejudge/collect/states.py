"""The states of an assignment and what leads from one to the next.

                     ┌────────── renew ──────────┐
                     ▼                           │
    claim ───────▶ held ──────── expire ─────▶ expired
                     │                           │
                     │ submit                    │ submit: a place is free? ── no ──▶ surplus
                     ▼                           ▼ yes                              │      ▲
                 submitted ◀─────────────────────┘ ◀── fill (a place became free) ──┘      │
                     │                                                                     │
          accept ────┼──── fail, exclude                                                   │
             ▼       │            ▼                                                        │
         accepted ◀──┼─ accept ─ excluded ─ accept, but no place is free ──────────────────┘
             │       │            │
             └───────┴─ return ───┴──▶ returned            (from everywhere: withdraw ▶ withdrawn)

Held, submitted and accepted take a place of the batch; the others do not. Whoever finishes gets the
code, in whatever state the work is kept.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Status: TypeAlias = Literal[
    "held",  # somebody works on it, or could
    "submitted",  # finished, not yet looked at
    "accepted",  # looked at and good
    "excluded",  # finished, but does not count; somebody else takes the place
    "returned",  # given back by the participant
    "expired",  # nothing was heard for too long; the place is free
    "surplus",  # finished when all places were taken
    "withdrawn",  # the person asked for deletion; nothing of it is left but this word
]
Event: TypeAlias = Literal[
    "renew",  # the participant did something
    "expire",  # nothing was heard for too long
    "submit",  # everything is answered
    "fail",  # too many checks were wrong
    "fill",  # a place became free for what was surplus
    "accept",
    "exclude",
    "return",
    "withdraw",
]

STATUSES: tuple[Status, ...] = (
    "held", "submitted", "accepted", "excluded", "returned", "expired", "surplus", "withdrawn",
)  # fmt: skip
TAKES_PLACE: frozenset[Status] = frozenset({"held", "submitted", "accepted"})
FINISHED: frozenset[Status] = frozenset({"submitted", "accepted", "excluded", "surplus"})

_LOOKED_AT: tuple[Status, ...] = (
    "held", "expired", "submitted", "accepted", "surplus", "excluded",
)  # fmt: skip

# By event and state: where it leads while a place is free, and where when none is. What is not
# here is refused, but for what has happened already, which happens once.
_LEADS: dict[Event, dict[Status, tuple[Status, Status]]] = {
    "renew": {"held": ("held", "held"), "expired": ("held", "expired")},
    "expire": {"held": ("expired", "expired")},
    "submit": {
        "held": ("submitted", "submitted"),
        "expired": ("submitted", "surplus"),
        "returned": ("surplus", "surplus"),
        **{done: (done, done) for done in FINISHED},
    },
    "fail": {
        "submitted": ("excluded", "excluded"),
        "surplus": ("excluded", "excluded"),
        "excluded": ("excluded", "excluded"),
    },
    "fill": {"surplus": ("submitted", "surplus")},
    "accept": {
        "submitted": ("accepted", "accepted"),
        "accepted": ("accepted", "accepted"),
        "excluded": ("accepted", "surplus"),
        "surplus": ("accepted", "surplus"),
    },
    "exclude": dict.fromkeys(_LOOKED_AT, ("excluded", "excluded")),
    "return": dict.fromkeys((*_LOOKED_AT, "returned"), ("returned", "returned")),
    "withdraw": dict.fromkeys(STATUSES, ("withdrawn", "withdrawn")),
}


def after(status: Status, event: Event, *, has_room: bool) -> Status | None:
    """The state after an event; None when it cannot happen in this state.

    `has_room`: whether the batch has a place that nobody takes, this assignment aside.
    """
    leads = _LEADS[event].get(status)
    return None if leads is None else leads[0 if has_room else 1]

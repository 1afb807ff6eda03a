"""How work is handed out: who comes, which batch they get, and what becomes of it. Pure decisions.

The store keeps what is decided here; the pages show it.
"""

from rejudge.collect.arrival import (
    PERSONAL_NAME,
    Arrival,
    Oddity,
    Origin,
    Recruiter,
    platform_arrival,
    recruiter_of,
)
from rejudge.collect.choice import (
    Past,
    Room,
    barred_batches,
    choose_batch,
    free_seat,
    has_place,
    may_resume,
    spare_places,
)
from rejudge.collect.lease import first_lease, lease
from rejudge.collect.states import FINISHED, STATUSES, TAKES_PLACE, Event, Status, after
from rejudge.collect.visit import (
    COMMENT,
    EXIT,
    PRACTICE,
    Assignment,
    Step,
    Visit,
    asks_at_exit,
    first_open,
    step_of,
)

__all__ = [
    "COMMENT",
    "EXIT",
    "FINISHED",
    "PERSONAL_NAME",
    "PRACTICE",
    "STATUSES",
    "TAKES_PLACE",
    "Arrival",
    "Assignment",
    "Event",
    "Oddity",
    "Origin",
    "Past",
    "Recruiter",
    "Room",
    "Status",
    "Step",
    "Visit",
    "after",
    "asks_at_exit",
    "barred_batches",
    "choose_batch",
    "first_lease",
    "first_open",
    "free_seat",
    "has_place",
    "lease",
    "may_resume",
    "platform_arrival",
    "recruiter_of",
    "spare_places",
    "step_of",
]

"""Where collected work is kept: SQLite or PostgreSQL behind one interface, one lock per study."""

from rejudge.arguments import explain_arguments
from rejudge.errors import ElsewhereOpen, StoreUnavailable, Unfinished
from rejudge.store.analysis_input import judgments_of, make_due_look, make_last_look, visitors_of
from rejudge.store.database import hide_password
from rejudge.store.oversight import SESSION_LASTS
from rejudge.store.person import PersonRecord
from rejudge.store.records import (
    AnswerRow,
    BatchPace,
    EventRow,
    FollowedReport,
    Happening,
    Identity,
    LogEntry,
    Outcome,
    PageAnswers,
    ParticipantStatus,
    Progress,
    Role,
    Saved,
    State,
    Token,
    Tombstone,
)
from rejudge.store.store import Store, open_existing, open_store, restore

__all__ = [
    "SESSION_LASTS",
    "AnswerRow",
    "BatchPace",
    "ElsewhereOpen",
    "EventRow",
    "FollowedReport",
    "Happening",
    "Identity",
    "LogEntry",
    "Outcome",
    "PageAnswers",
    "ParticipantStatus",
    "PersonRecord",
    "Progress",
    "Role",
    "Saved",
    "State",
    "Store",
    "StoreUnavailable",
    "Token",
    "Tombstone",
    "Unfinished",
    "hide_password",
    "judgments_of",
    "make_due_look",
    "make_last_look",
    "open_existing",
    "open_store",
    "restore",
    "visitors_of",
]

explain_arguments(__name__)

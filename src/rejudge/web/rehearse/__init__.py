"""Try a study before it costs money: simulated people walk its real pages over HTTP."""

from rejudge.web.rehearse.participant import CHARACTERS, Character, End, ParticipantRecord
from rejudge.web.rehearse.rehearsal import BrokenGuarantee, Rehearsal, rehearse

__all__ = [
    "CHARACTERS",
    "BrokenGuarantee",
    "Character",
    "End",
    "ParticipantRecord",
    "Rehearsal",
    "rehearse",
]

"""Rehearsals: simulated participants go through the real pages of a study over HTTP."""

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

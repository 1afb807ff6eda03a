"""Rehearsals: simulated participants go through the real pages of a study over HTTP."""

from rejudge.arguments import explain_arguments
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

explain_arguments(__name__)

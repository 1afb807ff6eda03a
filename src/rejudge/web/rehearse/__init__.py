"""Try a study before it costs money: simulated people walk its real pages over HTTP."""

from rejudge.web.rehearse.participant import CHARACTERS, Character, End, ParticipantRecord
from rejudge.web.rehearse.rehearsal import Broken, Rehearsal, rehearse

__all__ = ["CHARACTERS", "Broken", "Character", "End", "ParticipantRecord", "Rehearsal", "rehearse"]

"""Try a study before it costs money: simulated people walk its real pages over HTTP."""

from rejudge.web.rehearse.characters import CHARACTERS, Character
from rejudge.web.rehearse.invariants import Broken
from rejudge.web.rehearse.ledger import End, Told
from rejudge.web.rehearse.rehearsal import Rehearsal, rehearse

__all__ = ["CHARACTERS", "Broken", "Character", "End", "Rehearsal", "Told", "rehearse"]

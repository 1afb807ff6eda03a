"""People with known opinions: they judge a plan, so that everything after it can be tried."""

from rejudge.simulate.people import People, judge
from rejudge.simulate.seats import Seat, seats

__all__ = ["People", "Seat", "judge", "seats"]

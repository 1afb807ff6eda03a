"""A fake Prolific for tests and rehearsals: the same protocol and rules, no people and no money.

    world = ProlificWorld(now=clock.now, rng=random.Random(1))
    http = httpx.Client(transport=fake_transport(world))        # in this process, or …
    with run_site(create_fake_app(world)) as address: ...        # … over HTTP, on this machine
    api = ProlificApi(http, world.token, base_url=FAKE_URL)

`world` is also the participants' side: they reserve places, enter codes, return (`participants`
has scripts for whole visits). `deliver_events` sends the webhooks that are due. Where the real
platform's behaviour is not documented, the world has a switch, so that both can be tried.
"""

from rejudge.arguments import explain_arguments
from rejudge.prolific.fake.app import create_fake_app, fake_transport
from rejudge.prolific.fake.hooks import deliver_events
from rejudge.prolific.fake.link_signer import LinkSigner
from rejudge.prolific.fake.participants import (
    BEHAVIOURS,
    Behaviour,
    ScriptedParticipant,
    SettableClock,
    SiteRecord,
    SiteVisit,
    run_participants,
)
from rejudge.prolific.fake.records import (
    FakeFault,
    FakeRefusal,
    FakeStudy,
    FakeSubmission,
    LedgerEntry,
    PanelMember,
)
from rejudge.prolific.fake.routes import FAKE_URL
from rejudge.prolific.fake.world import ProlificWorld

__all__ = [
    "BEHAVIOURS",
    "FAKE_URL",
    "Behaviour",
    "FakeFault",
    "FakeRefusal",
    "FakeStudy",
    "FakeSubmission",
    "LedgerEntry",
    "LinkSigner",
    "PanelMember",
    "ProlificWorld",
    "ScriptedParticipant",
    "SettableClock",
    "SiteRecord",
    "SiteVisit",
    "create_fake_app",
    "deliver_events",
    "fake_transport",
    "run_participants",
]

explain_arguments(__name__)

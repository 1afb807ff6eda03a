"""A fake Prolific for tests and rehearsals: the same protocol and rules, no people and no money.

    world = ProlificWorld(now=clock.now, rng=random.Random(1))
    http = httpx.Client(transport=fake_transport(world))        # in this process, or …
    with run_site(create_fake_app(world)) as address: ...        # … over HTTP, on this machine
    api = ProlificApi(http, world.token, base_url=FAKE_URL)

`world` is also the participants' side: they reserve places, enter codes, return (`participants`
has scripts for whole visits). `deliver_events` sends the webhooks that are due. Where the real
platform's behaviour is not documented, the world has a switch, so that both can be tried.
"""

"""A fake Prolific with a clock, for tests, and a body of a study that it accepts."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from rejudge.prolific.client import ProlificApi
from rejudge.prolific.fake import FAKE_URL, ProlificWorld, fake_transport

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LINK = (
    "https://study.example.org/?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
    "&SESSION_ID={{%SESSION_ID%}}"
)
CODES = [
    {"code": "DONE1", "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]},
    {
        "code": "NO1",
        "code_type": "NO_CONSENT",
        "actions": [{"action": "REQUEST_RETURN", "return_reason": "You did not consent."}],
    },
    {
        "code": "OUT1",
        "code_type": "FIXED_SCREENOUT",
        "actions": [
            {"action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": 20, "slots": 3}
        ],
    },
]


class Time:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.moment = START

    def now(self) -> datetime:
        return self.moment

    def move_to(self, moment: datetime) -> None:
        self.moment = max(self.moment, moment)

    def wait(self, **span: float) -> None:
        self.moment += timedelta(**span)


class Account:
    """A world, its clock and a client of its API."""

    def __init__(self, seed: int = 1, **options: Any) -> None:
        self.time = Time()
        self.world = ProlificWorld(now=self.time.now, rng=random.Random(seed), **options)  # noqa: S311
        self.http = httpx.Client(transport=fake_transport(self.world))
        self.slept: list[float] = []
        self.api = ProlificApi(
            self.http, self.world.token, base_url=FAKE_URL, sleep=self.slept.append
        )

    def published(self, **changes: Any) -> str:
        """The id of a study that people can take part in."""
        made = self.api.create_study(study_body(**changes))
        self.api.transition_study(made.id, "PUBLISH")
        return made.id

    def come(self, study: str) -> Any:
        """Somebody new takes a place and starts."""
        submission = self.world.reserve(study, self.world.join(1)[0].id)
        self.world.start(submission)
        return submission


def study_body(**changes: Any) -> dict[str, Any]:
    """What `create_study` needs; None leaves a field out."""
    body = {
        "name": "Which is better?",
        "internal_name": "pairs",
        "description": "<p>Compare <strong>two</strong> texts.</p>",
        "external_study_url": LINK,
        "prolific_id_option": "url_parameters",
        "completion_codes": CODES,
        "total_available_places": 3,
        "estimated_completion_time": 10,
        "maximum_allowed_time": 29,
        "reward": 200,
        "device_compatibility": ["desktop"],
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


def taskflow_body(*allocations: int, **changes: Any) -> dict[str, Any]:
    """A study with one address for each batch."""
    details = [
        {"external_url": f"{LINK}&BATCH=b{number}", "total_allocation": places}
        for number, places in enumerate(allocations, start=1)
    ]
    return study_body(
        external_study_url=None,
        access_details=details,
        total_available_places=sum(allocations),
        **changes,
    )

"""How the load generator speaks to `rejudge serve`; it is run by a Python that has aiohttp.

opts: folder, database, python (to read what is stored), show (one: each answer is saved as the
pages' script does it; list: the batch is one form), expire_s (until abandoned work lapses).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from pathlib import Path
from urllib.parse import urlencode

from loadgen import (
    Ack,
    Adapter,
    Batch,
    Participant,
    Resp,
    Session,
    Stored,
    TurnedAway,
    Unexpected,
)

_CSRF = re.compile(r'name="csrf" value="([^"]+)"')
_STAMP = re.compile(r'name="stamp" value="([^"]+)"')
_TASK = re.compile(r'data-task="(\d+)"')
_OK = 200
_FORM = {"content-type": "application/x-www-form-urlencoded"}


def _prolific_id(given: str) -> str:
    """An id of the form that Prolific gives."""
    return hashlib.sha256(given.encode()).hexdigest()[:24]


class adapter(Adapter):  # noqa: N801 - the generator asks for this name
    """Participants without a browser: the same requests that pages and script make."""

    name = "rejudge"

    def __init__(self, base: str, opts: dict[str, str]) -> None:
        super().__init__(base, opts)
        self.people: list[str] = []

    async def ready(self, s: Session) -> bool:
        return (await s.req("ready", "GET", "/healthz")).status == _OK

    async def open(self, s: Session, p: Participant) -> Batch:
        """Arrive, consent, read the instructions, and stand before the first task."""
        self.people.append(p.pid)
        ids = {"PROLIFIC_PID": p.pid, "STUDY_ID": p.study_id, "SESSION_ID": p.session_id}
        link = "/?" + urlencode({name: _prolific_id(given) for name, given in ids.items()})
        page = await s.req("open", "GET", link)
        for label in ("consent", "instructions"):
            if page.url.endswith(f"/{label}"):
                has_form = _CSRF.search(page.text)  # in another tab it may have been sent already
                page = (
                    await self._send(s, label, page, agree="yes")
                    if has_form
                    else await s.req("again", "GET", "/")
                )
        if "/full" in page.url:
            raise TurnedAway("no task left")
        if "/thanks" in page.url:
            raise TurnedAway("thanks and code" if "DONE1LOAD" in page.text else "thanks, no code")
        if page.status != _OK or "/task/" not in page.url:
            raise Unexpected(f"open {page.status} {page.url.rsplit('/', 1)[-1][:30]}")
        stamp = _STAMP.search(page.text)[1]
        *_, seat, _, batch = stamp.rpartition(".")[0].split("~", 6)
        text = page.text
        if self.opts.get("show") == "one":
            text = (await s.req("tasks", "GET", "/tasks")).text
        numbers = list(map(int, _TASK.findall(text)))
        state = {"stamp": stamp, "csrf": _CSRF.search(page.text)[1], "numbers": numbers, "sent": 0}
        return Batch(id=batch, slot=f"{batch}/{seat}", n=len(numbers), state=state)

    async def submit(self, s: Session, p: Participant, b: Batch, answers: list[str]) -> Ack:
        if self.opts.get("show") == "list":
            return await self._submit_list(s, b, answers)
        for place, (number, answer) in enumerate(zip(b.state["numbers"], answers, strict=True)):
            b.state["sent"] += 1  # each save has a key of its own, as in the pages' script
            body = {
                "stamp": b.state["stamp"], "task": number, "question": "meaning",
                "raw": answer.lower(), "number": b.state["sent"],
                "active": 5.0, "changes": 0, "blurs": 0,
            }  # fmt: skip
            r = await s.req(
                "answer", "POST", "/save", json=body, headers={"x-csrf": b.state["csrf"]}
            )
            outcome = r.json().get("outcome") if r.status == _OK else r.status
            if outcome not in {"saved", "repeated"}:
                return Ack(False, f"save: {outcome}")
            s.saved(p.pid, b.id, place, answer)
        r = await self._post(s, "/submit", b)
        return self._acknowledged(r)

    async def _submit_list(self, s: Session, b: Batch, answers: list[str]) -> Ack:
        given = {
            f"{number}:meaning": answer.lower()
            for number, answer in zip(b.state["numbers"], answers, strict=True)
        }
        return self._acknowledged(await self._post(s, "/task/all", b, **given))

    def _acknowledged(self, r: Resp) -> Ack:
        is_done = r.status == _OK and "/thanks" in r.url and "DONE1LOAD" in r.text
        return Ack(is_done, f"{r.status} {r.url.rsplit('/', 1)[-1][:30]}")

    async def _send(self, s: Session, label: str, page: Resp, **more: str) -> Resp:
        values = {"csrf": _CSRF.search(page.text)[1], "stamp": _STAMP.search(page.text)[1], **more}
        return await s.req(label, "POST", f"/{label}", data=urlencode(values), headers=_FORM)

    async def _post(self, s: Session, path: str, b: Batch, **more: str) -> Resp:
        values = {"csrf": b.state["csrf"], "stamp": b.state["stamp"], "go": "next", **more}
        return await s.req("submit", "POST", path, data=urlencode(values), headers=_FORM)

    async def export(self, s: Session) -> list[Stored]:  # noqa: ARG002 - read by the owner, not through a browser
        """What is stored, read by the owner; what is marked as surplus stands beside its batch."""
        asked = await asyncio.create_subprocess_exec(
            self.opts["python"], "-m", "load.export", self.opts["folder"], self.opts["database"],
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[1],
        )  # fmt: skip
        people = {_prolific_id(pid): pid for pid in self.people}
        said, _ = await asked.communicate("\n".join(people).encode())
        return [
            Stored(
                people[pid], batch if status != "surplus" else f"{batch} surplus", answers, complete
            )
            for pid, batch, answers, complete, status in json.loads(said)
        ]

    async def expire(self, s: Session) -> bool:  # noqa: ARG002 - nothing to ask: places lapse by themselves
        await asyncio.sleep(float(self.opts["expire_s"]))
        return True

"""A deposit on Zenodo: a draft with the bundle and its description, published only on request.

The REST API is described at https://developers.zenodo.org.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote

from rejudge.bundle.deposit import (
    DepositError,
    DepositRecord,
    DepositRequest,
    Json,
    Sender,
    value_at,
)
from rejudge.bundle.manifest import sha256
from rejudge.errors import Problem, UsageError

ADDRESS: Final = "https://zenodo.org"
SANDBOX: Final = "https://sandbox.zenodo.org"
_DEPOSITIONS = "/api/deposit/depositions"
_NOT_FOUND = frozenset({404, 410})
_ID = "{deposition}"  # what only Zenodo knows, in a dry run
_BUCKET = "{bucket}"


@dataclass(frozen=True, slots=True)
class ZenodoDeposit:
    """What is deposited where."""

    address: str
    name: str  # of the file
    content: bytes
    metadata: Json


def deposit_on_zenodo(
    deposit: ZenodoDeposit,
    send: Sender,
    *,
    before: DepositRecord | None,
    save: Callable[[DepositRecord], None],
    publish: bool,
) -> DepositRecord:
    """Create the draft or take it up again, upload what is missing, and publish it if asked to."""
    draft = _take_up(deposit, send, before)
    if draft.get("submitted") is True:
        return _published(deposit, draft, before)
    record = _record(deposit, draft)
    save(record)  # from here on a second run finds the draft
    _upload(deposit, send, draft)
    place = f"{deposit.address}{_DEPOSITIONS}/{record.place}"
    send(DepositRequest.of_json("PUT", place, {"metadata": deposit.metadata}))
    if publish:
        reply = send(DepositRequest("POST", f"{place}/actions/publish"))
        page = _page(reply) or record.page
        record = replace(record, is_published=True, page=page)
        save(record)
    return record


def _take_up(deposit: ZenodoDeposit, send: Sender, before: DepositRecord | None) -> Json:
    url = f"{deposit.address}{_DEPOSITIONS}"
    if before is not None:
        try:
            return send(DepositRequest("GET", f"{url}/{before.place}"))
        except DepositError as error:
            if error.status not in _NOT_FOUND:  # somebody discarded the draft
                raise
    return send(DepositRequest.of_json("POST", url, {}))


def _published(deposit: ZenodoDeposit, draft: Json, before: DepositRecord | None) -> DepositRecord:
    """A published deposition cannot be changed; that is fine if it has this very bundle."""
    record = replace(_record(deposit, draft), is_published=True)
    if before is not None and before.bundle == record.bundle:
        return record
    raise UsageError(
        Problem(
            f"deposition {record.place} is published, with a different bundle.",
            "Create a new version on Zenodo, or remove the record beside the bundle to begin "
            "another deposit.",
        )
    )


def _record(deposit: ZenodoDeposit, draft: Json) -> DepositRecord:
    return DepositRecord(
        archive="zenodo",
        address=deposit.address,
        place=value_at(draft, "id"),
        bundle=sha256(deposit.content),
        page=_page(draft),
    )


def _page(reply: Json) -> str:
    links = reply.get("links") if isinstance(reply, dict) else None
    found = (links or {}).get("record_html") or (links or {}).get("html")
    return found if isinstance(found, str) else ""


def _upload(deposit: ZenodoDeposit, send: Sender, draft: Json) -> None:
    """Upload the bundle, unless the same file is there already; a file of its name is replaced."""
    md5 = hashlib.md5(deposit.content, usedforsecurity=False).hexdigest()
    for file in draft.get("files") or ():
        same = str(file.get("checksum", "")).removeprefix("md5:") == md5
        if same and file.get("filename", file.get("key")) == deposit.name:
            return
    bucket = value_at(draft, "links", "bucket")
    _refuse_elsewhere(bucket, deposit.address)
    reply = send(
        DepositRequest(
            "PUT",
            f"{bucket}/{quote(deposit.name)}",
            deposit.content,
            "application/octet-stream",
            about=f"{deposit.name}, {len(deposit.content):,} bytes, md5 {md5}",
        )
    )
    stored = str(reply.get("checksum", "")).removeprefix("md5:")
    if stored and stored not in {md5, "{md5}"}:
        what = f"{deposit.name} arrived damaged: its checksum on Zenodo is different."
        raise DepositError(Problem(what, "Run the same command again."))


def _refuse_elsewhere(url: str, address: str) -> None:
    """The token goes to the archive and to no other host, whatever a reply says."""
    if not url.startswith(f"{address}/"):
        what = "the archive's reply leads to another host."
        raise DepositError(Problem(what, "Nothing was uploaded there. Check the address."))


def expected_replies(address: str, request: DepositRequest) -> Json:
    """What Zenodo would reply in a dry run."""
    if request.url.endswith(_DEPOSITIONS) or request.method == "GET":
        return {
            "id": _ID,
            "links": {"bucket": f"{address}/api/files/{_BUCKET}", "html": ""},
            "submitted": False,
            "files": [],
        }
    return {}

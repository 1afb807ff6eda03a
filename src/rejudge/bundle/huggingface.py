"""A deposit on Hugging Face: a private dataset repository, made public only on request.

The files of the bundle are uploaded one by one, so that its card and tables can be seen, with the
bundle itself beside them. All of them are one commit; large and binary files go through Git LFS
first (https://huggingface.co/docs/hub/api).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

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

ADDRESS: Final = "https://huggingface.co"
_BRANCH = "main"
_EXISTS = 409
_SAMPLE = 512  # bytes by which the hub tells texts from other files
_LFS = "application/vnd.git-lfs+json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_LARGE = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HubDeposit:
    """What is deposited where."""

    address: str
    repository: str  # owner/name
    bundle: str  # SHA-256
    files: Mapping[str, bytes]
    message: str

    @property
    def api(self) -> str:
        """Where the API of the repository is."""
        return f"{self.address}/api/datasets/{self.repository}"


def check_repository(name: str) -> str:
    """The repository as owner/name; UsageError for anything else."""
    owner, slash, own = name.partition("/")
    if not slash or not _NAME.fullmatch(owner) or not _NAME.fullmatch(own):
        raise UsageError(
            Problem(
                f"'{name}' is not the name of a repository.",
                "Write it as owner/name, such as --repository our-lab/my-study.",
            )
        )
    return name


def deposit_on_hub(
    deposit: HubDeposit,
    send: Sender,
    *,
    before: DepositRecord | None,
    save: Callable[[DepositRecord], None],
    publish: bool,
) -> DepositRecord:
    """Create the repository or use the one that is there, commit all files, and open it if asked.

    The hub keeps what was uploaded, so a second run sends only what is missing.
    """
    record = DepositRecord(
        archive="huggingface",
        address=deposit.address,
        place=deposit.repository,
        bundle=deposit.bundle,
        page=f"{deposit.address}/datasets/{deposit.repository}",
        is_published=before is not None and before.is_published,
    )
    if before is None:
        _create(deposit, send)
        save(record)
    _commit(deposit, send)
    if publish:
        send(DepositRequest.of_json("PUT", f"{deposit.api}/settings", {"private": False}))
        record = replace(record, is_published=True)
    save(record)
    return record


def _create(deposit: HubDeposit, send: Sender) -> None:
    """A private repository. One that is there already is somebody's: it is not written over."""
    owner, _, name = deposit.repository.partition("/")
    wanted = {"type": "dataset", "name": name, "organization": owner, "private": True}
    try:
        send(DepositRequest.of_json("POST", f"{deposit.address}/api/repos/create", wanted))
    except DepositError as error:
        if error.status != _EXISTS:
            raise
        raise UsageError(
            Problem(
                f"the repository {deposit.repository} exists already.",
                "Choose another name, or delete it on Hugging Face first.",
            )
        ) from None


def _commit(deposit: HubDeposit, send: Sender) -> None:
    large = _large_files(deposit, send)
    if large:
        _upload(deposit, send, large)
    lines: list[Json] = [{"key": "header", "value": {"summary": deposit.message}}]
    for name, content in deposit.files.items():
        lines.append(_line_of_large(name, content) if name in large else _line(name, content))
    body = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    send(
        DepositRequest(
            "POST",
            f"{deposit.api}/commit/{_BRANCH}",
            body.encode("utf-8"),
            "application/x-ndjson",
            about=_in_words(lines),
        )
    )


def _line(name: str, content: bytes) -> Json:
    text = base64.b64encode(content).decode("ascii")
    return {"key": "file", "value": {"content": text, "path": name, "encoding": "base64"}}


def _line_of_large(name: str, content: bytes) -> Json:
    oid = {"algo": "sha256", "oid": sha256(content), "size": len(content)}
    return {"key": "lfsFile", "value": {"path": name, **oid}}


def _in_words(lines: Sequence[Json]) -> str:
    """A commit without the contents of its files."""
    short = [
        {**line, "value": {**line["value"], "content": "…"}} if line["key"] == "file" else line
        for line in lines
    ]
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in short)


def _large_files(deposit: HubDeposit, send: Sender) -> list[str]:
    """The files that the hub wants through Git LFS."""
    asked = [
        {
            "path": name,
            "size": len(content),
            "sample": base64.b64encode(content[:_SAMPLE]).decode("ascii"),
        }
        for name, content in deposit.files.items()
    ]
    url = f"{deposit.api}/preupload/{_BRANCH}"
    short = json.dumps({"files": [{**each, "sample": "…"} for each in asked]}, ensure_ascii=False)
    reply = send(DepositRequest.of_json("POST", url, {"files": asked}, about=short))
    told = {each.get("path"): each.get("uploadMode") for each in reply.get("files") or ()}
    return [name for name in deposit.files if told.get(name) == "lfs"]


def _upload(deposit: HubDeposit, send: Sender, names: Sequence[str]) -> None:
    """Upload what the hub does not have yet, each file to the address that it names."""
    contents = {sha256(deposit.files[name]): name for name in names}
    wanted = [{"oid": oid, "size": len(deposit.files[name])} for oid, name in contents.items()]
    reply = send(
        DepositRequest.of_json(
            "POST",
            f"{deposit.address}/datasets/{deposit.repository}.git/info/lfs/objects/batch",
            {
                "operation": "upload",
                "transfers": ["basic"],
                "objects": wanted,
                "hash_algo": "sha256",
                "ref": {"name": _BRANCH},
            },
            content_type=_LFS,
            headers={"Accept": _LFS},
        )
    )
    for each in reply.get("objects") or ():
        name = contents.get(str(each.get("oid")))
        if name is not None and (each.get("actions") or {}).get("upload"):
            _upload_one(deposit, send, name, each["actions"])


def _upload_one(deposit: HubDeposit, send: Sender, name: str, actions: Json) -> None:
    content = deposit.files[name]
    target, asked = value_at(actions, "upload", "href"), actions["upload"].get("header")
    if not target.startswith(("https://", f"{deposit.address}/", "{")):
        what = "the archive's reply names an address that is not encrypted."
        raise DepositError(Problem(what, "Nothing was uploaded there."))
    send(
        DepositRequest(
            "PUT",
            target,
            content,
            about=f"{name}, {len(content):,} bytes, sha256 {sha256(content)}",
            headers={str(key): str(value) for key, value in (asked or {}).items()},
            is_signed=False,
        )
    )
    if "verify" in actions:
        url = value_at(actions, "verify", "href")
        body = {"oid": sha256(content), "size": len(content)}
        # only the hub itself gets the token
        is_own = url.startswith(f"{deposit.address}/")
        send(DepositRequest.of_json("POST", url, body, content_type=_LFS, is_signed=is_own))


def expected_replies(deposit: HubDeposit, request: DepositRequest) -> Json:
    """What the hub would reply in a dry run: binary and large files go through Git LFS."""
    if request.url.endswith(f"/preupload/{_BRANCH}"):
        return {
            "files": [
                {"path": name, "uploadMode": "lfs" if _is_large(name, content) else "regular"}
                for name, content in deposit.files.items()
            ]
        }
    if request.url.endswith("/objects/batch"):
        asked = json.loads(request.body)["objects"]
        return {
            "objects": [
                {**each, "actions": {"upload": {"href": "{address that the hub names}"}}}
                for each in asked
            ]
        }
    return {}


def _is_large(name: str, content: bytes) -> bool:
    return name.endswith(".zip") or len(content) > _LARGE

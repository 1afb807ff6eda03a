"""rejudge deposit: upload a bundle to an archive, as a draft unless it is to be published."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from rejudge.cli.console import Outcome, is_interactive, print_outcome
from rejudge.cli.terminal import neutral
from rejudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rich.text import Text

    from rejudge.bundle.deposit import DepositRecord, DepositRequest, Sender

_ARCHIVES = ("zenodo", "huggingface")
_SECONDS = 60.0  # to connect, and between two pieces of a reply; an upload may take longer


@click.command("deposit")
@click.argument(
    "archive", metavar="zenodo|huggingface", type=click.Choice(["zenodo", "huggingface"])
)
@click.argument("path", metavar="BUNDLE", type=click.Path(path_type=Path))
@click.option("--repository", metavar="OWNER/NAME", help="Dataset to create on Hugging Face.")
@click.option("--publish", is_flag=True, help="Make it public. On Zenodo this cannot be undone.")
@click.option(
    "--server",
    "address",
    metavar="URL",
    help="Another server of the same kind, such as https://sandbox.zenodo.org.",
)
@click.option("--dry-run", is_flag=True, help="Print the requests without sending them.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@print_outcome
def command(
    archive: Literal["zenodo", "huggingface"],
    path: Path,
    *,
    repository: str | None,
    publish: bool,
    address: str | None,
    dry_run: bool,
    yes: bool,
) -> Outcome:
    """Upload BUNDLE to Zenodo or Hugging Face.

    The bundle must have been made with --croissant. It is verified first. The upload stays a draft
    (Zenodo) or private (Hugging Face) unless you give --publish. The token is read from
    ZENODO_TOKEN or HF_TOKEN. An interrupted upload continues when you run the command again.
    """
    from rejudge.bundle.deposit import read_token

    prepared = _prepare(archive, path, repository=repository, address=address)
    if dry_run:
        return _dry_run(prepared, publish=publish)
    token = read_token(os.environ, archive)
    _ask(prepared, publish=publish, yes=yes)
    record = _send(prepared, token, publish=publish)
    document = {
        "archive": archive,
        "address": record.address,
        "place": record.place,
        "page": record.page,
        "published": record.is_published,
        "record": str(prepared.record_path),
    }
    return Outcome(document, tuple(_render(record, prepared)))


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A bundle that was checked, where it goes, and how far it has come before."""

    run: Callable[..., DepositRecord]  # the steps of the archive
    replies: Callable[[DepositRequest], object]  # what it would reply in a dry run
    record_path: Path
    before: DepositRecord | None
    target: str  # in words
    token: str  # the name of its variable

    def deposit(
        self, send: Sender, save: Callable[[DepositRecord], None], *, publish: bool
    ) -> DepositRecord:
        """Carry out the steps."""
        return self.run(send=send, before=self.before, save=save, publish=publish)


def _prepare(
    archive: Literal["zenodo", "huggingface"],
    path: Path,
    *,
    repository: str | None,
    address: str | None,
) -> _Prepared:
    from rejudge.bundle.archive import LIMITS
    from rejudge.bundle.deposit import metadata_of
    from rejudge.bundle.reader import load_bundle
    from rejudge.incoming import read_bytes

    files = load_bundle(path).files
    metadata = metadata_of(files, file=str(path))
    content = read_bytes(path, remedy="Give a bundle.", limit=LIMITS.packed_bytes)
    if archive == "zenodo":
        if repository is not None:
            what = "--repository is for Hugging Face; Zenodo gives each deposit a number."
            raise UsageError(Problem(what, "Leave it out."))
        return _prepare_zenodo(path, content, metadata, address)
    if repository is None:
        remedy = "Name it, such as --repository our-lab/my-study."
        raise UsageError(Problem("a dataset on Hugging Face needs a name.", remedy))
    return _prepare_hub(path, content, files, repository=repository, address=address)


def _prepare_zenodo(path: Path, content: bytes, metadata: object, address: str | None) -> _Prepared:
    from functools import partial

    from rejudge.bundle import zenodo
    from rejudge.bundle.deposit import TOKENS, check_address

    server = check_address(address or zenodo.ADDRESS)
    deposit = zenodo.ZenodoDeposit(server, path.name, content, metadata)
    record_path, before = _read_record(path, "zenodo", server)
    return _Prepared(
        partial(zenodo.deposit_on_zenodo, deposit),
        partial(zenodo.expected_replies, server),
        record_path=record_path,
        before=before,
        target=f"Zenodo ({server})",
        token=TOKENS["zenodo"],
    )


def _prepare_hub(
    path: Path,
    content: bytes,
    files: Mapping[str, bytes],
    *,
    repository: str,
    address: str | None,
) -> _Prepared:
    from functools import partial

    from rejudge.bundle import huggingface
    from rejudge.bundle.deposit import TOKENS, check_address
    from rejudge.bundle.manifest import sha256

    server = check_address(address or huggingface.ADDRESS)
    deposit = huggingface.HubDeposit(
        address=server,
        repository=huggingface.check_repository(repository),
        bundle=sha256(content),
        files={**files, path.name: content},
        message=f"Add {path.stem}",
    )
    record_path, before = _read_record(path, "huggingface", server)
    if before is not None and before.place != repository:
        what = f"this bundle was deposited in {before.place} before."
        raise UsageError(Problem(what, f"Use that name, or remove {record_path}."))
    return _Prepared(
        partial(huggingface.deposit_on_hub, deposit),
        partial(huggingface.expected_replies, deposit),
        record_path=record_path,
        before=before,
        target=f"Hugging Face ({server}/datasets/{repository})",
        token=TOKENS["huggingface"],
    )


def _read_record(
    path: Path, archive: Literal["zenodo", "huggingface"], address: str
) -> tuple[Path, DepositRecord | None]:
    from rejudge.bundle.deposit import RECORD_CODEC, record_name, refuse_other
    from rejudge.incoming import read_bytes

    file = path.with_name(record_name(path.name, archive))
    if not file.exists():
        return file, None
    content = read_bytes(file, remedy="Remove it to begin another deposit.")
    record = RECORD_CODEC.decode(content, file=str(file)).content
    refuse_other(record, address=address, file=str(file))
    return file, record


def _dry_run(prepared: _Prepared, *, publish: bool) -> Outcome:
    from rich.text import Text

    from rejudge.bundle.deposit import RequestList

    requests = RequestList(prepared.replies)
    prepared.deposit(requests, lambda _: None, publish=publish)
    shown = [_request_lines(each, prepared.token) for each in requests.requests]
    document = {
        "sent": False,
        "requests": [
            {
                "method": each.method,
                "url": each.url,
                "headers": _headers(each, prepared.token),
                "body": each.about or each.body.decode("utf-8", "replace"),
            }
            for each in requests.requests
        ],
    }
    closing = "Nothing was sent. Names in braces are in the archive's replies."
    return Outcome(document, (*(Text(lines) for lines in shown), Text(closing)))


def _headers(request: DepositRequest, token: str) -> dict[str, str]:
    headers = {"Authorization": f"Bearer ${token}"} if request.is_signed else {}
    if request.content_type:
        headers["Content-Type"] = request.content_type
    return {**headers, **request.headers}


def _request_lines(request: DepositRequest, token: str) -> str:
    head = [f"{request.method} {request.url}"]
    head += [f"{name}: {value}" for name, value in _headers(request, token).items()]
    body = request.about or request.body.decode("utf-8", "replace")
    return "\n".join([*head, *([body] if body else []), ""])


def _ask(prepared: _Prepared, *, publish: bool, yes: bool) -> None:
    """Say what goes where and ask; without a terminal, --yes is required."""
    if yes:
        return
    state = "and makes it public" if publish else "as a draft that only you can see"
    what = f"This uploads the bundle to {prepared.target} {state}."
    if not is_interactive():
        remedy = "Nothing was sent. Add --yes to upload without confirmation, or --dry-run to try."
        raise UsageError(Problem(what, remedy))
    click.echo(neutral(what), err=True)
    if not click.confirm("Upload it?", default=False, err=True):
        raise UsageError(Problem("Nothing was sent.", "Answer y to upload it."))


def _send(prepared: _Prepared, token: str, *, publish: bool) -> DepositRecord:
    import httpx

    from rejudge.bundle.deposit import RECORD_CODEC, HttpSender
    from rejudge.files.disk import write_bytes

    def save(record: DepositRecord) -> None:
        content = RECORD_CODEC.encode(record, {"bundle": record.bundle})
        write_bytes(prepared.record_path, content, force=True)

    with httpx.Client(timeout=_SECONDS, follow_redirects=False) as http:
        return prepared.deposit(HttpSender(http, token), save, publish=publish)


def _render(record: DepositRecord, prepared: _Prepared) -> Iterator[Text]:
    from rich.text import Text

    where = record.page or f"{record.address} ({record.place})"
    yield Text(f"Deposited: {where}", "bold")
    if record.is_published:
        yield Text("It is public.")
    else:
        yield Text("Nobody but you can see it. Look at it there, then run again with --publish.")
    yield Text(f"Written: {prepared.record_path}")

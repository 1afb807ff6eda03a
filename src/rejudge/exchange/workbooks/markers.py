"""Whose workbook a file is, for which plan: what its hidden sheet says, signed with the plan."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rejudge.design import Plan
from rejudge.errors import FileError, Problem
from rejudge.exchange.workbooks.files import MARK, OpenedWorkbook, open_workbook
from rejudge.exchange.workbooks.layout import Recipient, code_of
from rejudge.exchange.workbooks.sheets import is_as_written
from rejudge.fingerprint import canonical, of_bytes
from rejudge.study import Study

_SIGNATURE_LENGTH = 32
_ANOTHER_COPY = "Import the workbook that was exported for this study, or export it again."


def marker(study: Study, plan: Plan, recipient: Recipient) -> tuple[str, str, str]:
    """What the hidden sheet says: whose workbook it is, for which plan; nothing about systems."""
    said = json.dumps(
        {
            "study": study.spec.id,
            "plan": _public(plan.fingerprint),
            "design": _public(study.design_fingerprint),
            "number": recipient.number,
            "seats": [list(seat) for seat in recipient.seats],
            "name": recipient.name,
            "consent": consent_text(study),
        },
        ensure_ascii=True,
    )
    return MARK, said, _signature(plan, said)


def consent_text(study: Study) -> str:
    """The fingerprint of what people agree to; empty where nothing is asked."""
    text = study.pages.get("consent", "").strip()
    return of_bytes(text.encode()) if text else ""


def _public(fingerprint: str) -> str:
    """A fingerprint as it can be given away: the plan's own is the key of signatures and rows."""
    return of_bytes(f"workbook {fingerprint}".encode())


def _signature(plan: Plan, said: str) -> str:
    key = plan.fingerprint.encode()
    content = canonical(json.loads(said))
    return hmac.digest(key, content, "sha256").hex()[:_SIGNATURE_LENGTH]


def recipient_of(opened: OpenedWorkbook, study: Study, plan: Plan) -> Recipient:
    """Whose workbook it is; a FileError if it is not of this study and plan."""
    said, signature = opened.marker
    content = parse_marker(said)
    if content is None:
        raise _stranger(opened, "the hidden sheet of the workbook was changed.")
    if content.get("study") != study.spec.id:
        what = f"this is a workbook of the study '{content.get('study')}', not '{study.spec.id}'."
        raise _stranger(opened, what)
    if content.get("plan") != _public(plan.fingerprint):
        raise _stranger(opened, "this workbook was exported for another plan of this study.")
    if content.get("design") != _public(study.design_fingerprint):
        what = "the study's items or questions were changed after this workbook was exported."
        raise _stranger(opened, what)
    if not hmac.compare_digest(signature.encode(), _signature(plan, said).encode()):
        raise _stranger(opened, "the hidden sheet of the workbook was changed.")
    seats_given = tuple((str(batch), int(seat)) for batch, seat in content["seats"])
    return Recipient(int(content["number"]), seats_given, str(content["name"]))


def parse_marker(said: str) -> Mapping[str, Any] | None:  # JSON values
    """What a marker says; None when it is not an object."""
    try:
        content = json.loads(said)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _stranger(opened: OpenedWorkbook, what: str) -> FileError:
    return FileError(Problem(what, _ANOTHER_COPY, file=opened.file))


def owner_of(copy: Path) -> str | None:
    """Whose copy a file is; None if it is not one of ours, or was edited since."""
    try:
        content = parse_marker(open_workbook(copy).marker[0])
    except FileError:
        return None
    number = content.get("number") if content and is_as_written(copy) else None
    return code_of(number) if isinstance(number, int) else None

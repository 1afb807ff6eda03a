"""judgments.csv as a step file: each row names the plan it was judged by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rejudge.errors import FileError, Problem
from rejudge.files.document import Stored
from rejudge.judgments import Judgments, read_csv, to_csv


@dataclass(frozen=True)
class JudgmentsCodec:
    """How judgments are written as a table and read back. Other programs read it as it is."""

    command: str  # that makes such a file

    @property
    def when_edited(self) -> str:
        """Not needed: results name the fingerprint of the judgments they were computed from."""
        return ""

    def marked(self, stored: Stored[Judgments]) -> Stored[Judgments]:
        """The same: other programs write such tables, too."""
        return stored

    def encode(self, content: Judgments, made_from: Mapping[str, str]) -> bytes:  # noqa: ARG002
        """The bytes of the file; where it was made from stands in its rows."""
        return to_csv(content).encode("utf-8")

    def decode(self, text: bytes, *, file: str) -> Stored[Judgments]:
        """The judgments and the plan they name, or every fault that was found."""
        try:
            judgments = read_csv(text.decode("utf-8"), file=file)
        except UnicodeDecodeError:
            remedy = "Save it as UTF-8: in a spreadsheet «CSV UTF-8»."
            raise FileError(Problem("the file is not UTF-8.", remedy, file=file)) from None
        plans = judgments.plan.labels
        return Stored(judgments, {"plan": plans[0]} if len(plans) == 1 else {}, rejudge="")

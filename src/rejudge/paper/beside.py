"""What is told beside results that have no study: their conditions, in the keys of paper.yaml."""

from __future__ import annotations

from dataclasses import replace

from rejudge.errors import Problem, StudyError
from rejudge.fingerprint import Json
from rejudge.paper.consistency import inconsistencies
from rejudge.paper.model import Paper
from rejudge.paper.parse import as_printed
from rejudge.study.draft import sound_part
from rejudge.study.written import in_order, read_yaml

UNTOLD = "untold"  # stands for what a file of conditions may leave out, as the results know it

_STAND_INS: dict[str, Json] = {
    "id": UNTOLD,
    "reference": {"authors": UNTOLD, "year": 2000, "title": UNTOLD},
    "systems": [{"id": UNTOLD}],
    "criteria": [{"id": UNTOLD, "scale": {"kind": "unbounded"}}],
}
_REMEDY = (
    "Write what is known of how the judgments were made, such as `conditions: {platform: Prolific, "
    "participants-per-item: 3}`; docs/reference/paper-yaml.md lists the keys."
)


def parse_beside(text: str, *, file: str = "conditions.yaml") -> Paper:
    """The keys of paper.yaml, of which only `conditions` is needed; numbers come from elsewhere.

    Raises one `StudyError` with every problem of the text, in the order of lines.
    """
    written = read_yaml(text.removeprefix("\ufeff"), file=file, beginning=_REMEDY)
    told = written.values
    if not told.get("conditions"):
        raise StudyError(Problem("this says nothing of conditions.", _REMEDY, file=file))
    written = as_printed(replace(written, values={**_STAND_INS, **told}))
    understood = sound_part(written, Paper, _STAND_INS, file=file)
    problems = [
        *written.problems,
        *understood.problems,
        *inconsistencies(understood, written, file=file),
    ]
    if problems:
        raise StudyError(*in_order(problems, first=file))
    return understood.spec

"""What ReproNLP asks of a reproduction, in one folder with a README.

Datasheet, measures of reproducibility (QRA), deviations, the data as a bundle, and the report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rejudge.bundle.build import PackedBundle
from rejudge.bundle.privacy import KnownPrivacy, find_private
from rejudge.compare.comparison import Comparison
from rejudge.english import count, verb
from rejudge.errors import FileError
from rejudge.files.step_files import COMPARISON
from rejudge.heds.sheet import read
from rejudge.incoming import read_bytes
from rejudge.layout.table import escape_markdown
from rejudge.tables.comparison import comparison_tables
from rejudge.tables.results import table_files

DATASHEETS: Final = "datasheet"
_ENDINGS = (".json", ".tex", ".md", ".html")  # of a datasheet, and of what was made from it
# A question such as 3.3.3.1 has the form of a network address; answers are never only that.
_QUESTION_NUMBER = re.compile(
    rb'(?<="number": ")[1-5][0-9.]*(?=")|(?<="question": ")[1-5][0-9.]*(?=")'
)
_QRA = "qra"
_DEVIATIONS = "deviations"


@dataclass(frozen=True, slots=True)
class SubmissionFolder:
    """The files of a submission by name, and what is missing or should be looked at."""

    files: Mapping[str, bytes] = field(repr=False)
    notes: tuple[str, ...]


def datasheet_files(folder: Path) -> dict[str, bytes]:
    """The Human Evaluation Datasheets of a study folder: files with `heds` in their names.

    This is the one place that knows where datasheets come from.
    """
    return {
        f"{DATASHEETS}/{path.name}": read_bytes(path, remedy="Write it again.")
        for path in sorted(folder.iterdir())
        if path.is_file()
        and not path.is_symlink()
        and "heds" in path.name.casefold()
        and path.suffix.casefold() in _ENDINGS
    }


@dataclass(frozen=True, eq=False)
class SubmissionParts:
    """What a submission is made from."""

    folder: Path
    packed: PackedBundle
    comparison: Comparison
    comparison_file: bytes  # comparison.json, as it was written
    report: Mapping[str, bytes]
    answer: tuple[str, ...]  # what the comparison found, in sentences
    known: KnownPrivacy


def submission(parts: SubmissionParts) -> SubmissionFolder:
    """All files of the submission; a note for whatever is missing."""
    sheets = datasheet_files(parts.folder)
    tables = comparison_tables(parts.comparison)
    deviations = [table for table in tables if table.name == _DEVIATIONS]
    measures = [table for table in tables if table.name != _DEVIATIONS]
    archive = f"{parts.packed.manifest.study}.zip"
    files: dict[str, bytes] = {
        **sheets,
        **{f"{_QRA}/{name}": content for name, content in table_files(measures).items()},
        f"{_QRA}/{COMPARISON}": parts.comparison_file,
        **{
            name.replace("tables/", f"{_DEVIATIONS}/"): content
            for name, content in table_files(deviations).items()
        },
        **{f"report/{name}": content for name, content in parts.report.items()},
        archive: parts.packed.content,
    }
    notes = tuple(_notes(parts, sheets, has_deviations=bool(deviations)))
    files["README.md"] = _readme(parts, files, notes).encode("utf-8")
    return SubmissionFolder(dict(sorted(files.items())), notes)


def _notes(
    parts: SubmissionParts, sheets: Mapping[str, bytes], *, has_deviations: bool
) -> Iterator[str]:
    if not any(name.endswith(".json") for name in sheets):
        yield (
            "There is no Human Evaluation Datasheet in the study folder: write heds.json with "
            "`rejudge heds fill`, or save the form there under this name."
        )
    yield from _open_questions(sheets)
    if not has_deviations:
        yield "No deviations from the original are known: state them, or say that there are none."
    silent = sum(not each.reason for each in parts.comparison.deviations)
    if silent:
        known = count(len(parts.comparison.deviations), "deviation")
        have = verb(silent, "has", "have")
        yield f"{silent:,} of {known} {have} no reason: write it under `deviations` in study.yaml."
    searched = {name: _QUESTION_NUMBER.sub(b"", content) for name, content in sheets.items()}
    for problem in find_private(searched, parts.known, written_by_people=searched):
        yield f"{problem.file}, line {problem.line or 1}: {problem.what} Is it meant to be public?"
    if parts.packed.manifest.is_simulated:
        yield "The judgments are simulated: this is a rehearsal of a submission."


def _open_questions(sheets: Mapping[str, bytes]) -> Iterator[str]:
    for name, content in sheets.items():
        if not name.endswith(".json"):
            continue
        try:
            states = [answer.state for _, answer in read(content, file=name).answers()]
        except FileError:
            yield f"{name} cannot be read as a datasheet."
            continue
        if "blank" in states:
            yield f"{name}: {states.count('blank')} of {len(states)} questions have no answer."


def _readme(parts: SubmissionParts, files: Mapping[str, bytes], notes: tuple[str, ...]) -> str:
    manifest = parts.packed.manifest
    lines = [
        f"# {escape_markdown(manifest.title)}",
        "",
        *(escape_markdown(sentence) for sentence in parts.answer),
        "",
        "| what | where |",
        "|---|---|",
        *_contents(parts, files),
        "",
        f"`rejudge verify {manifest.study}.zip` checks the data and computes every number again.",
        "",
        f"Licence of the data: {manifest.licence.name} ({manifest.licence.url}).",
        f"Made with rejudge {manifest.interface.rejudge} on {manifest.published}.",
    ]
    if notes:
        lines += ["", "## Still open", "", *(f"- {escape_markdown(note)}" for note in notes)]
    return "\n".join(lines) + "\n"


def _contents(parts: SubmissionParts, files: Mapping[str, bytes]) -> Iterator[str]:
    sheets = [name for name in files if name.startswith(f"{DATASHEETS}/")]
    where = ", ".join(f"[{name}]({name.replace(' ', '%20')})" for name in sheets) or "missing"
    yield f"| Human Evaluation Datasheet | {where} |"
    tables = sum(name.startswith(f"{_QRA}/") and name.endswith(".csv") for name in files)
    yield (
        f"| Quantified reproducibility assessment (QRA types I–IV): {count(tables, 'table')} | "
        f"[{_QRA}/tables]({_QRA}/tables), [{_QRA}/{COMPARISON}]({_QRA}/{COMPARISON}) |"
    )
    known = len(parts.comparison.deviations)
    if known:
        stated = f"[{_DEVIATIONS}/{_DEVIATIONS}.md]({_DEVIATIONS}/{_DEVIATIONS}.md)"
        yield f"| {count(known, 'deviation')} from the original | {stated} |"
    study = parts.packed.manifest.study
    held = len(parts.packed.sizes)
    yield (
        f"| Study, items, judgments and results: a bundle of {held:,} "
        f"{verb(held, 'file', 'files')} | [{study}.zip]({study}.zip) |"
    )
    page = "[report](report/index.html)"
    yield f"| Report, with figures, methods and the Responsible NLP checklist | {page} |"
